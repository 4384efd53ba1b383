//! Boosting confidence-rated decision trees by the Z criterion (TM05, section 2.1).
//!
//! A leaf with weights W+ and W- has the loss Z = 2 sqrt(W+ W-) (equation 10). Splits are those that lower it most
//! (equations 12 and 13), confidences are ½ ln((W+ + ε)/(W- + ε)) (equation 14). A node is split only if Z falls by at
//! least Θ, which starts at infinity and is lowered, at a root, to the best reduction there: the path of ever smaller
//! minimum reductions in loss takes the place of the path of λ.

use super::booster::{Booster, Method};
use super::config::{Lowering, PathConfig, ZConfig};
use super::engine::{BoostEngine, Sampling};
use super::fixed::FixedPoint;
use super::grow::{Criterion, GrownLeaf, OpenNode};
use super::progress::PathLimits;
use super::sums::ClassSums;
use crate::error::Result;
use crate::model::round_confidence;

/// Learns one classifier by the Z criterion, tree by tree. Its penalty is Θ.
pub type ZBooster<'a> = Booster<'a, ZConfig>;

/// Z = 2 sqrt(W+ W-), in units of weight.
fn z(classes: ClassSums) -> f64 {
    2.0 * ((classes.positive as f64) * (classes.negative as f64)).sqrt()
}

/// ½ ln((W+ + ε)/(W- + ε)), rounded to what a [`Forest`](crate::model::Forest) can hold.
fn confidence(classes: ClassSums, smoothing: f64, fixed: FixedPoint) -> f64 {
    let smooth = |weight| fixed.value(weight) + smoothing;
    round_confidence(0.5 * (smooth(classes.positive) / smooth(classes.negative)).ln())
}

/// Splits that lower Z by at least a threshold, in units of weight.
#[derive(Debug, Clone, Copy)]
pub struct ReductionRule {
    threshold: f64,
}

impl Criterion for ReductionRule {
    type Sum = ClassSums;
    /// Minus the Z of both sides: the same order as by the reduction, with one rounding less.
    type Value = f64;

    #[inline]
    fn value(&self, present: ClassSums, absent: ClassSums) -> f64 {
        -(z(present) + z(absent))
    }

    fn accepts(&self, value: f64, classes: ClassSums, _is_root: bool) -> bool {
        let reduction = z(classes) + value;
        reduction >= self.threshold && reduction > 0.0
    }

    fn could_accept(&self, classes: ClassSums) -> bool {
        self.accepts(0.0, classes, false)
    }
}

impl Method for ZConfig {
    type Rule = ReductionRule;

    fn path(&self) -> Result<PathConfig> {
        self.check()?;
        Ok(PathConfig {
            loss: self.loss,
            lowering: Lowering::EveryRoot,
            decay: self.decay,
            final_penalty: self.final_threshold,
            max_depth: self.max_depth,
            limits: PathLimits { max_active: self.max_active, max_trees: self.max_trees },
            sampling: Sampling { size: self.sample_size, seed: self.seed },
        })
    }

    /// The most that a split of the root can lower Z.
    fn best(&self, root: &OpenNode<ClassSums>, engine: &BoostEngine<'_, ClassSums>) -> f64 {
        let rule = ReductionRule { threshold: 0.0 };
        let best = root.histogram.best(engine.scan(), |present| rule.value(present, root.classes - present));
        best.map_or(0.0, |best| z(root.classes) + best.value) * engine.scores.fixed.value(1)
    }

    fn rule(&self, penalty: f64, engine: &BoostEngine<'_, ClassSums>) -> ReductionRule {
        ReductionRule { threshold: penalty / engine.scores.fixed.value(1) }
    }

    fn rate(&self, leaf: GrownLeaf, _penalty: f64, engine: &mut BoostEngine<'_, ClassSums>) -> f64 {
        let confidence = confidence(leaf.classes, self.smoothing, engine.scores.fixed);
        if confidence != 0.0 {
            let rows = leaf.rows.into_list();
            let change = engine.scores.change(&engine.scores.examples(&rows), confidence);
            engine.apply(&rows, &change);
        }
        confidence
    }

