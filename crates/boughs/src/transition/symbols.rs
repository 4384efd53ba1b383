//! The names that a parser knows, as numbers: labels, tags, words.

use crate::error::{Error, ErrorKind, Result};
use crate::tree::Tree;
use crate::tree::heads::HeadConventions;
use crate::tree::transform::TagSet;
use crate::vocab::Vocab;

/// The label that closes every tree.
pub(crate) const TOP: Label = Label(0);

/// How the root is called while parsing, whatever the treebank calls it.
pub(crate) const TOP_NAME: &str = "TOP";

/// The tag or word that was not there in training.
const UNSEEN: u32 = 0;

/// A label of phrases, numbered from 0, which is [`TOP`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Label(pub u16);

/// A label of phrases or a part of speech: what can stand in a frontier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FrontierSymbol(pub u16);

/// A token of a sentence to be parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct InputTerminal {
    /// The number of its word; 0 if it was not there in training.
    pub(crate) word: u32,
    /// The number of its tag; 0 if it was not there in training.
    pub(crate) tag: u16,
    /// The class of its tag.
    pub(crate) class: u16,
    /// Whether its tag is that of punctuation.
    pub(crate) is_punctuation: bool,
}

/// Labels, tags and words of a treebank, with what is known about them.
#[derive(Debug, Clone)]
pub(crate) struct TransitionSymbols {
    /// The labels of phrases.
    pub(crate) labels: Vocab,
    /// The parts of speech; number 0 stands for unseen ones.
    pub(crate) tags: Vocab,
    /// The words; number 0 stands for unseen ones.
    pub(crate) words: Vocab,
    /// What words outside the vocabulary count as; nothing if they count as unseen.
    rare_word: Option<u32>,
    /// The tags of punctuation.
    pub(crate) punctuation: TagSet,
    /// The head rules and tag classes; those of English unless told otherwise.
    pub(crate) language: HeadConventions,
}

impl Label {
    /// The number.
    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl TransitionSymbols {
    /// The names in preprocessed trees, whose root is called [`TOP_NAME`]. With a `rare_word`, which is how
    /// preprocessing writes words that are too rare, words that are new to the parser count as that one.
    pub(crate) fn collect<'a>(
        trees: impl IntoIterator<Item = &'a Tree>,
        rare_word: Option<&str>,
        punctuation: TagSet,
    ) -> Self {
        let mut labels: Vocab = [TOP_NAME].into_iter().collect();
        let (mut tags, mut words): (Vocab, Vocab) = ([""].into_iter().collect(), [""].into_iter().collect());
        for tree in trees {
            tree.nodes().for_each(|node| _ = labels.intern(node.label));
            for token in tree.tokens() {
                tags.intern(token.tag);
                words.intern(token.word);
            }
        }
        Self::new(labels, tags, words, rare_word, punctuation)
    }

    /// These names; the first label is [`TOP_NAME`], the first tag and word are empty and stand for unseen ones.
    pub(crate) fn new(
        labels: Vocab,
        tags: Vocab,
        words: Vocab,
        rare_word: Option<&str>,
        punctuation: TagSet,
    ) -> Self {
        let rare_word = rare_word.and_then(|word| words.get(word));
        Self { labels, tags, words, rare_word, punctuation, language: HeadConventions::english() }
    }

    /// The word that new words count as, if there is one.
    pub(crate) fn rare_word(&self) -> Option<&str> {
        self.rare_word.map(|word| self.words.name(word))
    }

    /// The number of labels and tags.
    pub(crate) fn num_symbols(&self) -> usize {
        self.labels.len() + self.tags.len()
    }

    /// The label with a name.
    pub(crate) fn label(&self, name: &str) -> Option<Label> {
        self.labels.get(name).map(|number| Label(number as u16))
    }

    /// The label of phrases with a name.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] if there is none, or it is that of the root.
    pub(crate) fn phrase_label(&self, name: &str) -> Result<Label> {
        match self.label(name) {
            Some(TOP) | None => Err(self.no_label(name)),
            Some(label) => Ok(label),
        }
    }

    fn no_label(&self, name: &str) -> Error {
        let mut known: Vec<&str> = self.labels.iter().skip(1).collect();
        known.sort_unstable();
        let message = format!("expected a label of phrases that the model knows, found `{name}`");
        Error::new(ErrorKind::Argument, message).hint(format!("it knows {}", known.join(", ")))
    }

    /// The name of a label.
    pub(crate) fn label_name(&self, label: Label) -> &str {
        self.labels.name(u32::from(label.0))
    }

    /// A tag as a symbol.
    pub(crate) fn symbol_of_tag(&self, tag: u16) -> FrontierSymbol {
        FrontierSymbol(self.labels.len() as u16 + tag)
    }

    /// The label that a symbol is, unless it is a tag.
    pub(crate) fn as_label(&self, symbol: FrontierSymbol) -> Option<Label> {
        (usize::from(symbol.0) < self.labels.len()).then_some(Label(symbol.0))
    }

    /// The name of a symbol.
    pub(crate) fn name(&self, symbol: FrontierSymbol) -> &str {
        match self.as_label(symbol) {
            Some(label) => self.label_name(label),
            None => self.tags.name(u32::from(symbol.0) - self.labels.len() as u32),
        }
    }

    /// A token as a terminal.
    pub(crate) fn terminal(&self, word: &str, tag: &str) -> InputTerminal {
        InputTerminal {
            word: self.words.get(word).or(self.rare_word).unwrap_or(UNSEEN),
            tag: self.tags.get(tag).unwrap_or(UNSEEN) as u16,
            class: self.language.classes.class(tag),
            is_punctuation: self.punctuation.contains(tag),
        }
    }

    /// The tokens of a preprocessed tree as terminals.
    pub(crate) fn terminals(&self, tree: &Tree) -> Vec<InputTerminal> {
        tree.tokens().map(|token| self.terminal(token.word, token.tag)).collect()
    }
}
