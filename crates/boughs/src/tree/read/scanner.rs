//! Bytes in, words and brackets out: the buffer under the bracket reader.

use std::io::{self, Read};

use super::BYTE_ORDER_MARK;
use crate::error::{Error, Result};

const CHUNK: usize = 1 << 16;

/// A buffered reader that knows line and column and can go back to a checkpoint.
pub(super) struct Scanner<R> {
    input: R,
    /// What one read gave. It is copied from here, since room at the end of `buffer` would have to be cleared
    /// for every read, however short.
    chunk: Vec<u8>,
    buffer: Vec<u8>,
    pub(super) here: ScannerMark,
    /// Bytes of the stream before `buffer[0]`.
    discarded: u64,
    /// Nothing from here on may be discarded.
    mark: Option<u64>,
    at_end: bool,
}

/// A position in the stream; `offset` counts bytes from its start.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScannerMark {
    offset: u64,
    pub(super) line: u64,
    line_start: u64,
    /// Bytes on this line that continue a character.
    continuations: u64,
}

impl ScannerMark {
    pub(super) fn column(&self) -> u64 {
        self.offset - self.line_start - self.continuations + 1
    }

    pub(super) fn bytes_since(&self, earlier: Self) -> u64 {
        self.offset - earlier.offset
    }
}

