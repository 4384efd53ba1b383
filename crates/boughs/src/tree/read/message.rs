//! What the readers have in common when they complain.

pub(super) use crate::error::syntax;
use crate::error::{Error, ErrorKind};

/// The error about bytes that are not UTF-8.
pub(super) fn not_utf8(bytes: &[u8]) -> Error {
    let shown = String::from_utf8_lossy(bytes);
    Error::new(ErrorKind::Encoding, format!("`{}` is not UTF-8", shorten(shown.trim_ascii())))
        .hint("is it ISO 8859-1? Then give the encoding latin1")
}

/// The start of a word from the input, fit for a message.
pub(super) fn shorten(word: &str) -> String {
    const MOST: usize = 40;
    let clean = word.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c });
    let mut short: String = clean.take(MOST).collect();
    if word.chars().nth(MOST).is_some() {
        short.push('…');
    }
    short
}
