//! The scores of a sentence's spans.

use crate::span::Span;

/// All spans of so many words: those of the first word, the shortest first, then those of the second, and so
/// on.
pub(crate) fn spans(num_words: usize) -> impl Iterator<Item = Span> {
    let num_words = num_words as u32;
    (0..num_words).flat_map(move |start| (start + 1..=num_words).map(move |end| Span::new(start, end)))
}

/// How many spans so many words have.
pub(crate) fn num_spans(num_words: usize) -> usize {
    num_words * (num_words + 1) / 2
}

/// The place of a span among [`spans`].
pub(crate) fn span_index(num_words: usize, span: Span) -> usize {
    let (start, end) = (span.start as usize, span.end as usize);
    start * (2 * num_words - start + 1) / 2 + (end - start - 1)
}

/// What a phrase over a span is worth, for every span and label, and what a span is worth that is no phrase.
///
/// The score of a tree is the sum over its phrases; spans that are no phrases are worth 0. A span whose score
/// without a phrase is minus infinity must be one, and nothing may cross it: see
/// [`restrict`](super::restrict::restrict).
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SpanScores {
    num_words: usize,
    num_labels: usize,
    /// A row per span.
    phrases: Vec<f32>,
    bare: Vec<f32>,
}

impl SpanScores {
    /// Scores of phrases, a row per span in the order of [`spans`].
    ///
    /// # Panics
    /// If there are not as many as spans and labels.
    pub(crate) fn new(num_words: usize, num_labels: usize, phrases: Vec<f32>) -> Self {
        assert_eq!(phrases.len(), num_spans(num_words) * num_labels, "a score per span and label");
        Self { num_words, num_labels, phrases, bare: vec![0.0; num_spans(num_words)] }
    }

    pub(crate) fn num_words(&self) -> usize {
        self.num_words
    }

    pub(crate) fn num_labels(&self) -> usize {
        self.num_labels
    }

    /// The scores of the labels of a span.
    pub(crate) fn row(&self, span: Span) -> &[f32] {
        let index = span_index(self.num_words, span);
        &self.phrases[index * self.num_labels..][..self.num_labels]
    }

    pub(crate) fn row_mut(&mut self, span: Span) -> &mut [f32] {
        let index = span_index(self.num_words, span);
        &mut self.phrases[index * self.num_labels..][..self.num_labels]
    }

    /// All rows, in the order of [`spans`].
    pub(crate) fn rows(&self) -> impl Iterator<Item = &[f32]> {
        self.phrases.chunks_exact(self.num_labels)
    }

    /// All scores divided by a number above 0.
    #[must_use]
    pub(crate) fn divided_by(mut self, temperature: f32) -> Self {
        if temperature != 1.0 {
            let factor = temperature.recip();
            self.phrases.iter_mut().for_each(|score| *score *= factor);
        }
        self
    }

    pub(crate) fn rows_mut(&mut self) -> impl Iterator<Item = &mut [f32]> {
        self.phrases.chunks_exact_mut(self.num_labels)
    }

    /// What a span is worth that is no phrase: 0, or minus infinity where a phrase must be or nothing can be.
    pub(crate) fn bare(&self, span: Span) -> f32 {
        self.bare[span_index(self.num_words, span)]
    }

    /// Leaves a span no choice but to be a phrase.
    pub(crate) fn forbid_bare(&mut self, span: Span) {
        self.bare[span_index(self.num_words, span)] = f32::NEG_INFINITY;
    }

    /// The best label of each span and its score; the first among equals.
    pub(crate) fn best_labels(&self) -> Vec<(u16, f32)> {
        let better = |best: (u16, f32), (label, &score): (u16, &f32)| match score > best.1 {
            true => (label, score),
            false => best,
        };
        self.rows().map(|row| (0..).zip(row).fold((0, f32::NEG_INFINITY), better)).collect()
    }
}

/// A number for every span, in two orders: of spans that start alike, and of spans that end alike. So the
/// inner loop of a chart reads both of its arguments one after the other.
#[derive(Debug, Clone)]
pub(super) struct Square<T> {
    width: usize,
    values: Vec<T>,
}

impl<T: Copy> Square<T> {
    pub(super) fn new(num_words: usize, value: T) -> Self {
        let width = num_words + 1;
        Self { width, values: vec![value; width * width] }
    }

    /// Those at `one`, from `from` to `to`.
    pub(super) fn run(&self, one: usize, from: usize, to: usize) -> &[T] {
        &self.values[one * self.width + from..one * self.width + to]
    }

    pub(super) fn at(&self, one: usize, other: usize) -> T {
        self.values[one * self.width + other]
    }

    pub(super) fn at_mut(&mut self, one: usize, other: usize) -> &mut T {
        &mut self.values[one * self.width + other]
    }
}

/// All spans, the shortest first, as starts and ends.
pub(super) fn by_length(num_words: usize) -> impl DoubleEndedIterator<Item = (usize, usize)> {
    (1..=num_words).flat_map(move |len| (0..=num_words - len).map(move |start| (start, start + len)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_numbered_in_order() {
        for num_words in 0..7 {
            let all: Vec<Span> = spans(num_words).collect();
            assert_eq!(all.len(), num_spans(num_words));
            assert!((0..).zip(&all).all(|(index, &span)| span_index(num_words, span) == index));
            assert_eq!(by_length(num_words).count(), all.len());
        }
    }

    #[test]
    fn the_first_of_the_best_labels() {
        let scores = SpanScores::new(1, 3, vec![1.0, 2.0, 2.0]);
        assert_eq!(scores.best_labels(), [(1, 2.0)]);
    }
}
