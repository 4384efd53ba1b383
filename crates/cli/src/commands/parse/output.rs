//! A parsed sentence as text.

use anyhow::Result;
use boughs::parser::{ParseRecord, Parsed, Status};

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

pub(super) fn print(args: &ParseArgs, item: &Item, number: u64, parsed: &Parsed) -> Result<Printed> {
    let mut text = String::new();
    for (rank, parse) in parsed.parses.iter().enumerate() {
        match args.to {
            TreeFormat::Json => record(item, rank, parsed.status).write_json(parse, &mut text)?,
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

fn record(item: &Item, rank: usize, status: Status) -> ParseRecord<'_> {
    ParseRecord { document: &item.document, sentence: item.number, rank: rank + 1, status }
}
