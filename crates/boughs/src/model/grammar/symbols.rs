//! Tags and phrases: their numbers, names and labels.

use crate::error::{Error, ErrorKind, Result};
use crate::tree::labels_of;
use crate::vocab::Vocab;

/// The number of a tag or phrase. Tags come first, then the root, then the other phrases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(pub u16);

impl Symbol {
    /// The number as an index.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Tags, and the phrases of binarised trees, by number; and the labels that phrases have in trees. A tag and a phrase
/// may share a name.
///
/// The names of phrases are those of [`binarize`](mod@crate::tree::binarize): they say what a grammar is to remember.
/// They are taken apart once, here, so that a parser can write its trees without looking at a name.
#[derive(Debug, Clone, PartialEq)]
pub struct Symbols {
    tags: Vocab,
    phrases: Vocab,
    /// For each phrase its labels.
    labels: Vec<Box<[Box<str>]>>,
}

impl Symbols {
    /// Symbols of these names; the first phrase is the root.
    ///
    /// # Errors
    /// If there are 65,535 or more, or no root.
    pub fn new(tags: Vocab, phrases: Vocab) -> Result<Self> {
        if phrases.is_empty() || tags.len() + phrases.len() >= usize::from(u16::MAX) {
            let message =
                format!("expected a root and fewer than 65535 symbols, found {}", tags.len() + phrases.len());
            return Err(Error::new(ErrorKind::TooLarge, message)
                .hint("make the vertical or the horizontal memory smaller"));
        }
        let labels = phrases.iter().map(|name| labels_of(name).map(Into::into).collect()).collect();
        Ok(Self { tags, phrases, labels })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.tags.len() + self.phrases.len()
    }

    /// Never: there is a root.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// How many are tags.
    pub fn num_tags(&self) -> usize {
        self.tags.len()
    }

    /// The phrase over a whole sentence.
    pub fn root(&self) -> Symbol {
        Symbol(self.tags.len() as u16)
    }

    /// Whether a symbol is a tag.
    pub fn is_tag(&self, symbol: Symbol) -> bool {
        symbol.index() < self.tags.len()
    }

    /// Whether a symbol is intermediate: a part of a phrase, which the trees that come out do not have.
    pub fn is_intermediate(&self, symbol: Symbol) -> bool {
        !self.is_tag(symbol) && self.labels(symbol).is_empty()
    }

    /// Whether a symbol is a phrase of the trees that come out, be it the root.
    pub fn is_phrase(&self, symbol: Symbol) -> bool {
        !self.labels(symbol).is_empty()
    }

    /// All of them.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Symbol> + use<> {
        (0..self.len() as u16).map(Symbol)
    }

    /// The name of a symbol.
    ///
    /// # Panics
    /// If there is none.
    pub fn name(&self, symbol: Symbol) -> &str {
        match symbol.index().checked_sub(self.tags.len()) {
            Some(phrase) => self.phrases.name(phrase as u32),
            None => self.tags.name(u32::from(symbol.0)),
        }
    }

    /// The labels that a symbol has in trees, the topmost first: annotations are cut, and unary chains taken apart.
    /// Intermediate symbols and tags have none.
    pub fn labels(&self, symbol: Symbol) -> &[Box<str>] {
        symbol.index().checked_sub(self.tags.len()).map_or(&[], |phrase| &self.labels[phrase])
    }

    /// The tag of a name.
    pub fn tag(&self, name: &str) -> Option<Symbol> {
        self.tags.get(name).map(|tag| Symbol(tag as u16))
    }

    /// The phrase of a name.
    pub fn phrase(&self, name: &str) -> Option<Symbol> {
        self.phrases.get(name).map(|phrase| Symbol((self.tags.len() + phrase as usize) as u16))
    }

    /// The names of the tags.
    pub fn tags(&self) -> &Vocab {
        &self.tags
    }

    /// The names of the phrases, the root first.
    pub fn phrases(&self) -> &Vocab {
        &self.phrases
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_and_phrases_may_share_a_name() {
        let symbols =
            Symbols::new(["X", "NN"].into_iter().collect(), ["TOP", "X", "@X"].into_iter().collect())
                .unwrap();
        assert_eq!((symbols.tag("X"), symbols.phrase("X")), (Some(Symbol(0)), Some(Symbol(3))));
        assert_eq!((symbols.name(symbols.root()), symbols.tag("TOP")), ("TOP", None));
        assert!(symbols.is_intermediate(Symbol(4)) && !symbols.is_intermediate(Symbol(0)));
        assert_eq!(symbols.iter().count(), 5);
    }

    #[test]
    fn labels_are_those_of_trees() {
        let phrases = ["TOP", "NP^S", "S+VP^S", "@S|NP>VP", r"\@X"];
        let symbols = Symbols::new(["NP"].into_iter().collect(), phrases.into_iter().collect()).unwrap();
        let labels: Vec<String> = symbols.iter().map(|it| symbols.labels(it).join(" ")).collect();
        assert_eq!(labels, ["", "TOP", "NP", "S VP", "", "@X"]);
        assert!(symbols.iter().map(|it| symbols.is_phrase(it)).eq([false, true, true, true, false, true]));
    }

    #[test]
    fn a_grammar_needs_a_root() {
        assert!(Symbols::new(Vocab::new(), Vocab::new()).is_err());
    }
}
