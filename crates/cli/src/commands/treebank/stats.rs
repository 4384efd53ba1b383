//! `boughs treebank stats`: what is in a treebank.

use anyhow::Result;
use boughs::treebank::{Distribution, Stats, by_count};
use clap::Args;
use serde_json::{Value, json};

use crate::input::InputArgs;
use crate::output::{print, report};
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
    let most = if args.most == 0 { usize::MAX } else { args.most };
    print(if args.json { format!("{:#}\n", to_json(&stats)) } else { text(&stats, most) })?;
    let is_empty = stats.trees == 0;
    if is_empty {
        report(format_args!("no tree was found: is it another format? see --from"));
    }
    Ok(trees.finish().max(if is_empty { Outcome::Partial } else { Outcome::Complete }))
}

fn text(stats: &Stats, most: usize) -> String {
    let Stats { trees, empty_trees, tokens, traces, phrases, unary_phrases, length, .. } = stats;
    let empty = if *empty_trees > 0 { format!("  empty     {empty_trees:>10}\n") } else { String::new() };
    let (words, hapaxes) = (stats.vocabulary(), stats.hapaxes());
    let (children, depth) = (spread(&stats.children, "a phrase"), spread(&stats.depth, "a sentence"));
    let roots = by_count(&stats.roots);
    let rootless = trees - empty_trees - roots.iter().map(|(_, count)| count).sum::<u64>();
    let roots = roots.into_iter().map(|(label, count)| (if label.is_empty() { "( )" } else { label }, count));
    let rootless = (rootless > 0).then_some(("none", rootless));
    let lists = [
        ("roots", roots.chain(rootless).collect()),
        ("labels", by_count(&stats.labels)),
        ("function tags", by_count(&stats.functions)),
        ("parts of speech", by_count(&stats.tags)),
    ];
    format!(
        "sentences   {trees:>10}\n{empty}\
         tokens      {tokens:>10}   {}\n\
         traces      {traces:>10}\n\
         words       {words:>10}   {hapaxes} occur once\n\
         phrases     {phrases:>10}   {unary_phrases} have one child\n\
         children                 {children}\n\
         depth                    {depth}\n\n\
         tokens a sentence\n{}{}",
        spread(length, "a sentence"),
        histogram(length),
        lists.map(|(title, counts)| list(title, counts, most)).concat()
    )
}

fn spread(numbers: &Distribution, unit: &str) -> String {
    match (numbers.min(), numbers.median(), numbers.mean(), numbers.max()) {
        (Some(min), Some(median), Some(mean), Some(max)) => {
            format!("{min} to {max} {unit}, median {median}, mean {mean:.1}")
        }
        _ => String::new(),
    }
}

fn histogram(numbers: &Distribution) -> String {
    const STEP: u64 = 10;
    const WIDEST: u64 = 50;
    let mut buckets: Vec<u64> = Vec::new();
    for (value, count) in numbers.counts() {
        let bucket = (value.saturating_sub(1) / STEP).min(10) as usize;
        buckets.resize(buckets.len().max(bucket + 1), 0);
        buckets[bucket] += count;
    }
    let most = buckets.iter().copied().max().unwrap_or(1).max(1);
    let line = |(bucket, &count): (u64, &u64)| {
        let range = match bucket {
            0 => "0-10".to_owned(),
            10 => "101-".to_owned(),
            bucket => format!("{}-{}", bucket * STEP + 1, (bucket + 1) * STEP),
        };
        let bar = "█".repeat((count * WIDEST).div_ceil(most) as usize);
        format!("  {range:>7} {count:>8} {bar}\n")
    };
    (0..).zip(&buckets).map(line).collect()
}

fn list(title: &str, mut counts: Vec<(&str, u64)>, most: usize) -> String {
    if counts.is_empty() {
        return String::new();
    }
    let mut list = format!("\n{title} ({})\n", counts.len());
    let left_out = counts.len().saturating_sub(most);
    counts.truncate(most);
    let names = counts.iter().map(|(name, _)| shorten(name).chars().count() + 1);
    let width = names.max().unwrap_or(0).max(9);
    for row in counts.chunks((76 / (width + 10)).max(1)) {
        for (name, count) in row {
            list.push_str("  ");
            push_left(&mut list, &shorten(name), width);
            push_right(&mut list, &count.to_string(), 8);
        }
        list.push('\n');
    }
    if left_out > 0 {
        list += &format!("  … and {left_out} more (--most 0 lists all)\n");
    }
    list
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
