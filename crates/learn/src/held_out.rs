//! How a classifier does on rows that it does not learn from, tree by tree along its path.

use super::dataset::Dataset;
use super::predict::{add_tree, mean_log_loss};
use super::target::Target;
use super::view::DatasetView;
use crate::error::Result;
use crate::model::Ensemble;

/// The loss of a growing classifier on held-out rows.
#[derive(Debug, Clone, Default)]
pub struct HeldOut {
    scores: Vec<f64>,
    penalties: Vec<f64>,
    /// The mean loss without trees, and after each.
    losses: Vec<f64>,
}

impl HeldOut {
    /// Without trees.
    pub fn new(target: &Target) -> Self {
        let scores = vec![0.0; target.num_rows()];
        let losses = vec![mean_log_loss(target, &scores)];
        Self { scores, penalties: Vec::new(), losses }
    }

    /// Adds the trees of a classifier that it has not seen yet, over the rows and the target of its beginning.
    ///
    /// # Errors
    /// If the target does not fit the dataset.
    pub fn extend(&mut self, dataset: &Dataset, target: &Target, ensemble: &Ensemble) -> Result<()> {
        let view = DatasetView::new(dataset, target)?;
        let trees = ensemble.trees().iter().zip(ensemble.penalties());
        for (tree, &penalty) in trees.skip(self.penalties.len()) {
            add_tree(&view, tree, &mut self.scores);
            self.penalties.push(penalty);
            self.losses.push(mean_log_loss(target, &self.scores));
        }
        Ok(())
    }

    /// The loss when the penalty had fallen to `penalty`, and no further.
    fn loss_at(&self, penalty: f64) -> f64 {
        self.losses[self.penalties.partition_point(|&added| added >= penalty)]
    }
}

/// The penalty at which the losses of all classifiers add up to the least, and that sum; the largest of several, and
/// infinity if no tree helps.
pub fn best_penalty(held_out: &[HeldOut]) -> (f64, f64) {
    let mut penalties: Vec<f64> = held_out.iter().flat_map(|one| one.penalties.iter().copied()).collect();
    penalties.sort_by(|a, b| b.total_cmp(a));
    penalties.dedup();
    let total_at = |penalty: f64| held_out.iter().map(|one| one.loss_at(penalty)).sum::<f64>();
    let mut best = (f64::INFINITY, total_at(f64::INFINITY));
    for penalty in penalties {
        let total = total_at(penalty);
        if total < best.1 {
            best = (penalty, total);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DatasetBuilder;
    use crate::model::{DecisionTree, TreeNode};

    fn constant(confidence: f64) -> DecisionTree {
        DecisionTree::new(vec![TreeNode::Leaf { confidence }])
    }

    #[test]
    fn the_best_penalty_is_where_the_loss_is_least() {
        let mut builder = DatasetBuilder::new();
        builder.push_row(&[]).unwrap();
        let (dataset, target) = (builder.finish(), Target::from_labels([true]));
        let mut held_out = HeldOut::new(&target);
        let (penalty, loss) = best_penalty(&[held_out.clone()]);
        assert!(penalty == f64::INFINITY && (loss - 2f64.ln()).abs() < 1e-12);
        let mut ensemble = Ensemble::new();
        for (penalty, confidence) in [(8.0, 1.0), (4.0, 1.0), (4.0, 1.0), (2.0, -2.0)] {
            ensemble.push(constant(confidence), penalty);
            held_out.extend(&dataset, &target, &ensemble).unwrap();
        }
        let (penalty, loss) = best_penalty(&[held_out.clone()]);
        assert!(penalty == 4.0 && (loss - (1.0 + f64::exp(-3.0)).ln()).abs() < 1e-12);
        assert!((held_out.losses[4] - (1.0 + f64::exp(-1.0)).ln()).abs() < 1e-12);
        let mut at_once = HeldOut::new(&target);
        at_once.extend(&dataset, &target, &ensemble).unwrap();
        assert_eq!(at_once.losses, held_out.losses);
    }
}
