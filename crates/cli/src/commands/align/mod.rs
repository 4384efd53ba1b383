//! `boughs align`: which words translate which.

mod draw;

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use boughs::tree::heads::HeadRules;
use boughs_translate::align::{
    AlignConfig, BinaryTree, Bitext, ErrorRate, GoldLinks, Iteration, Link, Model, Symmetrization, Tokens,
    TreeAlignment, TreeCounts, align_words, format_links, one_to_one,
};
use clap::Args;

use crate::Outcome;
use crate::bitext::{BitextArgs, Pairs, each_line, read_links};
use crate::number;
use crate::output::{report, stdout};
use crate::threads::ThreadArgs;

/// Link the words of sentences and their translations
///
/// Writes a line for each pair, `0-0 1-2 …`: source and target word, counted from 0 (the Pharaoh format, which other aligners write
/// and read). IBM model 1 and then the HMM model are trained on the pairs themselves, in both directions; nothing else is
/// needed. A pair that is empty on one side or too long gets an empty line.
#[derive(Debug, Clone, Args)]
pub(crate) struct AlignArgs {
    #[command(flatten)]
    pairs: BitextArgs,

    #[command(flatten)]
    words: WordAlignArgs,

    /// Compare with gold links, `0-0 1-2 3?1` (`?` or `p` for those that are possible but not sure): the alignment error rate goes to standard error
    #[arg(long, value_name = "FILE")]
    gold: Option<PathBuf>,

    /// Instead of links, draw pair N, counted from 1, as SVG: its tree, its translation and the links (with --trees)
    #[arg(long, value_name = "N", requires = "trees", value_parser = number::within::<usize>(1..))]
    draw: Option<usize>,

    #[command(flatten)]
    threads: ThreadArgs,

    /// Say nothing about the progress of training
    #[arg(long, short)]
    quiet: bool,
}

/// How words are linked.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Alignment")]
pub(crate) struct WordAlignArgs {
    /// Take the links of another aligner instead
    #[arg(long, value_name = "FILE")]
    links: Option<PathBuf>,

    /// Which links of the two directions to keep: intersection, union, grow-diag, grow-diag-final-and, forward or backward
    #[arg(long, value_name = "NAME", default_value = "grow-diag-final-and", value_parser = |name: &str| name.parse::<Symmetrization>())]
    symmetrize: Symmetrization,

    /// Passes of IBM model 1
    #[arg(long, value_name = "N", default_value_t = AlignConfig::default().model1_passes, value_parser = number::within::<u32>(1..))]
    model1_passes: u32,

    /// Passes of the HMM model
    #[arg(long, value_name = "N", default_value_t = AlignConfig::default().hmm_passes)]
    hmm_passes: u32,

    /// The probability that a word has no link
    #[arg(long, value_name = "P", default_value_t = AlignConfig::default().unlinked)]
    unlinked: f64,

    /// The weight of the sparse prior, from 0 (none) to 1: the nearer to 0, the fewer translations a word has
    #[arg(long, value_name = "N", default_value_t = AlignConfig::default().prior)]
    prior: f64,

    /// Tell `The` from `the`: by default case does not matter
    #[arg(long)]
    keep_case: bool,
}

/// The links of each pair; those of both directions, if they are known, are strong.
pub(crate) struct WordLinks {
    pub(crate) links: Vec<Vec<Link>>,
    strong: Vec<Vec<Link>>,
}

impl WordLinks {
    /// Links of which no two share a word.
    pub(crate) fn one_to_one(&self, index: usize, bitext: &Bitext) -> Vec<Link> {
        let (num_source, num_target) = bitext.num_words(index);
        let strong = self.strong.get(index).map_or(&[][..], Vec::as_slice);
        one_to_one(strong, &self.links[index], num_source, num_target)
    }
}

