//! `boughs treebank stats`: what is in a treebank.

use std::io::Write;

use anyhow::Result;
use boughs::treebank::{Distribution, Stats, by_count};
use clap::Args;
use serde_json::{Value, json};

use crate::input::InputArgs;
use crate::output::stdout;
use crate::table::{push_left, push_right, shorten};
use crate::{Outcome, number};

/// Count sentences, words, labels and tags
#[derive(Args)]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    input: InputArgs,

    /// How many labels and tags to list; 0 lists all
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = number::within::<usize>(0..))]
    most: usize,

    /// Print one JSON object, with everything
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &StatsArgs) -> Result<Outcome> {
    let mut trees = args.input.open()?;
    let mut stats = Stats::new();
    while let Some(tree) = trees.next()? {
        stats.add(&tree);
    }
    let mut out = stdout();
    if args.json {
        writeln!(out, "{:#}", to_json(&stats))?;
    } else {
        write_text(&stats, if args.most == 0 { usize::MAX } else { args.most }, &mut out)?;
    }
    out.flush()?;
    Ok(trees.finish())
}

fn write_text(stats: &Stats, most: usize, out: &mut impl Write) -> Result<()> {
    writeln!(out, "sentences   {:>10}", stats.trees)?;
    if stats.empty_trees > 0 {
        writeln!(out, "  empty     {:>10}", stats.empty_trees)?;
    }
    writeln!(out, "tokens      {:>10}   {}", stats.tokens, spread(&stats.length, "a sentence"))?;
    writeln!(out, "traces      {:>10}", stats.traces)?;
    writeln!(out, "words       {:>10}   {} occur once", stats.vocabulary(), stats.hapaxes())?;
    writeln!(out, "phrases     {:>10}   {} have one child", stats.phrases, stats.unary_phrases)?;
    writeln!(out, "children                 {}", spread(&stats.children, "a phrase"))?;
    writeln!(out, "depth                    {}", spread(&stats.depth, "a sentence"))?;
    writeln!(out, "\ntokens a sentence")?;
    write_histogram(&stats.length, out)?;
    let roots = by_count(&stats.roots);
    let rootless = stats.trees - stats.empty_trees - roots.iter().map(|(_, count)| count).sum::<u64>();
    let roots = roots.into_iter().map(|(label, count)| (if label.is_empty() { "( )" } else { label }, count));
    let rootless = (rootless > 0).then_some(("none", rootless));
    write_list("roots", roots.chain(rootless).collect(), most, out)?;
    write_list("labels", by_count(&stats.labels), most, out)?;
    write_list("function tags", by_count(&stats.functions), most, out)?;
    write_list("parts of speech", by_count(&stats.tags), most, out)
}

fn spread(numbers: &Distribution, unit: &str) -> String {
    match (numbers.min(), numbers.median(), numbers.mean(), numbers.max()) {
        (Some(min), Some(median), Some(mean), Some(max)) => {
            format!("{min} to {max} {unit}, median {median}, mean {mean:.1}")
        }
        _ => String::new(),
    }
}

fn write_histogram(numbers: &Distribution, out: &mut impl Write) -> Result<()> {
    const STEP: u64 = 10;
    const WIDEST: u64 = 50;
    let mut buckets: Vec<u64> = Vec::new();
    for (value, count) in numbers.counts() {
        let bucket = (value.saturating_sub(1) / STEP).min(10) as usize;
        buckets.resize(buckets.len().max(bucket + 1), 0);
        buckets[bucket] += count;
    }
    let most = buckets.iter().copied().max().unwrap_or(1).max(1);
    for (bucket, &count) in (0u64..).zip(&buckets) {
        let range = match bucket {
            0 => "0-10".to_owned(),
            10 => "101-".to_owned(),
            bucket => format!("{}-{}", bucket * STEP + 1, (bucket + 1) * STEP),
        };
        let bar = "█".repeat((count * WIDEST).div_ceil(most) as usize);
        writeln!(out, "  {range:>7} {count:>8} {bar}")?;
    }
    Ok(())
}

fn write_list(title: &str, mut counts: Vec<(&str, u64)>, most: usize, out: &mut impl Write) -> Result<()> {
    if counts.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{title} ({})", counts.len())?;
    let left_out = counts.len().saturating_sub(most);
    counts.truncate(most);
    let names = counts.iter().map(|(name, _)| shorten(name).chars().count() + 1);
    let width = names.max().unwrap_or(0).max(9);
    for row in counts.chunks((76 / (width + 10)).max(1)) {
        let mut line = String::new();
        for (name, count) in row {
            line.push_str("  ");
            push_left(&mut line, &shorten(name), width);
            push_right(&mut line, &count.to_string(), 8);
        }
        writeln!(out, "{line}")?;
    }
    if left_out > 0 {
        writeln!(out, "  … and {left_out} more (--most 0 lists all)")?;
    }
    Ok(())
}

fn to_json(stats: &Stats) -> Value {
    let numbers = |numbers: &Distribution| {
        json!({
            "min": numbers.min(), "median": numbers.median(), "mean": numbers.mean(), "max": numbers.max(),
            "counts": numbers.counts().collect::<Vec<_>>(),
        })
    };
    let names = |counts: Vec<(&str, u64)>| -> Value {
        counts
            .into_iter()
            .map(|(name, count)| (name.to_owned(), Value::from(count)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    json!({
        "sentences": stats.trees,
        "empty": stats.empty_trees,
        "tokens": stats.tokens,
        "traces": stats.traces,
        "words": stats.vocabulary(),
        "hapaxes": stats.hapaxes(),
        "phrases": stats.phrases,
        "unary_phrases": stats.unary_phrases,
        "length": numbers(&stats.length),
        "children": numbers(&stats.children),
        "depth": numbers(&stats.depth),
        "roots": names(by_count(&stats.roots)),
        "labels": names(by_count(&stats.labels)),
        "functions": names(by_count(&stats.functions)),
        "tags": names(by_count(&stats.tags)),
    })
}