impl<R: Read> Scanner<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            input,
            chunk: vec![0; CHUNK],
            buffer: Vec::with_capacity(CHUNK),
            here: ScannerMark { offset: 0, line: 1, line_start: 0, continuations: 0 },
            discarded: 0,
            mark: None,
            at_end: false,
        }
    }

    /// Keeps everything from here on until the next mark, so that `rewind` can return to it.
    pub(super) fn mark(&mut self) -> ScannerMark {
        self.mark = Some(self.here.offset);
        self.here
    }

    pub(super) fn rewind(&mut self, checkpoint: ScannerMark) {
        debug_assert!(checkpoint.offset >= self.discarded);
        self.here = checkpoint;
    }

    /// The next byte, which stays.
    pub(super) fn peek(&mut self) -> Result<Option<u8>> {
        if let Some(&byte) = self.buffer.get(self.index()) {
            return Ok(Some(byte));
        }
        self.fill()?;
        Ok(self.buffer.get(self.index()).copied())
    }

    /// Passes over one byte that is neither a line end nor part of a longer character.
    pub(super) fn bump(&mut self) {
        self.here.offset += 1;
    }

    /// Passes over a line end.
    pub(super) fn new_line(&mut self) {
        self.here.offset += 1;
        self.here.line += 1;
        self.here.line_start = self.here.offset;
        self.here.continuations = 0;
    }

    /// At the start of the stream, passes over a byte order mark.
    pub(super) fn skip_byte_order_mark(&mut self) -> Result<()> {
        if self.here.offset == 0 && self.starts_with(BYTE_ORDER_MARK)? {
            self.here.offset = BYTE_ORDER_MARK.len() as u64;
            self.here.line_start = self.here.offset;
        }
        Ok(())
    }

    /// Whether these bytes come next; they stay. No more is read than it takes to tell.
    pub(super) fn starts_with(&mut self, bytes: &[u8]) -> Result<bool> {
        loop {
            let next = &self.buffer[self.index()..];
            if next.len() >= bytes.len() || !bytes.starts_with(next) {
                return Ok(next.starts_with(bytes));
            }
            if !self.fill()? {
                return Ok(false);
            }
        }
    }

    /// Passes over white space; returns the byte after it, which stays.
    pub(super) fn skip_blank(&mut self) -> Result<Option<u8>> {
        loop {
            match self.peek()? {
                Some(b'\n') => self.new_line(),
                Some(byte) if is_blank(byte) => self.bump(),
                other => return Ok(other),
            }
        }
    }

    /// Passes over blanks within the line; returns the byte after them, which stays.
    pub(super) fn skip_blank_in_line(&mut self) -> Result<Option<u8>> {
        loop {
            match self.peek()? {
                Some(byte) if byte != b'\n' && is_blank(byte) => self.bump(),
                other => return Ok(other),
            }
        }
    }

    /// Passes over the rest of the line, its end included.
    pub(super) fn skip_line(&mut self) -> Result<()> {
        loop {
            let index = self.index();
            match memchr::memchr(b'\n', &self.buffer[index..]) {
                Some(length) => {
                    self.here.offset += length as u64;
                    self.new_line();
                    return Ok(());
                }
                None => {
                    self.here.offset += (self.buffer.len() - index) as u64;
                    if self.peek()?.is_none() {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// The bytes up to the next blank or bracket, which are passed over.
    pub(super) fn word(&mut self) -> Result<&[u8]> {
        let mut length = 0;
        loop {
            let start = self.index() + length;
            match self.buffer[start..].iter().position(|&byte| ends_word(byte)) {
                Some(more) => {
                    length += more;
                    break;
                }
                None => {
                    length = self.buffer.len() - self.index();
                    if !self.fill()? {
                        break;
                    }
                }
            }
        }
        let start = self.index();
        self.here.offset += length as u64;
        let word = &self.buffer[start..start + length];
        if !word.is_ascii() {
            let continuations = word.iter().filter(|&&byte| byte & 0xC0 == 0x80).count();
            self.here.continuations += continuations as u64;
        }
        Ok(word)
    }

    fn index(&self) -> usize {
        (self.here.offset - self.discarded) as usize
    }

    /// Reads more behind what is unread; returns whether there was more.
    fn fill(&mut self) -> Result<bool> {
        if self.at_end {
            return Ok(false);
        }
        let keep_from = self.mark.unwrap_or(u64::MAX).min(self.here.offset);
        let drop = (keep_from - self.discarded) as usize;
        // Moving what is kept costs its length, so it must be paid for by at least as much dropped.
        if drop >= self.buffer.len() - drop {
            self.buffer.drain(..drop);
            self.discarded += drop as u64;
        }
        let length = loop {
            match self.input.read(&mut self.chunk) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other.map_err(|error| Error::io("read", error))?,
            }
        };
        self.buffer.extend_from_slice(&self.chunk[..length]);
        self.at_end = length == 0;
        Ok(length > 0)
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0B | 0x0C)
}

fn ends_word(byte: u8) -> bool {
    byte == b'(' || byte == b')' || is_blank(byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives a few bytes at a time; one by one, so that every boundary falls between two reads.
    struct Drip<'a> {
        bytes: &'a [u8],
        at_a_time: usize,
    }

    fn drip(bytes: &[u8]) -> Drip<'_> {
        Drip { bytes, at_a_time: 1 }
    }

    impl Read for Drip<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let length = out.len().min(self.at_a_time);
            self.bytes.read(&mut out[..length])
        }
    }

    #[test]
    fn words_over_read_boundaries() -> Result<()> {
        let mut scanner = Scanner::new(drip("  größe(\n b)".as_bytes()));
        assert_eq!(scanner.skip_blank()?, Some(b'g'));
        assert_eq!(scanner.word()?, "größe".as_bytes());
        assert_eq!((scanner.here.line, scanner.here.column()), (1, 8));
        assert_eq!(scanner.peek()?, Some(b'('));
        scanner.bump();
        assert_eq!(scanner.skip_blank()?, Some(b'b'));
        assert_eq!((scanner.here.line, scanner.here.column()), (2, 2));
        Ok(())
    }

    #[test]
    fn rewinding_to_a_mark() -> Result<()> {
        let mut scanner = Scanner::new(drip(b"one\ntwo\nthree"));
        scanner.skip_line()?;
        let mark = scanner.mark();
        scanner.skip_line()?;
        assert_eq!(scanner.word()?, b"three");
        scanner.rewind(mark);
        assert_eq!(scanner.word()?, b"two");
        assert_eq!(scanner.here.line, 2);
        Ok(())
    }

    #[test]
    fn a_byte_order_mark_is_skipped_at_the_start() -> Result<()> {
        let mut scanner = Scanner::new(drip("\u{FEFF}\u{FEFF}a".as_bytes()));
        scanner.skip_byte_order_mark()?;
        assert_eq!((scanner.here.line, scanner.here.column()), (1, 1));
        scanner.skip_byte_order_mark()?;
        assert_eq!(scanner.word()?, "\u{FEFF}a".as_bytes());
        let mut shorter = Scanner::new(drip(b"\xEF\xBB"));
        shorter.skip_byte_order_mark()?;
        assert_eq!(shorter.word()?, b"\xEF\xBB");
        Ok(())
    }

    /// Clearing as much as is buffered before each read would take minutes.
    #[test]
    fn short_reads_take_linear_time() -> Result<()> {
        let word = vec![b'x'; 8 << 20];
        let mut scanner = Scanner::new(Drip { bytes: &word, at_a_time: 64 });
        assert_eq!(scanner.word()?.len(), word.len());
        Ok(())
    }
}
