//! The checkpoint of a run, in a file beside the model.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::output::report;

/// The file beside the model.
pub(super) fn path(model: &Path) -> PathBuf {
    let mut name = model.file_name().unwrap_or_default().to_owned();
    name.push(".checkpoint");
    model.with_file_name(name)
}

/// Hours of work must not be lost by a forgotten option.
pub(super) fn check(path: &Path, is_resumed: bool) -> Result<()> {
    match (path.exists(), is_resumed) {
        (true, false) => bail!(
            "{}: there is a checkpoint of an interrupted run; go on with --resume, or remove it to start anew",
            path.display()
        ),
        (false, true) => {
            bail!("{}: there is no checkpoint to resume from; leave out --resume", path.display())
        }
        _ => Ok(()),
    }
}

pub(super) fn remove(checkpoint: &Path) -> Result<()> {
    match checkpoint.exists() {
        true => {
            fs::remove_file(checkpoint).with_context(|| format!("cannot remove {}", checkpoint.display()))
        }
        false => Ok(()),
    }
}

pub(super) fn tell_interruption(checkpoint: &Path) {
    match checkpoint.exists() {
        true => report(format_args!("interrupted; {} is kept: go on with --resume", checkpoint.display())),
        false => report(format_args!("interrupted before the first checkpoint: nothing is kept")),
    }
}
