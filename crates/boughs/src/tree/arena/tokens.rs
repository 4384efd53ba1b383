//! [`Tokens`]: a tokenised sentence, before there is a tree over it.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::{Slice, push_text, replace_text};
use crate::span::{Span, TextSpan};

/// Words with their tags and, where they are known, their places in the original text.
///
/// ```
/// use boughs::tree::Tokens;
///
/// let tokens: Tokens = [("the", "DT"), ("bough", "")].into_iter().collect();
/// assert_eq!((tokens.len(), tokens.word(1), tokens.get(0).tag), (2, "bough", "DT"));
/// ```
#[derive(Clone, Default)]
pub struct Tokens {
    pub(super) text: String,
    pub(super) list: Vec<TokenData>,
    source: Option<Source>,
}

/// The part of the original text that the tokens stand in.
#[derive(Debug, Clone)]
struct Source {
    text: Arc<str>,
    /// Its first byte in the whole.
    start: u64,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct TokenData {
    word: Slice,
    tag: Slice,
    place: Option<TextSpan>,
}

const _: () = assert!(size_of::<TokenData>() == 48);

/// A token as [`Tokens`] and trees show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    /// The word as in the text: brackets are not escaped.
    pub word: &'a str,
    /// The part of speech; empty if there is none.
    pub tag: &'a str,
    /// Where the word stands in the original text, if that is known.
    pub place: Option<TextSpan>,
}

impl Tokens {
    /// No tokens yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a token. Beyond 4 GiB of text a tree over the tokens is refused.
    pub fn push(&mut self, token: Token<'_>) {
        let word = push_text(&mut self.text, token.word);
        let tag = push_text(&mut self.text, token.tag);
        self.list.push(TokenData { word, tag, place: token.place });
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The token at an index.
    ///
    /// # Panics
    /// If there is no such token.
    pub fn get(&self, index: usize) -> Token<'_> {
        let token = &self.list[index];
        Token { word: token.word.of(&self.text), tag: token.tag.of(&self.text), place: token.place }
    }

    /// The tokens in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Token<'_>> + DoubleEndedIterator {
        (0..self.list.len()).map(|index| self.get(index))
    }

    /// The words in order.
    pub fn words(&self) -> impl ExactSizeIterator<Item = &str> + DoubleEndedIterator {
        self.list.iter().map(|token| token.word.of(&self.text))
    }

    /// The word at an index.
    ///
    /// # Panics
    /// If there is no such token.
    pub fn word(&self, index: usize) -> &str {
        self.list[index].word.of(&self.text)
    }

    /// The bytes of the original text that a span of tokens covers, if they are known.
    pub fn bytes(&self, span: Span) -> Option<Range<u64>> {
        let (first, last) = self.edges(span)?;
        Some(first.start..last.end())
    }

    /// The characters of the original text that a span of tokens covers, if they are known.
    pub fn chars(&self, span: Span) -> Option<Range<u64>> {
        let (first, last) = self.edges(span)?;
        Some(first.char_start..last.char_end())
    }

    fn edges(&self, span: Span) -> Option<(TextSpan, TextSpan)> {
        let tokens = &self.list[span.range()];
        Some((tokens.first()?.place?, tokens.last()?.place?))
    }

    /// The text of a span of tokens: as it stands in the original text, if that is known; otherwise the words with a
    /// blank between them, except where they are known to touch.
    pub fn text(&self, span: Span) -> Cow<'_, str> {
        self.source_of(span).map_or_else(|| Cow::Owned(self.joined(span)), Cow::Borrowed)
    }

    fn source_of(&self, span: Span) -> Option<&str> {
        let (source, bytes) = (self.source.as_ref()?, self.bytes(span)?);
        let start = usize::try_from(bytes.start.checked_sub(source.start)?).ok()?;
        let end = usize::try_from(bytes.end.checked_sub(source.start)?).ok()?;
        source.text.get(start..end)
    }

    fn joined(&self, span: Span) -> String {
        let mut text = String::new();
        for index in span.range() {
            if index > span.start as usize && !self.touches(index - 1) {
                text.push(' ');
            }
            text.push_str(self.word(index));
        }
        text
    }

    /// Whether a token is known to stand right before the next.
    pub fn touches(&self, index: usize) -> bool {
        let place = |index: usize| self.list.get(index).and_then(|token| token.place);
        place(index).zip(place(index + 1)).is_some_and(|(left, right)| left.end() == right.start)
    }

    /// Tells what the tokens' places refer to: a text, or the part of it that begins at a byte.
    pub fn set_source(&mut self, text: &str, start: u64) {
        self.source = Some(Source { text: text.into(), start });
    }

    /// Takes over what other tokens' places refer to.
    pub(crate) fn copy_source(&mut self, other: &Self) {
        self.source.clone_from(&other.source);
    }

    /// Changes the word of a token.
    pub fn set_word(&mut self, index: usize, word: &str) {
        replace_text(&mut self.text, &mut self.list[index].word, word);
    }

    /// Changes the tag of a token.
    pub fn set_tag(&mut self, index: usize, tag: &str) {
        replace_text(&mut self.text, &mut self.list[index].tag, tag);
    }

    /// Changes where a token stands in its original text.
    pub fn set_place(&mut self, index: usize, place: Option<TextSpan>) {
        self.list[index].place = place;
    }

    /// No tokens, with room for as many as others have.
    pub(super) fn with_capacity_of(other: &Self) -> Self {
        Self {
            text: String::with_capacity(other.text.len()),
            list: Vec::with_capacity(other.list.len()),
            source: None,
        }
    }

    /// Forgets everything, keeping the memory.
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.list.clear();
        self.source = None;
    }

    /// The same tokens without tags.
    #[must_use]
    pub fn without_tags(mut self) -> Self {
        self.list.iter_mut().for_each(|token| token.tag.len = 0);
        self
    }
}

impl<'a> FromIterator<(&'a str, &'a str)> for Tokens {
    fn from_iter<I: IntoIterator<Item = (&'a str, &'a str)>>(pairs: I) -> Self {
        pairs.into_iter().map(|(word, tag)| Token { word, tag, place: None }).collect()
    }
}

impl<'a> FromIterator<Token<'a>> for Tokens {
    fn from_iter<I: IntoIterator<Item = Token<'a>>>(list: I) -> Self {
        let mut tokens = Self::new();
        list.into_iter().for_each(|token| tokens.push(token));
        tokens
    }
}

impl PartialEq for Tokens {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl Eq for Tokens {}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().map(|token| (token.word, token.tag))).finish()
    }
}
