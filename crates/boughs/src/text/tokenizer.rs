//! The tokeniser and its settings.

use super::language::Language;
use super::segment::{Segmenter, TextPiece};
use super::sentence::TextSentence;

/// Which treebanks' tokens are wanted; they differ in hyphens, slashes and the last period of a sentence. Texts of
/// other languages than English are always of the old style.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Style {
    /// The Penn Treebank of the 1990s: `state-of-the-art` and `and/or` are one token, and a full stop is one of its own
    /// also after an abbreviation.
    Old,
    /// OntoNotes, the English Web Treebank, GUM and CRAFT: `state - of - the - art`, `and / or`, but `non-native`; an
    /// abbreviation keeps its period at the end of a sentence.
    #[default]
    New,
}

/// What is one sentence.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Unit {
    /// What the text shows to be one; at the latest it ends at a blank line, or at a line break where the lengths of
    /// the lines show that the break is meant (headlines, paragraphs of a line each).
    #[default]
    Text,
    /// The same, but a line break is a blank: the text was wrapped at some width.
    Wrapped,
    /// The same, but every line break ends a sentence: each line is a paragraph.
    Paragraph,
    /// Each line; a blank line is a sentence without tokens.
    Line,
}

/// Splits text into sentences and sentences into tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tokenizer {
    /// Which treebanks' tokens are wanted. Default: [`Style::New`].
    pub style: Style,
    /// What is one sentence. Default: [`Unit::Text`].
    pub unit: Unit,
    /// The language of the text. Default: [`Language::English`].
    pub language: Language,
}

impl Tokenizer {
    /// The style in which words are cut.
    pub(super) fn style_of_words(&self) -> Style {
        if self.language.conventions().cuts_hyphens { self.style } else { Style::Old }
    }

    /// The sentences of a text, one after the other.
    pub fn sentences<'t>(&self, text: &'t str) -> TextSentences<'t> {
        TextSentences { segmenter: Segmenter::new(*self), text }
    }

    /// The whole text as one sentence, whatever is in it.
    pub fn tokenize<'t>(&self, text: &'t str) -> TextSentence<'t> {
        Segmenter::new(*self).whole(TextPiece { text, start: 0, is_last: true, is_cut: false })
    }
}

/// The sentences of a text, with the default settings.
pub fn sentences(text: &str) -> TextSentences<'_> {
    Tokenizer::default().sentences(text)
}

/// The sentences of a text in memory.
#[derive(Debug)]
pub struct TextSentences<'t> {
    segmenter: Segmenter,
    text: &'t str,
}

impl<'t> Iterator for TextSentences<'t> {
    type Item = TextSentence<'t>;

    fn next(&mut self) -> Option<TextSentence<'t>> {
        self.segmenter.next(TextPiece { text: self.text, start: 0, is_last: true, is_cut: false })
    }
}
