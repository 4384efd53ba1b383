//! Pairs to learn from: read, parsed, filtered, aligned.

use std::path::PathBuf;

use anyhow::{Result, bail};
use boughs::parser::{Parser, Sentence, Worker, built_in};
use boughs_translate::AlignedPair;
use boughs_translate::align::{Bitext, SentenceGroups, Tokenization, TreeCounts, split};
use clap::Args;
use rayon::prelude::*;

use super::parse;
use crate::bitext::{BitextArgs, BitextPairs, FilterArgs};
use crate::commands::align::WordAlignArgs;
use crate::model::load_parser;
use crate::number;
use crate::output::report;

#[derive(Debug, Clone, Args)]
pub(super) struct PairArgs {
    #[command(flatten)]
    pairs: BitextArgs,

    /// Development pairs, in a file or two as SOURCE and TARGET, to choose penalties by [default: pairs are held out]
    #[arg(long, value_name = "FILE", num_args = 1..=2, conflicts_with = "links")]
    dev: Vec<PathBuf>,

    /// Hold out N pairs, chosen at random, as development pairs; no sentence of theirs is learned from
    #[arg(long, value_name = "N", default_value_t = 1000, conflicts_with = "dev")]
    dev_pairs: usize,

    /// The parser of the source, unless there are --trees: a file written by `boughs train`, or `@english`, which is
    /// built in
    #[arg(long, value_name = "MODEL", default_value = built_in::DEFAULT)]
    parser: PathBuf,

    /// Use only the first N pairs
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..))]
    max_pairs: Option<usize>,

    #[command(flatten)]
    filter: FilterArgs,

    #[command(flatten)]
    words: WordAlignArgs,
}

/// The parts of the data.
pub(super) struct PairParts {
    pub(super) train: Vec<AlignedPair>,
    pub(super) dev: Vec<AlignedPair>,
    pub(super) test: Vec<AlignedPair>,
    pub(super) counts: TreeCounts,
}

impl PairArgs {
    /// Reads pairs and draws parts of them, of which `num_test` are to test on.
    pub(super) fn read(&self, num_test: usize, seed: u64, is_quiet: bool) -> Result<PairParts> {
        let parser = (!self.pairs.trees).then(|| load_parser(&self.parser)).transpose()?;
        let mut pairs = BitextPairs::default();
        self.load(&self.pairs.files(), self.max_pairs.unwrap_or(usize::MAX), parser.as_ref(), &mut pairs)?;
        let parts = self.divide(&pairs.bitext, num_test, seed)?;
        if !self.dev.is_empty() {
            self.load(&self.dev, usize::MAX, parser.as_ref(), &mut pairs)?;
        }
        let (pairs, counts) = self.words.align(pairs, is_quiet)?;
        let mut found = PairParts { train: Vec::new(), dev: Vec::new(), test: Vec::new(), counts };
        // Behind those that were divided are the development pairs of other files.
        for (pair, part) in pairs.into_iter().zip(parts.into_iter().chain(std::iter::repeat(Some(1)))) {
            match part {
                Some(0) => found.train.push(pair),
                Some(1) => found.dev.push(pair),
                Some(2) => found.test.push(pair),
                _ => {}
            }
        }
        if found.train.is_empty() {
            bail!("there are no pairs to learn from");
        }
        Ok(found)
    }

    /// Says of each pair whether it is for training (0), development (1) or testing (2).
    fn divide(&self, bitext: &Bitext, num_test: usize, seed: u64) -> Result<Vec<Option<usize>>> {
        let num_dev = if self.dev.is_empty() { self.dev_pairs } else { 0 };
        let num_taken = num_dev.saturating_add(num_test);
        let Some(num_left @ 1..) = bitext.len().checked_sub(num_taken) else {
            bail!(
                "expected more than {num_taken} pairs, so that some are left to learn from, found {} (ask for fewer by --dev-pairs)",
                bitext.len()
            );
        };
        let mut groups = SentenceGroups::default();
        for index in 0..bitext.len() {
            groups.push(bitext.source.words(index), bitext.target.words(index));
        }
        Ok(split(&groups.firsts(), &[num_left, num_dev, num_test], Some(0), seed))
    }

    /// Adds the pairs of some files, at most so many, with their trees, and without those that are left out.
    fn load(
        &self,
        files: &[PathBuf],
        max_pairs: usize,
        parser: Option<&Parser>,
        kept: &mut BitextPairs,
    ) -> Result<()> {
        let BitextPairs { bitext, mut trees } = self.pairs.read(files, Tokenization::English)?;
        let num_pairs = max_pairs.min(bitext.len());
        if let Some(parser) = parser {
            report(format_args!("parsing {num_pairs} sentences"));
            let parse = |worker: &mut Worker<'_>, index: usize| {
                parse(worker, &Sentence::new(bitext.source.words(index).map(|word| (word, ""))))
            };
            let parsed = (0..num_pairs).into_par_iter().map_init(|| parser.worker(), parse);
            trees = parsed.collect::<Result<_>>()?;
        }
        let (filter, num_before) = (self.filter.filter(), kept.trees.len());
        for (index, tree) in trees.into_iter().enumerate().take(num_pairs) {
            if filter.rejection(tree.num_tokens(), bitext.num_words(index).1).is_none() {
                kept.bitext.push(tree.words(), bitext.target.words(index));
                kept.trees.push(tree);
            }
        }
        report(format_args!("{} of {num_pairs} pairs kept", kept.trees.len() - num_before));
        Ok(())
    }
}
