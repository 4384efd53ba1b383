//! `boughs treebank check`: what is wrong, or odd, with a treebank.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use boughs::treebank::{Checker, Findings, Severity};
use clap::Args;
use serde_json::json;

use crate::Outcome;
use crate::input::{InputArgs, Trees};
use crate::output::stdout;

/// Report what is wrong, or odd, with a treebank
///
/// Problems: trees that cannot be read, empty trees, phrases without a label, tokens without a tag, unary cycles, traces
/// without an antecedent, sentences that another treebank has too. Notes: duplicate sentences, tokens with blanks, odd
/// and rare labels, mixed root conventions. Exit code 1 if there are problems.
#[derive(Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    input: InputArgs,

    /// Report sentences that also occur in this treebank (such as your training data); may be repeated
    #[arg(long, value_name = "FILE")]
    against: Vec<PathBuf>,

    /// How many findings of a kind to show; all are counted
    #[arg(long, value_name = "N", default_value_t = 5)]
    most: usize,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &CheckArgs) -> Result<Outcome> {
    let mut checker = Checker::new(args.most);
    if !args.against.is_empty() {
        let mut others = args.input.read.open(&args.against)?;
        while let Some(tree) = others.next()? {
            checker.add_other(&tree, others.file(), others.number());
        }
    }
    let mut trees = args.input.open()?.keep_going();
    let mut num_trees = 0u64;
    while let Some(tree) = trees.next()? {
        checker.add(&tree, trees.file(), trees.number());
        num_trees += 1;
    }
    let findings = checker.finish();
    let mut out = stdout();
    if args.json {
        write_json(&findings, num_trees, &trees, &mut out)?;
    } else {
        write_text(&findings, num_trees, &trees, &mut out)?;
    }
    out.flush()?;
    let sound = !findings.has_problems() && trees.num_skipped() == 0;
    Ok(if sound { Outcome::Complete } else { Outcome::Partial })
}

fn write_text(findings: &Findings, num_trees: u64, trees: &Trees, out: &mut impl Write) -> Result<()> {
    for (kind, count, kept) in findings.by_kind() {
        let severity = match kind.severity() {
            Severity::Problem => "problem",
            Severity::Note => "note",
        };
        writeln!(out, "{severity}: {} ({count})", kind.title())?;
        for finding in kept {
            writeln!(out, "  {} tree {}  {}", finding.file, finding.tree, finding.detail)?;
        }
        let more = count - kept.len() as u64;
        if more > 0 {
            writeln!(out, "  … and {more} more (--most shows more)")?;
        }
    }
    let skipped = trees.num_skipped();
    if skipped > 0 {
        writeln!(out, "problem: trees that cannot be read ({skipped})")?;
    }
    let verdict = match (findings.has_problems() || skipped > 0, findings.by_kind().next()) {
        (true, _) => "has problems",
        (false, Some(_)) => "is sound; see the notes",
        (false, None) => "is sound",
    };
    let trees = if num_trees == 1 { "tree" } else { "trees" };
    writeln!(out, "{num_trees} {trees} checked: the treebank {verdict}")?;
    Ok(())
}

fn write_json(findings: &Findings, num_trees: u64, trees: &Trees, out: &mut impl Write) -> Result<()> {
    let kinds: Vec<_> = findings
        .by_kind()
        .map(|(kind, count, kept)| {
            json!({ "kind": kind, "severity": kind.severity(), "count": count, "first": kept })
        })
        .collect();
    let report = json!({
        "trees": num_trees,
        "unreadable": trees.num_skipped(),
        "sound": !findings.has_problems() && trees.num_skipped() == 0,
        "findings": kinds,
    });
    writeln!(out, "{report:#}")?;
    Ok(())
}
