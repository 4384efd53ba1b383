//! The best tree.

use super::table::{SpanScores, Square, by_length, span_index};
use crate::neural::labels::LabelledSpan;
use crate::span::Span;

/// A tree with its score.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ScoredTree {
    /// The sum over its phrases; minus infinity if no tree is possible, and then it is of no use.
    pub(crate) score: f32,
    /// Its phrases in pre-order.
    pub(crate) phrases: Vec<LabelledSpan>,
}

/// The tree with the highest score. Among equals, a phrase wins over none, the first label and the first
/// split.
pub(crate) fn best_tree(scores: &SpanScores) -> ScoredTree {
    let chart = BestChart::fill(scores);
    let whole = chart.num_words;
    let score = if whole == 0 { 0.0 } else { chart.sequences.at(0, whole) };
    let phrases = if score == f32::NEG_INFINITY { Vec::new() } else { chart.read_off() };
    ScoredTree { score, phrases }
}

/// What a cell becomes in the best tree over it.
#[derive(Debug, Clone, Copy)]
struct BestCell {
    label: u16,
    split: u32,
    /// Whether, as a part of a sequence of children, it is better as one phrase.
    is_phrase: bool,
}

struct BestChart {
    num_words: usize,
    /// Sequences of children, by start and end.
    sequences: Square<f32>,
    /// Single children, by end and start.
    children: Square<f32>,
    cells: Vec<BestCell>,
}

impl BestChart {
    fn fill(scores: &SpanScores) -> Self {
        let num_words = scores.num_words();
        let labels = scores.best_labels();
        let empty = BestCell { label: 0, split: 0, is_phrase: false };
        let mut chart = Self {
            num_words,
            sequences: Square::new(num_words, f32::NEG_INFINITY),
            children: Square::new(num_words, f32::NEG_INFINITY),
            cells: vec![empty; labels.len()],
        };
        for (start, end) in by_length(num_words) {
            let span = Span::new(start as u32, end as u32);
            let index = span_index(num_words, span);
            let (label, of_label) = labels[index];
            let (body, split) = chart.body(start, end);
            let (phrase, bare) = (of_label + body, scores.bare(span) + body);
            let is_phrase = phrase >= bare && phrase > f32::NEG_INFINITY;
            let best = if is_phrase { phrase } else { bare };
            *chart.sequences.at_mut(start, end) = best;
            // A word is a child by itself, a sequence of several children is none.
            *chart.children.at_mut(end, start) = if end - start == 1 { best } else { phrase };
            chart.cells[index] = BestCell { label, split, is_phrase };
        }
        chart
    }

    /// The best sequence of two children or more, or a word, and where its last child starts.
    fn body(&self, start: usize, end: usize) -> (f32, u32) {
        if end - start == 1 {
            return (0.0, 0);
        }
        let sequences = self.sequences.run(start, start + 1, end);
        let children = self.children.run(end, start + 1, end);
        let mut best = (f32::NEG_INFINITY, 0);
        for (split, (sequence, child)) in (start as u32 + 1..).zip(sequences.iter().zip(children)) {
            if sequence + child > best.0 {
                best = (sequence + child, split);
            }
        }
        best
    }

    fn read_off(&self) -> Vec<LabelledSpan> {
        let mut phrases = Vec::new();
        let whole = Span::new(0, self.num_words as u32);
        // Spans that are still to be read, the last first, and whether each is one child.
        let mut work = if whole.is_empty() { Vec::new() } else { vec![(whole, false)] };
        while let Some((span, is_child)) = work.pop() {
            let BestCell { label, split, is_phrase } = self.cells[span_index(self.num_words, span)];
            if is_phrase || (is_child && span.len() > 1) {
                phrases.push(LabelledSpan { span, label });
            }
            if span.len() > 1 {
                work.push((Span::new(split, span.end), true));
                work.push((Span::new(span.start, split), false));
            }
        }
        phrases
    }
}
