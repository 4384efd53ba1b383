//! `boughs train latent`, `conditional` and `pcfg`: grammars.

use std::path::{Path, PathBuf};

use anyhow::Result;
use boughs::chart::Decoder;
use boughs::model::WORD_CLASSES;
use boughs::parser::Parser;
use boughs::train::{
    Annotations, ConditionalConfig, LatentConfig, LexiconConfig, PcfgConfig, Penalty, PenaltyOrigin, Start,
    TrainingPruning,
};
use boughs::tree::Unaries;
use clap::Args;

use super::common::Common;
use crate::chart::DECODERS;
use crate::choice::{Choices, Variants, choice, variant};
use crate::number;
use crate::training::{flags, named_or_read, set};

/// A parser: a grammar whose symbols are split into latent subcategories by EM (recommended)
///
/// Symbols are split in two, again and again, as far as it pays (Petrov et al. 2006), and the number of rounds that
/// parses the development trees best is kept. It needs no tags to parse, trains in minutes and parses fast. Two
/// grammars parse much better than one (Petrov 2010), and a tagger helps a little more.
#[derive(Debug, Args)]
pub(super) struct LatentArgs {
    #[command(flatten)]
    pub(super) common: Common,

    /// The most rounds of splitting [default: 6; without development trees 4]
    #[arg(long = "rounds", value_name = "N", value_parser = number::within::<usize>(1..))]
    max_rounds: Option<usize>,

    /// Learn so many grammars, each with the next seed, that parse together [default: 1]
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..=16))]
    grammars: Option<usize>,

    /// End after so many rounds without a better F1 [default: 1]
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..))]
    patience: Option<usize>,

    /// Iterations of EM: after splitting, after merging, with smoothing [default: 50 20 10]
    #[arg(long, value_name = "N", num_args = 3, value_parser = number::within::<usize>(0..))]
    iterations: Option<Vec<usize>>,

    /// The share of the splits that are undone [default: 0.5]
    #[arg(long = "merge", value_name = "X")]
    merge_share: Option<f64>,

    /// How far rules of substates are moved to the mean of their symbol's half [default: 0.01]
    #[arg(long, value_name = "X")]
    smoothing: Option<f32>,

    /// How far words of substates are moved to the mean of their tag [default: 0.2]
    #[arg(long, value_name = "X")]
    word_smoothing: Option<f32>,

    #[command(flatten)]
    words: WordArgs,
}

impl LatentArgs {
    pub(super) fn recipe(&self) -> Result<LatentConfig> {
        let max_rounds = if self.common.dev.is_empty() { 4 } else { LatentConfig::default().max_rounds };
        let default = LatentConfig { max_rounds, ..LatentConfig::default() };
        let mut config = self.common.settings(
            default,
            flags!(self; max_rounds, grammars, patience, merge_share, smoothing, word_smoothing),
        )?;
        if let Some(&[split, merge, smooth]) = self.iterations.as_deref() {
            (config.split_iterations, config.merge_iterations, config.smooth_iterations) =
                (split, merge, smooth);
        }
        set(&mut config.seed, self.common.run.seed);
        set(&mut config.tagger.seed, self.common.run.seed);
        self.words.change(&mut config.lexicon, &mut config.unaries, &mut config.with_tagger)?;
        Ok(config)
    }
}

/// A parser: a log-linear grammar with latent subcategories, which tells the gold tree from the others
///
/// It maximises the likelihood of the trees given their words (Petrov & Klein 2008), best from a grammar of `latent`
/// on: --start MODEL.
#[derive(Debug, Args)]
pub(super) struct ConditionalArgs {
    #[command(flatten)]
    pub(super) common: Common,

    /// Whose settings to start from
    #[arg(long, value_name = "PAPER", value_parser = choice(CONDITIONAL_PRESETS))]
    preset: Option<fn() -> ConditionalConfig>,

    /// The grammar to start from: `treebank`, `scratch` (all rules alike), or a model of `latent` from the same trees
    /// [default: treebank]
    #[arg(long, value_name = "NAME|MODEL")]
    start: Option<PathBuf>,

    /// How often all symbols are split in two [default: 0 from a model, else 3]
    #[arg(long = "splits", value_name = "N", value_parser = number::within::<usize>(0..=6))]
    max_splits: Option<usize>,

    /// End after so many splits without a better F1 [default: 1]
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..))]
    patience: Option<usize>,

    /// Parameters cost this factor times their sizes, so that most are zero [default: 2]
    #[arg(long, value_name = "X", conflicts_with = "l2")]
    l1: Option<f64>,

    /// Parameters cost this factor times their squares; 0 for nothing
    #[arg(long, value_name = "X")]
    l2: Option<f64>,

    /// What the penalty draws parameters to [default: start]
    #[arg(long, value_name = "NAME", value_parser = variant::<PenaltyOrigin>(PENALTY_ORIGINS))]
    penalty_origin: Option<PenaltyOrigin>,

    /// When training sentences are pruned [default: cached]
    #[arg(long, value_name = "NAME", value_parser = variant::<TrainingPruning>(TRAINING_PRUNINGS))]
    pruning: Option<TrainingPruning>,

    /// Which tree the parser takes [default: max-rule]
    #[arg(long, value_name = "NAME", value_parser = variant::<Decoder>(DECODERS))]
    decoder: Option<Decoder>,

    /// The share of the splits that are undone [default: 0]
    #[arg(long = "merge", value_name = "X")]
    merge_share: Option<f64>,

    /// The most iterations of L-BFGS or OWL-QN after each split [default: 100]
    #[arg(long, value_name = "N", value_parser = number::within::<u64>(1..))]
    max_iterations: Option<u64>,

    #[command(flatten)]
    words: WordArgs,
}

