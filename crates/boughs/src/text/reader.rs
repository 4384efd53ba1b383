//! Sentences from a stream, in bounded memory.

use std::io::BufRead;

use super::segment::{Segmenter, TextPiece};
use super::sentence::TextSentence;
use super::tokenizer::Tokenizer;
use crate::error::{Error, ErrorKind, Result};

/// The most bytes taken from the stream at once.
const STEP: usize = 1 << 16;

/// The sentences of a stream of UTF-8; the same as of the whole text in memory.
///
/// It holds the sentence at hand and what was read ahead: at most [`MAX_SENTENCE_BYTES`] and a few pages, unless
/// lines are sentences, which may be of any length. A byte-order mark is a blank.
///
/// An error comes after all sentences that end before it, and there is nothing more after it.
///
/// ```
/// use boughs::text::{SentenceReader, Tokenizer};
///
/// let stream = "It's late. Let's go.".as_bytes();
/// let sentences: Result<Vec<_>, _> = SentenceReader::new(stream, Tokenizer::default()).collect();
/// let sentences = sentences?;
/// assert_eq!(sentences[1].to_string(), "Let 's go .");
/// assert_eq!(sentences[1].start(), 11);
/// # Ok::<(), boughs::Error>(())
/// ```
///
/// [`MAX_SENTENCE_BYTES`]: super::MAX_SENTENCE_BYTES
#[derive(Debug)]
pub struct SentenceReader<R> {
    input: R,
    segmenter: Segmenter,
    /// What was read and may still be needed, beginning at `start` of the whole text.
    text: String,
    start: u64,
    /// The first bytes of a character whose others were not read yet.
    partial: Vec<u8>,
    is_lossy: bool,
    num_replaced: u64,
    is_last: bool,
    /// Why nothing more is read; it is told after the sentences before it.
    failure: Option<Error>,
    is_over: bool,
}

impl<R: BufRead> SentenceReader<R> {
    /// Reads sentences from `input`.
    pub fn new(input: R, tokenizer: Tokenizer) -> Self {
        Self {
            input,
            segmenter: Segmenter::new(tokenizer),
            text: String::new(),
            start: 0,
            partial: Vec::new(),
            is_lossy: false,
            num_replaced: 0,
            is_last: false,
            failure: None,
            is_over: false,
        }
    }

    /// Reads bytes that are not UTF-8 as U+FFFD instead of failing; offsets then count the text with these in it.
    #[must_use]
    pub fn lossy(mut self) -> Self {
        self.is_lossy = true;
        self
    }

    /// How many times U+FFFD was put in so far.
    pub fn num_replaced(&self) -> u64 {
        self.num_replaced
    }

    fn read_sentence(&mut self) -> Result<Option<TextSentence<'static>>> {
        loop {
            let piece = TextPiece {
                text: &self.text,
                start: self.start,
                is_last: self.is_last,
                is_cut: self.failure.is_some(),
            };
            if let Some(sentence) = self.segmenter.next(piece) {
                return Ok(Some(sentence.into_owned()));
            }
            if let Some(error) = self.failure.take() {
                return Err(error);
            }
            if self.is_last {
                return Ok(None);
            }
            self.drop_unneeded();
            self.failure = self.fill().err();
        }
    }

    fn drop_unneeded(&mut self) {
        let needed = self.segmenter.needed_from();
        self.text.drain(..(needed - self.start) as usize);
        self.start = needed;
    }

    /// Takes what the stream has at hand.
    fn fill(&mut self) -> Result<()> {
        let read = self.input.fill_buf().map_err(|error| Error::io("read", error))?;
        let len = read.len().min(STEP);
        self.is_last = len == 0;
        let mut bytes = std::mem::take(&mut self.partial);
        bytes.extend_from_slice(&read[..len]);
        self.input.consume(len);
        self.decode(&bytes)
    }

    fn decode(&mut self, mut bytes: &[u8]) -> Result<()> {
        loop {
            let error = match std::str::from_utf8(bytes) {
                Ok(text) => {
                    self.text.push_str(text);
                    return Ok(());
                }
                Err(error) => error,
            };
            let (valid, rest) = bytes.split_at(error.valid_up_to());
            // The valid part is decoded again only where bytes are wrong.
            self.text.push_str(&String::from_utf8_lossy(valid));
            let Some(len) = error.error_len().or_else(|| self.is_last.then_some(rest.len())) else {
                self.partial.extend_from_slice(rest);
                return Ok(());
            };
            if !self.is_lossy {
                return Err(self.not_utf8(rest[0]));
            }
            self.text.push(char::REPLACEMENT_CHARACTER);
            self.num_replaced += 1;
            bytes = &rest[len..];
        }
    }

    fn not_utf8(&self, byte: u8) -> Error {
        let offset = self.start + self.text.len() as u64;
        Error::new(ErrorKind::Encoding, format!("expected UTF-8, found byte 0x{byte:02X} at byte {offset}"))
            .hint("if it is Latin-1 say so (`--encoding latin1`), or have such bytes replaced (`--lossy`)")
    }
}

