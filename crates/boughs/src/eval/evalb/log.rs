//! The two streams that EVALB writes to, and its counting of errors.

use std::io::{self, Write};

/// Why a run ends before its files do.
#[derive(Debug)]
pub(super) enum Stop {
    /// There were more errors than `MAX_ERROR` allows.
    TooManyErrors,
    /// Reading or writing failed.
    Io(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Where results and complaints go.
pub(super) struct Log<O, E> {
    pub(super) out: O,
    pub(super) err: E,
    /// The setting `DEBUG`.
    pub(super) debug: i64,
    pub(super) max_errors: i64,
    pub(super) num_errors: i64,
    /// The line at work, counted from 1.
    pub(super) line: u64,
    /// Whether this line had an error.
    pub(super) failed: bool,
}

impl<O: Write, E: Write> Log<O, E> {
    pub(super) fn next_line(&mut self) {
        self.line += 1;
        self.failed = false;
    }

    pub(super) fn error(&mut self, message: &str) -> Result<(), Stop> {
        self.error_about(message, b"", "", b"", "")
    }

    /// Reports `before`, `one`, `between`, `other` and `after` in one line; words need not be UTF-8.
    pub(super) fn error_about(
        &mut self,
        before: &str,
        one: &[u8],
        between: &str,
        other: &[u8],
        after: &str,
    ) -> Result<(), Stop> {
        self.failed = true;
        write!(self.err, "{} : {before}", self.line)?;
        self.err.write_all(one)?;
        self.err.write_all(between.as_bytes())?;
        self.err.write_all(other)?;
        writeln!(self.err, "{after}")?;
        // The limit is compared with the errors before this one, so EVALB lets two more pass than it says.
        let is_last = self.num_errors > self.max_errors;
        self.num_errors += 1;
        if is_last { Err(Stop::TooManyErrors) } else { Ok(()) }
    }
}