    fn objective(&self, loss: f64, _penalty: f64, _norm: f64) -> f64 {
        loss
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{DecisionTree, TreeNode};
    use crate::{DatasetBuilder, LossForm, Target};

    /// "Does the first child have a determiner headtag?" and "does the last child have a noun label?"
    const PHI_1: u32 = 0;
    const PHI_2: u32 = 1;

    /// Weights for and against an NP such that the leaves of figure 3 have the confidences printed there: +0.5 under
    /// φ1, of which +1.0 with φ2 and -0.2 without; 0 elsewhere.
    fn first_tree(max_depth: u32) -> DecisionTree {
        let with_both = (2.0f64.exp(), 1.0);
        // So much against that both cells together have the odds of the stump, e.
        let against = (2.0f64.exp() - 1.0f64.exp()) / (1.0f64.exp() - (-0.4f64).exp());
        let without_second = (against * (-0.4f64).exp(), against);
        let cells: [(&[u32], (f64, f64)); 4] = [
            (&[PHI_1, PHI_2], with_both),
            (&[PHI_1], without_second),
            (&[PHI_2], (5.0, 5.0)),
            (&[], (5.0, 5.0)),
        ];
        let mut builder = DatasetBuilder::with_num_features(2).unwrap();
        let mut target = Target::unused(2 * cells.len());
        for (cell, (features, (positive, negative))) in cells.into_iter().enumerate() {
            for (row, weight, is_positive) in [(2 * cell, positive, true), (2 * cell + 1, negative, false)] {
                builder.push_row(features).unwrap();
                target.set(row, is_positive, weight).unwrap();
            }
        }
        let dataset = builder.finish();
        let config = ZConfig { max_depth, ..ZConfig::default() };
        let mut booster = ZBooster::new(&dataset, &target, config).unwrap();
        booster.step().unwrap();
        booster.into_ensemble().trees()[0].clone()
    }

    fn score(tree: &DecisionTree, active: &[u32]) -> f64 {
        let mut at = 0;
        loop {
            match tree.nodes()[at] {
                TreeNode::Leaf { confidence } => return confidence,
                TreeNode::Split { feature, present, absent } => {
                    at = if active.contains(&feature) { present } else { absent } as usize;
                }
            }
        }
    }

    #[test]
    fn stump_and_tree_are_those_of_figure_3() {
        let (stump, tree) = (first_tree(1), first_tree(u32::MAX));
        let is_near =
            |found: f64, expected: f64| assert!((found - expected).abs() < 1e-5, "{found} for {expected}");
        for (active, of_stump, of_tree) in [
            (&[PHI_1, PHI_2][..], 0.5, 1.0),
            (&[PHI_1][..], 0.5, -0.2),
            (&[PHI_2][..], 0.0, 0.0),
            (&[][..], 0.0, 0.0),
        ] {
            is_near(score(&stump, active), of_stump);
            is_near(score(&tree, active), of_tree);
        }
        assert_eq!((stump.nodes().len(), tree.nodes().len()), (3, 5));
    }
    /// Three of four rows with φ1 are correct, and one of four without. ½ ln 3 is the confidence under either
    /// loss. Then the logistic loss leaves the odds 3 · √3 / 3 = √3; the exponential one leaves nothing: the
    /// weights of both classes are √3 in each leaf (TM05, footnote 2).
    #[test]
    fn the_exponential_loss_is_adaboost() {
        let mut builder = DatasetBuilder::with_num_features(1).unwrap();
        let labels = [true, true, true, false, false, false, false, true];
        (0..8).for_each(|row| builder.push_row(if row < 4 { &[PHI_1] } else { &[] }).unwrap());
        let (dataset, target) = (builder.finish(), Target::from_labels(labels));
        let confidences = |loss| {
            let config = ZConfig { loss, final_threshold: 1e-6, max_trees: 2, ..ZConfig::default() };
            let mut booster = ZBooster::new(&dataset, &target, config).unwrap();
            while booster.step().is_ok() {}
            let trees = booster.into_ensemble();
            trees.trees().iter().map(|tree| score(tree, &[PHI_1])).collect::<Vec<f64>>()
        };
        let half_log_3 = 0.5 * 3f64.ln();
        for (loss, expected) in [
            (LossForm::Logistic, vec![half_log_3, half_log_3 / 2.0]),
            (LossForm::Exponential, vec![half_log_3]),
        ] {
            let found = confidences(loss);
            assert_eq!(found.len(), expected.len(), "{loss:?}: {found:?}");
            let is_near = found.iter().zip(&expected).all(|(one, other)| (one - other).abs() < 1e-5);
            assert!(is_near, "{loss:?}: {found:?}");
        }
    }
}
