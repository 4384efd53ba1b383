//! Scoring every row of a dataset, tree by tree.
//!
//! The naive form scores one row after the other. Sending all rows down one tree at a time by posting lists touches
//! only the rows that have a feature asked about.

use super::grow::percolate;
use super::loss::weighted_loss;
use super::partition::{NodeRows, RowSet};
use super::target::Target;
use super::view::DatasetView;
use crate::model::{DecisionTree, Ensemble, TreeNode};

/// The score of each row, the same bits as [`Ensemble::score`].
pub fn score_rows(view: &DatasetView<'_>, ensemble: &Ensemble) -> Vec<f64> {
    let mut scores = vec![0.0; view.num_rows()];
    for tree in ensemble.trees() {
        add_tree(view, tree, &mut scores);
    }
    scores
}

/// Adds what one tree says to the score of each row.
pub(super) fn add_tree(view: &DatasetView<'_>, tree: &DecisionTree, scores: &mut [f64]) {
    let all = RowSet::all(view.num_rows());
    for (node, rows) in percolate(view, tree.nodes(), NodeRows::Trunk(all)) {
        match tree.nodes()[node] {
            TreeNode::Leaf { confidence } if confidence != 0.0 => {
                rows.add_to(scores, confidence);
            }
            _ => {}
        }
    }
}

/// The logistic loss of scores, weighted by the biases and divided by their sum.
///
/// # Panics
/// If there are not as many scores as rows.
pub fn mean_log_loss(target: &Target, scores: &[f64]) -> f64 {
    assert_eq!(scores.len(), target.num_rows(), "one score for each row");
    let loss = |(row, &score): (usize, &f64)| weighted_loss(target.signed_bias(row), score);
    scores.iter().enumerate().map(loss).sum::<f64>() / target.total_bias()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DatasetBuilder;

    #[test]
    fn rows_score_as_the_ensemble_says() {
        let mut builder = DatasetBuilder::new();
        for row in 0..200u32 {
            builder.push_row(&[row % 2, 2 + row % 3, 5 + row % 70]).unwrap();
        }
        let dataset = builder.finish();
        let leaf = |confidence| TreeNode::Leaf { confidence };
        let mut ensemble = Ensemble::new();
        for feature in [0, 3, 9, 9, 1000] {
            let inner = TreeNode::Split { feature: feature + 1, present: 3, absent: 4 };
            let root = TreeNode::Split { feature, present: 1, absent: 2 };
            let nodes = vec![root, leaf(0.1 * f64::from(feature)), inner, leaf(-0.7), leaf(0.0)];
            ensemble.push(DecisionTree::new(nodes), 1.0);
        }
        let view = DatasetView::plain(&dataset);
        for (row, score) in score_rows(&view, &ensemble).into_iter().enumerate() {
            assert_eq!(score, ensemble.score(|feature| view.is_active(row, feature)));
        }
    }

    #[test]
    fn mean_loss_of_no_knowledge() {
        let mut target = Target::from_labels([true, false, true]);
        target.skip(2);
        assert!((mean_log_loss(&target, &[0.0, 0.0, 5.0]) - 2f64.ln()).abs() < 1e-12);
    }
}
