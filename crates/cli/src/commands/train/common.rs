//! What all methods have in common: data in, a run, a model out.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use boughs::train::{Recipe, RunOptions, Trained, from_toml, over_toml, remove_checkpoint, run};
use boughs::tree::Tree;
use boughs::treebank::Treebank;
use boughs_learn::run::Model;
use clap::Args;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::curves;
use super::progress::Progress;
use crate::Outcome;
use crate::input::ReadArgs;
use crate::interrupt;
use crate::number;
use crate::output::{counted, report};
use crate::threads::ThreadArgs;

/// The share of the training trees that is held out where nobody says what to measure on.
const HELD_OUT: f64 = 0.1;

#[derive(Debug, Clone, Args)]
pub(super) struct Common {
    /// Training trees: files or directories (plain or .gz), `-`, or `@sample`
    #[arg(long, value_name = "FILE", num_args = 1.., required = true)]
    train: Vec<PathBuf>,

    /// Development trees, to measure on and to choose the best step by
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(super) dev: Vec<PathBuf>,

    /// Write the model to this file
    #[arg(long, short, value_name = "MODEL")]
    pub(super) out: PathBuf,

    /// Settings from a TOML file; flags overrule it, and `boughs model info` prints them back
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Leave out sentences of more than N words (a tagger inside a parser learns from all)
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..))]
    pub(super) max_words: Option<usize>,

    /// Seed of everything random [default: 0]
    #[arg(long, value_name = "N")]
    pub(super) seed: Option<u64>,

    /// Go on from the checkpoint of an interrupted run, with the same files and options
    #[arg(long)]
    resume: bool,

    /// Write curves into this directory, as SVG and CSV, beside those of other runs there
    #[arg(long, value_name = "DIR")]
    pub(super) curves: Option<PathBuf>,

    #[command(flatten)]
    threads: ThreadArgs,

    /// Name of the model
    #[arg(long, value_name = "TEXT", help_heading = "Description")]
    name: Option<String>,

    /// Version of the model
    #[arg(long, value_name = "TEXT", help_heading = "Description")]
    model_version: Option<String>,

    /// What its users should know: data, licence, attribution
    #[arg(long, value_name = "TEXT", help_heading = "Description")]
    note: Option<String>,

    #[command(flatten)]
    read: ReadArgs,

    /// Whether development trees are held out if none are named.
    #[arg(skip)]
    holds_out: bool,
}

/// What a run learns from and measures on.
pub(super) struct Data {
    pub(super) train: Vec<Tree>,
    pub(super) dev: Vec<Tree>,
    /// Whether something could not be read.
    outcome: Outcome,
}

/// A run that came to its end, what it learned from, and what it said.
type Finished<M> = (Trained<M>, Data, Progress);

impl Common {
    /// The same, with development trees held out if none are named.
    pub(super) fn holding_out(&self) -> Self {
        Self { holds_out: true, ..self.clone() }
    }

    /// The file of settings.
    pub(super) fn config(&self) -> Option<&Path> {
        self.config.as_deref()
    }

    /// Settings with those of the file, if there is one, in place of their own.
    pub(super) fn over<T: Serialize + DeserializeOwned>(&self, settings: T) -> Result<T> {
        let Some(path) = &self.config else { return Ok(settings) };
        let text = read_text(path)?;
        // What is wrong with the file itself is told with its line.
        from_toml::<T>(&text).map_err(|error| error.in_file(path))?;
        Ok(over_toml(&settings, &text).map_err(|error| error.in_file(path))?)
    }

    /// Trains, and writes the model.
    pub(super) fn train<R>(&self, recipe: &R) -> Result<Outcome>
    where
        R: Recipe<Data = [Tree]> + Sync,
        R::Model: Send,
    {
        let Some((trained, data, progress)) = self.run(recipe)? else { return Ok(Outcome::Interrupted) };
        if let Some(directory) = &self.curves {
            curves::write(directory, &self.out, &trained.steps, &progress)?;
        }
        self.write(trained, &data)
    }

