//! A parsed sentence as text.

use anyhow::Result;
use boughs::history::Parsed;
use boughs::history::search::{End, Parse};
use boughs::parser::Worker;
use boughs::tree::Tree;
use boughs::tree::write::write_json_with;
use serde::Serialize;

use super::ParseArgs;
use crate::format::TreeFormat;
use crate::sentences::Item;

/// How a tree came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Status {
    /// There was nothing to search for.
    Trivial,
    /// It is the best there is.
    Optimal,
    /// The search was greedy and did not look for a better one.
    Greedy,
    /// The search came to a limit before it had proved that there is none better.
    CutShort,
    /// There was no complete parse.
    Fallback,
    /// The sentence was too long to be parsed.
    TooLong,
    /// It does not meet the demands on it.
    DemandsUnmet,
}

impl Status {
    fn of(parsed: &Parsed) -> Self {
        match &parsed.outcome {
            _ if parsed.unmet.is_some() => Self::DemandsUnmet,
            _ if parsed.is_too_long => Self::TooLong,
            _ if parsed.is_fallback() => Self::Fallback,
            None => Self::Trivial,
            Some(outcome) => match outcome.end {
                End::Optimal => Self::Optimal,
                End::Greedy => Self::Greedy,
                _ => Self::CutShort,
            },
        }
    }
}

/// What came of a sentence.
pub(super) struct Printed {
    pub(super) text: String,
    pub(super) status: Status,
    /// Why the search ended, if there was one.
    pub(super) end: Option<End>,
    /// Why demands are not met.
    pub(super) unmet: Option<String>,
    pub(super) num_words: usize,
}

/// The fields that follow those of the tree.
#[derive(Serialize)]
struct TreeFields<'a> {
    document: &'a str,
    sentence: u64,
    rank: usize,
    status: Status,
    cost: Option<f64>,
}

#[derive(Serialize)]
struct NodeFields {
    confidence: Option<f64>,
}

pub(super) fn print(
    args: &ParseArgs,
    worker: &Worker<'_>,
    item: &Item,
    number: u64,
    parsed: &Parsed,
) -> Result<Printed> {
    let status = Status::of(parsed);
    let mut text = String::new();
    for (rank, tree) in std::iter::once(&parsed.tree).chain(&parsed.others).enumerate() {
        match args.to {
            TreeFormat::Json => {
                let parse = parsed.outcome.as_ref().and_then(|outcome| outcome.parses.get(rank));
                write_json(worker, item, rank, status, tree, parse, &mut text)?;
            }
            format => format.write(tree, number, &mut text)?,
        }
        text.push_str(args.to.after_tree());
    }
    if args.n_best.is_some() && args.to != TreeFormat::Json {
        text.push('\n');
    }
    let end = parsed.outcome.as_ref().map(|outcome| outcome.end);
    let unmet = parsed.unmet.as_ref().map(ToString::to_string);
    Ok(Printed { text, status, end, unmet, num_words: item.num_words() })
}

fn write_json(
    worker: &Worker<'_>,
    item: &Item,
    rank: usize,
    status: Status,
    tree: &Tree,
    parse: Option<&Parse>,
    text: &mut String,
) -> std::fmt::Result {
    let confidences = parse.map(|parse| worker.confidences(parse)).unwrap_or_default();
    let fields = TreeFields {
        document: &item.document,
        sentence: item.number,
        rank: rank + 1,
        status,
        cost: parse.map(|parse| parse.cost),
    };
    let of_node =
        |id: boughs::tree::NodeId| NodeFields { confidence: confidences.get(id.index()).copied().flatten() };
    write_json_with(tree, of_node, fields, text)
}
