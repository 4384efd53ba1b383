//! The state of one classifier in training: each row's score, and the weight and loss that follow from it.

use rayon::prelude::*;

use super::fixed::FixedPoint;
use super::leaf::LeafExample;
use super::loss::LossForm;
use super::partition::RowSet;
use super::sums::ClassSums;
use super::target::Target;

/// Rows that one thread works on at a time.
const CHUNK: usize = 1 << 13;

/// Scores h(i) and what depends on them.
#[derive(Debug)]
pub(super) struct RowScores<'a> {
    target: &'a Target,
    form: LossForm,
    pub(super) fixed: FixedPoint,
    /// The rows the target uses.
    pub(super) used: RowSet,
    /// The score of each row.
    pub(super) scores: Vec<f64>,
    /// y·w of each row.
    pub(super) weights: Vec<i64>,
    /// The weight of all rows.
    pub(super) classes: ClassSums,
    loss: i64,
}

/// What adding a confidence to the scores of some rows would do.
#[derive(Debug)]
pub(super) struct ScoreChange {
    confidence: f64,
    weights: Vec<i64>,
    /// By how much the loss rises, in units of losses.
    pub(super) loss: i64,
}

impl<'a> RowScores<'a> {
    /// Every score 0.
    pub(super) fn new(target: &'a Target, form: LossForm) -> Self {
        let fixed = FixedPoint::for_total(target.total_bias());
        let num_rows = target.num_rows();
        let weight = |row| fixed.weight(form.signed_weight(target.signed_bias(row), 0.0));
        let row_loss = |row| fixed.loss(form.loss(target.signed_bias(row), 0.0));
        let weights: Vec<i64> = (0..num_rows).map(weight).collect();
        Self {
            target,
            form,
            fixed,
            used: RowSet::new(num_rows, target.used_rows()),
            scores: vec![0.0; num_rows],
            classes: ClassSums::over(weights.iter().copied()),
            weights,
            loss: (0..num_rows).map(row_loss).sum(),
        }
    }

    /// What no row's weight ever exceeds: the largest bias; under the exponential loss, of which the sum
    /// never rises, that of all rows.
    pub(super) fn max_weight(&self) -> i64 {
        if self.form == LossForm::Exponential {
            return self.fixed.weight(self.target.total_bias());
        }
        let biases = (0..self.target.num_rows()).map(|row| self.target.signed_bias(row).abs());
        self.fixed.weight(biases.fold(0.0, f64::max))
    }

    /// The loss of all rows.
    pub(super) fn loss(&self) -> f64 {
        self.fixed.loss_value(self.loss)
    }

    /// The examples of some rows.
    pub(super) fn examples(&self, rows: &[u32]) -> Vec<LeafExample> {
        let example = |&row: &u32| LeafExample {
            signed_bias: self.target.signed_bias(row as usize),
            score: self.scores[row as usize],
        };
        rows.iter().map(example).collect()
    }

    /// What adding a confidence to the scores of these examples would do.
    pub(super) fn change(&self, examples: &[LeafExample], confidence: f64) -> ScoreChange {
        let (weights, losses): (Vec<i64>, Vec<i64>) = examples
            .par_iter()
            .with_min_len(CHUNK)
            .map(|example| self.example_change(*example, confidence))
            .unzip();
        ScoreChange { confidence, weights, loss: losses.iter().sum() }
    }

    /// The new weight of an example, and by how much its loss rises.
    fn example_change(&self, LeafExample { signed_bias, score }: LeafExample, confidence: f64) -> (i64, i64) {
        let loss_at = |score| self.fixed.loss(self.form.loss(signed_bias, score));
        let weight = self.fixed.weight(self.form.signed_weight(signed_bias, score + confidence));
        (weight, loss_at(score + confidence) - loss_at(score))
    }

    /// Makes a change of the scores of some rows; calls `moved` with the weights before and after.
    pub(super) fn apply(&mut self, rows: &[u32], change: &ScoreChange, mut moved: impl FnMut(i64, i64)) {
        self.loss += change.loss;
        for (&row, &new) in rows.iter().zip(&change.weights) {
            self.scores[row as usize] += change.confidence;
            let old = std::mem::replace(&mut self.weights[row as usize], new);
            self.classes += ClassSums::over([new]) - ClassSums::over([old]);
            moved(old, new);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_add_up_to_the_scores_they_lead_to() {
        let mut target = Target::from_labels([true, false, true, true]);
        target.skip(3);
        let mut scores = RowScores::new(&target, LossForm::Logistic);
        assert!((scores.loss() - 3.0 * 2f64.ln()).abs() < 1e-12);
        for (rows, confidence) in [(&[0, 1][..], 0.5), (&[1, 2][..], -1.25)] {
            let change = scores.change(&scores.examples(rows), confidence);
            scores.apply(rows, &change, |_, _| {});
        }
        assert_eq!(scores.scores, [0.5, -0.75, -1.25, 0.0]);
        assert_eq!(scores.classes, ClassSums::over(scores.weights.iter().copied()));
        let loss: f64 = [0.5, 0.75, -1.25].iter().map(|&margin| crate::loss::log_loss(margin)).sum();
        assert!((scores.loss() - loss).abs() < 1e-12);
        assert_eq!(scores.weights[3], 0);
    }
}
