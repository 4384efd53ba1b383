//! Standard output for data, standard error for people.

use std::fmt;
use std::io::{self, BufWriter, StdoutLock, Write};

use anyhow::Result;

use crate::Outcome;

/// Standard output, locked and buffered.
pub(crate) fn stdout() -> BufWriter<Stdout> {
    BufWriter::with_capacity(1 << 16, Stdout(io::stdout().lock()))
}

/// Standard output, whose errors say what they are about.
pub(crate) struct Stdout(StdoutLock<'static>);

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(|error| cannot_write(&error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(|error| cannot_write(&error))
    }
}

fn cannot_write(error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot write to standard output: {error}"))
}

/// A number of things, as `1 tree` or `2 trees`.
pub(crate) fn counted(number: u64, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// The columns of the terminal; none if standard output is not one.
pub(crate) fn terminal_width() -> Option<usize> {
    terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| width.0.into())
}

/// Tells the user something, on standard error. If nobody can be told, nothing can be done.
pub(crate) fn report(message: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "boughs: {message}");
}

/// A line of a table for people, on standard error.
pub(crate) fn report_line(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Writes whole lines to standard output at once: whoever holds its lock finds nothing but whole lines before.
pub(crate) fn write_whole(lines: &str) -> io::Result<()> {
    let mut out = Stdout(io::stdout().lock());
    out.write_all(lines.as_bytes())?;
    out.flush()
}

/// Writes all that a verb has to say to standard output.
pub(crate) fn print(text: impl fmt::Display) -> Result<Outcome> {
    let mut out = stdout();
    write!(out, "{text}")?;
    out.flush()?;
    Ok(Outcome::Complete)
}

/// Whether the reader of our output went away, as `head` does: no error of ours.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}
