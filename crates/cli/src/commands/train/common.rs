//! What all methods have in common: a treebank in, a run, a model out.

use std::cell::RefCell;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use boughs::train::{Profiled, Recipe, Trained, from_toml};
use boughs::tree::Tree;
use boughs::tree::profile::Profile;
use boughs::treebank::Treebank;
use clap::Args;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::input::ReadArgs;
use crate::output::{counted, report};
use crate::profile::ProfileArgs;
use crate::training::{Flags, RunArgs, flags, with_flags};
use crate::{Outcome, number};

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

    #[command(flatten)]
    pub(super) run: RunArgs,

    /// Leave out sentences of more than N words (a tagger inside a parser learns from all)
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..))]
    max_words: Option<usize>,

    #[command(flatten)]
    profile: ProfileArgs,

    #[command(flatten)]
    read: ReadArgs,

    /// What was read, until it is learned from.
    #[arg(skip)]
    loaded: RefCell<Option<Loaded>>,

    /// Whether development trees are held out if none are named.
    #[arg(skip)]
    holds_out: bool,
}

/// What of a file of settings is needed before the others.
#[derive(Default, Deserialize)]
#[serde(default)]
struct NamedProfile {
    profile: Option<String>,
}

/// Trees with their profile.
#[derive(Debug, Clone)]
struct Loaded {
    profile: Profile,
    train: Vec<Tree>,
    dev: Vec<Tree>,
    outcome: Outcome,
}

/// What a run learns from and measures on.
pub(super) struct Data {
    pub(super) train: Vec<Tree>,
    pub(super) dev: Vec<Tree>,
    /// Whether something could not be read.
    pub(super) outcome: Outcome,
}

impl Common {
    /// The same, with development trees held out if none are named.
    pub(super) fn holding_out(&self) -> Self {
        Self { holds_out: true, ..self.clone() }
    }

    /// Settings with those of the file and of the flags in place of their own.
    pub(super) fn settings<T>(&self, default: T, flags: Flags<'_>) -> Result<T>
    where
        T: Profiled + DeserializeOwned,
    {
        self.load()?;
        let profile = self.loaded.borrow().as_ref().map(|loaded| loaded.profile.clone()).unwrap_or_default();
        let default = default.for_profile(&profile)?;
        with_flags(&self.run.settings(default, flags)?, flags!(self; max_words))
    }

    /// Trains, and writes the model.
    pub(super) fn train<R>(&self, recipe: &R) -> Result<Outcome>
    where
        R: Recipe<Data = [Tree], Model: Send> + Sync,
    {
        Ok(self.train_on_data(recipe)?.map_or(Outcome::Interrupted, |(_, data)| data.outcome))
    }

    /// The same; what it learned, and from what, unless the user interrupted it.
    pub(super) fn train_on_data<R>(&self, recipe: &R) -> Result<Option<(Trained<R::Model>, Data)>>
    where
        R: Recipe<Data = [Tree], Model: Send> + Sync,
    {
        self.run.check()?;
        let data = self.data()?;
        let facts = [("training-trees", data.train.len()), ("dev-trees", data.dev.len())];
        let dev = (!data.dev.is_empty()).then_some(&data.dev[..]);
        let Some(trained) = self.run.train(recipe, &data.train[..], dev, &facts)? else { return Ok(None) };
        self.run.clean_up()?;
        Ok(Some((trained, data)))
    }

    fn data(&self) -> Result<Data> {
        self.load()?;
        let Some(Loaded { mut train, mut dev, outcome, .. }) = self.loaded.take() else {
            bail!("expected trees that were read")
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
        Ok(Data { train, dev, outcome })
    }

    /// Reads all trees, once, and brings them to the conventions of the toolkit.
    fn load(&self) -> Result<()> {
        if self.loaded.borrow().is_some() {
            return Ok(());
        }
        self.run.check()?;
        let (mut train, of_train) = self.trees(&self.train)?;
        let (mut dev, of_dev) = match self.dev.is_empty() {
            true => (Vec::new(), Outcome::Complete),
            false => self.trees(&self.dev)?,
        };
        let args = ProfileArgs { profile: self.named_profile()?, ..self.profile.clone() };
        let profile = args.of_trees(&train)?;
        train.iter_mut().chain(&mut dev).for_each(|tree| profile.normalize(tree));
        let profile = profile.learned_from(&train);
        self.loaded.replace(Some(Loaded { profile, train, dev, outcome: of_train.max(of_dev) }));
        Ok(())
    }

    /// The profile that the user names, by the flag or in the file of settings.
    fn named_profile(&self) -> Result<Option<String>> {
        if self.profile.profile.is_some() {
            return Ok(self.profile.profile.clone());
        }
        let Some(path) = &self.run.config else { return Ok(None) };
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        // What is wrong with the file is told where all of its settings are read.
        Ok(from_toml::<NamedProfile>(&text).unwrap_or_default().profile)
    }

    pub(super) fn trees(&self, files: &[PathBuf]) -> Result<(Vec<Tree>, Outcome)> {
        let mut reader = self.read.open(files)?;
        let trees = reader.rest()?;
        Ok((trees, reader.finish()))
    }
}
