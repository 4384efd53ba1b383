//! A stream line by line, for the formats in which a line is a unit.

use std::io::{BufRead, BufReader, Read};

use super::BYTE_ORDER_MARK;
use super::message::not_utf8;
use crate::error::{Error, Result};

/// Gives one line at a time, without its end (`\n` or `\r\n`) and a byte order mark before the first; memory is
/// that of one line.
pub(super) struct Lines<R> {
    input: BufReader<R>,
    /// The present line.
    pub(super) line: Vec<u8>,
    /// The number of the present line, counted from 1.
    pub(super) number: u64,
    /// Whether `advance` is to give the present line again.
    is_unread: bool,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            input: BufReader::with_capacity(1 << 16, input),
            line: Vec::new(),
            number: 0,
            is_unread: false,
        }
    }

    /// Goes to the next line; false at the end.
    pub(super) fn advance(&mut self) -> Result<bool> {
        if std::mem::take(&mut self.is_unread) {
            return Ok(true);
        }
        self.line.clear();
        let length = self
            .input
            .read_until(b'\n', &mut self.line)
            .map_err(|error| Error::io("read", error).at_line(self.number + 1))?;
        if self.number == 0 && self.line.starts_with(BYTE_ORDER_MARK) {
            self.line.drain(..BYTE_ORDER_MARK.len());
        }
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
        }
        if self.line.last() == Some(&b'\r') {
            self.line.pop();
        }
        self.number += u64::from(length > 0);
        Ok(length > 0)
    }

    /// Makes the next `advance` stay.
    pub(super) fn unread(&mut self) {
        self.is_unread = true;
    }

    /// The present line as text.
    pub(super) fn text(&self) -> Result<&str> {
        str::from_utf8(&self.line).map_err(|_| not_utf8(&self.line).at_line(self.number))
    }

    /// Whether there is nothing but white space on the present line.
    pub(super) fn is_blank(&self) -> bool {
        self.line.trim_ascii().is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_of_every_kind() -> Result<()> {
        let mut lines = Lines::new(&b"a\r\n\nb"[..]);
        let mut seen = Vec::new();
        while lines.advance()? {
            seen.push((lines.number, lines.text()?.to_owned()));
        }
        assert_eq!(seen, [(1, "a".to_owned()), (2, String::new()), (3, "b".to_owned())]);
        Ok(())
    }

    #[test]
    fn a_mark_is_skipped_only_at_the_start() -> Result<()> {
        let mut lines = Lines::new("\u{FEFF}a\n\u{FEFF}b".as_bytes());
        lines.advance()?;
        assert_eq!((lines.number, lines.text()?), (1, "a"));
        lines.advance()?;
        assert_eq!(lines.text()?, "\u{FEFF}b");
        Ok(())
    }

    #[test]
    fn an_unread_line_comes_again() -> Result<()> {
        let mut lines = Lines::new(&b"a\nb"[..]);
        lines.advance()?;
        lines.unread();
        lines.advance()?;
        assert_eq!((lines.number, lines.text()?), (1, "a"));
        Ok(())
    }
}
