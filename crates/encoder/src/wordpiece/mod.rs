//! WordPiece: words as pieces of a fixed vocabulary (Wu et al. 2016, Devlin et al. 2019), with the bytes of
//! each.
//!
//! The naive form is the definition: a run of characters starts with the longest piece that the vocabulary
//! has, goes on with the longest piece that may continue a word (`##` in files), and so on; if at some point
//! there is none, all of the run is unknown. Trying ends from the last to the first takes a number of
//! look-ups that is quadratic in the length of the run. Two things make that cheap enough for parsing, where
//! it takes below 1% of the time: no end is tried that is farther than the longest piece, and starts and
//! continuations are two tables, so that no string is built for a look-up.
//!
//! A word is never read as a special piece: `[SEP]` in a text is three pieces, not the end of a sentence.
//! That is the one difference to Hugging Face's `tokenizers`; scripts/compare_wordpiece.py compares the rest.

mod basic;
mod file;
mod read;
mod windows;

use std::cell::RefCell;
use std::cmp::Reverse;
use std::ops::Range;

use boughs_learn::error::require;
use boughs_learn::{Error, ErrorKind, Result};
use rustc_hash::FxHashMap;

pub use basic::Normalization;
use basic::Normalized;
pub use windows::Windows;

/// A piece of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Its row of the embeddings.
    pub id: u32,
    /// Its first byte in the word.
    pub start: u32,
    /// The byte behind its last one.
    pub end: u32,
}

/// A sentence as pieces, between the pieces that mark its start and end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sentence {
    /// All pieces, the marks included.
    pub ids: Vec<u32>,
    /// The pieces of each word, as ranges of `ids`; none is empty.
    pub words: Vec<Range<usize>>,
}

/// A vocabulary of pieces, and how words are cut into them.
#[derive(Debug, Clone)]
pub struct WordPiece {
    starts: FxHashMap<Box<str>, u32>,
    continuations: FxHashMap<Box<str>, u32>,
    normalization: Normalization,
    /// Runs with more characters are unknown.
    max_chars: usize,
    /// Characters of the longest piece.
    longest: usize,
    unknown: u32,
    first: u32,
    last: u32,
    len: usize,
}

/// What stands before pieces that continue a word, in files.
const CONTINUATION: &str = "##";

