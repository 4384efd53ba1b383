//! The arguments by which verbs take a way to boost.

use anyhow::{Result, bail};
use boughs_learn::{BoostingLearner, GainForm, L1Config, LossForm, Lowering, MIN_SAMPLE, ZConfig};
use clap::{Args, ValueEnum};

use super::{flags, with_flags};
use crate::choice::{Variants, variant};
use crate::number;

pub(crate) const GAINS: Variants = &[
    ("subtract", "max(0, |g| - λ), as in the paper"),
    ("clip", "|g| if it exceeds λ, as in the authors' program"),
];

pub(crate) const LOWERINGS: Variants = &[
    ("every-root", "At every root, to a part of its steepest gradient"),
    ("stuck-root", "Only where the root cannot be split, as in the paper"),
];

const LOSSES: Variants = &[("logistic", "ln(1 + exp(-margin))"), ("exponential", "exp(-margin): AdaBoost")];

#[derive(Debug, Clone, Args)]
pub(crate) struct LearnerArgs {
    /// How trees are grown [default: l1]
    #[arg(long, value_enum, value_name = "NAME")]
    learner: Option<LearnerName>,

    /// Where the path ends: λ, or Θ for the z learner [default: 0.05; z: 0.35; of rows: 0.1]
    #[arg(long, value_name = "X", value_parser = number::sound("a number above 0", |it: &f64| *it > 0.0 && it.is_finite()))]
    final_penalty: Option<f64>,

    /// Factor of the steepest gradient that is the next penalty [default: 0.8; of rows: 0.5; z: 1]
    #[arg(long, value_name = "X")]
    decay: Option<f64>,

    /// By which factor a split must raise the gain (l1) [default: 1.01; of rows: 1.1]
    #[arg(long = "min-gain", value_name = "X", value_parser = number::sound("a number of at least 1", |it: &f64| *it >= 1.0), hide_short_help = true)]
    min_gain_factor: Option<f64>,

    /// How gains are computed (l1) [default: clip]
    #[arg(long, value_name = "NAME", value_parser = variant::<GainForm>(GAINS), hide_short_help = true)]
    gain: Option<GainForm>,

    /// When the penalty falls (l1) [default: every-root]
    #[arg(long, value_name = "NAME", value_parser = variant::<Lowering>(LOWERINGS), hide_short_help = true)]
    lowering: Option<Lowering>,

    /// The loss that trees lower (z) [default: logistic]
    #[arg(long = "z-loss", value_name = "NAME", value_parser = variant::<LossForm>(LOSSES), hide_short_help = true)]
    loss: Option<LossForm>,

    /// Search for splits on a sample of so many examples; 0 for all [default: 20000; z: 0]
    #[arg(long = "sample", value_name = "N", value_parser = number::sound("0, for everything, or at least 100", |it: &usize| *it == 0 || *it >= MIN_SAMPLE), hide_short_help = true)]
    sample_size: Option<usize>,

    /// Let decision trees grow no deeper; 1 makes stumps
    #[arg(long, value_name = "N", value_parser = number::within::<u32>(1..), hide_short_help = true)]
    max_depth: Option<u32>,

    /// End after so many trees for a label
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..), hide_short_help = true)]
    max_trees: Option<usize>,

    /// End at so many active (compound) features for a label
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..), hide_short_help = true)]
    max_active: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LearnerName {
    /// l1-regularised boosting (2006)
    L1,
    /// Boosting by reductions of Z (2005)
    Z,
}

impl LearnerArgs {
    /// A learner with what the user said; another one than it is begins with `l1` or `z`.
    pub(crate) fn change(
        &self,
        learner: BoostingLearner,
        l1: L1Config,
        z: ZConfig,
    ) -> Result<BoostingLearner> {
        let learner = match (self.learner, learner) {
            (Some(LearnerName::Z), BoostingLearner::L1(_)) => BoostingLearner::Z(z),
            (Some(LearnerName::L1), BoostingLearner::Z(_)) => BoostingLearner::L1(l1),
            _ => learner,
        };
        let flags = flags!(self; decay, min_gain_factor, gain, lowering, loss, sample_size, max_depth, max_trees, max_active);
        let is_of_l1 = self.min_gain_factor.is_some() || self.gain.is_some() || self.lowering.is_some();
        let learner = match learner {
            BoostingLearner::L1(_) if self.loss.is_some() => {
                bail!("--z-loss is for `--learner z`: leave it out")
            }
            BoostingLearner::L1(config) => BoostingLearner::L1(with_flags(&config, flags)?),
            BoostingLearner::Z(_) if is_of_l1 => {
                bail!("--min-gain, --gain and --lowering are for `--learner l1`: leave them out")
            }
            BoostingLearner::Z(config) => BoostingLearner::Z(with_flags(&config, flags)?),
        };
        Ok(self.final_penalty.map_or(learner, |penalty| learner.with_final_penalty(penalty)))
    }
}
