//! How a classifier does on rows that it does not learn from, tree by tree along its path.

use super::dataset::Dataset;
use super::predict::{add_tree, mean_log_loss};
use super::target::Target;
use super::view::DatasetView;
use crate::error::Result;
use crate::model::DecisionTree;

/// The loss of a growing classifier on held-out rows.
#[derive(Debug, Clone)]
pub struct HeldOut<'a> {
    view: DatasetView<'a>,
    target: &'a Target,
    scores: Vec<f64>,
    penalties: Vec<f64>,
    /// The mean loss without trees, and after each.
    losses: Vec<f64>,
}

impl<'a> HeldOut<'a> {
    /// Without trees.
    ///
    /// # Errors
    /// If the target does not fit the dataset.
    pub fn new(dataset: &'a Dataset, target: &'a Target) -> Result<Self> {
        let view = DatasetView::new(dataset, target)?;
        let scores = vec![0.0; dataset.num_rows()];
        let losses = vec![mean_log_loss(target, &scores)];
        Ok(Self { view, target, scores, penalties: Vec::new(), losses })
    }

    /// Adds the next tree and the penalty at which it was added.
    pub fn push(&mut self, tree: &DecisionTree, penalty: f64) {
        add_tree(&self.view, tree, &mut self.scores);
        self.penalties.push(penalty);
        self.losses.push(mean_log_loss(self.target, &self.scores));
    }

    /// The mean loss by weight of the rows, after the last tree.
    pub fn loss(&self) -> f64 {
        self.losses[self.losses.len() - 1]
    }

    /// The loss when the penalty had fallen to `penalty`, and no further.
    fn loss_at(&self, penalty: f64) -> f64 {
        self.losses[self.penalties.partition_point(|&added| added >= penalty)]
    }
}

/// The penalty at which the losses of all classifiers add up to the least; the largest of several, and infinity if
/// no tree helps.
pub fn best_penalty(held_out: &[HeldOut<'_>]) -> f64 {
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
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DatasetBuilder;
    use crate::model::TreeNode;

    fn constant(confidence: f64) -> DecisionTree {
        DecisionTree::new(vec![TreeNode::Leaf { confidence }])
    }

    #[test]
    fn the_best_penalty_is_where_the_loss_is_least() {
        let mut builder = DatasetBuilder::new();
        builder.push_row(&[]).unwrap();
        let (dataset, target) = (builder.finish(), Target::from_labels([true]));
        let mut held_out = HeldOut::new(&dataset, &target).unwrap();
        assert!((held_out.loss() - 2f64.ln()).abs() < 1e-12);
        assert_eq!(best_penalty(&[held_out.clone()]), f64::INFINITY);
        for (penalty, confidence) in [(8.0, 1.0), (4.0, 1.0), (4.0, 1.0), (2.0, -2.0)] {
            held_out.push(&constant(confidence), penalty);
        }
        assert_eq!(best_penalty(&[held_out.clone()]), 4.0);
        assert!((held_out.loss() - (1.0 + f64::exp(-1.0)).ln()).abs() < 1e-12);
    }
}