impl WordAlignArgs {
    /// Links the words of pairs, or reads their links.
    pub(crate) fn align(&self, bitext: &Bitext, is_quiet: bool) -> Result<WordLinks> {
        if let Some(path) = &self.links {
            return Ok(WordLinks { links: read_links(path, bitext)?, strong: Vec::new() });
        }
        let config = AlignConfig {
            model1_passes: self.model1_passes,
            hmm_passes: self.hmm_passes,
            unlinked: self.unlinked,
            prior: self.prior,
            ..AlignConfig::default()
        };
        let observe = |iteration: &Iteration| {
            if !is_quiet {
                tell(iteration);
            }
        };
        let directed = match self.keep_case {
            true => align_words(bitext, &config, observe)?,
            false => align_words(&bitext.lowercased(), &config, observe)?,
        };
        if directed.num_skipped > 0 {
            report(format_args!(
                "{} pairs have an empty or too long side, and no links",
                directed.num_skipped
            ));
        }
        let strong = directed.symmetrize(Symmetrization::Intersection);
        Ok(WordLinks { links: directed.symmetrize(self.symmetrize), strong })
    }
}

fn tell(iteration: &Iteration) {
    let direction = if iteration.is_forward { "source to target" } else { "target to source" };
    let model = match iteration.model {
        Model::Model1 => "model 1",
        Model::Hmm => "HMM",
    };
    report(format_args!(
        "{direction}, {model}, pass {}: perplexity {:.3}",
        iteration.pass,
        iteration.perplexity()
    ));
}

pub(crate) fn run(args: &AlignArgs) -> Result<Outcome> {
    let pairs = args.pairs.read(Tokens::Plain)?;
    if pairs.bitext.is_empty() {
        bail!("{}: expected sentence pairs, found none", args.pairs.source.display());
    }
    let links = args.threads.pool()?.install(|| args.words.align(&pairs.bitext, args.quiet))?;
    if let Some(gold) = &args.gold {
        compare(gold, &pairs.bitext, &links.links)?;
    }
    if args.pairs.has_trees() {
        report(format_args!("{}", described(&count(&pairs, &links))));
    }
    match args.draw {
        Some(number) => draw::draw(&pairs, &links, number)?,
        None => write(&links.links)?,
    }
    Ok(Outcome::Complete)
}

fn write(links: &[Vec<Link>]) -> Result<()> {
    let mut out = stdout();
    for links in links {
        writeln!(out, "{}", format_links(links))?;
    }
    Ok(out.flush()?)
}

fn compare(path: &std::path::Path, bitext: &Bitext, links: &[Vec<Link>]) -> Result<()> {
    let mut rate = ErrorRate::default();
    each_line(path, links.len(), |index, line| {
        rate.add(&links[index], &GoldLinks::parse(line, Some(bitext.num_words(index)))?);
        Ok(())
    })?;
    let percent = |share: f64| 100.0 * share;
    report(format_args!(
        "alignment error rate {:.2}% (precision {:.2}%, recall {:.2}%)",
        percent(rate.rate()),
        percent(rate.precision()),
        percent(rate.recall())
    ));
    Ok(())
}

/// What links say about the phrases of the source.
pub(crate) fn count(pairs: &Pairs, links: &WordLinks) -> TreeCounts {
    let rules = HeadRules::english();
    let mut counts = TreeCounts::default();
    for (index, tree) in pairs.trees.iter().enumerate() {
        let links = links.one_to_one(index, &pairs.bitext);
        let alignment = TreeAlignment::new(&BinaryTree::new(tree, &rules), &links);
        counts.add(&alignment, pairs.bitext.target().sentences().get(index).len());
    }
    counts
}

/// The counts in a sentence.
pub(crate) fn described(counts: &TreeCounts) -> String {
    format!(
        "{} of {} source words linked one to one, to {} target words; of the phrases {} straight, {} inverted, {} with an unlinked part, {} mixed",
        counts.linked_words,
        counts.words,
        counts.target_words,
        counts.straight,
        counts.inverted,
        counts.unlinked,
        counts.mixed
    )
}
