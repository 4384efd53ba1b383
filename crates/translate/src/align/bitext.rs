//! Sentence pairs as numbers, and which of them to keep.

use boughs::error::{Error, ErrorKind, Result};
use boughs_learn::vocab::Vocab;

/// Rows of numbers in one piece of memory: the words of sentences, or the features of examples.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct IdRows {
    ids: Vec<u32>,
    ends: Vec<usize>,
}

/// One side of a bitext: its words and its sentences.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BitextSide {
    vocab: Vocab,
    /// The sentences, as numbers of words.
    pub(crate) sentences: IdRows,
}

/// Sentences and their translations.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bitext {
    /// The sentences.
    pub source: BitextSide,
    /// Their translations.
    pub target: BitextSide,
}

/// Which pairs to keep. The default is that of Turian, Wellington and Melamed (2006).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairFilter {
    /// The fewest words on either side. Default: 5.
    pub min_words: usize,
    /// The most words on either side. Default: 40.
    pub max_words: usize,
    /// How many times longer one side may be than the other; at least 1. Default: 2.
    pub max_ratio: f64,
}

impl Default for PairFilter {
    fn default() -> Self {
        Self { min_words: 5, max_words: 40, max_ratio: 2.0 }
    }
}

impl PairFilter {
    /// Why a pair of so many words is left out, if it is.
    pub fn rejection(&self, num_source: usize, num_target: usize) -> Option<Rejection> {
        let (short, long) = (num_source.min(num_target), num_source.max(num_target));
        let is_uneven = self.max_ratio.is_finite() && long as f64 > self.max_ratio * short as f64;
        match () {
            () if short < self.min_words => Some(Rejection::Short),
            () if long > self.max_words => Some(Rejection::Long),
            () if is_uneven => Some(Rejection::Uneven),
            () => None,
        }
    }
}

/// Why a [`PairFilter`] leaves out a pair; the first reason that holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rejection {
    /// A side has too few words.
    Short,
    /// A side has too many words.
    Long,
    /// One side is too many times longer than the other.
    Uneven,
}

/// The two sentences of a line, which have a tab between them.
///
/// # Errors
/// If there is no tab, or more than one: other columns must not become words of the translation.
pub fn split_pair(line: &str) -> Result<(&str, &str)> {
    let (found, hint) = match (line.split_once('\t'), line.matches('\t').count()) {
        (Some(pair), 1) => return Ok(pair),
        (None, _) => ("no tab".to_owned(), "give translations in a second file, or on the same line"),
        (_, num_tabs) => (format!("{num_tabs} tabs"), "keep two columns, as `cut -f1,2` does"),
    };
    let message = format!("expected two sentences with a tab between, found {found}");
    Err(Error::new(ErrorKind::Syntax, message).hint(hint))
}

impl IdRows {
    /// Adds a row.
    pub(crate) fn push(&mut self, ids: impl IntoIterator<Item = u32>) {
        self.ids.extend(ids);
        self.ends.push(self.ids.len());
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// A row.
    ///
    /// # Panics
    /// If there is no such row.
    pub(crate) fn get(&self, index: usize) -> &[u32] {
        &self.ids[self.range(index)]
    }

    /// Where a row lies among all numbers.
    pub(crate) fn range(&self, index: usize) -> std::ops::Range<usize> {
        index.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[index]
    }

    /// All rows in order.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        (0..self.len()).map(|index| self.get(index))
    }

    /// The numbers of all rows together.
    pub(crate) fn num_ids(&self) -> usize {
        self.ids.len()
    }
}

impl BitextSide {
    /// The words of a sentence.
    ///
    /// # Panics
    /// If there is no such sentence.
    pub fn words(&self, index: usize) -> impl Iterator<Item = &str> {
        self.sentences.get(index).iter().map(|&word| self.vocab.name(word))
    }

