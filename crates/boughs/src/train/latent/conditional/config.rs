//! Settings of training.

use crate::chart::ChartOptions;
use crate::error::Result;
use crate::learn::optimize::L1;
use crate::train::grammar::{LexiconConfig, require};
use crate::tree::Unaries;

/// Where parameters begin, and what the penalty draws them to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Start {
    /// The numbers of the grammar to start from.
    #[default]
    Base,
    /// All rules and words alike, as in the paper; the grammar to start from is for pruning only.
    Scratch,
}

/// What parameters cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Penalty {
    /// Nothing.
    None,
    /// This factor times the sum of their sizes: most of them stay at zero.
    L1(f64),
    /// This factor times the sum of their squares.
    L2(f64),
}

/// Settings of training.
#[derive(Debug, Clone)]
pub struct ConditionalConfig {
    /// Where parameters begin.
    pub start: Start,
    /// What they cost. Default: L1 of 2.
    pub penalty: Penalty,
    /// How often all symbols are split in two, after a stage without. Default: 0.
    pub max_splits: usize,
    /// The share of the splits of a stage that are undone again. Default: 0, as in the paper.
    pub merge_share: f64,
    /// Training stops after so many stages without a better score on the development trees. Default: 1.
    pub patience: usize,
    /// The most iterations of a stage. Default: 100.
    pub max_iterations: u64,
    /// A stage ends when ten iterations lower the objective by less than this share. Default: 1e-3.
    pub tolerance: f64,
    /// How much the halves of a split differ at most. Default: 0.05.
    pub noise: f64,
    /// What became of unary chains in the grammar to start from. Default: they are rules.
    pub unaries: Unaries,
    /// How words are counted.
    pub lexicon: LexiconConfig,
    /// Decides the noise.
    pub seed: u64,
    /// How sentences are parsed: the training sentences for pruning, and the development trees.
    pub chart: ChartOptions,
}

impl Default for ConditionalConfig {
    fn default() -> Self {
        Self {
            start: Start::Base,
            penalty: Penalty::L1(2.0),
            max_splits: 0,
            merge_share: 0.0,
            patience: 1,
            max_iterations: 100,
            tolerance: 1e-3,
            noise: 0.05,
            unaries: Unaries::default(),
            lexicon: LexiconConfig::default(),
            seed: 0,
            chart: ChartOptions::default(),
        }
    }
}

impl ConditionalConfig {
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
        require(self.patience >= 1, "a patience of at least 1 stage", self.patience)?;
        require((0.0..1.0).contains(&self.merge_share), "a share of merges from 0 to 1", self.merge_share)?;
        require((0.0..1.0).contains(&self.noise), "noise from 0 to 1", self.noise)?;
        require((0.0..1.0).contains(&self.tolerance), "a tolerance from 0 to 1", self.tolerance)?;
        self.lexicon.check()
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
