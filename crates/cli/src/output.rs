//! Standard output for data, standard error for people.

use std::fmt;
use std::io::{self, BufWriter, StdoutLock, Write};

/// Standard output, locked and buffered.
pub(crate) fn stdout() -> BufWriter<StdoutLock<'static>> {
    BufWriter::with_capacity(1 << 16, io::stdout().lock())
}

/// The columns of the terminal; none if standard output is not one.
pub(crate) fn terminal_width() -> Option<usize> {
    terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| width.0.into())
}

/// Tells the user something, on standard error. If nobody can be told, nothing can be done.
pub(crate) fn report(message: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "boughs: {message}");
}

/// Whether the reader of our output went away, as `head` does: no error of ours.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}
