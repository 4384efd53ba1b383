//! From the posteriors of several parsers to scores of spans.

use serde::{Deserialize, Serialize};

use crate::neural::{SpanPosteriors, SpanScores, num_spans, span_index};

/// What becomes of the probabilities that several parsers give.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CombinationRule {
    /// Their product, each to the power of its weight: what one of them finds impossible is so. The best tree has
    /// the highest product over all spans.
    #[default]
    Product,
    /// Their mean: what one of them finds likely stays possible. The best tree has the highest sum over all spans,
    /// which is the number of spans that are right, as far as can be expected.
    Mixture,
}

/// What is added to every probability of a product: no parser has a veto. From 1e-4 to 1e-2 it makes no difference
/// beyond 0.05 F1.
pub(super) const FLOOR: f32 = 1e-3;

/// Posteriors and their share of all weights.
pub(crate) type Weighted<'o> = (f32, &'o SpanPosteriors);

impl CombinationRule {
    /// What each label of each span is worth beside none; `weights` come to 1.
    pub(crate) fn scores(
        self,
        num_words: usize,
        num_labels: usize,
        posteriors: &[Weighted<'_>],
    ) -> SpanScores {
        let mut scores = SpanScores::new(num_words, num_labels, vec![0.0; num_spans(num_words) * num_labels]);
        for &(weight, posteriors) in posteriors {
            let none = without_phrase(num_words, posteriors);
            // What a label is worth to this parser beside none.
            let worth = |probability: f32, none: f32| match self {
                Self::Product => weight * ((probability + FLOOR).ln() - (none + FLOOR).ln()),
                Self::Mixture => weight * (probability - none),
            };
            for (row, &none) in scores.rows_mut().zip(&none) {
                let unlikely = worth(0.0, none);
                row.iter_mut().for_each(|score| *score += unlikely);
            }
            for &(phrase, probability) in &posteriors.phrases {
                let none = none[span_index(num_words, phrase.span)];
                scores.row_mut(phrase.span)[usize::from(phrase.label)] +=
                    worth(probability, none) - worth(0.0, none);
            }
        }
        scores
    }
}

/// How likely it is for each span that there is no phrase over it.
fn without_phrase(num_words: usize, posteriors: &SpanPosteriors) -> Vec<f32> {
    let mut none = vec![1.0; num_spans(num_words)];
    for (phrase, probability) in &posteriors.phrases {
        none[span_index(num_words, phrase.span)] -= probability;
    }
    none.iter_mut().for_each(|none| *none = none.max(0.0));
    none
}
