//! Pairs to learn from: read, parsed, filtered, aligned.

use std::path::PathBuf;

use anyhow::{Result, bail};
use boughs::parser::{ParseOptions, Sentence};
use boughs::tree::Tree;
use boughs_translate::AlignedPair;
use boughs_translate::align::{Bitext, SentenceGroups, Tokens, TreeCounts, split};
use clap::Args;
use rayon::prelude::*;

use super::load_parser;
use crate::bitext::{BitextArgs, FilterArgs, Pairs};
use crate::commands::align::{WordAlignArgs, WordLinks, count, described};
use crate::model::ENGLISH;
use crate::number;
use crate::output::report;

#[derive(Debug, Clone, Args)]
pub(super) struct DataArgs {
    #[command(flatten)]
    pairs: BitextArgs,

    /// The parser of the source, unless SOURCE has --trees: a file written by `boughs train`, or `@english`, which is built in
    #[arg(long, value_name = "MODEL", default_value = ENGLISH)]
    parser: PathBuf,

    /// Use only the first N pairs
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..))]
    max_pairs: Option<usize>,

    #[command(flatten)]
    filter: FilterArgs,

    #[command(flatten)]
    words: WordAlignArgs,

    /// Do not learn from N pairs, chosen at random, but choose penalties by them; no sentence of theirs is learned from
    #[arg(long, value_name = "N", default_value_t = 1000)]
    tune: usize,

    /// The seed of what is random
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) seed: u64,

    /// Say nothing about progress
    #[arg(long, short)]
    pub(super) quiet: bool,
}

/// The parts of the data.
pub(super) struct Data {
    pub(super) train: Vec<AlignedPair>,
    pub(super) tune: Vec<AlignedPair>,
    pub(super) test: Vec<AlignedPair>,
    pub(super) counts: TreeCounts,
}

impl DataArgs {
    /// Reads pairs and draws parts of them, of which `num_test` are to test on.
    pub(super) fn read(&self, num_test: usize) -> Result<Data> {
        let mut pairs = self.pairs.read(Tokens::English)?;
        if !self.pairs.has_trees() {
            pairs.trees = self.parse(&pairs.bitext)?;
        }
        let pairs = self.filtered(&pairs);
        let links = self.words.align(&pairs.bitext, self.quiet)?;
        let slots = self.divide(&pairs.bitext, num_test)?;
        let counts = count(&pairs, &links);
        report(format_args!("{}", described(&counts)));
        Ok(assemble(&pairs, &links, &slots, counts))
    }

    /// Says of each pair whether it is for training (0), tuning (1) or testing (2).
    fn divide(&self, bitext: &Bitext, num_test: usize) -> Result<Vec<Option<usize>>> {
        let num_taken = self.tune.saturating_add(num_test);
        let Some(num_left @ 1..) = bitext.len().checked_sub(num_taken) else {
            bail!(
                "expected more than {num_taken} pairs, so that some are left to learn from, found {} (ask for fewer by --tune)",
                bitext.len()
            );
        };
        let mut groups = SentenceGroups::new();
        for index in 0..bitext.len() {
            groups.push(bitext.source().words(index), bitext.target().words(index));
        }
        Ok(split(&groups.firsts(), &[num_left, self.tune, num_test], Some(0), self.seed))
    }

    fn parse(&self, bitext: &Bitext) -> Result<Vec<Tree>> {
        let parser = load_parser(&self.parser)?;
        let side = bitext.source();
        let num_pairs = self.max_pairs.unwrap_or(usize::MAX).min(bitext.len());
        report(format_args!("parsing {num_pairs} sentences"));
        let parse = |worker: &mut boughs::parser::Worker<'_>, index: usize| {
            let words = side.words(index).map(|word| (word, ""));
            Ok(worker.parse(&Sentence::new(words)?)?.tree().clone())
        };
        let worker = || parser.worker(&ParseOptions::default());
        (0..num_pairs).into_par_iter().map_init(worker, parse).collect()
    }

    /// The pairs that are worth having.
    fn filtered(&self, pairs: &Pairs) -> Pairs {
        let filter = self.filter.filter();
        let mut kept = Pairs { bitext: Bitext::new(), trees: Vec::new() };
        let num_pairs = self.max_pairs.unwrap_or(usize::MAX).min(pairs.bitext.len());
        let target = pairs.bitext.target();
        for (index, tree) in pairs.trees.iter().enumerate().take(num_pairs) {
            if filter.keeps(tree.num_tokens(), target.sentences().get(index).len()) {
                kept.bitext.push(tree.words(), target.words(index));
                kept.trees.push(tree.clone());
            }
        }
        report(format_args!("{} of {num_pairs} pairs kept", kept.trees.len()));
        kept
    }
}

fn assemble(pairs: &Pairs, links: &WordLinks, slots: &[Option<usize>], counts: TreeCounts) -> Data {
    let mut parts: [Vec<AlignedPair>; 3] = Default::default();
    for (index, slot) in slots.iter().enumerate() {
        if let Some(part) = *slot {
            parts[part].push(AlignedPair {
                tree: pairs.trees[index].clone(),
                target: pairs.bitext.target().words(index).map(str::to_owned).collect(),
                links: links.one_to_one(index, &pairs.bitext),
                all_links: links.links[index].clone(),
            });
        }
    }
    let [train, tune, test] = parts;
    Data { train, tune, test, counts }
}

impl Data {
    /// Refuses what cannot be learned from.
    pub(super) fn check(&self) -> Result<()> {
        if self.train.is_empty() {
            bail!("there are no pairs to learn from");
        }
        Ok(())
    }
}
