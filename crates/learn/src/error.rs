//! The one error type of the library: what went wrong, where, and what to do about it.
//!
//! An error is made where the fault is found and learns its place on the way up:
//! the scanner knows line and column, the reader the tree number, the source the file.
//!
//! ```
//! use boughs_learn::{Error, ErrorKind};
//!
//! let error = Error::new(ErrorKind::Syntax, "expected `(`, found `x`")
//!     .hint("a tree starts with `(`")
//!     .at(3, 14)
//!     .in_tree(2)
//!     .in_file("wsj_0001.mrg");
//! assert_eq!(
//!     error.to_string(),
//!     "wsj_0001.mrg:3:14: tree 2: expected `(`, found `x` (a tree starts with `(`)"
//! );
//! ```

use std::{fmt, io, path::Path};

/// What the library returns when something can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The kind of an [`Error`], for callers that treat kinds differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system refused: no such file, no permission, disk full.
    Io,
    /// The input breaks the rules of its format.
    Syntax,
    /// The input is not text in the expected encoding.
    Encoding,
    /// A constituent with gaps, which a tree cannot hold.
    Discontinuous,
    /// Two inputs that belong together do not fit: other sentences, other words.
    Mismatch,
    /// A setting is out of its range.
    Argument,
    /// The input exceeds a limit of the data structures.
    TooLarge,
    /// A computation met a number that is not finite.
    Numeric,
}

/// An error with its place and, where there is one, a remedy.
#[derive(Debug, Clone)]
pub struct Error(Box<Inner>);

#[derive(Debug, Clone)]
struct Inner {
    kind: ErrorKind,
    message: String,
    hint: Option<String>,
    place: ErrorPlace,
}

/// Where an error was found. Lines, columns (in characters) and trees count from 1.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ErrorPlace {
    /// The file's name, `<stdin>` for standard input.
    pub file: Option<String>,
    /// The line.
    pub line: Option<u64>,
    /// The column, in characters.
    pub column: Option<u64>,
    /// The number of the tree (or sentence) within the file.
    pub tree: Option<u64>,
}

impl Error {
    /// An error of a kind; `message` says what was expected and what was found.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner { kind, message: message.into(), hint: None, place: ErrorPlace::default() }))
    }

    /// An error of the operating system, whose words it repeats; `doing` completes "cannot …".
    #[expect(clippy::needless_pass_by_value, reason = "so that it fits into map_err")]
    pub fn io(doing: impl fmt::Display, cause: io::Error) -> Self {
        Self::new(ErrorKind::Io, format!("cannot {doing}: {cause}"))
    }

    /// Adds what the user can do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// Adds line and column, counted from 1.
    #[must_use]
    pub fn at(mut self, line: u64, column: u64) -> Self {
        self.0.place.line = Some(line);
        self.0.place.column = Some(column);
        self
    }

    /// Adds the line, counted from 1, where the column means nothing.
    #[must_use]
    pub fn at_line(mut self, line: u64) -> Self {
        self.0.place.line = Some(line);
        self
    }

    /// Adds the number of the tree within its file, counted from 1.
    #[must_use]
    pub fn in_tree(mut self, tree: u64) -> Self {
        self.0.place.tree = Some(tree);
        self
    }

    /// Adds the file, unless an inner layer already named one.
    #[must_use]
    pub fn in_file(mut self, file: impl AsRef<Path>) -> Self {
        let file = file.as_ref().display().to_string();
        self.0.place.file.get_or_insert(file);
        self
    }

    /// The kind.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// What went wrong, without place and remedy.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What the user can do about it, if something is known: what [`hint`](Self::hint) added.
    pub fn remedy(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// The place, as far as it is known.
    pub fn place(&self) -> &ErrorPlace {
        &self.0.place
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = &self.0.place;
        match (&place.file, place.line) {
            (Some(file), Some(_)) => write!(f, "{file}:")?,
            (Some(file), None) => write!(f, "{file}: ")?,
            (None, Some(_)) => write!(f, "line ")?,
            (None, None) => {}
        }
        match (place.line, place.column) {
            (Some(line), Some(column)) => write!(f, "{line}:{column}: ")?,
            (Some(line), None) => write!(f, "{line}: ")?,
            (None, _) => {}
        }
        if let Some(tree) = place.tree {
            write!(f, "tree {tree}: ")?;
        }
        f.write_str(&self.0.message)?;
        match &self.0.hint {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

/// An error about input that breaks the rules of its format.
pub fn syntax(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Syntax, message)
}

/// Checks a setting: an error of kind [`ErrorKind::Argument`] that says what was expected and what was found, unless
/// the condition is met.
///
/// ```
/// use boughs_learn::error::require;
/// let beam = 0;
/// let error = require(beam >= 1, "a beam of at least 1", beam).unwrap_err();
/// assert_eq!(error.to_string(), "expected a beam of at least 1, found 0");
/// ```
///
/// # Errors
/// If `is_met` is false.
pub fn require(is_met: bool, expected: impl fmt::Display, found: impl fmt::Display) -> Result<()> {
    match is_met {
        true => Ok(()),
        false => Err(Error::new(ErrorKind::Argument, format!("expected {expected}, found {found}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_file_wins() {
        let error = Error::new(ErrorKind::Syntax, "m").in_file("a").in_file("b");
        assert_eq!(error.to_string(), "a: m");
    }

    #[test]
    fn io_repeats_its_cause() {
        let error = Error::io("open `x`", io::Error::other("no luck"));
        assert_eq!(error.kind(), ErrorKind::Io);
        assert_eq!(error.to_string(), "cannot open `x`: no luck");
    }
}
