//! Sentences with tags, to learn from and to measure on.

use crate::error::{Error, ErrorKind, Result};
use crate::tree::{TRACE_TAG, Tree};

/// Words and their tags, one for each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaggedSentence {
    words: Vec<String>,
    tags: Vec<String>,
}

impl TaggedSentence {
    /// A sentence of pairs of word and tag.
    pub fn new<'a>(tokens: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let (words, tags) = tokens.into_iter().map(|(word, tag)| (word.to_owned(), tag.to_owned())).unzip();
        Self { words, tags }
    }

    /// The tokens of a tree, traces left out.
    ///
    /// ```
    /// use boughs::tagger::TaggedSentence;
    ///
    /// let tree = "(S (NP (-NONE- *)) (VP (VB Go)))".parse()?;
    /// assert_eq!(TaggedSentence::from_tree(&tree), TaggedSentence::new([("Go", "VB")]));
    /// # Ok::<(), boughs::Error>(())
    /// ```
    pub fn from_tree(tree: &Tree) -> Self {
        let tokens = tree.tokens().filter(|token| token.tag != TRACE_TAG);
        Self::new(tokens.map(|token| (token.word, token.tag)))
    }

    /// The words.
    pub fn words(&self) -> Vec<&str> {
        self.words.iter().map(String::as_str).collect()
    }

    /// The tags; empty where there is none.
    pub fn tags(&self) -> &[String] {
        &self.tags
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The words with their tags.
    pub fn tokens(&self) -> impl Iterator<Item = (&str, &str)> {
        self.words.iter().map(String::as_str).zip(self.tags.iter().map(String::as_str))
    }

    /// Refuses a sentence that cannot be learned from.
    pub(super) fn check_tags(&self) -> Result<()> {
        match self.tokens().find(|(_, tag)| tag.is_empty()) {
            None => Ok(()),
            Some((word, _)) => Err(Error::new(
                ErrorKind::Argument,
                format!("expected a tag for every word, found none for `{word}`"),
            )
            .hint("leave sentences without tags out of the training data")),
        }
    }
}
