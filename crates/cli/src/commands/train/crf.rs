//! `--method crf`: grammars with features.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use boughs::chart::Decoder;
use boughs::model::{About, CRF_TEMPLATE_SETS, CrfObjective, CrfTemplates};
use boughs::parser::Parser;
use boughs::train::crf::{
    self, BaseGrammar, CrfCheckpoint, CrfConfig, CrfEvent, Loss, Optimizer, TrainedCrf,
};
use clap::{Args, ValueEnum};

use super::checkpoint::{self, Keeper};
use super::data::Data;
use super::epochs::Epochs;
use super::grammar::{describe_scores, train_tagger};
use super::objective::{self, Stopwatch};
use super::settings::set;
use super::{ObjectiveName, TrainArgs};
use crate::Outcome;
use crate::number;
use crate::output::report;

#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = "Max-margin")]
pub(super) struct CrfArgs {
    /// How weights are found [default: adagrad; smo with `--objective margin`]
    #[arg(long, value_enum, value_name = "NAME")]
    optimizer: Option<OptimizerName>,

    /// The grammar that says which parses are worth a look; the options of grammars are its options [default: latent]
    #[arg(long, value_enum, value_name = "NAME")]
    base: Option<BaseName>,

    /// In how many parts the treebank is cut, so that what the grammar and the flat classifier think of a sentence comes from those that did not see it;
    /// 1 for no cutting [default: 4; with `--base pcfg` 2, or 1 if no feature hears them]
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..))]
    grammar_folds: Option<usize>,

    /// What counts as an error of a parse, for the margin [default: phrases]
    #[arg(long, value_enum, value_name = "NAME")]
    loss: Option<LossName>,

    /// How much an error counts for the margin [default: 1]
    #[arg(long, value_name = "X")]
    loss_weight: Option<f32>,

    /// Leave out phrases whose probability in the grammar has a logarithm below X [default: -6]
    #[arg(long, value_name = "X")]
    limit_phrases: Option<f32>,

    /// The same of rules at a place [default: -8]
    #[arg(long, value_name = "X")]
    limit_rules: Option<f32>,

    /// Words and endings that occur less often are seen by shorter endings [default: 30]
    #[arg(long, value_name = "N", value_parser = number::within::<u32>(1..))]
    frequent: Option<u32>,

    /// Leave out features that occur in the forests of fewer sentences [default: 2]
    #[arg(long, value_name = "N", value_parser = number::within::<u32>(1..))]
    min_feature_count: Option<u32>,

    /// Clusters of words for the form `cluster`, from a file with a word, a tab and the name of its cluster in each line
    #[arg(long, value_name = "FILE")]
    clusters: Option<PathBuf>,

    /// The most rounds through the training trees [default: 20]
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..))]
    epochs: Option<usize>,

    /// How far a step goes (adagrad) [default: 0.1]
    #[arg(long, value_name = "X")]
    rate: Option<f32>,

    /// What keeps features that are seen once or twice from moving far (adagrad) [default: 1]
    #[arg(long, value_name = "X")]
    damping: Option<f32>,

    /// How many sentences make a step (adagrad, subgradient) [default: 8]
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..))]
    batch: Option<usize>,

    /// How hard weights are pulled to zero (adagrad) [default: 1e-5]
    #[arg(long, value_name = "X")]
    penalty: Option<f32>,

    /// How much errors count against small weights (smo, passive-aggressive, subgradient); of several, as `0.1,1,10`, the best on the development trees is
    /// kept [default: 1]
    #[arg(long, value_name = "X,…", value_delimiter = ',')]
    c: Option<Vec<f64>>,

    /// The duality gap, as a share of the objective, at which smo ends [default: 0.01]
    #[arg(long, value_name = "X")]
    gap: Option<f64>,

    /// Which tree is the best, when the development trees are parsed [default: max-rule]
    #[arg(long, value_enum, value_name = "NAME")]
    dev_decoder: Option<DecoderName>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OptimizerName {
    /// Steps along the gradient, smaller for features that have moved much
    Adagrad,
    /// Steps along the subgradient that get smaller with time; for the margin
    Subgradient,
    /// A step of one for each wrong tree, averaged; for the margin
    Perceptron,
    /// The smallest step that fixes the sentence, averaged; for the margin
    PassiveAggressive,
    /// Dual mass moved between the parses of one sentence at a time, with the duality gap; for the margin
    Smo,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum BaseName {
    /// Plain
    Pcfg,
    /// With sub-symbols
    Latent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LossName {
    /// Phrases that the gold tree does not have
    Phrases,
    /// Rules that the gold tree does not have at the same place
    Rules,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DecoderName {
    /// The tree whose rules have the highest product of probabilities
    MaxRule,
    /// The tree with the highest score
    Viterbi,
    /// The tree with the highest expected number of correct phrases
    MaxRecall,
}

impl CrfArgs {
    fn config(&self, args: &TrainArgs) -> Result<CrfConfig> {
        let mut config = CrfConfig { seed: args.seed, base: self.base(args)?, ..CrfConfig::default() };
        set(&mut config.templates, templates(args.features.as_deref())?);
        set(&mut config.objective, args.objective.map(aim));
        let usual = CrfConfig::optimizer_for(config.objective);
        config.optimizer = self.optimizer.map_or(usual, optimizer);
        set(&mut config.loss, self.loss.map(loss));
        set(&mut config.loss_weight, self.loss_weight);
        let folds = CrfConfig::folds_for(&config.templates, &config.base);
        config.folds = self.grammar_folds.unwrap_or(folds);
        set(&mut config.limits.phrases, self.limit_phrases);
        set(&mut config.limits.rules, self.limit_rules);
        set(&mut config.min_word_count, self.frequent);
        set(&mut config.min_feature_count, self.min_feature_count);
        set(&mut config.max_epochs, self.epochs);
        set(&mut config.patience, args.patience);
        set(&mut config.rate, self.rate);
        set(&mut config.damping, self.damping);
        set(&mut config.batch, self.batch);
        set(&mut config.penalty, self.penalty);
        set(&mut config.c, self.c.clone());
        set(&mut config.gap, self.gap);
        set(&mut config.chart.decoder, self.dev_decoder.map(decoder));
        config.measure_objective = args.curves.is_some();
        if args.curves.is_some() && config.objective != CrfObjective::Margin {
            bail!("--curves draws the objective of the margin: add --objective margin, or leave it out")
        }
        if args.curves.is_some() && config.c.len() > 1 {
            bail!("--curves draws the objective of one C: give one, or leave it out")
        }
        config.clusters = self.clusters.as_deref().map(read).transpose()?;
        config.check()?;
        Ok(config)
    }

    /// Whether the grammar below the features is a plain one.
    pub(super) fn has_plain_base(&self) -> bool {
        self.base == Some(BaseName::Pcfg)
    }

    fn base(&self, args: &TrainArgs) -> Result<BaseGrammar> {
        match self.base {
            Some(BaseName::Pcfg) => Ok(BaseGrammar::Plain(args.grammar.pcfg()?)),
            None | Some(BaseName::Latent) => {
                let mut config = args.grammar.latent(args)?;
                config.max_rounds = args.grammar.rounds.unwrap_or(3);
                Ok(BaseGrammar::Latent(config))
            }
        }
    }
}

fn aim(name: ObjectiveName) -> CrfObjective {
    match name {
        ObjectiveName::Margin => CrfObjective::Margin,
        _ => CrfObjective::Likelihood,
    }
}

fn optimizer(name: OptimizerName) -> Optimizer {
    match name {
        OptimizerName::Adagrad => Optimizer::AdaGrad,
        OptimizerName::Subgradient => Optimizer::Subgradient,
        OptimizerName::Perceptron => Optimizer::Perceptron,
        OptimizerName::PassiveAggressive => Optimizer::PassiveAggressive,
        OptimizerName::Smo => Optimizer::Smo,
    }
}

fn loss(name: LossName) -> Loss {
    match name {
        LossName::Phrases => Loss::Phrases,
        LossName::Rules => Loss::Rules,
    }
}

fn decoder(name: DecoderName) -> Decoder {
    match name {
        DecoderName::MaxRule => Decoder::MaxRule,
        DecoderName::Viterbi => Decoder::Viterbi,
        DecoderName::MaxRecall => Decoder::MaxRecall,
    }
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

fn templates(path: Option<&Path>) -> Result<Option<CrfTemplates>> {
    let Some(path) = path else { return Ok(None) };
    if let Some(named) = path.to_str().and_then(CrfTemplates::named) {
        return Ok(Some(named));
    }
    let text = fs::read_to_string(path).with_context(|| {
        let names: Vec<&str> = CRF_TEMPLATE_SETS.iter().map(|(name, _)| *name).collect();
        format!("{}: expected a file of templates, or one of {}", path.display(), names.join(", "))
    })?;
    Ok(Some(text.parse::<CrfTemplates>().map_err(|error| error.in_file(path))?))
}

pub(super) fn train(args: &TrainArgs) -> Result<Outcome> {
    let config = args.crf.config(args)?;
    let checkpoint = checkpoint::path(&args.out);
    checkpoint::check(&checkpoint, args.resume)?;
    let mut data = Data::read(args)?;
    data.limit(args.max_words);
    let mut watch = Stopwatch::default();
    let Some(trained) = run(&data, &config, &checkpoint, args.resume, &mut watch)? else {
        return Ok(Outcome::Interrupted);
    };
    if let Some(directory) = &args.curves {
        objective::write(directory, &args.out, &trained.points, &watch)?;
    }
    save(args, &config, &data, trained)?;
    checkpoint::remove(&checkpoint)?;
    Ok(data.outcome)
}

/// Trains to the end; nothing if the user interrupted it.
fn run(
    data: &Data,
    config: &CrfConfig,
    checkpoint: &Path,
    is_resumed: bool,
    watch: &mut Stopwatch,
) -> Result<Option<TrainedCrf>> {
    let run = crf::fingerprint(&data.train, &data.dev, config);
    let resume = checkpoint::load(checkpoint, is_resumed, |file| CrfCheckpoint::from_file(file, &run))?;
    let keeper = Keeper::new(checkpoint)?;
    let mut epochs = Epochs::new(config, resume.as_ref().map_or(&[], |resume| resume.points()))?;
    let trained = crf::train(&data.train, &data.dev, config, resume, |event| {
        watch.see(&event);
        epochs.see(&event);
        if let CrfEvent::Epoch { checkpoint: state, .. } | CrfEvent::GrammarDone { checkpoint: state } =
            &event
        {
            keeper.save(state.to_file(&run));
        }
        keeper.flow()
    });
    epochs.finish();
    Ok(keeper.finish(trained)?.flatten())
}

fn save(args: &TrainArgs, config: &CrfConfig, data: &Data, trained: TrainedCrf) -> Result<()> {
    let mut about = args.about();
    describe(&mut about, config, &trained);
    about.settings.insert("training-trees".to_owned(), data.train.len().to_string());
    if let Some(max_words) = args.max_words {
        about.settings.insert("max-words".to_owned(), max_words.to_string());
    }
    let num_features = trained.model.features().map_or(0, |features| features.weights.len());
    let tagger = args.grammar.with_tagger.then(|| train_tagger(args, data)).transpose()?;
    Parser::new(about, trained.model, tagger).to_file()?.save(&args.out)?;
    report(format_args!("{}: written, {num_features} features", args.out.display()));
    Ok(())
}

fn describe(about: &mut About, config: &CrfConfig, trained: &TrainedCrf) {
    let name = CRF_TEMPLATE_SETS.iter().find(|(_, text)| *text == config.templates.text());
    let mut set = |name: &str, value: String| _ = about.settings.insert(name.to_owned(), value);
    set("features", name.map_or("own", |(name, _)| name).to_owned());
    set("folds", config.folds.to_string());
    set("optimizer", format!("{:?}", config.optimizer).to_lowercase());
    let Some(point) = trained.points.get(trained.best) else { return };
    set("epochs", point.epoch.to_string());
    if config.objective == CrfObjective::Margin {
        set("c", point.c.to_string());
    }
    match config.c.len() {
        1 => report(format_args!("the weights of round {} are kept", point.epoch)),
        _ => report(format_args!("the weights of round {} with C = {} are kept", point.epoch, point.c)),
    }
    if let Some(scores) = point.scores {
        describe_scores(about, &scores);
    }
}
