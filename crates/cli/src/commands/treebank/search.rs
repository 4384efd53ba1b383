//! `boughs treebank search`: nodes of trees by pattern.

use std::env;
use std::io::Write;

use anyhow::{Result, bail};
use boughs::tree::heads::HeadRules;
use boughs::tree::search::TreePattern;
use clap::{Args, ValueEnum};

use crate::Outcome;
use crate::format::{FormatArgs, TreeFormat, Written};
use crate::input::InputArgs;
use crate::output::{is_watched, stdout};

use super::highlight::highlight;

const EXAMPLES: &str = "\
Examples:
  boughs treebank search 'NP < PP' trees.mrg
  boughs treebank search '/^NP/ !<< DT > VP' --count trees.mrg
  boughs treebank search 'VP < (VBZ < sees) < NP=object' --whole --to text trees.mrg
  boughs treebank search '@NP $. (VP << /^walk/i)' --place trees.mrg

Relations, of A to B:
  A < B   parent of       A << B  dominates         A > B, A >> B   the other way round
  A <1 B  B is child 1    A <-1 B B is the last     A <: B          B is the only child
  A <<, B begins with     A <<` B ends with         A <<: B         by a chain of only children
  A . B   right before    A .. B  before            A , B, A ,, B   behind
  A $ B   sister of       A $. B  sister right before; A $.. B, A $, B, A $,, B likewise
! negates, ? makes optional, & or nothing is `and`, | is `or`, [ ] group relations, ( ) make a node of a pattern.
Nodes: NP, NP|VP, @NP (function tags aside), /regular expression/, /either case/i, \"a word\", * (any); =n names one.";

/// Find phrases, tags and words by pattern (TGrep2, Tregex)
///
/// Writes the tree below each node that fits, one a line; with --whole the whole trees that have such a node, each
/// once.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct SearchTreesArgs {
    /// What to look for, as in 'NP < PP': see --help
    pattern: TreePattern,

    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    format: FormatArgs,

    /// Write the whole tree, not the part of it that fits
    #[arg(long, short, help_heading = "Output")]
    whole: bool,

    /// Write nothing but the number of hits, or of trees with --whole
    #[arg(long, short, help_heading = "Output", conflicts_with_all = ["to", "place"])]
    count: bool,

    /// Write the file and the number of the tree before each line, separated by tabs
    #[arg(long, short, help_heading = "Output")]
    place: bool,

    /// Show what fits in colour, with --whole and brackets
    #[arg(long, value_enum, value_name = "WHEN", default_value_t, help_heading = "Output")]
    color: When,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum When {
    /// On a terminal, unless the environment has NO_COLOR
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl When {
    fn is_now(self) -> bool {
        match self {
            Self::Auto => is_watched() && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
            Self::Always => true,
            Self::Never => false,
        }
    }
}

pub(crate) fn run(args: &SearchTreesArgs) -> Result<Outcome> {
    args.format.check()?;
    if args.place && args.format.to != TreeFormat::Line {
        bail!(
            "--place goes before lines of brackets: leave out --to {:?}, which may have places of its own",
            args.format.to
        );
    }
    let is_colored = args.whole && args.format.to == TreeFormat::Line && args.color.is_now();
    let writer = args.format.writer(HeadRules::default_for_any_language());
    let mut trees = args.input.open()?;
    let mut out = stdout();
    let mut written = Written::default();
    if !args.count {
        out.write_all(writer.start().as_bytes())?;
    }
    let (mut num_hits, mut num_trees) = (0, 0);
    while let Some(tree) = trees.next()? {
        let hits: Vec<_> = args.pattern.matches(&tree).collect();
        num_hits += hits.len() as u64;
        num_trees += u64::from(!hits.is_empty());
        if args.count || hits.is_empty() {
            continue;
        }
        let found = match args.whole {
            true if is_colored => {
                let line = highlight(&tree.to_string(), &tree, &hits);
                let place = args.place.then(|| format!("{}\t{}\t", trees.file(), trees.number()));
                writeln!(out, "{}{line}", place.unwrap_or_default())?;
                continue;
            }
            true => vec![tree],
            false => hits.into_iter().map(|hit| hit.subtree(&tree)).collect(),
        };
        for tree in found {
            if args.place {
                written.text.push_str(&format!("{}\t{}\t", trees.file(), trees.number()));
            }
            writer.write_tree(tree, trees.file(), trees.number(), trees.number_overall(), &mut written)?;
        }
        out.write_all(written.text.as_bytes())?;
        written.text.clear();
    }
    match args.count {
        true => writeln!(out, "{}", if args.whole { num_trees } else { num_hits })?,
        false => out.write_all(writer.end(&written.drawings)?.as_bytes())?,
    }
    out.flush()?;
    Ok(trees.finish())
}
