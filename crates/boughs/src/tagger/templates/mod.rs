//! Feature templates, one file for each set.
//!
//! A template asks something of the words around a place, or also of the two tags before it. The first kind is asked
//! once a token, the second once for every history that the search keeps.

mod extended;
mod ratnaparkhi;

use super::TagId;
use super::config::TemplateSet;
use super::lexicon::TagLexicon;
use super::word::{Affixes, SeenWord};

/// How many boundaries stand on either side of a sentence.
pub(super) const PADDING: usize = 2;

/// Templates that ask for tags are numbered from here.
const FIRST_HISTORY: u64 = 1 << 16;

/// A word and its neighbours.
#[derive(Clone, Copy)]
pub(super) struct Window<'a> {
    before: [&'a SeenWord; 2],
    here: &'a SeenWord,
    after: [&'a SeenWord; 2],
    is_first: bool,
}

/// The two tags before a place, the nearest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TagHistory(pub(super) TagId, pub(super) TagId);

impl TagHistory {
    /// Before the first word.
    pub(super) const START: Self = Self(TagId::NONE, TagId::NONE);

    /// The history one place further.
    pub(super) fn then(self, tag: TagId) -> Self {
        Self(tag, self.0)
    }
}

impl<'a> Window<'a> {
    /// The window around a word, the forms of whose sentence stand between boundaries.
    pub(super) fn new(forms: &'a [SeenWord], word: usize) -> Self {
        let center = word + PADDING;
        Self {
            before: [&forms[center - 1], &forms[center - 2]],
            here: &forms[center],
            after: [&forms[center + 1], &forms[center + 2]],
            is_first: word == 0,
        }
    }
}

impl TemplateSet {
    /// Fills in the forms of a sentence, between boundaries; `lower` is scratch.
    pub(super) fn read_words(
        self,
        words: &[&str],
        lexicon: &TagLexicon,
        forms: &mut Vec<SeenWord>,
        lower: &mut String,
    ) {
        let affixes = match self {
            Self::Ratnaparkhi => Affixes::AsWritten,
            Self::Extended => Affixes::LowerCased,
        };
        forms.clear();
        forms.resize(PADDING, SeenWord::default());
        forms.extend(words.iter().map(|word| SeenWord::new(word, lexicon, affixes, lower)));
        forms.resize(forms.len() + PADDING, SeenWord::default());
    }

    /// Adds the features of the words alone.
    pub(super) fn add_word_keys(self, window: &Window<'_>, keys: &mut Vec<u64>) {
        match self {
            Self::Ratnaparkhi => ratnaparkhi::add_word_keys(window, keys),
            Self::Extended => extended::add_word_keys(window, keys),
        }
    }

    /// Adds the features of the tags before.
    pub(super) fn add_history_keys(self, window: &Window<'_>, history: TagHistory, keys: &mut Vec<u64>) {
        match self {
            Self::Ratnaparkhi => ratnaparkhi::add_history_keys(history, keys),
            Self::Extended => extended::add_history_keys(window, history, keys),
        }
    }
}
