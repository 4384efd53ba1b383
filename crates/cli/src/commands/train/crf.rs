//! `boughs train crf`: chart parsers with features.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use boughs::chart::Decoder;
use boughs::model::{CRF_TEMPLATE_SETS, CrfObjective, CrfTemplates};
use boughs::train::{BaseGrammar, CrfConfig, LatentConfig, Loss, Optimizer, PcfgConfig};
use clap::{Args, ValueEnum};

use super::common::{Common, read_text, set};
use super::grammar::UnariesName;
use crate::number;

/// A parser: a grammar whose rules and phrases have features of the words around them
///
/// A base grammar says which parses of a sentence are worth a look, and weights of features choose among them (Taskar
/// et al. 2004, Hall et al. 2014). It is more accurate than the grammar alone, and takes longer to train. Other
/// settings of the base grammar go into the file of --config, under `[base.latent]` or `[base.pcfg]`.
#[derive(Debug, Args)]
pub(super) struct CrfArgs {
    #[command(flatten)]
    pub(super) common: Common,

    /// Features: surface+grammar, surface, lexical+aux, lexical, basic, or a file (docs/crf.md)
    #[arg(long, value_name = "NAME|FILE")]
    features: Option<PathBuf>,

    /// What to aim at [default: likelihood]
    #[arg(long, value_enum, value_name = "NAME")]
    objective: Option<ObjectiveName>,

    /// How weights are found [default: adagrad; smo for the margin]
    #[arg(long, value_enum, value_name = "NAME")]
    optimizer: Option<OptimizerName>,

    /// The base grammar [default: latent]
    #[arg(long, value_enum, value_name = "NAME")]
    base: Option<BaseName>,

