//! `boughs treebank check`: what is wrong, or odd, with a treebank.

use std::path::PathBuf;

use anyhow::Result;
use boughs::treebank::{Checker, Finding, FindingKind, Findings};
use boughs_learn::names::name_of;
use clap::Args;
use serde_json::json;

use crate::input::InputArgs;
use crate::losses::Losses;
use crate::output::{counted, print};
use crate::profile::ProfileArgs;
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

    #[command(flatten)]
    profile: ProfileArgs,

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
    let mut trees = args.input.open()?.keep_going();
    let profile = args.profile.of_stream(&mut trees)?;
    trees.normalize(&profile);
    let most = if args.most == 0 { usize::MAX } else { args.most };
    let mut checker = Checker::new(most).with_profile(profile);
    let others = add_others(args, &mut checker)?;
    let mut num_trees = 0u64;
    while let Some(tree) = trees.next()? {
        checker.add(&tree, trees.file(), trees.number());
        num_trees += 1;
    }
    let report = Report { findings: checker.finish(), num_trees, losses: trees.losses };
    print(if args.json { report.json() } else { report.text() })?;
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

    fn text(&self) -> String {
        let Losses { trees, strays, files } = self.losses;
        let unreadable = [
            ("trees that cannot be read", trees),
            ("errors between trees", strays),
            ("files that cannot be read to their end", files),
        ];
        let unreadable = unreadable.into_iter().filter(|(_, count)| *count > 0);
        let unreadable = unreadable.map(|(what, count)| format!("problem: {what} ({count})\n"));
        let verdict = match (self.is_sound(), self.findings.by_kind().next()) {
            (false, _) => "has problems",
            (true, Some(_)) => "is sound; see the notes",
            (true, None) => "is sound",
        };
        let end = format!("{} checked: the treebank {verdict}\n", counted(self.num_trees, "tree"));
        self.findings.by_kind().map(described).chain(unreadable).chain([end]).collect()
    }

    fn json(&self) -> String {
        let kinds = self.findings.by_kind().map(|(kind, count, kept)| {
            json!({ "kind": kind, "severity": kind.severity(), "count": count, "first": kept })
        });
        let report = json!({
            "trees": self.num_trees,
            "unreadable": self.losses.trees,
            "between_trees": self.losses.strays,
            "unfinished_files": self.losses.files,
            "sound": self.is_sound(),
            "findings": kinds.collect::<Vec<_>>(),
        });
        format!("{report:#}\n")
    }
}

fn described((kind, count, kept): (FindingKind, u64, &[Finding])) -> String {
    let mut text = format!("{}: {} ({count})\n", name_of(&kind.severity()), kind.title());
    for Finding { file, tree, detail, .. } in kept {
        text += &format!("  {file} tree {tree}  {detail}\n");
    }
    match count - kept.len() as u64 {
        0 => text,
        more => text + &format!("  … and {more} more (--most 0 shows all)\n"),
    }
}
