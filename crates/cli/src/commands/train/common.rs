//! What all methods have in common: a treebank in, a run, a model out.

use std::path::PathBuf;

use anyhow::{Result, bail};
use boughs::train::{Recipe, Trained};
use boughs::tree::Tree;
use boughs::treebank::Treebank;
use clap::Args;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::input::ReadArgs;
use crate::output::{counted, report};
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
        T: Serialize + DeserializeOwned,
    {
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
        let trees = reader.rest()?;
        Ok((trees, reader.finish()))
    }
}