    /// Rounds of splitting of a latent base grammar [default: 3]
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..))]
    rounds: Option<usize>,

    /// What becomes of a phrase whose only child is a phrase [default: rules]
    #[arg(long, value_enum, value_name = "NAME")]
    unaries: Option<UnariesName>,

    /// Folds of the treebank, each seen by models of the others; 1 for none [default: 4; pcfg 2 or 1]
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..))]
    folds: Option<usize>,

    /// What counts as an error of a parse, for the margin [default: phrases]
    #[arg(long, value_enum, value_name = "NAME")]
    loss: Option<LossName>,

    /// How much an error counts for the margin [default: 1]
    #[arg(long, value_name = "X")]
    loss_weight: Option<f32>,

    /// Leave out phrases with a log-posterior below X in the base grammar [default: -6]
    #[arg(long, value_name = "X")]
    phrase_threshold: Option<f32>,

    /// Leave out rules at a place with a log-posterior below X [default: -8]
    #[arg(long, value_name = "X")]
    rule_threshold: Option<f32>,

    /// Words and endings that occur less often are seen by shorter endings [default: 30]
    #[arg(long, value_name = "N", value_parser = number::within::<u32>(1..))]
    min_word_count: Option<u32>,

    /// Leave out features that occur in the forests of fewer sentences [default: 2]
    #[arg(long, value_name = "N", value_parser = number::within::<u32>(1..))]
    min_feature_count: Option<u32>,

    /// Clusters of words: a file with a word, a tab and its cluster in each line
    #[arg(long, value_name = "FILE")]
    clusters: Option<PathBuf>,

    /// The most epochs [default: 20]
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..))]
    epochs: Option<usize>,

    /// End after so many epochs without a better F1 [default: 3]
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..))]
    patience: Option<usize>,

    /// How far a step goes (adagrad) [default: 0.1]
    #[arg(long, value_name = "X")]
    rate: Option<f32>,

    /// Added to the squared gradients of a feature (adagrad) [default: 1]
    #[arg(long, value_name = "X")]
    damping: Option<f32>,

    /// How many sentences make a step (adagrad, subgradient) [default: 8]
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..))]
    batch: Option<usize>,

    /// How hard weights are pulled to zero (adagrad) [default: 1e-5]
    #[arg(long, value_name = "X")]
    penalty: Option<f32>,

    /// What errors cost against large weights (C); of several, the best is kept [default: 1]
    #[arg(long, value_name = "X,…", value_delimiter = ',')]
    error_cost: Option<Vec<f64>>,

    /// The duality gap, as a share of the objective, at which smo ends [default: 0.01]
    #[arg(long, value_name = "X")]
    gap: Option<f64>,

    /// Which tree of a forest is the best [default: max-rule]
    #[arg(long, value_enum, value_name = "NAME")]
    decoder: Option<DecoderName>,

    /// Learn a tagger too, and store it in the model, for `boughs tag`
    #[arg(long)]
    with_tagger: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ObjectiveName {
    /// The gold tree is likely given its words
    Likelihood,
    /// The gold tree is better than every other by a margin that grows with the errors of the other
    Margin,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OptimizerName {
    /// Steps along the gradient, smaller for features that have moved much
    Adagrad,
    /// Steps along the subgradient that get smaller with time; for the margin
    Subgradient,
    /// A step of one for each wrong tree, averaged; for the margin
    Perceptron,
    /// The smallest step that corrects the sentence, averaged; for the margin
    PassiveAggressive,
    /// Dual mass moved between the parses of one sentence at a time, with the duality gap; for the margin
    Smo,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum BaseName {
    /// Plain
    Pcfg,
    /// With latent subcategories
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
    pub(super) fn recipe(&self) -> Result<CrfConfig> {
        let mut config = CrfConfig::default();
        match self.base {
            Some(BaseName::Pcfg) => config.base = BaseGrammar::Pcfg(PcfgConfig::default()),
            Some(BaseName::Latent) | None => {}
        }
        let mut config = self.common.over(config)?;
        self.change_base(&mut config.base)?;
        set(&mut config.features, templates(self.features.as_deref())?);
        if let Some(objective) = self.objective.map(objective) {
            config.objective = objective;
            config.optimizer = CrfConfig::optimizer_for(objective);
        }
        set(&mut config.optimizer, self.optimizer.map(optimizer));
        // The best number of folds depends on features and base grammar, unless somebody says how many.
        if self.common.config().is_none() {
            config.folds = CrfConfig::folds_for(&config.features, &config.base);
        }
        set(&mut config.folds, self.folds);
        set(&mut config.loss, self.loss.map(loss));
        set(&mut config.loss_weight, self.loss_weight);
        set(&mut config.thresholds.phrases, self.phrase_threshold);
        set(&mut config.thresholds.rules, self.rule_threshold);
        set(&mut config.min_word_count, self.min_word_count);
        set(&mut config.min_feature_count, self.min_feature_count);
        set(&mut config.max_epochs, self.epochs);
        set(&mut config.patience, self.patience);
        set(&mut config.rate, self.rate);
        set(&mut config.damping, self.damping);
        set(&mut config.batch, self.batch);
        set(&mut config.penalty, self.penalty);
        set(&mut config.error_costs, self.error_cost.clone());
        set(&mut config.gap, self.gap);
        set(&mut config.options.decoder, self.decoder.map(decoder));
        set(&mut config.max_words, self.common.max_words.map(Some));
        set(&mut config.seed, self.common.seed);
        set(&mut config.tagger.seed, self.common.seed);
        set(&mut config.clusters, self.clusters.as_deref().map(read_text).transpose()?.map(Some));
        config.with_tagger |= self.with_tagger;
        config.measure_objective |= self.common.curves.is_some() && config.objective == CrfObjective::Margin;
        Ok(config)
    }

    fn change_base(&self, base: &mut BaseGrammar) -> Result<()> {
        let unaries = self.unaries.map(UnariesName::unaries);
        match base {
            BaseGrammar::Pcfg(_) if self.rounds.is_some() => {
                bail!("--rounds is for a latent base grammar: leave it out")
            }
            BaseGrammar::Pcfg(PcfgConfig { unaries: old, .. }) => set(old, unaries),
            BaseGrammar::Latent(LatentConfig { unaries: old, max_rounds, seed, .. }) => {
                set(old, unaries);
                set(max_rounds, self.rounds);
                set(seed, self.common.seed);
            }
        }
        Ok(())
    }
}

fn objective(name: ObjectiveName) -> CrfObjective {
    match name {
        ObjectiveName::Margin => CrfObjective::Margin,
        ObjectiveName::Likelihood => CrfObjective::Likelihood,
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

fn templates(path: Option<&Path>) -> Result<Option<CrfTemplates>> {
    let Some(path) = path else { return Ok(None) };
    if let Some(named) = path.to_str().and_then(CrfTemplates::named) {
        return Ok(Some(named));
    }
    let text = read_text(path).with_context(|| {
        let names: Vec<&str> = CRF_TEMPLATE_SETS.iter().map(|(name, _)| *name).collect();
        format!("expected a file of templates, or one of {}", names.join(", "))
    })?;
    Ok(Some(text.parse::<CrfTemplates>().map_err(|error| error.in_file(path))?))
}
