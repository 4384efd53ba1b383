//! `--method pcfg` and `--method latent`: grammars.

use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::{Context, Result};
use boughs::chart::ChartOptions;
use boughs::eval::{Parameters, Scorer, Totals};
use boughs::model::{About, ChartModel, GrammarModel, WordClasses};
use boughs::parser::{ParseOptions, Parser, Sentence, Worker};
use boughs::tagger::{self, Tagger, TaggerConfig};
use boughs::train::latent::{self, LatentCheckpoint, LatentConfig, LatentEvent, Trained};
use boughs::train::pcfg::{self, PcfgConfig};
use boughs::train::{Annotations, GrammarScores, LexiconConfig, tagged_sentences};
use boughs::tree::{Tree, Unaries};
use clap::{Args, ValueEnum};
use rayon::prelude::*;

use super::TrainArgs;
use super::checkpoint::{self, Keeper};
use super::conditional::ConditionalArgs;
use super::data::Data;
use super::rounds::Rounds;
use super::settings::set;
use crate::Outcome;
use crate::commands::model::{combine, splits};
use crate::number;
use crate::output::report;

#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = "Grammars")]
pub(super) struct GrammarArgs {
    /// How many children already there a part of a phrase remembers (pcfg) [default: 1]
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(0..))]
    horizontal: Option<usize>,

    /// How many generations are in the name of a phrase: 1 for the phrase, 2 with its parent (pcfg) [default: 2]
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..))]
    vertical: Option<usize>,

    /// Split symbols by what linguists know of English: `klein-manning` for all of Klein & Manning (2003), or some of theirs, as `split-in,split-vp`
    /// (pcfg; docs/train.md has the list) [default: none]
    #[arg(long, value_name = "NAMES", value_parser = |names: &str| names.parse::<Annotations>())]
    annotations: Option<Annotations>,

    /// What becomes of a phrase whose only child is a phrase [default: rules]
    #[arg(long, value_enum, value_name = "NAME")]
    unaries: Option<UnariesName>,

    /// The most rounds of splitting (latent); of all rounds the best on the development trees is kept [default: 6; without development trees 4;
    /// of the grammar of max-margin 3, all of them done]
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..))]
    pub(super) rounds: Option<usize>,

    /// Learn so many grammars, each with the next seed, that parse together: two are much better than one (latent) [default: 1]
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..=ChartModel::MOST_GRAMMARS as i64))]
    pub(super) grammars: Option<usize>,

    /// Iterations of EM in a round: after splitting, after merging, with smoothing (latent) [default: 50 20 10]
    #[arg(long, value_name = "N", num_args = 3, value_parser = number::within::<usize>(0..))]
    iterations: Option<Vec<usize>>,

    /// The share of the splits that are undone (latent) [default: 0.5; with `--objective conditional` 0]
    #[arg(long, value_name = "X")]
    pub(super) merge: Option<f64>,

    /// How far the rules of sub-symbols are moved to the mean of their half of the symbol (latent) [default: 0.01]
    #[arg(long, value_name = "X")]
    smoothing: Option<f32>,

    /// How far their words are moved to the mean of their tag (latent) [default: 0.2]
    #[arg(long, value_name = "X")]
    word_smoothing: Option<f32>,

    /// Words that occur at most so often stand for the unknown ones of their form [default: 5]
    #[arg(long, value_name = "N", value_parser = number::within::<u32>(0..))]
    rare: Option<u32>,

    /// How many occurrences of a word its form is worth [default: 0.1]
    #[arg(long, value_name = "X")]
    form_weight: Option<f32>,

    /// Endings that tell unknown words apart, from a file with lines `suffixes N a b c` and `plural N s x y`; `none` for no endings
    /// [default: those of English]
    #[arg(long, value_name = "FILE")]
    word_classes: Option<PathBuf>,

    /// Learn a tagger from the same trees and store it in the model, for `boughs tag`. A grammar tags for itself, but hears of the tagger's opinion
    /// (latent, pcfg), which makes it better
    #[arg(long)]
    pub(super) with_tagger: bool,

    #[command(flatten)]
    pub(super) conditional: ConditionalArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum UnariesName {
    /// It is over its child by a rule
    Rules,
    /// Both are one symbol, as S+VP, until the tree is written
    Compound,
}

