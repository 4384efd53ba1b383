//! `boughs align`: which words translate which.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use boughs::tree::draw::write_pair_svg;
use boughs_translate::AlignedPair;
use boughs_translate::align::{
    AlignConfig, Bitext, ErrorRate, GoldLinks, Link, Symmetrization, Tokenization, TreeCounts, format_links,
    parse_links,
};
use clap::{Args, ValueEnum};

use crate::bitext::{BitextArgs, BitextPairs, read_lines};
use crate::choice::named;
use crate::output::{report, stdout};
use crate::threads::ThreadArgs;
use crate::training::run_through;
use crate::{Outcome, number};

/// Link the words of sentences and their translations
///
/// Writes a line for each pair, `0-0 1-2 …`: source and target word, counted from 0 (the Pharaoh format, which other
/// aligners write and read). IBM model 1 and then the HMM model are trained on the pairs themselves, in both
/// directions; nothing else is needed. A pair that is empty on one side or too long gets an empty line.
#[derive(Debug, Clone, Args)]
pub(crate) struct AlignArgs {
    #[command(flatten)]
    pairs: BitextArgs,

    #[command(flatten)]
    words: WordAlignArgs,

    /// Compare with gold links, `0-0 1-2 3?1` (`?` or `p` for those that are possible but not sure): the alignment
    /// error rate goes to standard error
    #[arg(long, value_name = "FILE")]
    gold: Option<PathBuf>,

    /// What to write
    #[arg(long, short, value_enum, value_name = "FORMAT", default_value_t, requires_if("svg", "trees"))]
    to: LinkFormat,

    /// The pair to draw, counted from 1
    #[arg(long, short, value_name = "N", default_value_t = 1, value_parser = number::within::<usize>(1..))]
    number: usize,

    #[command(flatten)]
    threads: ThreadArgs,

    /// Say nothing about the progress of training
    #[arg(long, short)]
    quiet: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, ValueEnum)]
enum LinkFormat {
    /// The links of all pairs, `0-0 1-2`
    #[default]
    Pharaoh,
    /// One pair as a picture: its tree (--trees), its translation and the links
    Svg,
}

/// How words are linked.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Alignment")]
pub(crate) struct WordAlignArgs {
    /// Take the links of another aligner instead
    #[arg(long, value_name = "FILE")]
    links: Option<PathBuf>,

    /// Which links of the two directions to keep: intersection, union, grow-diag, grow-diag-final-and, forward or
    /// backward
    #[arg(long, value_name = "NAME", default_value = "grow-diag-final-and", value_parser = named::<Symmetrization>("which links"))]
    symmetrize: Symmetrization,

    /// EM iterations of IBM model 1
    #[arg(long, value_name = "N", default_value_t = AlignConfig::default().model1_iterations, value_parser = number::within::<u32>(1..))]
    model1_iterations: u32,

    /// EM iterations of the HMM model
    #[arg(long, value_name = "N", default_value_t = AlignConfig::default().hmm_iterations)]
    hmm_iterations: u32,

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

impl WordAlignArgs {
    /// Links the words of pairs, or reads their links. The second are those of both directions, if they are known.
    fn links(&self, bitext: &Bitext, is_quiet: bool) -> Result<[Vec<Vec<Link>>; 2]> {
        if let Some(path) = &self.links {
            let parse = |index, line: &str| parse_links(line, Some(bitext.num_words(index)));
            return Ok([read_lines(path, bitext.len(), parse).context("links")?, Vec::new()]);
        }
        let config = AlignConfig {
            model1_iterations: self.model1_iterations,
            hmm_iterations: self.hmm_iterations,
            unlinked: self.unlinked,
            prior: self.prior,
            ..AlignConfig::default()
        };
        let bitext = if self.keep_case { Cow::Borrowed(bitext) } else { Cow::Owned(bitext.lowercased()) };
        let directed = run_through(&config, &*bitext, None, is_quiet)?;
        if directed.num_skipped > 0 {
            let num_skipped = directed.num_skipped;
            report(format_args!("{num_skipped} pairs have an empty or too long side, and no links"));
        }
        Ok([self.symmetrize, Symmetrization::Intersection].map(|how| directed.symmetrize(how)))
    }

    /// Links the words of pairs with trees, and reports what this means for the phrases of the source.
    pub(crate) fn align(&self, pairs: BitextPairs, is_quiet: bool) -> Result<(Vec<AlignedPair>, TreeCounts)> {
        let [links, strong] = self.links(&pairs.bitext, is_quiet)?;
        Ok(with_trees(pairs, links, &strong))
    }
}

pub(crate) fn run(args: &AlignArgs) -> Result<Outcome> {
    let pairs = args.pairs.read(&args.pairs.files(), Tokenization::Plain)?;
    let [links, strong] = args.threads.pool()?.install(|| args.words.links(&pairs.bitext, args.quiet))?;
    if let Some(gold) = &args.gold {
        compare(gold, &pairs.bitext, &links)?;
    }
    let mut text = String::new();
    if args.to == LinkFormat::Pharaoh {
        links.iter().try_for_each(|links| writeln!(text, "{}", format_links(links)))?;
    }
    if args.pairs.trees {
        let (pairs, _) = with_trees(pairs, links, &strong);
        if args.to == LinkFormat::Svg {
            let (number, num_pairs) = (args.number, pairs.len());
            let pair = pairs.get(number - 1);
            let pair = pair.with_context(|| format!("there is no pair {number}: there are {num_pairs}"))?;
            let words: Vec<&str> = pair.target.iter().map(String::as_str).collect();
            let links: Vec<(u32, u32)> =
                pair.all_links.iter().map(|link| (link.source, link.target)).collect();
            write_pair_svg(&pair.tree, &words, &links, &mut text)?;
        }
    }
    let mut out = stdout();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(Outcome::Complete)
}

fn compare(path: &Path, bitext: &Bitext, links: &[Vec<Link>]) -> Result<()> {
    let mut rate = ErrorRate::default();
    read_lines(path, links.len(), |index, line| {
        rate.add(&links[index], &GoldLinks::parse(line, Some(bitext.num_words(index)))?);
        Ok(())
    })?;
    let [rate, precision, recall] = [rate.rate(), rate.precision(), rate.recall()].map(|share| 100.0 * share);
    report(format_args!("alignment error rate {rate:.2}% (precision {precision:.2}%, recall {recall:.2}%)"));
    Ok(())
}

fn with_trees(
    pairs: BitextPairs,
    links: Vec<Vec<Link>>,
    strong: &[Vec<Link>],
) -> (Vec<AlignedPair>, TreeCounts) {
    let pairs = AlignedPair::all(pairs.trees, &pairs.bitext, links, strong);
    let mut counts = TreeCounts::default();
    pairs.iter().for_each(|pair| counts.add(&pair.tree, &pair.links, pair.target.len()));
    let TreeCounts { words, linked_words, target_words, straight, inverted, unlinked, mixed } = counts;
    report(format_args!(
        "{linked_words} of {words} source words linked one to one, to {target_words} target words; \
         of the phrases {straight} straight, {inverted} inverted, {unlinked} with an unlinked part, {mixed} mixed",
    ));
    (pairs, counts)
}
