//! What the readers have in common when they complain.

use crate::error::{Error, ErrorKind};

/// What to do about bytes that are not UTF-8.
pub(super) const ENCODING_HINT: &str = "is it ISO 8859-1? Then give the encoding latin1";

/// An error about input that breaks the rules of its format.
pub(super) fn syntax(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Syntax, message)
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
