//! The checkpoint of a run, in a file beside the model.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use boughs::model::{ChartModel, ModelFile};

use crate::interrupt;
use crate::output::report;

/// The file beside the model.
pub(super) fn path(model: &Path) -> PathBuf {
    let mut name = model.file_name().unwrap_or_default().to_owned();
    name.push(".checkpoint");
    model.with_file_name(name)
}

/// The files beside a model that is made in several runs: the first is that of a single one.
fn paths(model: &Path, num_runs: usize) -> Vec<PathBuf> {
    let numbered = |number: usize| {
        let mut name = path(model).into_os_string();
        name.push(number.to_string());
        PathBuf::from(name)
    };
    std::iter::once(path(model)).chain((2..=num_runs).map(numbered)).collect()
}

/// The same for all files of a model that is made in several runs. Those of later runs may not be there yet.
pub(super) fn check_all(model: &Path, num_runs: usize, is_resumed: bool) -> Result<Vec<PathBuf>> {
    let mut paths = paths(model, ChartModel::MOST_GRAMMARS);
    if let Some(path) = paths.drain(num_runs..).find(|path| path.exists()) {
        bail!(
            "{}: there is a checkpoint of an interrupted run of more grammars; go on with --resume and as many --grammars, or remove it",
            path.display()
        )
    }
    check(&paths[0], is_resumed)?;
    paths[1..].iter().try_for_each(|path| check(path, is_resumed && path.exists()))?;
    Ok(paths)
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

/// The checkpoint to go on from, if that is wanted.
pub(super) fn load<T>(
    path: &Path,
    is_resumed: bool,
    read: impl FnOnce(&ModelFile) -> boughs::Result<T>,
) -> Result<Option<T>> {
    match is_resumed {
        true => Ok(Some(read(&ModelFile::load(path)?).map_err(|error| error.in_file(path))?)),
        false => Ok(None),
    }
}

/// Writes checkpoints while a run goes on, and ends it if that fails or the user interrupts it.
pub(super) struct Keeper<'p> {
    path: &'p Path,
    /// Of what was done before.
    earlier: &'p [PathBuf],
    failure: Mutex<Option<boughs::Error>>,
}

impl<'p> Keeper<'p> {
    /// Interrupts are noted from now on.
    pub(super) fn new(path: &'p Path) -> Result<Self> {
        Self::after(&[], path)
    }

    /// The same for a run after others, whose checkpoints stay.
    pub(super) fn after(earlier: &'p [PathBuf], path: &'p Path) -> Result<Self> {
        interrupt::note()?;
        Ok(Self { path, earlier, failure: Mutex::new(None) })
    }

    pub(super) fn save(&self, file: boughs::Result<ModelFile>) {
        if let Err(error) = file.and_then(|file| file.save(self.path)) {
            *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        }
    }

    /// Whether the run is to go on.
    pub(super) fn flow(&self) -> ControlFlow<()> {
        let has_failed = self.failure.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        match has_failed || interrupt::is_interrupted() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    /// What came of the run; nothing if the user interrupted it.
    pub(super) fn finish<T>(self, trained: boughs::Result<T>) -> Result<Option<T>> {
        if let Some(error) = self.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error.into());
        }
        let trained = trained?;
        if interrupt::is_interrupted() {
            tell_interruption(self.earlier, self.path);
            return Ok(None);
        }
        Ok(Some(trained))
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

fn tell_interruption(earlier: &[PathBuf], checkpoint: &Path) {
    let mut all = std::iter::once(checkpoint).chain(earlier.iter().rev().map(PathBuf::as_path));
    match all.find(|path| path.exists()) {
        Some(kept) => report(format_args!("interrupted; {} is kept: go on with --resume", kept.display())),
        None => report(format_args!("interrupted before the first checkpoint: nothing is kept")),
    }
}
