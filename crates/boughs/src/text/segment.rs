//! Chunks become sentences: the loop that the other files serve.

use std::borrow::Cow;

use super::boundary::{self, Boundary, SentenceSoFar};
use super::lexer::lex;
use super::scan::{MAX_SENTENCE_BYTES, find_chunk, following, is_complete};
use super::sentence::TextSentence;
use super::tokenizer::{Tokenizer, Unit};
use crate::span::ByteSpan;

/// The piece of a text that is at hand.
#[derive(Debug, Clone, Copy)]
pub(super) struct TextPiece<'t> {
    pub(super) text: &'t str,
    /// Where it begins in the whole.
    pub(super) start: u64,
    /// Whether the whole ends where it ends.
    pub(super) is_last: bool,
}

/// The sentence that has begun, between two calls.
#[derive(Debug)]
pub(super) struct Segmenter {
    tokenizer: Tokenizer,
    /// Where to go on, in the whole text.
    at: u64,
    tokens: Vec<ByteSpan>,
    is_after_stop: bool,
}

impl Segmenter {
    pub(super) fn new(tokenizer: Tokenizer) -> Self {
        Self { tokenizer, at: 0, tokens: Vec::new(), is_after_stop: false }
    }

    /// From where on the text will be looked at again.
    pub(super) fn needed_from(&self) -> u64 {
        self.tokens.first().map_or(self.at, |token| token.start)
    }

    /// The next sentence; none if the text ended, or more of it must be seen. The piece must begin at or before
    /// what is needed.
    pub(super) fn next<'t>(&mut self, piece: TextPiece<'t>) -> Option<TextSentence<'t>> {
        match self.tokenizer.unit {
            Unit::Text => self.next_in_text(piece),
            Unit::Line => self.next_line(piece),
        }
    }

    fn next_in_text<'t>(&mut self, piece: TextPiece<'t>) -> Option<TextSentence<'t>> {
        loop {
            let from = (self.at - piece.start) as usize;
            let Some(chunk) = find_chunk(piece.text, from) else {
                self.at = piece.start + piece.text.len() as u64;
                return None;
            };
            self.at = piece.start + chunk.start as u64;
            if !piece.is_last && !is_complete(piece.text, &chunk) {
                return None;
            }
            if self.would_be_too_long(piece.start + chunk.end as u64) {
                return Some(self.finish(piece));
            }
            let next = following(piece.text, chunk.end, piece.is_last)?;
            if self.take(&piece.text[chunk], next) {
                return Some(self.finish(piece));
            }
        }
    }

    fn next_line<'t>(&mut self, piece: TextPiece<'t>) -> Option<TextSentence<'t>> {
        let from = (self.at - piece.start) as usize;
        let end = match memchr::memchr(b'\n', &piece.text.as_bytes()[from..]) {
            Some(length) => from + length,
            None if piece.is_last && from < piece.text.len() => piece.text.len(),
            None => return None,
        };
        let sentence = self.whole(TextPiece { text: &piece.text[..end], is_last: true, ..piece });
        self.at = piece.start + piece.text.len().min(end + 1) as u64;
        Some(sentence)
    }

    /// All that is left of the piece as one sentence.
    pub(super) fn whole<'t>(&mut self, piece: TextPiece<'t>) -> TextSentence<'t> {
        while let Some(chunk) = find_chunk(piece.text, (self.at - piece.start) as usize) {
            let next = following(piece.text, chunk.end, true).unwrap_or_default();
            self.at = piece.start + chunk.start as u64;
            self.take(&piece.text[chunk], next);
        }
        self.finish(piece)
    }

    fn would_be_too_long(&self, end: u64) -> bool {
        self.tokens.first().is_some_and(|first| end - first.start > MAX_SENTENCE_BYTES as u64)
    }

    /// Cuts the chunk at hand into tokens, before the next one, if there is one; returns whether the sentence
    /// ends with it.
    fn take(&mut self, chunk: &str, next: &str) -> bool {
        let before = SentenceSoFar { is_empty: self.tokens.is_empty(), is_stopped: self.is_after_stop };
        let boundary = match next {
            "" => Boundary::End,
            next => boundary::between(chunk, next, before),
        };
        self.is_after_stop = boundary::is_stopped(chunk, before);
        lex(chunk, next, boundary != Boundary::None, self.tokenizer.style, |range| {
            let start = self.at + range.start as u64;
            let len = u32::try_from(range.len()).expect("a chunk is shorter");
            self.tokens.push(ByteSpan { start, len });
        });
        self.at += chunk.len() as u64;
        boundary == Boundary::End
    }

    fn finish<'t>(&mut self, piece: TextPiece<'t>) -> TextSentence<'t> {
        let start = self.needed_from();
        let end = self.tokens.last().map_or(start, |token| token.end());
        let range = (start - piece.start) as usize..(end - piece.start) as usize;
        self.is_after_stop = false;
        TextSentence {
            text: Cow::Borrowed(&piece.text[range]),
            start,
            tokens: std::mem::take(&mut self.tokens),
        }
    }
}