    /// Trains to the end; nothing if the user interrupted it.
    pub(super) fn run<R>(&self, recipe: &R) -> Result<Option<Finished<R::Model>>>
    where
        R: Recipe<Data = [Tree]> + Sync,
        R::Model: Send,
    {
        let pool = self.threads.pool()?;
        check_out(&self.out)?;
        self.curves.as_deref().map_or(Ok(()), check_curves)?;
        let checkpoint = checkpoint_of(&self.out);
        check_checkpoint(&checkpoint, self.resume)?;
        let data = self.data()?;
        interrupt::note()?;
        let progress = Progress::new()?;
        let options = RunOptions { checkpoint: Some(&checkpoint), resume: self.resume, observer: &progress };
        let dev = (!data.dev.is_empty()).then_some(&data.dev[..]);
        let trained = pool.install(|| run(recipe, &data.train, dev, options));
        progress.finish();
        match trained? {
            Some(trained) => {
                progress.tell_best(&trained.steps, trained.best);
                Ok(Some((trained, data, progress)))
            }
            None => {
                tell_interruption(&checkpoint);
                Ok(None)
            }
        }
    }

    /// Writes the model of a run, and removes its checkpoint.
    pub(super) fn write<M: Model>(&self, mut trained: Trained<M>, data: &Data) -> Result<Outcome> {
        let about = trained.model.about_mut();
        about.name = self.name.clone().unwrap_or_default();
        about.version = self.model_version.clone().unwrap_or_default();
        about.data = self.note.clone().unwrap_or_default();
        about.settings.insert("training-trees".to_owned(), data.train.len().to_string());
        if !data.dev.is_empty() {
            about.settings.insert("dev-trees".to_owned(), data.dev.len().to_string());
        }
        trained.model.to_file()?.save(&self.out)?;
        remove_checkpoint(&checkpoint_of(&self.out))?;
        report(format_args!("{}: written", self.out.display()));
        Ok(data.outcome)
    }

    fn data(&self) -> Result<Data> {
        let (mut train, of_train) = self.trees(&self.train)?;
        let (mut dev, of_dev) = match self.dev.is_empty() {
            true => (Vec::new(), Outcome::Complete),
            false => self.trees(&self.dev)?,
        };
        if train.is_empty() {
            bail!("expected training trees, found none: check the files named by --train");
        }
        if dev.is_empty() && !self.dev.is_empty() {
            bail!("expected development trees, found none: check the files named by --dev");
        }
        if dev.is_empty() && self.holds_out {
            let (kept, held_out) = Treebank::from(train).hold_out(HELD_OUT);
            (train, dev) = (kept.into_trees(), held_out.into_trees());
            report(format_args!(
                "no --dev: a tenth of the training trees is held out, so that the best step can be chosen"
            ));
        }
        let numbers = [train.len(), dev.len()].map(|number| counted(number as u64, "tree"));
        report(format_args!("{} to learn from, {} to measure on", numbers[0], numbers[1]));
        Ok(Data { train, dev, outcome: of_train.max(of_dev) })
    }

    pub(super) fn trees(&self, files: &[PathBuf]) -> Result<(Vec<Tree>, Outcome)> {
        let mut reader = self.read.open(files)?;
        let mut trees = Vec::new();
        while let Some(tree) = reader.next()? {
            trees.push(tree);
        }
        Ok((trees, reader.finish()))
    }
}

/// Changes a setting if the user said so.
pub(super) fn set<T>(setting: &mut T, wanted: Option<T>) {
    if let Some(wanted) = wanted {
        *setting = wanted;
    }
}

pub(super) fn read_text(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// The file beside the model.
fn checkpoint_of(model: &Path) -> PathBuf {
    let mut name = model.file_name().unwrap_or_default().to_owned();
    name.push(".checkpoint");
    model.with_file_name(name)
}

/// Hours of work must not be lost by a forgotten option.
fn check_checkpoint(path: &Path, is_resumed: bool) -> Result<()> {
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

fn tell_interruption(checkpoint: &Path) {
    match checkpoint.exists() {
        true => report(format_args!("interrupted; {} is kept: go on with --resume", checkpoint.display())),
        false => report(format_args!("interrupted before the first checkpoint: nothing is kept")),
    }
}

/// Hours of work must not be lost by a slip of the pen.
fn check_out(model: &Path) -> Result<()> {
    if model.is_dir() {
        bail!("--out {}: expected a file to write, found a directory: name a file in it", model.display())
    }
    // The directory of a mere name is the current one.
    match model.parent().filter(|directory| !directory.as_os_str().is_empty()) {
        Some(directory) if !directory.is_dir() => {
            bail!("--out {}: there is no directory {}: make it first", model.display(), directory.display())
        }
        _ => Ok(()),
    }
}

/// The directory is made when it is needed, unless a file is in the way.
fn check_curves(directory: &Path) -> Result<()> {
    match directory.ancestors().find(|path| path.exists()) {
        Some(path) if !path.is_dir() => {
            bail!("--curves {}: {} is a file: name a directory", directory.display(), path.display())
        }
        _ => Ok(()),
    }
}
