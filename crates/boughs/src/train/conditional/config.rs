//! Settings of training.

use serde::{Deserialize, Serialize};

use crate::chart::{ChartOptions, Decoder};
use crate::error::{Result, require};
use crate::learn::optimize::L1;
use crate::model::GrammarModel;
use crate::tagger::TaggerConfig;
use crate::train::grammar::LexiconConfig;
use crate::train::settings::as_text;
use crate::train::settings::preset_note;
use crate::tree::Unaries;
use crate::tree::profile::Profile;

/// A paper whose parser a recipe is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConditionalPreset {
    /// Petrov & Klein (2008).
    Dlvg07,
}

/// Where parameters begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// The numbers of the grammar to start from.
    #[default]
    Base,
    /// All rules and words alike, as in the paper; the grammar to start from is for pruning only.
    Scratch,
}

/// What the penalty draws parameters to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PenaltyOrigin {
    /// Where they began: what the trees say little of stays as it was.
    #[default]
    Start,
    /// Zero, as in the paper: θ itself is penalised.
    Zero,
}

/// When training sentences are pruned (figure 2 of the paper). All three give the same grammar but for what pruning
/// leaves out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrainingPruning {
    /// Once for each step; iterations only look at what is left.
    #[default]
    Cached,
    /// Again in every iteration, coarse to fine.
    EveryIteration,
    /// Never: all that has a derivation is looked at.
    None,
}

/// What parameters cost.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Penalty {
    /// Nothing.
    None,
    /// This factor times the sum of their sizes: most of them stay at zero.
    L1(f64),
    /// This factor times the sum of their squares.
    L2(f64),
}

/// Settings of training log-linear grammars.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ConditionalConfig {
    /// The conventions of the treebank: a name, or the text of a profile. Default: the Penn Treebank's.
    #[serde(with = "as_text", skip_serializing_if = "Profile::is_default")]
    pub profile: Profile,
    /// The paper whose settings these are, but for what was changed. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<ConditionalPreset>,
    /// Where parameters begin.
    pub start: Start,
    /// What they cost. Default: L1 of 2.
    pub penalty: Penalty,
    /// What the penalty draws parameters to. Default: where they began.
    pub penalty_origin: PenaltyOrigin,
    /// How often all symbols are split in two, after a step without. Default: 0.
    pub max_splits: usize,
    /// The share of the splits of a step that are undone again. Default: 0, as in the paper.
    pub merge_share: f64,
    /// Training stops after so many steps without a better score on the development trees. Default: 1.
    pub patience: usize,
    /// The most iterations of a step. Default: 100.
    pub max_iterations: u64,
    /// A step ends when ten iterations lower the objective by less than this share. Default: 1e-3.
    pub tolerance: f64,
    /// How much the halves of a split differ at most. Default: 0.05.
    pub noise: f64,
    /// What became of unary chains in the grammar to start from. Default: they are rules.
    pub unaries: Unaries,
    /// How words are counted.
    pub lexicon: LexiconConfig,
    /// Decides the noise.
    pub seed: u64,
    /// The grammar to start from, which must have been learned from the same trees; if there is none, a plain one.
    #[serde(skip)]
    pub base: Option<GrammarModel>,
    /// Longer sentences are left out, but not of the tagger. Default: none.
    pub max_words: Option<usize>,
    /// Whether a tagger comes with the grammar, whose posteriors make it better. Default: no.
    pub with_tagger: bool,
    /// How that tagger is trained.
    pub tagger: TaggerConfig,
    /// How training sentences are pruned.
    pub options: ChartOptions,
    /// When they are. Default: once for each step.
    pub pruning: TrainingPruning,
    /// Which tree the parser takes. Default: max-rule.
    pub decoder: Decoder,
}

impl Default for ConditionalConfig {
    fn default() -> Self {
        Self {
            profile: Profile::default(),
            preset: None,
            start: Start::Base,
            penalty: Penalty::L1(2.0),
            penalty_origin: PenaltyOrigin::default(),
            max_splits: 0,
            merge_share: 0.0,
            patience: 1,
            max_iterations: 100,
            tolerance: 1e-3,
            noise: 0.05,
            unaries: Unaries::default(),
            lexicon: LexiconConfig::default(),
            seed: 0,
            base: None,
            max_words: None,
            with_tagger: false,
            tagger: TaggerConfig::default(),
            options: ChartOptions::default(),
            pruning: TrainingPruning::default(),
            decoder: Decoder::default(),
        }
    }
}

impl ConditionalConfig {
    /// As printed by Petrov & Klein (2008): from all rules alike, symbols split four times into 16 subcategories, up to
    /// 150 iterations after each split, L1 on θ itself, pruning at e⁻¹⁰, the tree with the most expected correct rules.
    /// The size of the penalty was tuned there on held-out trees; 1 is ours.
    pub fn dlvg07() -> Self {
        Self {
            preset: Some(ConditionalPreset::Dlvg07),
            start: Start::Scratch,
            penalty: Penalty::L1(1.0),
            penalty_origin: PenaltyOrigin::Zero,
            max_splits: 4,
            patience: 4,
            max_iterations: 150,
            options: ChartOptions { thresholds: vec![-10.0], beam: 0.0, ..ChartOptions::default() },
            decoder: Decoder::MaxRuleSum,
            ..Self::default()
        }
    }

    /// The paper whose settings these are, and the names of those that are others.
    pub(super) fn preset_note(&self) -> Result<Option<String>> {
        let Some(preset) = self.preset else { return Ok(None) };
        let paper = Self::dlvg07();
        let Self { seed, max_words, .. } = paper;
        preset_note(&preset, &Self { seed, max_words, ..self.clone() }, &paper).map(Some)
    }

    /// How training sentences are pruned, if at all.
    pub(super) fn training_options(&self) -> ChartOptions {
        let ChartOptions { thresholds, beam, .. } = ChartOptions::exact();
        match self.pruning {
            TrainingPruning::None => ChartOptions { thresholds, beam, ..self.options.clone() },
            _ => self.options.clone(),
        }
    }

    /// Checks every setting.
    ///
    /// # Errors
    /// If one is out of its range.
    pub fn check(&self) -> Result<()> {
        let (Penalty::L1(penalty) | Penalty::L2(penalty)) = self.penalty else { return self.check_rest() };
        require(penalty >= 0.0 && penalty.is_finite(), "a penalty of at least 0", penalty)?;
        self.check_rest()
    }

    fn check_rest(&self) -> Result<()> {
        require(self.max_splits <= 6, "at most 6 splits", self.max_splits)?;
        require(self.patience >= 1, "a patience of at least 1 step", self.patience)?;
        require((0.0..1.0).contains(&self.merge_share), "a share of merges from 0 to 1", self.merge_share)?;
        require((0.0..1.0).contains(&self.noise), "noise from 0 to 1", self.noise)?;
        require((0.0..1.0).contains(&self.tolerance), "a tolerance from 0 to 1", self.tolerance)?;
        self.lexicon.check()
    }

    /// How often a step minimises.
    pub(super) fn num_times(&self) -> u64 {
        if self.merge_share > 0.0 { 2 } else { 1 }
    }

    pub(super) fn l1(&self) -> Result<L1> {
        match self.penalty {
            Penalty::L1(factor) if factor > 0.0 => L1::uniform(factor),
            _ => Ok(L1::none()),
        }
    }

    pub(super) fn l2(&self) -> f64 {
        if let Penalty::L2(factor) = self.penalty { factor } else { 0.0 }
    }
}