impl GrammarArgs {
    /// An option that is given, but of no use without the rules of a plain grammar.
    pub(super) fn option_of_plain(&self) -> Option<&'static str> {
        first_given([
            (self.horizontal.is_some(), "--horizontal"),
            (self.vertical.is_some(), "--vertical"),
            (self.annotations.is_some(), "--annotations"),
        ])
    }

    /// One that is of no use without EM.
    pub(super) fn option_of_em(&self) -> Option<&'static str> {
        first_given([
            (self.rounds.is_some(), "--rounds"),
            (self.iterations.is_some(), "--iterations"),
            (self.smoothing.is_some(), "--smoothing"),
            (self.word_smoothing.is_some(), "--word-smoothing"),
        ])
    }

    /// One that is of no use without splits.
    pub(super) fn option_of_splits(&self) -> Option<&'static str> {
        first_given([(self.merge.is_some(), "--merge")])
    }

    pub(super) fn unaries(&self) -> Unaries {
        match self.unaries {
            None | Some(UnariesName::Rules) => Unaries::Keep,
            Some(UnariesName::Compound) => Unaries::CollapseBelowRoot,
        }
    }

    pub(super) fn lexicon(&self) -> Result<LexiconConfig> {
        let mut lexicon = LexiconConfig::default();
        set(&mut lexicon.rare, self.rare);
        set(&mut lexicon.class_weight, self.form_weight);
        if let Some(path) = &self.word_classes {
            lexicon.classes = match path.to_str() {
                Some("none") => WordClasses::plain(),
                _ => {
                    let text = fs::read_to_string(path)
                        .with_context(|| format!("cannot read {}", path.display()))?;
                    WordClasses::parse(&text).map_err(|error| error.in_file(path))?
                }
            };
        }
        Ok(lexicon)
    }

    pub(super) fn pcfg(&self) -> Result<PcfgConfig> {
        let mut config = PcfgConfig { lexicon: self.lexicon()?, ..PcfgConfig::default() };
        set(&mut config.binarization.horizontal, self.horizontal.map(Some));
        set(&mut config.binarization.vertical, self.vertical);
        set(&mut config.annotations, self.annotations.clone());
        config.binarization.unaries = self.unaries();
        Ok(config)
    }

    pub(super) fn latent(&self, args: &TrainArgs) -> Result<LatentConfig> {
        let mut config = LatentConfig {
            lexicon: self.lexicon()?,
            unaries: self.unaries(),
            seed: args.seed,
            ..LatentConfig::default()
        };
        let rounds = if args.dev.is_empty() { 4 } else { config.max_rounds };
        config.max_rounds = self.rounds.unwrap_or(rounds);
        if let Some(&[split, merge, smooth]) = self.iterations.as_deref() {
            (config.split_iterations, config.merge_iterations, config.smooth_iterations) =
                (split, merge, smooth);
        }
        set(&mut config.merge_share, self.merge);
        set(&mut config.smoothing, self.smoothing);
        set(&mut config.word_smoothing, self.word_smoothing);
        Ok(config)
    }
}