    fn lowercased(&self) -> Self {
        let mut vocab = Vocab::new();
        let numbers: Vec<u32> = self.vocab.iter().map(|name| vocab.intern(&name.to_lowercase())).collect();
        let mut sentences = self.sentences.clone();
        sentences.ids.iter_mut().for_each(|word| *word = numbers[*word as usize]);
        Self { vocab, sentences }
    }

    fn push<'a>(&mut self, words: impl IntoIterator<Item = &'a str>) {
        let vocab = &mut self.vocab;
        self.sentences.push(words.into_iter().map(|word| vocab.intern(word)));
    }
}

impl Bitext {
    /// No pairs.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a pair.
    pub fn push<'a>(
        &mut self,
        source: impl IntoIterator<Item = &'a str>,
        target: impl IntoIterator<Item = &'a str>,
    ) {
        self.source.push(source);
        self.target.push(target);
    }

    /// The number of pairs.
    pub fn len(&self) -> usize {
        self.source.sentences.len()
    }

    /// Whether there are no pairs.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The numbers of words on both sides of a pair.
    ///
    /// # Panics
    /// If there is no such pair.
    pub fn num_words(&self, index: usize) -> (usize, usize) {
        (self.source.sentences.get(index).len(), self.target.sentences.get(index).len())
    }

    /// The same pairs in lower case.
    #[must_use]
    pub fn lowercased(&self) -> Self {
        Self { source: self.source.lowercased(), target: self.target.lowercased() }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sentences_come_back() {
        let mut sentences = IdRows::default();
        sentences.push([1, 2]);
        sentences.push([]);
        sentences.push([3]);
        assert_eq!(sentences.iter().collect::<Vec<_>>(), [&[1, 2][..], &[], &[3]]);
        assert_eq!((sentences.len(), sentences.num_ids()), (3, 3));
    }

    #[test]
    fn case_can_be_forgotten() {
        let mut bitext = Bitext::new();
        bitext.push(["The", "cat", "the"], ["Été"]);
        let lower = bitext.lowercased();
        assert_eq!(lower.source.sentences.get(0), [0, 1, 0]);
        assert_eq!(lower.target.words(0).collect::<Vec<_>>(), ["été"]);
    }

    #[test]
    fn a_pair_has_one_tab() {
        assert_eq!(split_pair("a b\tx").unwrap(), ("a b", "x"));
        assert_eq!(split_pair("\t").unwrap(), ("", ""));
        assert!(split_pair("a b").unwrap_err().to_string().contains("found no tab"));
        assert!(split_pair("a\tx\tCC-BY").unwrap_err().to_string().contains("found 2 tabs"));
    }

    proptest! {
        #[test]
        fn any_line_is_a_pair_or_refused(line in "[\\PC\t]{0,20}") {
            match split_pair(&line) {
                Ok((source, target)) => prop_assert_eq!(format!("{source}\t{target}"), line),
                Err(error) => prop_assert!(error.to_string().contains("expected two sentences")),
            }
        }
    }

    #[test]
    fn a_pair_is_left_out_for_one_reason() {
        let filter = PairFilter::default();
        for (lengths, reason) in [
            ((4, 90), Some(Rejection::Short)),
            ((5, 41), Some(Rejection::Long)),
            ((5, 11), Some(Rejection::Uneven)),
            ((5, 10), None),
        ] {
            assert_eq!(filter.rejection(lengths.0, lengths.1), reason);
        }
    }

    #[test]
    fn pairs_are_filtered_as_in_the_paper() {
        let filter = PairFilter::default();
        for (source, target, is_kept) in
            [(5, 10, true), (5, 11, false), (4, 5, false), (40, 40, true), (41, 30, false), (0, 0, false)]
        {
            assert_eq!(filter.rejection(source, target).is_none(), is_kept, "{source} {target}");
        }
        let all = PairFilter { min_words: 0, max_words: usize::MAX, max_ratio: f64::INFINITY };
        assert_eq!((all.rejection(0, 0), all.rejection(0, 9)), (None, None));
    }
}
