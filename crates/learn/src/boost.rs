//! Boosting l1-regularised decision trees (TM06, listing 1), which minimises
//!
//! > Σ b(i) ln(1 + exp(-y(i) h(i))) + λ Σ |θ|
//!
//! Trees are grown where gradients exceed λ ([`gain`](super::gain)), leaves set to their minimum
//! ([`leaf`](super::leaf)). At every root λ ← min(λ, c·g), with g the steepest gradient of any feature, its
//! negation, or the root itself, so some gradient always exceeds λ by the factor 1/c; or, as in the paper, λ
//! ← c·λ while the root cannot be split.
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
use super::loss::LossForm;
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
            loss: LossForm::Logistic,
            lowering: self.lowering,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::TreeNode;
    use crate::{DatasetBuilder, GainForm, Lowering, Target};

    /// A feature with three correct rows and a wrong one, and four rows without it the other way round.
    fn paths(config: L1Config, num_trees: usize) -> Vec<(f64, f64)> {
        let mut builder = DatasetBuilder::with_num_features(1).unwrap();
        let labels = [true, true, true, false, false, false, false, true];
        (0..8).for_each(|row| builder.push_row(if row < 4 { &[0] } else { &[] }).unwrap());
        let (dataset, target) = (builder.finish(), Target::from_labels(labels));
        let mut booster = L1Booster::new(&dataset, &target, config).unwrap();
        (0..num_trees).for_each(|_| _ = booster.step().unwrap());
        let ensemble = booster.into_ensemble();
        let present = |place: usize| match ensemble.trees()[place].nodes() {
            [TreeNode::Split { present, .. }, leaves @ ..] => match leaves[*present as usize - 1] {
                TreeNode::Leaf { confidence } => confidence,
                TreeNode::Split { .. } => f64::NAN,
            },
            _ => f64::NAN,
        };
        (0..num_trees).map(|place| (ensemble.penalties()[place], present(place))).collect()
    }

    /// At h = 0 both gradients are 1: under λ = 1 the gains of equation 14 are 0 and the root cannot be
    /// split, under 0.9 they are 0.1 each. Then 3 (1 - p) - p = λ gives p, the probability of a correct row,
    /// and θ = ln(p / (1 - p)). The gradient that is left is λ, so the next root is stuck.
    #[test]
    fn only_a_stuck_root_lowers_the_penalty() {
        let config = L1Config {
            gain: GainForm::Subtract,
            min_gain_factor: 1.0,
            lowering: Lowering::StuckRoot,
            decay: 0.9,
            ..L1Config::default()
        };
        let score = |lambda: f64| ((3.0 - lambda) / (1.0 + lambda)).ln();
        let expected = [(0.9, score(0.9)), (0.81, score(0.81) - score(0.9))];
        for ((penalty, theta), (found, confidence)) in expected.into_iter().zip(paths(config, 2)) {
            assert!((penalty - found).abs() < 1e-12, "{found} for {penalty}");
            assert!((theta - confidence).abs() < 1e-6, "{confidence} for {theta}");
        }
        let every_root = L1Config { lowering: Lowering::EveryRoot, decay: 0.5, ..config };
        assert_eq!(paths(every_root, 1)[0].0, 0.5);
    }
}
