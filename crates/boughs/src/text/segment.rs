//! Chunks become sentences: the loop that the other files serve.

use std::borrow::Cow;

use super::boundary::{self, Boundary, SentenceSoFar};
use super::lexer::lex;
use super::line_breaks::LineBreaks;
use super::scan::{MAX_SENTENCE_BYTES, find_chunk, following, is_complete, skip_blanks};
use super::sentence::TextSentence;
use super::tokenizer::{Tokenizer, Unit};
use crate::span::TextSpan;

/// The piece of a text that is at hand.
#[derive(Debug, Clone, Copy)]
pub(super) struct TextPiece<'t> {
    pub(super) text: &'t str,
    /// Where it begins in the whole.
    pub(super) start: u64,
    /// Whether the whole ends where it ends.
    pub(super) is_last: bool,
    /// Whether nothing more will be at hand, since the rest cannot be read.
    pub(super) is_cut: bool,
}

/// The sentence that has begun, between two calls.
#[derive(Debug)]
pub(super) struct Segmenter {
    tokenizer: Tokenizer,
    /// Where to go on, in the whole text.
    at: u64,
    /// How many characters stand before that.
    chars_before: u64,
    tokens: Vec<TextSpan>,
    is_after_stop: bool,
    /// The line breaks that end sentences, where that has to be found out.
    line_breaks: LineBreaks,
}

impl Segmenter {
    pub(super) fn new(tokenizer: Tokenizer) -> Self {
        Self {
            tokenizer,
            at: 0,
            chars_before: 0,
            tokens: Vec::new(),
            is_after_stop: false,
            line_breaks: LineBreaks::default(),
        }
    }

    /// From where on the text will be looked at again.
    pub(super) fn needed_from(&self) -> u64 {
        self.tokens.first().map_or(self.at, |token| token.start)
    }

    /// The next sentence; none if the text ended, or more of it must be seen. The piece must begin at or before
    /// what is needed.
    pub(super) fn next<'t>(&mut self, piece: TextPiece<'t>) -> Option<TextSentence<'t>> {
        match self.tokenizer.unit {
            Unit::Text | Unit::Wrapped | Unit::Paragraph => self.next_in_text(piece),
            Unit::Line => self.next_line(piece),
        }
    }

    fn next_in_text<'t>(&mut self, piece: TextPiece<'t>) -> Option<TextSentence<'t>> {
        loop {
            let from = (self.at - piece.start) as usize;
            let Some(chunk) = find_chunk(piece.text, from) else {
                self.advance(piece, piece.text.len());
                return None;
            };
            self.advance(piece, chunk.start);
            if !piece.is_last && !is_complete(piece.text, &chunk) {
                return None;
            }
            if self.would_be_too_long(piece.start + chunk.end as u64) {
                return Some(self.finish(piece));
            }
            if self.tokenizer.unit == Unit::Text
                && !self.line_breaks.judge(
                    piece.text,
                    piece.start,
                    chunk.start,
                    piece.is_last || piece.is_cut,
                )
            {
                return None;
            }
            let next = match self.ends_line(piece, chunk.end) {
                true => "",
                false => following(piece.text, chunk.end, piece.is_last)?,
            };
            if self.take(&piece.text[chunk], next) {
                return Some(self.finish(piece));
            }
        }
    }

    /// Whether a sentence ends at a line break after a chunk.
    fn ends_line(&mut self, piece: TextPiece<'_>, end: usize) -> bool {
        let blanks = end..skip_blanks(piece.text, end);
        match self.tokenizer.unit {
            Unit::Wrapped | Unit::Line => false,
            Unit::Paragraph => piece.text[blanks].contains('\n'),
            Unit::Text => self
                .line_breaks
                .any_between(piece.start + blanks.start as u64, piece.start + blanks.end as u64),
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
        self.advance(piece, piece.text.len().min(end + 1));
        Some(sentence)
    }

    /// All that is left of the piece as one sentence.
    pub(super) fn whole<'t>(&mut self, piece: TextPiece<'t>) -> TextSentence<'t> {
        while let Some(chunk) = find_chunk(piece.text, (self.at - piece.start) as usize) {
            let next = following(piece.text, chunk.end, true).unwrap_or_default();
            self.advance(piece, chunk.start);
            self.take(&piece.text[chunk], next);
        }
        self.finish(piece)
    }

    /// Goes on to a place in the piece.
    fn advance(&mut self, piece: TextPiece<'_>, to: usize) {
        let from = (self.at - piece.start) as usize;
        self.chars_before += num_chars(&piece.text[from..to]);
        self.at = piece.start + to as u64;
    }

    fn would_be_too_long(&self, end: u64) -> bool {
        self.tokens.first().is_some_and(|first| end - first.start > MAX_SENTENCE_BYTES as u64)
    }

    /// Cuts the chunk at hand into tokens, before the next one, if there is one; returns whether the sentence
    /// ends with it.
    fn take(&mut self, chunk: &str, next: &str) -> bool {
        let language = self.tokenizer.language.conventions();
        let before = SentenceSoFar { is_empty: self.tokens.is_empty(), is_stopped: self.is_after_stop };
        let boundary = match next {
            "" => Boundary::End,
            next => boundary::between(chunk, next, before, language),
        };
        self.is_after_stop = boundary::is_stopped(chunk, before);
        let mut counted = 0;
        lex(chunk, next, boundary != Boundary::None, self.tokenizer.style_of_words(), language, |range| {
            let char_start = self.chars_before + num_chars(&chunk[counted..range.start]);
            let char_len = num_chars(&chunk[range.clone()]);
            counted = range.end;
            self.chars_before = char_start + char_len;
            self.tokens.push(TextSpan {
                start: self.at + range.start as u64,
                char_start,
                len: range.len() as u32,
                char_len: char_len as u32,
            });
        });
        self.chars_before += num_chars(&chunk[counted..]);
        self.at += chunk.len() as u64;
        boundary == Boundary::End
    }

    fn finish<'t>(&mut self, piece: TextPiece<'t>) -> TextSentence<'t> {
        let start = self.needed_from();
        let char_start = self.tokens.first().map_or(self.chars_before, |token| token.char_start);
        let end = self.tokens.last().map_or(start, |token| token.end());
        let range = (start - piece.start) as usize..(end - piece.start) as usize;
        self.is_after_stop = false;
        TextSentence {
            text: Cow::Borrowed(&piece.text[range]),
            start,
            char_start,
            tokens: std::mem::take(&mut self.tokens),
        }
    }
}

fn num_chars(text: &str) -> u64 {
    text.chars().count() as u64
}
