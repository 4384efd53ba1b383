//! What all verbs that train have in common: settings, a run of the one loop, a model out.

pub(crate) mod curves;
mod learner;
mod progress;

use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, Result, bail};
use boughs_learn::run::{
    Model, Recipe, RunOptions, Trained, from_toml, over_toml, remove_checkpoint, run, to_toml,
};
use clap::Args;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::interrupt;
use crate::output::{ForceArg, report};
use crate::threads::ThreadArgs;
pub(crate) use learner::{GAINS, LOWERINGS, LearnerArgs};
use progress::Progress;
pub(crate) use progress::show as show_time;

#[derive(Debug, Clone, Args)]
pub(crate) struct RunArgs {
    /// Write the model to this file
    #[arg(long, short, value_name = "MODEL")]
    pub(crate) out: PathBuf,

    #[command(flatten)]
    force: ForceArg,

    /// Settings from a TOML file; flags overrule it, and `boughs model info` prints them back
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Seed of everything random [default: 0]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,

    /// Go on from the checkpoint of an interrupted run, with the same files and options
    #[arg(long)]
    resume: bool,

    /// Write curves into this directory, as SVG and CSV, beside those of other runs there
    #[arg(long, value_name = "DIR")]
    pub(crate) curves: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) threads: ThreadArgs,

    /// Say nothing about progress
    #[arg(long, short, hide_short_help = true)]
    pub(crate) quiet: bool,

    /// Name of the model
    #[arg(long, value_name = "TEXT", help_heading = "Description", hide_short_help = true)]
    name: Option<String>,

    /// Version of the model
    #[arg(long, value_name = "TEXT", help_heading = "Description", hide_short_help = true)]
    model_version: Option<String>,

    /// What its users should know: data, licence, attribution
    #[arg(long, value_name = "TEXT", help_heading = "Description", hide_short_help = true)]
    note: Option<String>,
}

impl RunArgs {
    /// Settings with those of the file, if there is one, in place of their own, and then those of flags that have their
    /// names.
    pub(crate) fn settings<T>(&self, default: T, flags: Flags<'_>) -> Result<T>
    where
        T: Serialize + DeserializeOwned,
    {
        let mut settings = default;
        if let Some(path) = &self.config {
            let text = read_text(path)?;
            // What is wrong with the file itself is told with its line.
            from_toml::<T>(&text).map_err(|error| error.in_file(path))?;
            settings = over_toml(&settings, &text).map_err(|error| error.in_file(path))?;
        }
        with_flags(&settings, flags)
    }

    /// Refuses at once what would be refused after hours of work.
    pub(crate) fn check(&self) -> Result<()> {
        check_out(&self.out)?;
        self.curves.as_deref().map_or(Ok(()), check_curves)?;
        check_checkpoint(&checkpoint_of(&self.out), self.resume)?;
        // What is resumed may have written its model before it was measured.
        if self.resume { Ok(()) } else { self.force.check(&self.out) }
    }

    /// Trains, and writes the model, with some facts about it, and its curves; nothing if the user interrupted it.
    pub(crate) fn train<R>(
        &self,
        recipe: &R,
        train: &R::Data,
        dev: Option<&R::Data>,
        facts: &[(&str, usize)],
    ) -> Result<Option<Trained<R::Model>>>
    where
        R: Recipe<Data: Sync, Model: Send> + Sync,
    {
        let pool = self.threads.pool()?;
        let checkpoint = checkpoint_of(&self.out);
        interrupt::note()?;
        let progress = Progress::new(self.quiet)?.into_file(&self.out);
        let options = RunOptions { checkpoint: Some(&checkpoint), resume: self.resume, observer: &progress };
        let trained = pool.install(|| run(recipe, train, dev, options));
        progress.finish();
        let Some(mut trained) = trained? else {
            tell_interruption(&checkpoint);
            return Ok(None);
        };
        progress.tell_best(&trained.steps, trained.best);
        self.write(&mut trained.model, facts)?;
        if let Some(directory) = &self.curves {
            curves::write(directory, &self.out, &trained.steps, &progress)?;
        }
        Ok(Some(trained))
    }

    /// Writes a model, with some facts about it.
    pub(crate) fn write<M: Model>(&self, model: &mut M, facts: &[(&str, usize)]) -> Result<()> {
        let about = model.about_mut();
        about.name = self.name.clone().unwrap_or_default();
        about.version = self.model_version.clone().unwrap_or_default();
        about.data = self.note.clone().unwrap_or_default();
        about.seed = self.seed.unwrap_or(about.seed);
        let known = facts.iter().filter(|(_, number)| *number > 0);
        about.settings.extend(known.map(|(name, number)| ((*name).to_owned(), number.to_string())));
        model.to_file()?.save(&self.out)?;
        report(format_args!("{}: written", self.out.display()));
        Ok(())
    }

    /// Removes the checkpoint of a run that is over.
    pub(crate) fn clean_up(&self) -> Result<()> {
        Ok(remove_checkpoint(&checkpoint_of(&self.out))?)
    }
}

/// The model of a run of which nothing is saved.
pub(crate) fn run_through<R: Recipe>(
    recipe: &R,
    train: &R::Data,
    dev: Option<&R::Data>,
    is_quiet: bool,
) -> Result<R::Model> {
    let progress = Progress::new(is_quiet)?;
    let trained = run(recipe, train, dev, RunOptions { observer: &progress, ..RunOptions::default() });
    progress.finish();
    Ok(trained?.context("interrupted")?.model)
}

/// Settings with those flags that the user gave, by the names of the settings.
pub(crate) fn with_flags<T: Serialize + DeserializeOwned>(settings: &T, flags: Flags<'_>) -> Result<T> {
    Ok(over_toml(settings, &to_toml(&BySetting(flags))?)?)
}

/// Flags that are named as settings, and their values, if they are given.
pub(crate) type Flags<'f> = &'f [(&'static str, &'f dyn erased_serde::Serialize)];

/// The flags of these names.
macro_rules! flags {
    ($args:expr; $($name:ident),*) => {
        &[$((stringify!($name), &$args.$name as &dyn erased_serde::Serialize)),*]
    };
}
pub(crate) use flags;

struct BySetting<'f>(Flags<'f>);

impl Serialize for BySetting<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name.replace('_', "-"), value)))
    }
}

/// Changes a setting if the user said so.
pub(crate) fn set<T>(setting: &mut T, wanted: Option<T>) {
    if let Some(wanted) = wanted {
        *setting = wanted;
    }
}

/// What is read from the text of a name, or of a file.
pub(crate) fn named_or_read<T>(path: Option<&Path>, named: &[(&str, &str)]) -> Result<Option<T>>
where
    T: FromStr<Err = boughs::Error>,
{
    let Some(path) = path else { return Ok(None) };
    Ok(Some(named_or_text(path, named)?.parse().map_err(|error: boughs::Error| error.in_file(path))?))
}

/// The text of a name, or of a file; a file of such a name is `./NAME`.
pub(crate) fn named_or_text(path: &Path, named: &[(&str, &str)]) -> Result<String> {
    if let Some((_, text)) = named.iter().find(|(name, _)| path.as_os_str() == *name) {
        return Ok((*text).to_owned());
    }
    fs::read_to_string(path).with_context(|| {
        let names: Vec<&str> = named.iter().map(|(name, _)| *name).collect();
        format!("cannot read {} (expected a file, or one of {})", path.display(), names.join(", "))
    })
}

pub(crate) fn read_text(path: &Path) -> Result<String> {
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
