//! Where the vectors of words and of the places between them are, in what comes out of an encoder.

use std::ops::Range;

use boughs_encoder::{Batch, Config, Windows, WordPiece};

use crate::error::Result;
use crate::neural::words::{WordShape, as_in_text};

/// A sentence as an encoder sees it.
#[derive(Debug, Clone)]
pub(crate) struct EncoderSentence {
    windows: Windows,
    /// The shape of the word of each piece: to the encoder it is the piece's type.
    types: Vec<u32>,
}

impl EncoderSentence {
    /// Cuts words into pieces.
    pub(crate) fn new<'w>(
        words: impl Iterator<Item = &'w str>,
        vocabulary: &WordPiece,
        config: &Config,
    ) -> Self {
        let (shapes, words): (Vec<WordShape>, Vec<_>) =
            words.map(|word| (WordShape::of(word), as_in_text(word))).unzip();
        let windows = vocabulary.windows(&words, config.positions);
        let type_of = |source: &Option<usize>| source.map_or(WordShape::Edge, |word| shapes[word]) as u32;
        Self { types: windows.sources.iter().map(type_of).collect(), windows }
    }

    pub(crate) fn num_words(&self) -> usize {
        self.windows.words.len()
    }

    /// The pieces of each window, and their types.
    fn typed_windows(&self) -> impl Iterator<Item = (&[u32], &[u32])> {
        let mut types = &self.types[..];
        self.windows.ids.iter().map(move |ids| {
            let (of_window, rest) = types.split_at(ids.len());
            types = rest;
            (ids.as_slice(), of_window)
        })
    }

    /// How many vectors the encoder makes of it.
    pub(crate) fn num_rows(&self) -> usize {
        self.windows.num_rows()
    }
}

/// Sentences that go through encoder and head together.
#[derive(Debug, Clone, Default)]
pub(crate) struct HeadBatch {
    /// For each place before, between and behind words, the last piece before it and the first behind it.
    pub(super) fenceposts: Vec<[usize; 2]>,
    /// For each word, its first and its last piece.
    pub(super) words: Vec<[usize; 2]>,
    /// Where the words of each sentence end.
    ends: Vec<usize>,
}

impl HeadBatch {
    /// Some sentences.
    pub(crate) fn new<'s>(sentences: impl IntoIterator<Item = &'s EncoderSentence>) -> Self {
        let mut batch = Self::default();
        let mut first_row = 0;
        for EncoderSentence { windows, .. } in sentences {
            batch.push(windows, first_row);
            first_row += windows.num_rows();
        }
        batch
    }

    fn push(&mut self, windows: &Windows, first_row: usize) {
        let mut before = first_row + windows.marks[0];
        for word in &windows.words {
            let [first, last] = word.map(|row| first_row + row);
            self.fenceposts.push([before, first]);
            self.words.push([first, last]);
            before = last;
        }
        self.fenceposts.push([before, first_row + windows.marks[1]]);
        self.ends.push(self.words.len());
    }

    /// The words of each sentence.
    pub(crate) fn sentences(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| start..end)
    }

    /// The fenceposts of each sentence, one more than it has words.
    pub(crate) fn fenceposts(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.sentences().enumerate().map(|(number, words)| words.start + number..words.end + number + 1)
    }
}

/// The pieces of sentences, in batches of about so many at most.
///
/// # Errors
/// Never for sentences of the encoder.
pub(crate) fn piece_batches<'s>(
    sentences: impl IntoIterator<Item = &'s EncoderSentence>,
    most_rows: usize,
    config: &Config,
) -> Result<Vec<Batch>> {
    let windows: Vec<(&[u32], &[u32])> =
        sentences.into_iter().flat_map(EncoderSentence::typed_windows).collect();
    let mut num_rows = 0;
    let fits_on = |before: &(&[u32], &[u32]), next: &(&[u32], &[u32])| {
        num_rows = if num_rows == 0 { before.0.len() } else { num_rows } + next.0.len();
        let fits = num_rows <= most_rows;
        num_rows = if fits { num_rows } else { 0 };
        fits
    };
    let batch = |windows: &[(&[u32], &[u32])]| {
        let types = windows.iter().flat_map(|(_, types)| types.iter().copied()).collect();
        Batch::new(windows.iter().map(|(ids, _)| *ids), config)?.with_types(types, config)
    };
    windows.chunk_by(fits_on).map(batch).collect()
}

/// Puts pairs of rows side by side.
pub(super) fn gather(pairs: &[[usize; 2]], rows: &[f32], width: usize, out: &mut Vec<f32>) {
    out.clear();
    for row in pairs.as_flattened().iter().copied() {
        out.extend_from_slice(&rows[row * width..][..width]);
    }
}

/// Adds the gradients of pairs to those of the rows that they were made of.
pub(super) fn scatter(pairs: &[[usize; 2]], d_pairs: &[f32], width: usize, d_rows: &mut [f32]) {
    let rows = pairs.as_flattened().iter().copied();
    for (row, d) in rows.zip(d_pairs.chunks_exact(width)) {
        let d_row = &mut d_rows[row * width..][..width];
        d_row.iter_mut().zip(d).for_each(|(sum, d)| *sum += d);
    }
}