impl<R: BufRead> Iterator for SentenceReader<R> {
    type Item = Result<TextSentence<'static>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let result = self.read_sentence();
        self.is_over = result.is_err();
        result.transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{MAX_CHUNK_BYTES, MAX_SENTENCE_BYTES, Unit};
    use std::io::{BufReader, Read};

    fn read(bytes: &[u8]) -> Vec<Result<TextSentence<'static>>> {
        SentenceReader::new(bytes, Tokenizer::default()).collect()
    }

    #[test]
    fn wrong_bytes_are_named() {
        let results = read(b"Fine. No caf\xE9 here.");
        assert_eq!(results[0].as_ref().expect("before the error").to_string(), "Fine .");
        let error = results[1].as_ref().expect_err("not UTF-8");
        assert_eq!(error.kind(), ErrorKind::Encoding);
        assert!(error.to_string().starts_with("expected UTF-8, found byte 0xE9 at byte 12"), "{error}");
        assert!(read("cut \u{e9}".as_bytes().split_last().expect("bytes").1).last().expect("one").is_err());
    }

    #[test]
    fn wrong_bytes_can_be_replaced() {
        let mut reader = SentenceReader::new(&b"Caf\xE9 caf\xC3"[..], Tokenizer::default()).lossy();
        let sentence = reader.next().expect("a sentence").expect("readable");
        assert_eq!(sentence.to_string(), "Caf \u{FFFD} caf \u{FFFD}");
        assert_eq!(reader.num_replaced(), 2);
    }

    #[test]
    fn every_line_is_a_sentence_also_a_blank_one() {
        let options = Tokenizer { unit: Unit::Line, ..Tokenizer::default() };
        let reader = SentenceReader::new(&b"One. Two.\r\n\nThree"[..], options);
        let lines: Vec<_> = reader.map(|line| line.expect("readable").to_string()).collect();
        assert_eq!(lines, ["One . Two .", "", "Three"]);
    }

    /// A stream of any length, of the same bytes again and again.
    struct Endless<'b>(&'b [u8], usize);

    impl Read for Endless<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            for byte in buffer.iter_mut() {
                *byte = self.0[self.1 % self.0.len()];
                self.1 += 1;
            }
            Ok(buffer.len())
        }
    }

    #[test]
    fn memory_does_not_grow() {
        for bytes in ["word ", "x", " ", "é", "Mr. ", "\n"] {
            let endless = BufReader::new(Endless(bytes.as_bytes(), 0).take(1 << 20));
            let mut reader = SentenceReader::new(endless, Tokenizer::default());
            while let Some(sentence) = reader.next() {
                assert!(sentence.expect("readable").text().len() <= MAX_SENTENCE_BYTES);
                assert!(
                    reader.text.capacity() <= 4 * (MAX_SENTENCE_BYTES + MAX_CHUNK_BYTES + STEP),
                    "{bytes:?}"
                );
            }
        }
    }
}
