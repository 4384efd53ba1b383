//! Sentences of any length, as windows that fit into an encoder and overlap.
//!
//! The naive form refuses what is longer than the encoder's positions, or cuts it off. Here a long sentence
//! is several windows, each as long as fits, which share about half of their pieces with the next. A word is
//! taken from the window in which it is further from an edge, so that it is seen with words on both sides.

use std::ops::Range;

use super::WordPiece;

/// A sentence as one window or more.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Windows {
    /// The pieces of each window, between the marks of start and end.
    pub ids: Vec<Vec<u32>>,
    /// The rows of the first and of the last piece of each word, counted over all windows in a row.
    pub words: Vec<[usize; 2]>,
    /// For each row of all windows, the word that it is a piece of; none for marks.
    pub sources: Vec<Option<usize>>,
    /// The rows of the mark of the start in the first window, and of the end in the last.
    pub marks: [usize; 2],
}

impl Windows {
    /// How many rows all windows have.
    pub fn num_rows(&self) -> usize {
        self.ids.iter().map(Vec::len).sum()
    }
}

impl WordPiece {
    /// Cuts words into pieces, for an encoder of so many positions: at least three.
    ///
    /// A word of more pieces than fit into a window is seen by as many of its first and its last ones.
    pub fn windows<S: AsRef<str>>(&self, words: &[S], positions: usize) -> Windows {
        let most = positions.saturating_sub(2).max(1);
        let words: Vec<Vec<u32>> = words.iter().map(|word| self.ids_of(word.as_ref(), most)).collect();
        let ranges = overlapping(&words.iter().map(Vec::len).collect::<Vec<_>>(), most);
        let mut windows = Windows::default();
        let mut first_own = 0;
        for (number, range) in ranges.iter().enumerate() {
            let next = ranges.get(number + 1);
            let last_own = next.map_or(range.end, |next| (next.start + range.end).div_ceil(2));
            let mut row = windows.num_rows() + 1;
            windows.sources.push(None);
            for word in range.clone() {
                windows.sources.extend(std::iter::repeat_n(Some(word), words[word].len()));
                if (first_own..last_own).contains(&word) {
                    windows.words.push([row, row + words[word].len() - 1]);
                }
                row += words[word].len();
            }
            windows.sources.push(None);
            windows.marks[1] = row;
            let pieces = words[range.clone()].iter().flatten().copied();
            windows.ids.push([self.first].into_iter().chain(pieces).chain([self.last]).collect());
            first_own = last_own;
        }
        windows
    }

    fn ids_of(&self, word: &str, most: usize) -> Vec<u32> {
        let mut pieces = Vec::new();
        self.cut(word, &mut pieces);
        let (too_many, kept) = (pieces.len().saturating_sub(most), pieces.len().min(most.div_ceil(2)));
        pieces.drain(kept..kept + too_many);
        pieces.iter().map(|piece| piece.id).collect()
    }
}

/// Ranges of words, given how many pieces each has, of at most so many pieces; none has more. At least one
/// range.
fn overlapping(lens: &[usize], most: usize) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut start = 0;
    loop {
        let fitting = |words: &mut dyn Iterator<Item = &usize>, most: usize| {
            let mut sum = 0;
            words.take_while(|&&len| (sum + len <= most).then(|| sum += len).is_some()).count()
        };
        let end = start + fitting(&mut lens[start..].iter(), most);
        ranges.push(start..end);
        if end == lens.len() {
            return ranges;
        }
        let num_shared = fitting(&mut lens[..end].iter().rev(), most / 2);
        start = (end - num_shared).max(start + 1);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn vocabulary() -> WordPiece {
        WordPiece::from_vocab_txt("[UNK]\n[CLS]\n[SEP]\na\n##b\n##c\n", None).unwrap()
    }

    #[test]
    fn short_sentences_are_one_window() {
        let windows = vocabulary().windows(&["a", "abc"], 6);
        assert_eq!(windows.ids, [[1, 3, 3, 4, 5, 2]]);
        assert_eq!((windows.words, windows.marks), (vec![[1, 1], [2, 4]], [0, 5]));
        assert_eq!(windows.sources, [None, Some(0), Some(1), Some(1), Some(1), None]);
        let nothing = vocabulary().windows::<&str>(&[], 6);
        assert_eq!((nothing.ids, nothing.marks), (vec![vec![1, 2]], [0, 1]));
    }

    #[test]
    fn long_sentences_are_windows_that_overlap() {
        assert_eq!(overlapping(&[1; 9], 4), [0..4, 2..6, 4..8, 6..9]);
        assert_eq!(overlapping(&[4, 4, 1], 4), [0..1, 1..2, 2..3]);
        let windows = vocabulary().windows(&["a"; 6], 6);
        assert_eq!(windows.ids, [[1, 3, 3, 3, 3, 2], [1, 3, 3, 3, 3, 2]]);
        assert_eq!(windows.words, [[1, 1], [2, 2], [3, 3], [8, 8], [9, 9], [10, 10]]);
        assert_eq!(windows.marks, [0, 11]);
    }

    #[test]
    fn long_words_are_seen_by_their_ends() {
        let windows = vocabulary().windows(&["abbbbc"], 5);
        assert_eq!(windows.ids, [[1, 3, 4, 5, 2]]);
    }

    proptest! {
        #[test]
        fn every_word_has_its_pieces(lens in proptest::collection::vec(1..7usize, 0..40), positions in 3..12usize) {
            let words: Vec<String> = lens.iter().map(|len| "a".to_owned() + &"b".repeat(len - 1)).collect();
            let windows = vocabulary().windows(&words, positions);
            let ids = windows.ids.concat();
            prop_assert!(windows.ids.iter().all(|ids| ids.len() <= positions));
            prop_assert_eq!(windows.words.len(), words.len());
            for (word, ([first, last], len)) in windows.words.into_iter().zip(lens).enumerate() {
                prop_assert_eq!((windows.sources[first], windows.sources[last]), (Some(word), Some(word)));
                prop_assert_eq!(last - first + 1, len.min(positions - 2));
                prop_assert_eq!(ids[first], 3);
            }
            prop_assert_eq!(windows.sources.len(), ids.len());
            prop_assert!(windows.sources.iter().zip(&ids).all(|(source, &id)| source.is_none() == (id < 3)));
            prop_assert_eq!((ids[windows.marks[0]], ids[windows.marks[1]]), (1, 2));
        }
    }
}
