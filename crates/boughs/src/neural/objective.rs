//! What training aims at: the loss of a sentence's scores, and how it changes with each of them.

use serde::{Deserialize, Serialize};

use super::labels::LabelledSpan;
use super::search::{SpanScores, TreeSums, best_tree, span_index, spans};
use crate::span::Span;

/// What training aims at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NeuralObjective {
    /// The gold tree is better than every other by a margin that grows with the errors of the other (Taskar
    /// et al. 2004). The loss is by how much the worst offender falls short of that.
    #[default]
    Margin,
    /// The gold tree is likely, given its words. The loss is the negative logarithm of its probability.
    Likelihood,
}

/// Derivatives of a loss with respect to the scores of some spans; those of all others are zero.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct SpanGradient {
    pub(crate) spans: Vec<Span>,
    /// A row per span.
    pub(crate) rows: Vec<f32>,
}

impl NeuralObjective {
    /// The loss of scores, and its derivatives.
    pub(crate) fn loss(self, scores: &SpanScores, gold: &[LabelledSpan]) -> (f64, SpanGradient) {
        match self {
            Self::Margin => margin(scores, gold),
            Self::Likelihood => likelihood(scores, gold),
        }
    }
}

/// The sum of the scores of phrases.
pub(crate) fn tree_score(scores: &SpanScores, phrases: &[LabelledSpan]) -> f64 {
    let score = |phrase: &LabelledSpan| f64::from(scores.row(phrase.span)[usize::from(phrase.label)]);
    phrases.iter().map(score).sum()
}

/// The margin is the Hamming distance between two trees: the number of spans whose labels differ, no label
/// among them. It goes into the scores. A phrase over a span that gold has none over is an error more. Over a
/// span that gold has a phrase over, the right label is an error less than none, and a wrong label as bad as
/// none.
fn augmented(scores: &SpanScores, gold: &[LabelledSpan]) -> SpanScores {
    let mut augmented = scores.clone();
    let mut of_gold = vec![None; spans(scores.num_words()).count()];
    for phrase in gold {
        of_gold[span_index(scores.num_words(), phrase.span)] = Some(phrase.label);
    }
    for (span, gold) in spans(scores.num_words()).zip(of_gold) {
        let row = augmented.row_mut(span);
        match gold {
            Some(label) => row[usize::from(label)] -= 1.0,
            None => row.iter_mut().for_each(|score| *score += 1.0),
        }
    }
    augmented
}

fn margin(scores: &SpanScores, gold: &[LabelledSpan]) -> (f64, SpanGradient) {
    let augmented = augmented(scores, gold);
    let worst = best_tree(&augmented).phrases;
    // The distance of a tree without any phrase is the number of phrases of gold.
    let of_worst = tree_score(&augmented, &worst) + gold.len() as f64;
    let loss = of_worst - tree_score(scores, gold);
    let mut steps: Vec<(LabelledSpan, f32)> = worst.iter().map(|&phrase| (phrase, 1.0)).collect();
    steps.extend(gold.iter().map(|&phrase| (phrase, -1.0)));
    (loss.max(0.0), sparse(steps, scores.num_labels()))
}

/// A gradient of single steps; those that cancel out are left out.
fn sparse(mut steps: Vec<(LabelledSpan, f32)>, num_labels: usize) -> SpanGradient {
    steps.sort_by_key(|&(phrase, _)| phrase);
    let mut gradient = SpanGradient::default();
    for of_span in steps.chunk_by(|(a, _), (b, _)| a.span == b.span) {
        let mut row = vec![0.0; num_labels];
        of_span.iter().for_each(|(phrase, step)| row[usize::from(phrase.label)] += step);
        if row.iter().any(|&step| step != 0.0) {
            gradient.spans.push(of_span[0].0.span);
            gradient.rows.append(&mut row);
        }
    }
    gradient
}

fn likelihood(scores: &SpanScores, gold: &[LabelledSpan]) -> (f64, SpanGradient) {
    let sums = TreeSums::new(scores);
    let posteriors = sums.phrase_posteriors();
    let mut rows = Vec::with_capacity(posteriors.len() * scores.num_labels());
    for (span, &posterior) in spans(scores.num_words()).zip(&posteriors) {
        rows.extend(sums.label_posteriors(span, scores.row(span), posterior).map(|it| it as f32));
    }
    for phrase in gold {
        let index = span_index(scores.num_words(), phrase.span);
        rows[index * scores.num_labels() + usize::from(phrase.label)] -= 1.0;
    }
    let loss = sums.log_total - tree_score(scores, gold);
    (loss, SpanGradient { spans: spans(scores.num_words()).collect(), rows })
}
