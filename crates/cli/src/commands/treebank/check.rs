//! `boughs treebank check`: what is wrong, or odd, with a treebank.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use boughs::treebank::{Checker, Findings, Severity};
use clap::Args;
use serde_json::json;

use crate::input::InputArgs;
use crate::losses::Losses;
use crate::output::{counted, stdout};
use crate::{Outcome, number};

/// Report what is wrong, or odd, with a treebank
///
/// Problems: trees that cannot be read, empty trees, phrases without a label, tokens without a tag, unary cycles,
/// traces without an antecedent, sentences that another treebank has too. Notes: duplicate sentences, words with
/// control characters, tokens with blanks, labels and tags of unusual form, rare labels, mixed root conventions.
///
/// A tree that cannot be read never ends it, except in the treebank of --against. Exit codes: 0 no problems (notes do
/// not count), 1 problems, 2 not checked.
#[derive(Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    input: InputArgs,

    /// Report sentences that also occur in this treebank (such as your training data); may be repeated
    #[arg(long, value_name = "FILE")]
    against: Vec<PathBuf>,

    /// How many findings of a kind to show, 0 for all; all are counted. Trees that cannot be read are all reported, on
    /// standard error
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = number::within::<usize>(0..))]
    most: usize,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &CheckArgs) -> Result<Outcome> {
    let mut checker = Checker::new(if args.most == 0 { usize::MAX } else { args.most });
    let others = add_others(args, &mut checker)?;
    let mut trees = args.input.open()?.keep_going();
    let mut num_trees = 0u64;
    while let Some(tree) = trees.next()? {
        checker.add(&tree, trees.file(), trees.number());
        num_trees += 1;
    }
    let report = Report { findings: checker.finish(), num_trees, losses: trees.losses };
    let mut out = stdout();
    if args.json {
        report.write_json(&mut out)?;
    } else {
        report.write_text(&mut out)?;
    }
    out.flush()?;
    Ok(if report.is_sound() { others } else { Outcome::Partial })
}

/// Reads the treebanks that must not share a sentence, if there are any.
fn add_others(args: &CheckArgs, checker: &mut Checker) -> Result<Outcome> {
    if args.against.is_empty() {
        return Ok(Outcome::Complete);
    }
    let mut others = args.input.read.open(&args.against)?;
    while let Some(tree) = others.next()? {
        checker.add_other(&tree, others.file(), others.number());
    }
    Ok(others.finish())
}

/// Everything there is to report.
struct Report {
    findings: Findings,
    num_trees: u64,
    losses: Losses,
}

impl Report {
    fn is_sound(&self) -> bool {
        !self.findings.has_problems() && self.losses == Losses::default()
    }

    fn write_text(&self, out: &mut impl Write) -> Result<()> {
        write_findings(&self.findings, out)?;
        let Losses { trees, strays, files } = self.losses;
        for (what, count) in [
            ("trees that cannot be read", trees),
            ("errors between trees", strays),
            ("files that cannot be read to their end", files),
        ] {
            if count > 0 {
                writeln!(out, "problem: {what} ({count})")?;
            }
        }
        let verdict = match (self.is_sound(), self.findings.by_kind().next()) {
            (false, _) => "has problems",
            (true, Some(_)) => "is sound; see the notes",
            (true, None) => "is sound",
        };
        writeln!(out, "{} checked: the treebank {verdict}", counted(self.num_trees, "tree"))?;
        Ok(())
    }

    fn write_json(&self, out: &mut impl Write) -> Result<()> {
        let kinds: Vec<_> = self
            .findings
            .by_kind()
            .map(|(kind, count, kept)| {
                json!({ "kind": kind, "severity": kind.severity(), "count": count, "first": kept })
            })
            .collect();
        let report = json!({
            "trees": self.num_trees,
            "unreadable": self.losses.trees,
            "between_trees": self.losses.strays,
            "unfinished_files": self.losses.files,
            "sound": self.is_sound(),
            "findings": kinds,
        });
        writeln!(out, "{report:#}")?;
        Ok(())
    }
}

fn write_findings(findings: &Findings, out: &mut impl Write) -> Result<()> {
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
            writeln!(out, "  … and {more} more (--most 0 shows all)")?;
        }
    }
    Ok(())
}