fn first_given<const N: usize>(options: [(bool, &'static str); N]) -> Option<&'static str> {
    options.into_iter().find(|(is_given, _)| *is_given).map(|(_, name)| name)
}

pub(super) fn train_pcfg(args: &TrainArgs) -> Result<Outcome> {
    let config = args.grammar.pcfg()?;
    let mut data = Data::read(args)?;
    data.limit(args.max_words);
    let model = pcfg::train(&data.train, &config)?;
    let mut about = args.about();
    about.settings.insert("horizontal".to_owned(), config.binarization.horizontal.unwrap_or(0).to_string());
    about.settings.insert("vertical".to_owned(), config.binarization.vertical.to_string());
    if !config.annotations.is_empty() {
        about.settings.insert("annotations".to_owned(), config.annotations.to_string());
    }
    if !data.dev.is_empty() {
        let scores = pcfg::evaluate(&model, &data.dev, &ChartOptions::default());
        tell_scores(&scores);
        describe_scores(&mut about, &scores);
    }
    save(args, about, &data, vec![model])
}

pub(super) fn train_latent(args: &TrainArgs) -> Result<Outcome> {
    let config = args.grammar.latent(args)?;
    config.check()?;
    let checkpoints = checkpoint::check_all(&args.out, args.grammar.grammars.unwrap_or(1), args.resume)?;
    let mut data = Data::read(args)?;
    data.limit(args.max_words);
    let (mut abouts, mut grammars) = (Vec::new(), Vec::new());
    for number in 0..checkpoints.len() {
        if checkpoints.len() > 1 {
            report(format_args!("grammar {} of {}", number + 1, checkpoints.len()));
        }
        let config = LatentConfig { seed: config.seed.wrapping_add(number as u64), ..config.clone() };
        let Some(trained) = run(&data, &config, &checkpoints, number, args.resume)? else {
            return Ok(Outcome::Interrupted);
        };
        tell_choice(&trained);
        let about = About { seed: config.seed, ..args.about() };
        abouts.push(describe(about, &config, &trained));
        grammars.push(trained.model);
    }
    let outcome = save(args, combine::about_all(abouts), &data, grammars)?;
    // The first tells of an interrupted run, so it goes last.
    checkpoints.iter().rev().try_for_each(|checkpoint| checkpoint::remove(checkpoint))?;
    Ok(outcome)
}

/// Trains one of several grammars, each with a checkpoint, to the end; nothing if the user interrupted it.
fn run(
    data: &Data,
    config: &LatentConfig,
    checkpoints: &[PathBuf],
    number: usize,
    is_resumed: bool,
) -> Result<Option<Trained>> {
    let (earlier, checkpoint) = (&checkpoints[..number], &checkpoints[number]);
    let run = latent::fingerprint(&data.train, &data.dev, config);
    // An interrupted run may not have come to this grammar.
    let is_resumed = is_resumed && checkpoint.exists();
    let resume = checkpoint::load(checkpoint, is_resumed, |file| LatentCheckpoint::from_file(file, &run))?;
    let keeper = Keeper::after(earlier, checkpoint)?;
    let resumed = resume.as_ref().map_or(&[][..], |resume| &resume.points);
    let mut rounds = Rounds::new(config.max_rounds, resumed, checkpoints.len() - number - 1)?;
    let trained = latent::train(&data.train, &data.dev, config, resume, |event| {
        rounds.see(&event);
        if let LatentEvent::Round { checkpoint: state, .. } = &event {
            keeper.save(state.to_file(&run));
        }
        keeper.flow()
    });
    rounds.finish();
    keeper.finish(trained)
}

fn tell_scores(scores: &GrammarScores) {
    report(format_args!(
        "development trees: precision {:.2}, recall {:.2}, F1 {:.2}, exact {:.2}, tags {:.2}, {} without a parse",
        scores.precision, scores.recall, scores.f1, scores.exact, scores.tags, scores.num_failed
    ));
}

pub(super) fn describe_scores(about: &mut About, scores: &GrammarScores) {
    let GrammarScores { precision, recall, f1, exact, tags, .. } = *scores;
    let figures =
        [("precision", precision), ("recall", recall), ("f1", f1), ("exact", exact), ("tags", tags)];
    for (name, figure) in figures {
        about.settings.insert(format!("dev-{name}"), format!("{figure:.4}"));
    }
}

fn tell_choice(trained: &Trained) {
    if let Some(point) = trained.points.get(trained.best) {
        report(format_args!("the grammar of round {} is kept", point.round));
    }
}

fn describe(mut about: About, config: &LatentConfig, trained: &Trained) -> About {
    let mut set = |name: &str, value: String| _ = about.settings.insert(name.to_owned(), value);
    set("merge", config.merge_share.to_string());
    set("smoothing", config.smoothing.to_string());
    set("word-smoothing", config.word_smoothing.to_string());
    let rounds = trained.points.iter().take(trained.best + 1);
    set(splits::SETTING, splits::to_setting(rounds.map(|point| &point.splits[..])));
    let Some(point) = trained.points.get(trained.best) else { return about };
    set("rounds", point.round.to_string());
    set("sub-symbols", point.num_substates.to_string());
    if let Some(scores) = point.scores {
        describe_scores(&mut about, &scores);
    }
    about
}

pub(super) fn save(
    args: &TrainArgs,
    mut about: About,
    data: &Data,
    grammars: Vec<GrammarModel>,
) -> Result<Outcome> {
    let numbers: usize = grammars.iter().map(|grammar| grammar.finest().grammar.num_nonzero()).sum();
    let num_grammars = grammars.len();
    let tagger = args.grammar.with_tagger.then(|| train_tagger(args, data)).transpose()?;
    let mut set = |name: &str, value: String| _ = about.settings.insert(name.to_owned(), value);
    set("training-trees", data.train.len().to_string());
    set("rules", numbers.to_string());
    if num_grammars > 1 {
        set("grammars", num_grammars.to_string());
    }
    set("substates-of", grammars.iter().map(split_symbols).collect::<Vec<_>>().join("; "));
    if let Some(max_words) = args.max_words {
        set("max-words", max_words.to_string());
    }
    let mut parser = Parser::new(about, ChartModel::new(grammars, None)?, tagger);
    // Each grammar alone was measured while it was trained.
    if !data.dev.is_empty() && (num_grammars > 1 || parser.tagger().is_some()) {
        parser = measured(parser, num_grammars, &data.dev)?;
    }
    parser.to_file()?.save(&args.out)?;
    report(format_args!("{}: written, {numbers} rules", args.out.display()));
    Ok(data.outcome)
}

/// The parser that knows how good it is with all its parts.
fn measured(parser: Parser, num_grammars: usize, dev: &[Tree]) -> Result<Parser> {
    let (parts, name) = match (num_grammars > 1, parser.tagger().is_some()) {
        (true, true) => ("together and with the tagger", "dev-f1-with-tagger"),
        (true, false) => ("together", "dev-f1"),
        (false, _) => ("with the tagger", "dev-f1-with-tagger"),
    };
    let (f1, tags) = measure(&parser, dev)?;
    report(format_args!("{parts}: F1 {f1:.2}, {tags:.2}% of the tags right"));
    let mut about = parser.about().clone();
    about.settings.insert(name.to_owned(), format!("{f1:.4}"));
    Ok(parser.with_about(about))
}

/// The F1 of the development trees and how many of their tags are right, parsed as `boughs parse` does.
fn measure(parser: &Parser, dev: &[Tree]) -> Result<(f64, f64)> {
    let parse = |worker: &mut Worker<'_>, tree: &Tree| -> Result<Tree> {
        let sentence = Sentence::from_tree(tree.clone()).without_tags();
        Ok(worker.parse(&sentence)?.tree().clone())
    };
    let options = ParseOptions::default();
    let parsed = dev.par_iter().map_init(|| parser.worker(&options), parse).collect::<Result<Vec<Tree>>>()?;
    let mut scorer = Scorer::new(Parameters::named("COLLINS").unwrap_or_default());
    let mut totals = Totals::default();
    dev.iter().zip(&parsed).for_each(|(gold, test)| totals.add(&scorer.score(gold, test)));
    let figures = totals.all.strict();
    Ok((figures.f1().unwrap_or(0.0), figures.tag_accuracy().unwrap_or(0.0)))
}

/// The symbols that are split and into how many sub-symbols, the most split first.
fn split_symbols(model: &GrammarModel) -> String {
    let (symbols, grammar) = (model.symbols(), &model.finest().grammar);
    let mut split: Vec<(usize, &str)> =
        symbols.iter().map(|symbol| (grammar.size(symbol), symbols.name(symbol))).collect();
    split.retain(|&(size, _)| size > 1);
    split.sort_by_key(|&(size, name)| (std::cmp::Reverse(size), name));
    split.iter().map(|(size, name)| format!("{name} {size}")).collect::<Vec<_>>().join(", ")
}

pub(super) fn train_tagger(args: &TrainArgs, data: &Data) -> Result<Tagger> {
    let config = TaggerConfig { seed: args.seed, ..TaggerConfig::default() };
    Ok(tagger::train(&tagged_sentences(&data.train), &config, |_| ControlFlow::Continue(()))?)
}
