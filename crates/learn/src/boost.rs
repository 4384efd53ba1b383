//! Boosting l1-regularised decision trees (TM06, listing 1), which minimises
//!
//! > Σ b(i) ln(1 + exp(-y(i) h(i))) + λ Σ |θ|
//!
//! Trees are grown where gradients exceed λ ([`gain`](super::gain)), leaves set to their minimum
//! ([`leaf`](super::leaf)). At every root λ ← min(λ, c·g), with g the steepest gradient of any feature, its negation,
//! or the root itself, so some gradient always exceeds λ by the factor 1/c.
//!
//! Where no split pays but the root's own gradient exceeds λ, the tree is the root alone: a constant. The paper never
//! gets there; with one class only there is nothing else to learn.

use super::booster::{Booster, Method};
use super::config::{L1Config, PathConfig};
use super::engine::{BoostEngine, Sampling};
use super::gain::GainRule;
use super::grow::{Criterion, GrownLeaf, OpenNode};
use super::histogram::Histogram;
use super::leaf;
use super::progress::PathLimits;
use super::scan::{Scan, SplitCandidate};
use super::sums::ClassSums;
use crate::error::Result;

/// Learns one classifier by l1-regularised boosting, tree by tree. Its penalty is λ.
pub type L1Booster<'a> = Booster<'a, L1Config>;

impl Criterion for GainRule {
    type Sum = i64;
    type Value = i64;

    #[inline]
    fn value(&self, present: i64, absent: i64) -> i64 {
        self.split_gain(present, absent)
    }

    /// As the gradient of one side moves away from the range between 0 and the total, the gain only grows; within that
    /// range, it does not exceed the node's own.
    fn best(&self, histogram: &Histogram<i64>, scan: Scan<'_>, total: i64) -> Option<SplitCandidate<i64>> {
        histogram.best_extreme(scan, |present| self.value(present, total - present))
    }

    fn accepts(&self, value: i64, classes: ClassSums, is_root: bool) -> bool {
        GainRule::accepts(self, value, classes.gradient(), is_root)
    }

    fn could_accept(&self, classes: ClassSums) -> bool {
        GainRule::could_accept(self, classes)
    }
}

impl Method for L1Config {
    type Rule = GainRule;

    fn path(&self) -> Result<PathConfig> {
        self.check()?;
        Ok(PathConfig {
            decay: self.decay,
            final_penalty: self.final_penalty,
            max_depth: self.max_depth,
            limits: PathLimits { max_active: self.max_active, max_trees: self.max_trees },
            sampling: Sampling { size: self.sample_size, seed: self.seed },
        })
    }

    /// The steepest gradient of any feature, its negation, or the root itself.
    fn best(&self, root: &OpenNode<i64>, engine: &BoostEngine<'_, i64>) -> f64 {
        let total = root.classes.gradient();
        let steepness = |present: i64| present.abs().max((total - present).abs());
        let best = root.histogram.best_worth(engine.scan(), steepness);
        engine.scores.fixed.value(best.unwrap_or(0).max(total.abs()))
    }

    fn rule(&self, penalty: f64, engine: &BoostEngine<'_, i64>) -> GainRule {
        let penalty = engine.scores.fixed.penalty(penalty);
        GainRule { form: self.gain, penalty, min_factor: self.min_gain_factor }
    }

    /// A confidence that would not lower the objective is 0, so the objective never rises.
    fn rate(&self, leaf: GrownLeaf, penalty: f64, engine: &mut BoostEngine<'_, i64>) -> f64 {
        let fixed = engine.scores.fixed;
        let units = fixed.penalty(penalty);
        if leaf.classes.gradient().abs() <= units {
            return 0.0;
        }
        let rows = leaf.rows.into_list();
        let examples = engine.scores.examples(&rows);
        let confidence = leaf::confidence(&examples, units, fixed);
        let change = engine.scores.change(&examples, confidence);
        if fixed.loss_value(change.loss) + penalty * confidence.abs() >= 0.0 {
            return 0.0;
        }
        engine.apply(&rows, &change);
        confidence
    }

    fn objective(&self, loss: f64, penalty: f64, norm: f64) -> f64 {
        // Before the first tree, the penalty is infinite and there is nothing to penalise.
        if norm > 0.0 { loss + penalty * norm } else { loss }
    }
}
