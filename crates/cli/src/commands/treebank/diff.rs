//! `boughs treebank diff`: two parses of the same sentences, or the statistics of two treebanks, side by side.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::slice::from_ref;

use anyhow::{Result, bail};
use boughs::span::Span;
use boughs::tree::transform::{remove_traces, strip_functions};
use boughs::tree::{Tree, is_root_label};
use boughs::treebank::{Stats, TreeDiff, by_count};
use clap::Args;

use crate::input::{ReadArgs, Trees, is_stdin};
use crate::output::{print, stdout};
use crate::table::Table;
use crate::{Outcome, number};

/// Show where two parses of the same sentences differ, or two treebanks in their statistics
///
/// For each sentence that differs: its number and words, then the phrases and tags that only A has (-) and only B has
/// (+); at the end a table by label. Function tags and traces are left out unless --all is given. With --stats the two
/// need not have the same sentences.
///
/// Exit codes: 0 they are the same, 1 they differ or something could not be read, 2 they could not be compared.
#[derive(Args)]
pub(crate) struct DiffArgs {
    /// A treebank: a file (plain or .gz) or directory, or `@sample`; `-` is standard input
    a: PathBuf,

    /// Another, likewise
    b: PathBuf,

    /// Compare how often labels and tags occur, not tree by tree
    #[arg(long)]
    stats: bool,

    /// Keep function tags and traces
    #[arg(long)]
    all: bool,

    /// How many sentences, or labels and tags, to show; 0 shows all
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = number::within::<usize>(0..))]
    most: usize,

    #[command(flatten)]
    read: ReadArgs,
}

pub(crate) fn run(args: &DiffArgs) -> Result<Outcome> {
    if is_stdin(&args.a) && is_stdin(&args.b) {
        bail!("A and B cannot both be standard input");
    }
    let mut trees = [args.read.open(from_ref(&args.a))?, args.read.open(from_ref(&args.b))?];
    let are_same =
        if args.stats { compare_stats(args, &mut trees)? } else { compare_trees(args, &mut trees)? };
    let read = trees.into_iter().map(Trees::finish).fold(Outcome::Complete, Outcome::max);
    Ok(if are_same { read } else { Outcome::Partial })
}

impl DiffArgs {
    fn next(&self, trees: &mut Trees) -> Result<Option<Tree>> {
        let Some(mut tree) = trees.next()? else { return Ok(None) };
        if !self.all {
            strip_functions(&mut tree);
            remove_traces(&mut tree);
        }
        Ok(Some(tree))
    }

    fn most(&self) -> usize {
        if self.most == 0 { usize::MAX } else { self.most }
    }
}

/// What differs by label: only in A, only in B.
type ByLabel = BTreeMap<String, [u64; 2]>;

/// Writes each sentence that differs; whether none does.
fn compare_trees(args: &DiffArgs, trees: &mut [Trees; 2]) -> Result<bool> {
    let [a, b] = trees;
    let (mut num_trees, mut num_different, mut num_tags) = (0_u64, 0_usize, 0_usize);
    let (mut by_label, mut num_phrases) = (ByLabel::new(), [0_u64; 2]);
    let mut out = stdout();
    loop {
        let (one, other) = match (args.next(a)?, args.next(b)?) {
            (None, None) => break,
            (Some(one), Some(other)) => (one, other),
            (one, _) => bail!(
                "{} has more trees than the other: is it of the same sentences? (--stats compares any two treebanks)",
                if one.is_some() { &args.a } else { &args.b }.display()
            ),
        };
        num_trees += 1;
        let Some(diff) = TreeDiff::of(&one, &other) else {
            bail!(
                "tree {num_trees} is of other words in {} than in {} (--stats compares any two treebanks)",
                args.a.display(),
                args.b.display()
            );
        };
        for (number, tree) in num_phrases.iter_mut().zip([&one, &other]) {
            *number += tree.nodes().filter(|node| !is_root_label(node.label)).count() as u64;
        }
        if diff.is_empty() {
            continue;
        }
        num_different += 1;
        num_tags += diff.tags.len();
        for (side, phrases) in [&diff.only_first, &diff.only_second].into_iter().enumerate() {
            phrases.iter().for_each(|(_, label)| by_label.entry(label.clone()).or_default()[side] += 1);
        }
        if num_different <= args.most() {
            out.write_all(described(num_trees, &one, &diff).as_bytes())?;
        }
    }
    out.write_all(
        summary(num_trees, num_different, args.most(), num_tags, &by_label, num_phrases).as_bytes(),
    )?;
    out.flush()?;
    Ok(num_different == 0)
}

