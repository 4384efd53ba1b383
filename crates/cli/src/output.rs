//! Standard output for data, standard error for people.

use std::fmt;
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::Outcome;
use crate::part_file::PartFile;

/// The file that stands in for standard output (`-o FILE`).
static FILE: OnceLock<Mutex<PartFile>> = OnceLock::new();

/// What may be overwritten.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ForceArg {
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
}

impl ForceArg {
    /// Refuses to overwrite a file, if nothing else was said.
    pub(crate) fn check(&self, path: &Path) -> Result<()> {
        keep_existing(path, self.force)
    }
}

/// Refuses to overwrite a file, unless told to.
pub(crate) fn keep_existing(path: &Path, is_forced: bool) -> Result<()> {
    if path.exists() && !is_forced {
        bail!("{} exists (--force overwrites it)", path.display());
    }
    Ok(())
}

/// From now on data go into a file, which has its name once it is complete.
pub(crate) fn redirect(path: &Path, is_forced: bool) -> Result<()> {
    keep_existing(path, is_forced)?;
    let file = Mutex::new(PartFile::create(path)?);
    FILE.set(file).ok().context("one -o is enough")
}

/// Gives the file of `-o` its name, if there is one.
pub(crate) fn complete() -> Result<()> {
    lock_file().map_or(Ok(()), |mut file| file.complete())
}

/// The file of `-o`, if there is one.
pub(crate) fn path() -> Option<PathBuf> {
    lock_file().map(|file| file.path().to_path_buf())
}

/// Removes what was written of the file of `-o`.
pub(crate) fn discard() {
    if let Some(file) = lock_file() {
        file.discard();
    }
}

fn lock_file() -> Option<MutexGuard<'static, PartFile>> {
    FILE.get().map(|file| file.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Whether somebody sees what is written.
pub(crate) fn is_watched() -> bool {
    FILE.get().is_none() && io::stdout().is_terminal()
}

/// Standard output, locked and buffered.
pub(crate) fn stdout() -> BufWriter<Stdout> {
    BufWriter::with_capacity(1 << 16, Stdout::lock())
}

/// Standard output, or the file in its place; errors say what they are about.
pub(crate) enum Stdout {
    Standard(StdoutLock<'static>),
    File(MutexGuard<'static, PartFile>),
}

impl Stdout {
    fn lock() -> Self {
        lock_file().map_or_else(|| Self::Standard(io::stdout().lock()), Self::File)
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Standard(out) => out.write(bytes).map_err(|error| cannot_write(&error)),
            Self::File(file) => file.out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Standard(out) => out.flush().map_err(|error| cannot_write(&error)),
            Self::File(file) => file.out.flush(),
        }
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
    let mut out = Stdout::lock();
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
