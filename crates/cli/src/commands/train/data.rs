//! Trees to learn from and to measure on.

use std::path::PathBuf;

use anyhow::{Result, bail};
use boughs::tree::Tree;
use boughs::tree::transform::sentence_length;

use super::TrainArgs;
use crate::Outcome;
use crate::output::{counted, report};

/// All trees of a run; long ones are still there.
pub(super) struct Data {
    pub(super) train: Vec<Tree>,
    pub(super) dev: Vec<Tree>,
    /// Whether something could not be read.
    pub(super) outcome: Outcome,
}

impl Data {
    pub(super) fn read(args: &TrainArgs) -> Result<Self> {
        let (train, of_train) = read(args, &args.train)?;
        let (dev, of_dev) = match args.dev.is_empty() {
            true => (Vec::new(), Outcome::Complete),
            false => read(args, &args.dev)?,
        };
        if train.is_empty() {
            bail!("expected training trees, found none: check the files named by --train");
        }
        if dev.is_empty() && !args.dev.is_empty() {
            bail!("expected development trees, found none: check the files named by --dev");
        }
        let numbers = [train.len(), dev.len()].map(|number| counted(number as u64, "tree"));
        report(format_args!("{} to learn from, {} to measure on", numbers[0], numbers[1]));
        Ok(Self { train, dev, outcome: of_train.max(of_dev) })
    }

    /// Leaves out sentences of more words.
    pub(super) fn limit(&mut self, max_words: Option<usize>) {
        let Some(max_words) = max_words else { return };
        for trees in [&mut self.train, &mut self.dev] {
            trees.retain(|tree| sentence_length(tree) <= max_words);
        }
        let numbers = [self.train.len(), self.dev.len()].map(|number| counted(number as u64, "tree"));
        report(format_args!("of at most {max_words} words: {} and {}", numbers[0], numbers[1]));
    }
}

pub(super) fn read(args: &TrainArgs, files: &[PathBuf]) -> Result<(Vec<Tree>, Outcome)> {
    let mut reader = args.read.open(files)?;
    let mut trees = Vec::new();
    while let Some(tree) = reader.next()? {
        trees.push(tree);
    }
    Ok((trees, reader.finish()))
}
