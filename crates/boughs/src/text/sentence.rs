//! Sentences and their tokens.

use std::borrow::Cow;
use std::fmt;

use super::penn::{penn_form, penn_quote};
use crate::span::TextSpan;

/// A sentence: a stretch of a text and its tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextSentence<'t> {
    pub(super) text: Cow<'t, str>,
    pub(super) start: u64,
    pub(super) char_start: u64,
    pub(super) tokens: Vec<TextSpan>,
}

/// A token and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextToken<'s> {
    /// The token, as it stands in the text.
    pub text: &'s str,
    /// Its bytes and characters in the whole text.
    pub span: TextSpan,
}

impl<'t> TextSentence<'t> {
    /// The text from the first token to the last, blanks between them included.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its first byte in the whole text.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// One past the last byte.
    pub fn end(&self) -> u64 {
        self.start + self.text.len() as u64
    }

    /// Its first character in the whole text.
    pub fn char_start(&self) -> u64 {
        self.char_start
    }

    /// One past the last character.
    pub fn char_end(&self) -> u64 {
        self.tokens.last().map_or(self.char_start, |token| token.char_end())
    }

    /// The number of tokens; none only for a blank line, where lines are sentences.
    pub fn num_tokens(&self) -> usize {
        self.tokens.len()
    }

    /// Where the tokens stand in the whole text.
    pub fn spans(&self) -> &[TextSpan] {
        &self.tokens
    }

    /// The tokens.
    pub fn tokens(&self) -> impl ExactSizeIterator<Item = TextToken<'_>> {
        self.tokens.iter().map(|&span| TextToken { text: self.slice(span), span })
    }

    /// The tokens as treebanks write them: as [`penn_form`] does, and straight quotation marks told apart by the side
    /// on which there is a blank.
    pub fn penn_forms(&self) -> impl ExactSizeIterator<Item = Cow<'_, str>> {
        (0..self.tokens.len()).map(|index| {
            let token = self.slice(self.tokens[index]);
            match penn_quote(token, self.opens(index)) {
                Some(quote) => Cow::Borrowed(quote),
                None => penn_form(token),
            }
        })
    }

    /// The same, independent of the text it was taken from.
    pub fn into_owned(self) -> TextSentence<'static> {
        TextSentence { text: Cow::Owned(self.text.into_owned()), ..self }
    }

    fn slice(&self, span: TextSpan) -> &str {
        let start = (span.start - self.start) as usize;
        &self.text[start..start + span.len as usize]
    }

    /// Whether something follows the token without a blank, and nothing but opening marks precedes it so.
    fn opens(&self, index: usize) -> bool {
        let touches = |left: usize| {
            self.tokens.get(left + 1).is_some_and(|right| right.start == self.tokens[left].end())
        };
        let is_free = index == 0
            || !touches(index - 1)
            || self.slice(self.tokens[index - 1]).ends_with(['(', '[', '{', '"', '\'', '—', '-', '/']);
        is_free && touches(index)
    }
}

/// The tokens with a blank between them.
impl fmt::Display for TextSentence<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tokens: Vec<&str> = self.tokens().map(|token| token.text).collect();
        f.write_str(&tokens.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Tokenizer;

    fn forms(text: &str) -> String {
        let sentence = Tokenizer::default().tokenize(text);
        sentence.penn_forms().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn straight_quotes_open_and_close() {
        assert_eq!(forms("\"Go,\" he said (\"now\")."), "`` Go , '' he said ( `` now '' ) .");
        assert_eq!(forms("the 'new' one"), "the ` new ' one");
        assert_eq!(forms("the boys' \"den\""), "the boys ' `` den ''");
    }

    #[test]
    fn typeset_marks_become_typewritten() {
        assert_eq!(forms("“It’s here…”"), "`` It 's here ... ''");
    }
}
