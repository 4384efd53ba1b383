//! Sums over all trees: their number weighted by what they are worth, and how likely each phrase is.
//!
//! The weight of a tree is the exponential of its score. Inside sums are kept as logarithms. What others call
//! outside sums is the derivative of the logarithm of the whole sum, and is computed as one: each step of the
//! inside pass is undone in reverse order, and hands its share down to what it was made of. Shares are
//! probabilities, so nothing overflows.

use boughs_encoder::log_sum_exp;

use super::table::{SpanScores, Square, by_length};
use crate::span::Span;

/// The sum over all trees of a sentence.
#[derive(Debug, Clone)]
pub(crate) struct TreeSums {
    num_words: usize,
    /// The logarithm of the sum over all trees.
    pub(crate) log_total: f64,
    /// For each span, the logarithm of the sum of the weights of its labels.
    labels: Square<f64>,
    /// Sequences of children, by start and end.
    sequences: Square<f64>,
    /// Single children, by end and start.
    children: Square<f64>,
    /// What is in a phrase, by start and end.
    bodies: Square<f64>,
}

impl TreeSums {
    /// The inside pass.
    pub(crate) fn new(scores: &SpanScores) -> Self {
        let num_words = scores.num_words();
        let square = || Square::new(num_words, f64::NEG_INFINITY);
        let (labels, sequences, children, bodies) = (square(), square(), square(), square());
        let mut sums = Self { num_words, log_total: 0.0, labels, sequences, children, bodies };
        for (start, end) in by_length(num_words) {
            let span = Span::new(start as u32, end as u32);
            let of_labels = log_sum_exp(scores.row(span));
            let body = sums.body(start, end);
            let (phrase, bare) = (of_labels + body, f64::from(scores.bare(span)) + body);
            let either = log_sum([phrase, bare].into_iter());
            *sums.labels.at_mut(start, end) = of_labels;
            *sums.bodies.at_mut(start, end) = body;
            *sums.sequences.at_mut(start, end) = either;
            *sums.children.at_mut(end, start) = if end - start == 1 { either } else { phrase };
        }
        if num_words > 0 {
            sums.log_total = sums.sequences.at(0, num_words);
        }
        sums
    }

    fn body(&self, start: usize, end: usize) -> f64 {
        if end - start == 1 {
            return 0.0;
        }
        let sequences = self.sequences.run(start, start + 1, end);
        let children = self.children.run(end, start + 1, end);
        log_sum(sequences.iter().zip(children).map(|(sequence, child)| sequence + child))
    }

    /// For each span, in the order of [`spans`](super::table::spans), how likely it is that there is a phrase
    /// over it.
    pub(crate) fn phrase_posteriors(&self) -> Vec<f64> {
        let num_words = self.num_words;
        let mut shares = Shares::new(num_words);
        let mut posteriors = vec![0.0; super::table::num_spans(num_words)];
        for (start, end) in by_length(num_words).rev() {
            let span = Span::new(start as u32, end as u32);
            let posterior = self.hand_down(start, end, &mut shares);
            posteriors[super::table::span_index(num_words, span)] = posterior;
        }
        posteriors
    }

    /// Hands the shares of a span down to what it is made of; how likely it is to be a phrase.
    fn hand_down(&self, start: usize, end: usize, shares: &mut Shares) -> f64 {
        let (as_sequence, as_child) = (shares.sequences.at(start, end), shares.children.at(end, start));
        let body = self.bodies.at(start, end);
        let phrase = share(self.labels.at(start, end) + body, self.sequences.at(start, end));
        let of_phrase = match end - start {
            1 => (as_sequence + as_child) * phrase,
            _ => as_sequence * phrase + as_child,
        };
        if end - start > 1 {
            // Of a sequence, what is no phrase is its body, too.
            let of_body = as_sequence + as_child;
            self.hand_down_body(start, end, of_body, shares);
        }
        of_phrase
    }

    fn hand_down_body(&self, start: usize, end: usize, of_body: f64, shares: &mut Shares) {
        let body = self.bodies.at(start, end);
        if of_body == 0.0 || body == f64::NEG_INFINITY {
            return;
        }
        for split in start + 1..end {
            let part = self.sequences.at(start, split) + self.children.at(end, split);
            let given = of_body * share(part, body);
            *shares.sequences.at_mut(start, split) += given;
            *shares.children.at_mut(end, split) += given;
        }
    }

    /// How likely each label of a span is, given how likely there is a phrase over it.
    pub(crate) fn label_posteriors<'s>(
        &'s self,
        span: Span,
        row: &'s [f32],
        posterior: f64,
    ) -> impl Iterator<Item = f64> + 's {
        row.iter().map(move |&score| self.label_posterior(span, score, posterior))
    }

    /// How likely the label with a score is over a span, given how likely there is a phrase over it.
    pub(crate) fn label_posterior(&self, span: Span, score: f32, posterior: f64) -> f64 {
        posterior * share(f64::from(score), self.labels.at(span.start as usize, span.end as usize))
    }
}

/// Derivatives of the logarithm of the whole sum.
struct Shares {
    sequences: Square<f64>,
    children: Square<f64>,
}

impl Shares {
    fn new(num_words: usize) -> Self {
        let mut shares =
            Self { sequences: Square::new(num_words, 0.0), children: Square::new(num_words, 0.0) };
        if num_words > 0 {
            *shares.sequences.at_mut(0, num_words) = 1.0;
        }
        shares
    }
}

/// How much of a whole a part is, both given as logarithms; nothing of nothing.
fn share(part: f64, whole: f64) -> f64 {
    if whole == f64::NEG_INFINITY { 0.0 } else { (part - whole).exp() }
}

/// The logarithm of a sum of numbers given as logarithms.
fn log_sum(logs: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = logs.clone().fold(f64::NEG_INFINITY, f64::max);
    match largest == f64::NEG_INFINITY {
        true => largest,
        false => largest + logs.map(|log| (log - largest).exp()).sum::<f64>().ln(),
    }
}