impl ConditionalArgs {
    pub(super) fn recipe(&self) -> Result<ConditionalConfig> {
        let start = self.start.as_deref().map(|start| match start.to_str() {
            Some("treebank") => Ok((Start::Base, None)),
            Some("scratch") => Ok((Start::Scratch, None)),
            _ => only_grammar(start).map(|grammar| (Start::Base, Some(grammar))),
        });
        let start = start.transpose()?;
        let max_splits = if start.as_ref().is_some_and(|(_, base)| base.is_some()) { 0 } else { 3 };
        let usual = || ConditionalConfig { max_splits, ..ConditionalConfig::default() };
        let preset = self.preset.map_or_else(usual, |preset| preset());
        let flags =
            flags!(self; max_splits, patience, penalty_origin, pruning, decoder, merge_share, max_iterations);
        let mut config = self.common.settings(preset, flags)?;
        if let Some((start, base)) = start {
            (config.start, config.base) = (start, base);
        }
        set(&mut config.penalty, self.l1.map(Penalty::L1));
        set(&mut config.penalty, self.l2.map(Penalty::L2));
        set(&mut config.seed, self.common.run.seed);
        set(&mut config.tagger.seed, self.common.run.seed);
        self.words.change(&mut config.lexicon, &mut config.unaries, &mut config.with_tagger)?;
        Ok(config)
    }
}

const CONDITIONAL_PRESETS: Choices<fn() -> ConditionalConfig> =
    &[("dlvg07", "Petrov & Klein 2008: from scratch, split four times, L1 on θ", ConditionalConfig::dlvg07)];

const PENALTY_ORIGINS: Variants =
    &[("start", "Where they began"), ("zero", "Zero: θ itself is penalised, as in the paper")];

const TRAINING_PRUNINGS: Variants = &[
    ("cached", "Once after each split"),
    ("every-iteration", "In every iteration: the same grammar, slower"),
    ("none", "Never: slow"),
];

/// The grammar of a model that has one.
fn only_grammar(path: &Path) -> Result<boughs::model::GrammarModel> {
    let parser = Parser::load(path)?;
    match parser.model().grammars() {
        [grammar] => Ok(grammar.clone()),
        found => anyhow::bail!(
            "{}: expected a model of `boughs train latent` with one grammar, found {}",
            path.display(),
            found.len()
        ),
    }
}

/// A parser: a plain grammar, with rules as likely as they are frequent in the trees
#[derive(Debug, Args)]
pub(super) struct PcfgArgs {
    #[command(flatten)]
    pub(super) common: Common,

    /// How many children already there a part of a phrase remembers [default: 1]
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(0..))]
    horizontal: Option<usize>,

    /// How many generations are in the name of a phrase: 2 with its parent [default: 2]
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..))]
    vertical: Option<usize>,

    /// Split symbols as `klein-manning` (2003) did, or by some of theirs, as `split-in,split-vp`
    #[arg(long, value_name = "NAMES", value_parser = |names: &str| names.parse::<Annotations>())]
    annotations: Option<Annotations>,

    #[command(flatten)]
    words: WordArgs,
}

impl PcfgArgs {
    pub(super) fn recipe(&self) -> Result<PcfgConfig> {
        let mut config = self.common.settings(PcfgConfig::default(), flags!(self; horizontal, vertical))?;
        set(&mut config.annotations, self.annotations.clone());
        set(&mut config.tagger.seed, self.common.run.seed);
        self.words.change(&mut config.lexicon, &mut config.unaries, &mut config.with_tagger)?;
        Ok(config)
    }
}

/// How words and unary chains are treated, and whether there is a tagger.
#[derive(Debug, Clone, Args)]
struct WordArgs {
    /// What becomes of a phrase whose only child is a phrase [default: rules]
    #[arg(long, value_name = "NAME", value_parser = variant::<Unaries>(UNARIES))]
    unaries: Option<Unaries>,

    /// Words that occur at most so often stand for the unknown ones of their class [default: 5]
    #[arg(long, value_name = "N", value_parser = number::within::<u32>(0..))]
    rare: Option<u32>,

    /// How many occurrences of a word its class counts as [default: 0.1]
    #[arg(long, value_name = "X")]
    class_count: Option<f32>,

    /// Endings that tell unknown words apart: english, none, or a file (docs/train.md)
    #[arg(long, value_name = "NAME|FILE", hide_short_help = true)]
    word_classes: Option<PathBuf>,

    /// Learn a tagger too, and store it in the model: its posteriors make the parser better
    #[arg(long)]
    with_tagger: bool,
}

pub(super) const UNARIES: Variants = &[
    ("rules", "It is over its child by a rule"),
    ("compound", "Both are one symbol, as S+VP, until the tree is written"),
];

impl WordArgs {
    fn change(
        &self,
        lexicon: &mut LexiconConfig,
        unaries: &mut Unaries,
        with_tagger: &mut bool,
    ) -> Result<()> {
        set(unaries, self.unaries);
        set(&mut lexicon.rare, self.rare);
        set(&mut lexicon.class_count, self.class_count);
        *with_tagger |= self.with_tagger;
        set(&mut lexicon.classes, named_or_read(self.word_classes.as_deref(), &WORD_CLASSES)?);
        Ok(())
    }
}
