//! The tree with the fewest errors to be expected.
//!
//! The best tree is the likeliest, but a tree may be better that shares more phrases with all the others that
//! are likely. An error is a span whose label is wrong, no label among them. With a label over a span, the
//! chance of an error is one less its posterior; without, it is the posterior of there being a phrase. So a
//! label gains the sum of the two less one, and the tree with the highest gains is found as any best tree is.

use super::sums::TreeSums;
use super::table::{SpanScores, spans};

/// What each label of each span gains.
pub(crate) fn expected_gains(scores: &SpanScores, sums: &TreeSums, posteriors: &[f64]) -> SpanScores {
    let mut gains = scores.clone();
    for (span, &posterior) in spans(scores.num_words()).zip(posteriors) {
        let labels = sums.label_posteriors(span, scores.row(span), posterior);
        for (gain, label) in gains.row_mut(span).iter_mut().zip(labels) {
            // What is forbidden stays so.
            if *gain > f32::NEG_INFINITY {
                *gain = (label + posterior - 1.0) as f32;
            }
        }
    }
    gains
}
