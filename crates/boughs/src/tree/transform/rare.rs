//! Rare words: counted in training trees, then replaced by one word that stands for them all. Traces are
//! not words, and neither counted nor replaced.

use std::io::BufRead;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::{Error, Result};
use crate::tree::{TRACE_TAG, Tree};

/// What the count of a word is a count of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Counting {
    /// Its occurrences, as Turian & Melamed (2005, table 3) say.
    #[default]
    Tokens,
    /// The sentences it occurs in, as their program counts.
    Sentences,
}

/// How often each word occurs in a treebank.
///
/// ```
/// use boughs::tree::Tree;
/// use boughs::tree::transform::{Counting, WordCounts};
///
/// let mut counts = WordCounts::new(Counting::Tokens);
/// counts.add(&"(X (A row) (A row) (A boat))".parse()?);
/// let vocabulary = counts.vocabulary(2);
/// assert!(vocabulary.contains("row") && !vocabulary.contains("boat"));
/// # Ok::<(), boughs::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct WordCounts {
    counting: Counting,
    num_sentences: u64,
    counts: FxHashMap<String, WordCount>,
}

#[derive(Debug, Clone, Copy, Default)]
struct WordCount {
    count: u64,
    /// The number of the sentence that was counted last, from 1.
    last_sentence: u64,
}

impl WordCounts {
    /// Counts that are all zero.
    pub fn new(counting: Counting) -> Self {
        Self { counting, ..Self::default() }
    }

    /// Counts the words of a tree.
    pub fn add(&mut self, tree: &Tree) {
        self.num_sentences += 1;
        let tokens = tree.tokens().filter(|token| token.tag != TRACE_TAG);
        for word in tokens.map(|token| token.word) {
            if !self.counts.contains_key(word) {
                self.counts.insert(word.to_owned(), WordCount::default());
            }
            if let Some(count) = self.counts.get_mut(word) {
                let again = count.last_sentence == self.num_sentences;
                count.count += u64::from(!again || self.counting == Counting::Tokens);
                count.last_sentence = self.num_sentences;
            }
        }
    }

    /// How often a word was counted.
    pub fn count(&self, word: &str) -> u64 {
        self.counts.get(word).map_or(0, |count| count.count)
    }

    /// The words counted at least `min_count` times.
    pub fn vocabulary(&self, min_count: u64) -> KnownWords {
        let frequent = self.counts.iter().filter(|(_, count)| count.count >= min_count);
        frequent.map(|(word, _)| word.clone()).collect()
    }
}

/// The words that are not rare.
pub type KnownWords = FxHashSet<String>;

/// Reads a list of words, one a line; blank lines mean nothing.
///
/// # Errors
/// If the list cannot be read, or is not UTF-8.
pub fn read_words(list: impl BufRead) -> Result<KnownWords> {
    let mut words = KnownWords::default();
    for line in list.lines() {
        let line = line.map_err(|error| Error::io("read the vocabulary", error))?;
        words.insert(line.trim_end_matches('\r').to_owned());
    }
    words.remove("");
    Ok(words)
}

/// Replaces the words outside the vocabulary by `unknown`.
pub fn replace_rare(tree: &mut Tree, vocabulary: &KnownWords, unknown: &str) {
    for index in 0..tree.num_tokens() {
        let token = tree.token(index);
        if token.tag != TRACE_TAG && !vocabulary.contains(token.word) {
            tree.set_word(index, unknown);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(counting: Counting) -> WordCounts {
        let mut counts = WordCounts::new(counting);
        for text in ["(X (A a) (A b) (A a) (-NONE- a))", "(X (A a) (A c))"] {
            counts.add(&text.parse().expect("a tree"));
        }
        counts
    }

    #[test]
    fn tokens_and_sentences() {
        for (counting, of_a) in [(Counting::Tokens, 3), (Counting::Sentences, 2)] {
            let counts = counts(counting);
            assert_eq!(["a", "b", "c", "d"].map(|word| counts.count(word)), [of_a, 1, 1, 0]);
        }
    }

    #[test]
    fn below_the_threshold_is_unknown() {
        let vocabulary = counts(Counting::Tokens).vocabulary(3);
        let mut tree: Tree = "(X (A a) (A b) (-NONE- *))".parse().expect("a tree");
        replace_rare(&mut tree, &vocabulary, "UNK");
        assert_eq!(tree.to_string(), "(X (A a) (A UNK) (-NONE- *))");
        assert_eq!(counts(Counting::Sentences).vocabulary(3), KnownWords::default());
    }

    #[test]
    fn a_list_of_words() {
        let vocabulary = read_words("a\r\n\nb c\n".as_bytes()).expect("text");
        assert_eq!(vocabulary, ["a".to_owned(), "b c".to_owned()].into_iter().collect());
        assert_eq!(vocabulary.len(), 2);
    }
}
