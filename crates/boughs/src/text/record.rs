//! A sentence of a text as JSON, for programs.

use serde::Serialize;

use super::{TextSentence, TextToken};

/// A sentence with where it comes from, and its tokens with their bytes and characters in the whole text.
#[derive(Debug, Clone, Serialize)]
pub struct SentenceRecord<'a> {
    document: &'a str,
    sentence: u64,
    byte_start: u64,
    byte_end: u64,
    char_start: u64,
    char_end: u64,
    text: &'a str,
    tokens: Vec<TokenRecord<'a>>,
}

/// A token with its bytes and characters.
#[derive(Debug, Clone, Serialize)]
struct TokenRecord<'a> {
    word: &'a str,
    byte_start: u64,
    byte_end: u64,
    char_start: u64,
    char_end: u64,
}

impl<'a> SentenceRecord<'a> {
    /// The record of a sentence; `number` counts from 1 within its document.
    pub fn new(document: &'a str, number: u64, sentence: &'a TextSentence<'_>) -> Self {
        Self {
            document,
            sentence: number,
            byte_start: sentence.start(),
            byte_end: sentence.end(),
            char_start: sentence.char_start(),
            char_end: sentence.char_end(),
            text: sentence.text(),
            tokens: sentence.tokens().map(TokenRecord::from).collect(),
        }
    }
}

impl<'a> From<TextToken<'a>> for TokenRecord<'a> {
    fn from(token: TextToken<'a>) -> Self {
        let TextToken { text: word, span } = token;
        let (bytes, chars) = (span.bytes(), span.chars());
        Self {
            word,
            byte_start: bytes.start,
            byte_end: bytes.end,
            char_start: chars.start,
            char_end: chars.end,
        }
    }
}
