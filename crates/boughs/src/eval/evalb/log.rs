//! The two streams that EVALB writes to, and its counting of errors.

use std::io::{self, Write};

/// Why a run ends before its files do.
#[derive(Debug)]
pub(super) enum EvalbStop {
    /// There were more errors than `MAX_ERROR` allows.
    TooManyErrors,
    /// Reading or writing failed.
    Io(io::Error),
}

impl From<io::Error> for EvalbStop {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Where results and complaints go.
pub(super) struct Log<'a> {
    pub(super) out: &'a mut dyn Write,
    pub(super) err: &'a mut dyn Write,
    /// The setting `DEBUG`.
    pub(super) debug: i64,
    pub(super) max_errors: i64,
    pub(super) num_errors: i64,
    /// The line at work, counted from 1.
    pub(super) line: u64,
    /// Whether this line had an error.
    pub(super) failed: bool,
}

impl Log<'_> {
    pub(super) fn next_line(&mut self) {
        self.line += 1;
        self.failed = false;
    }

    /// Reports an error, which need not be UTF-8, and fails if it is one too many.
    pub(super) fn error(&mut self, message: impl AsRef<[u8]>) -> Result<(), EvalbStop> {
        self.failed = true;
        write!(self.err, "{} : ", self.line)?;
        self.err.write_all(message.as_ref())?;
        writeln!(self.err)?;
        // The limit is compared with the errors before this one, so EVALB lets one more pass than it says.
        let is_last = self.num_errors > self.max_errors;
        self.num_errors += 1;
        if is_last { Err(EvalbStop::TooManyErrors) } else { Ok(()) }
    }
}