fn described(number: u64, tree: &Tree, diff: &TreeDiff) -> String {
    let mut text = format!("{number}: {}\n", words(tree, tree.whole()));
    let sides = [('-', &diff.only_first), ('+', &diff.only_second)];
    for (sign, (span, label)) in
        sides.into_iter().flat_map(|(sign, list)| list.iter().map(move |it| (sign, it)))
    {
        let _ = writeln!(text, "  {sign} {label:<8} {}", words(tree, *span));
    }
    for (index, one, other) in &diff.tags {
        let _ = writeln!(text, "  - {one:<8} {0}\n  + {other:<8} {0}", tree.word(*index));
    }
    text
}

fn words(tree: &Tree, span: Span) -> String {
    tree.words().skip(span.start as usize).take(span.len()).collect::<Vec<_>>().join(" ")
}

fn summary(
    num_trees: u64,
    num_different: usize,
    most: usize,
    num_tags: usize,
    by_label: &ByLabel,
    num_phrases: [u64; 2],
) -> String {
    let mut text = String::new();
    if num_different > most {
        let _ = writeln!(text, "… and {} more sentences (--most 0 shows all)", num_different - most);
    }
    if num_different > 0 {
        let mut table = Table::new(&["label", "only in A", "only in B"]);
        let mut labels: Vec<(&String, &[u64; 2])> = by_label.iter().collect();
        labels.sort_by_key(|(label, counts)| (std::cmp::Reverse(counts[0] + counts[1]), *label));
        labels.iter().for_each(|(label, [a, b])| table.row(&[label, a, b]));
        let all = labels.iter().fold([0, 0], |sums, (_, counts)| [sums[0] + counts[0], sums[1] + counts[1]]);
        table.row(&[&"all that differ", &all[0], &all[1]]);
        table.row(&[&"all phrases", &num_phrases[0], &num_phrases[1]]);
        let _ = write!(text, "\n{table}\n");
    }
    let _ = writeln!(text, "{num_different} of {num_trees} sentences differ, {num_tags} tags");
    text
}

/// A number that a treebank has.
type Figure = fn(&Stats) -> u64;

/// Writes the statistics of both; whether all are the same.
fn compare_stats(args: &DiffArgs, trees: &mut [Trees; 2]) -> Result<bool> {
    let mut both = [Stats::new(), Stats::new()];
    for (stats, trees) in both.iter_mut().zip(trees) {
        while let Some(tree) = args.next(trees)? {
            stats.add(&tree);
        }
    }
    let [a, b] = &both;
    let mut sizes = Table::new(&["", "A", "B"]);
    let rows: [(&str, Figure); 5] = [
        ("sentences", |stats| stats.trees),
        ("tokens", |stats| stats.tokens),
        ("words", |stats| stats.vocabulary() as u64),
        ("phrases", |stats| stats.phrases),
        ("phrases with one child", |stats| stats.unary_phrases),
    ];
    rows.iter().for_each(|(name, figure)| sizes.row(&[name, &figure(a), &figure(b)]));
    let mean = |stats: &Stats| stats.length.mean().map_or_else(String::new, |mean| format!("{mean:.1}"));
    sizes.row(&[&"tokens a sentence", &mean(a), &mean(b)]);
    let labels = frequencies(&a.labels, &b.labels, [a.phrases, b.phrases], args.most());
    let tags = frequencies(&a.tags, &b.tags, [a.tokens, b.tokens], args.most());
    print(format!("{sizes}\nlabels, of 1000 phrases\n{labels}\nparts of speech, of 1000 tokens\n{tags}"))?;
    let is_same = rows.iter().all(|(_, figure)| figure(a) == figure(b));
    Ok(is_same && a.labels == b.labels && a.tags == b.tags)
}

/// How often names occur on both sides, those first that differ most.
fn frequencies(a: &BTreeMap<String, u64>, b: &BTreeMap<String, u64>, totals: [u64; 2], most: usize) -> Table {
    let share =
        |count: Option<&u64>, total: u64| 1000.0 * count.map_or(0.0, |&it| it as f64) / total.max(1) as f64;
    let names =
        by_count(a).into_iter().chain(by_count(b).into_iter().filter(|(name, _)| !a.contains_key(*name)));
    let mut rows: Vec<(&str, f64, f64)> =
        names.map(|(name, _)| (name, share(a.get(name), totals[0]), share(b.get(name), totals[1]))).collect();
    rows.sort_by(|one, other| (other.1 - other.2).abs().total_cmp(&(one.1 - one.2).abs()));
    let mut table = Table::new(&["", "A", "B", "B - A"]);
    for (name, a, b) in rows.into_iter().take(most) {
        table.row(&[&name, &format!("{a:.1}"), &format!("{b:.1}"), &format!("{:+.1}", b - a)]);
    }
    table
}
