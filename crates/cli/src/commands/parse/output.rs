//! A parsed sentence as text.

use anyhow::Result;
use boughs::parser::{Parse, Parsed, Status};
use boughs::tree::write::write_json_with;
use serde::Serialize;

use super::ParseArgs;
use crate::format::TreeFormat;
use crate::sentences::Item;

/// What came of a sentence.
pub(super) struct Printed {
    pub(super) text: String,
    pub(super) status: Status,
    /// Why constraints are not met.
    pub(super) unmet: Option<String>,
    pub(super) num_words: usize,
    /// Whether its tree is another without pruning.
    pub(super) is_search_error: bool,
}

/// The fields that follow those of the tree.
#[derive(Serialize)]
struct TreeFields<'a> {
    document: &'a str,
    sentence: u64,
    rank: usize,
    status: &'static str,
    cost: Option<f64>,
}

#[derive(Serialize)]
struct NodeFields {
    confidence: Option<f64>,
}

pub(super) fn print(args: &ParseArgs, item: &Item, number: u64, parsed: &Parsed) -> Result<Printed> {
    let mut text = String::new();
    for (rank, parse) in parsed.parses.iter().enumerate() {
        match args.to {
            TreeFormat::Json => write_json(item, rank, parsed.status, parse, &mut text)?,
            format => format.write(&parse.tree, number, &mut text)?,
        }
        text.push_str(args.to.after_tree());
    }
    if args.n_best.is_some() && args.to != TreeFormat::Json {
        text.push('\n');
    }
    let unmet = parsed.unmet.as_ref().map(ToString::to_string);
    Ok(Printed { text, status: parsed.status, unmet, num_words: item.num_words(), is_search_error: false })
}

fn write_json(
    item: &Item,
    rank: usize,
    status: Status,
    parse: &Parse,
    text: &mut String,
) -> std::fmt::Result {
    let fields = TreeFields {
        document: &item.document,
        sentence: item.number,
        rank: rank + 1,
        status: status.name(),
        cost: parse.cost,
    };
    let confidence = |id: boughs::tree::NodeId| parse.confidences.get(id.index()).copied().flatten();
    write_json_with(&parse.tree, |id| NodeFields { confidence: confidence(id) }, fields, text)
}