impl WordPiece {
    /// A vocabulary of the pieces in order of their ids.
    ///
    /// # Errors
    /// If `[UNK]`, `[CLS]` or `[SEP]` is missing, or there are more pieces than ids.
    pub fn new<'a>(
        pieces: impl IntoIterator<Item = &'a str>,
        normalization: Normalization,
        max_chars: usize,
    ) -> Result<Self> {
        let [mut starts, mut continuations] = [FxHashMap::default(), FxHashMap::default()];
        let [mut len, mut longest] = [0, 0];
        for piece in pieces {
            let id = u32::try_from(len).map_err(|_| Error::new(ErrorKind::TooLarge, "too many pieces"))?;
            let (table, text) = match piece.strip_prefix(CONTINUATION) {
                // `##` itself is in some vocabularies: two marks at the start of a word.
                Some(rest) if !rest.is_empty() => (&mut continuations, rest),
                _ => (&mut starts, piece),
            };
            table.insert(text.into(), id);
            longest = longest.max(text.chars().count());
            len += 1;
        }
        let special = |name: &str| {
            starts.get(name).copied().ok_or_else(|| {
                Error::new(ErrorKind::Mismatch, format!("expected a vocabulary with `{name}`, found none"))
                    .hint("take the vocabulary of a BERT-type encoder")
            })
        };
        let [unknown, first, last] = [special("[UNK]")?, special("[CLS]")?, special("[SEP]")?];
        Ok(Self { starts, continuations, normalization, max_chars, longest, unknown, first, last, len })
    }

    /// How many pieces there are.
    #[expect(clippy::len_without_is_empty, reason = "it has at least the special pieces")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The piece for what cannot be cut into pieces.
    pub fn unknown(&self) -> u32 {
        self.unknown
    }

    /// A vocabulary of some of the pieces, and which they are: what special pieces mark, and every ASCII character, so
    /// that words can still be cut; and of the others those with the highest counts, so many in all or a few more.
    ///
    /// # Errors
    /// If there is not a count for each piece.
    pub fn most_frequent(&self, counts: &[u64], num_pieces: usize) -> Result<(Self, Vec<u32>)> {
        require(counts.len() == self.len, format!("{} counts", self.len), counts.len())?;
        let pieces = self.pieces();
        let is_needed = |id: usize| {
            let text = pieces[id].strip_prefix(CONTINUATION).unwrap_or(&pieces[id]);
            [self.unknown, self.first, self.last].contains(&(id as u32)) || text.len() == 1
        };
        let mut ids: Vec<u32> = (0..self.len as u32).collect();
        // Ties go by the order of the vocabulary, which is about that of frequency.
        ids.sort_by_key(|&id| (!is_needed(id as usize), Reverse(counts[id as usize]), id));
        let num_needed = ids.iter().filter(|&&id| is_needed(id as usize)).count();
        ids.truncate(num_pieces.max(num_needed));
        ids.sort_unstable();
        let kept = ids.iter().map(|&id| pieces[id as usize].as_str());
        Ok((Self::new(kept, self.normalization, self.max_chars)?, ids))
    }

    /// Appends the pieces of a word, at least one: a word that normalises to nothing is unknown.
    pub fn cut(&self, word: &str, pieces: &mut Vec<Piece>) {
        thread_local!(static NORMALIZED: RefCell<Normalized> = RefCell::default());
        let before = pieces.len();
        NORMALIZED.with_borrow_mut(|normalized| {
            normalized.fill(self.normalization, word);
            for run in normalized.runs() {
                self.cut_run(normalized, run, pieces);
            }
        });
        if pieces.len() == before {
            pieces.push(Piece { id: self.unknown, start: 0, end: word.len() as u32 });
        }
    }

    fn cut_run(&self, normalized: &Normalized, run: Range<usize>, pieces: &mut Vec<Piece>) {
        let before = pieces.len();
        let mut start = run.start;
        while start < run.end && run.len() <= self.max_chars {
            let Some((id, end)) = self.longest_piece(normalized, start, &run) else { break };
            let source = normalized.source_of(start..end);
            pieces.push(Piece { id, start: source.start, end: source.end });
            start = end;
        }
        if start < run.end {
            let source = normalized.source_of(run);
            pieces.truncate(before);
            pieces.push(Piece { id: self.unknown, start: source.start, end: source.end });
        }
    }

    /// The longest piece that starts at a character of a run, and where it ends.
    fn longest_piece(
        &self,
        normalized: &Normalized,
        start: usize,
        run: &Range<usize>,
    ) -> Option<(u32, usize)> {
        let table = if start == run.start { &self.starts } else { &self.continuations };
        let farthest = run.end.min(start + self.longest);
        (start + 1..=farthest)
            .rev()
            .find_map(|end| table.get(normalized.text_of(start..end)).map(|&id| (id, end)))
    }

    /// The pieces of a sentence of words.
    pub fn sentence<S: AsRef<str>>(&self, words: &[S]) -> Sentence {
        let mut sentence = Sentence { ids: vec![self.first], words: Vec::with_capacity(words.len()) };
        let mut pieces = Vec::new();
        for word in words {
            pieces.clear();
            self.cut(word.as_ref(), &mut pieces);
            let start = sentence.ids.len();
            sentence.ids.extend(pieces.iter().map(|piece| piece.id));
            sentence.words.push(start..sentence.ids.len());
        }
        sentence.ids.push(self.last);
        sentence
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PIECES: [&str; 12] =
        ["[UNK]", "[CLS]", "[SEP]", "un", "##aff", "##able", "##a", "##b", ".", "want", "##want", "["];
    const UNCASED: Normalization =
        Normalization { clean: true, isolate_chinese: true, strip_accents: true, lowercase: true };

    fn vocabulary() -> WordPiece {
        WordPiece::new(PIECES, UNCASED, 100).unwrap()
    }

    fn cut(word: &str) -> Vec<(&'static str, u32, u32)> {
        let mut pieces = Vec::new();
        vocabulary().cut(word, &mut pieces);
        pieces.iter().map(|piece| (PIECES[piece.id as usize], piece.start, piece.end)).collect()
    }

    #[test]
    fn longest_pieces_first() {
        assert_eq!(cut("Unaffable"), [("un", 0, 2), ("##aff", 2, 5), ("##able", 5, 9)]);
        assert_eq!(cut("unab"), [("un", 0, 2), ("##a", 2, 3), ("##b", 3, 4)]);
        // `##able` would fit, but there is no way on from where the longest pieces lead.
        assert_eq!(cut("unabl"), [("[UNK]", 0, 5)]);
        assert_eq!(cut("want.unx"), [("want", 0, 4), (".", 4, 5), ("[UNK]", 5, 8)]);
    }

    #[test]
    fn specials_are_only_text() {
        assert_eq!(cut("[SEP]"), [("[", 0, 1), ("[UNK]", 1, 4), ("[UNK]", 4, 5)]);
    }

    #[test]
    fn every_word_has_a_piece() {
        assert_eq!(cut(""), [("[UNK]", 0, 0)]);
        assert_eq!(cut("\u{200B}"), [("[UNK]", 0, 3)]);
        let sentence = vocabulary().sentence(&["unaffable", "\u{200B}", "."]);
        assert_eq!(sentence.ids, [1, 3, 4, 5, 0, 8, 2]);
        assert_eq!(sentence.words, [1..4, 4..5, 5..6]);
    }

    #[test]
    fn long_runs_are_unknown() {
        assert_eq!(cut(&"unaff".repeat(20)).len(), 1);
        let mut pieces = Vec::new();
        WordPiece::new(PIECES, UNCASED, 3).unwrap().cut("want", &mut pieces);
        assert_eq!(pieces, [Piece { id: 0, start: 0, end: 4 }]);
    }

    #[test]
    fn special_pieces_must_be_there() {
        let error = WordPiece::new(["[UNK]", "[CLS]"], UNCASED, 100).unwrap_err();
        assert!(error.to_string().starts_with("expected a vocabulary with `[SEP]`, found none"));
    }

    proptest! {
        #[test]
        fn offsets_rise_and_are_boundaries_of_characters(word in "\\PC*") {
            let mut pieces = Vec::new();
            vocabulary().cut(&word, &mut pieces);
            prop_assert!(!pieces.is_empty());
            prop_assert!(pieces.iter().all(|piece| word.get(piece.start as usize..piece.end as usize).is_some()));
            // Two pieces may share a character that folds into several.
            prop_assert!(pieces.windows(2).all(|pair| pair[0].start <= pair[1].start && pair[0].end <= pair[1].end));
        }
    }

    /// Words whose pieces are gone are cut into smaller ones, and nothing else changes.
    #[test]
    fn a_smaller_vocabulary_still_cuts_every_word() {
        let text = "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\nb\n##a\n##b\nab\nabba\n##ba\nü\n";
        let all = WordPiece::from_vocab_txt(text, None).unwrap();
        let counts = [0, 0, 0, 0, 0, 0, 0, 0, 5, 2, 3, 1];
        let (some, ids) = all.most_frequent(&counts, 9).unwrap();
        assert_eq!(some.pieces(), ["[UNK]", "[CLS]", "[SEP]", "a", "b", "##a", "##b", "ab", "##ba"]);
        assert_eq!(ids, [1, 2, 3, 4, 5, 6, 7, 8, 10]);
        let cut = |vocabulary: &WordPiece, word: &str| {
            let mut pieces = Vec::new();
            vocabulary.cut(word, &mut pieces);
            pieces.iter().map(|piece| vocabulary.pieces()[piece.id as usize].clone()).collect::<Vec<_>>()
        };
        assert_eq!(
            (cut(&all, "abba"), cut(&some, "abba")),
            (vec!["abba".into()], vec!["ab".into(), "##ba".into()])
        );
        assert_eq!(cut(&some, "ü"), ["[UNK]"]);
        assert_eq!(all.most_frequent(&counts, 0).unwrap().1.len(), 7, "characters stay");
        assert!(all.most_frequent(&counts[1..], 9).is_err());
    }
}
