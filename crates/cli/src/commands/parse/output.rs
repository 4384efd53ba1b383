//! A parsed sentence as text.

use anyhow::Result;
use boughs::parser::{ParseRecord, Parsed, Status};

use super::ParseArgs;
use crate::format::{TreeWriter, Written};
use crate::sentences::Item;

/// What came of a sentence.
pub(super) struct Printed {
    pub(super) written: Written,
    pub(super) status: Status,
    /// Why constraints are not met.
    pub(super) unmet: Option<String>,
    pub(super) num_words: usize,
    /// Whether its tree is another without pruning.
    pub(super) is_search_error: bool,
}

/// Writes the parses of a sentence.
pub(super) fn print(args: &ParseArgs, writer: &TreeWriter, item: &Item, parsed: &Parsed) -> Result<Printed> {
    let mut written = Written::default();
    for (rank, parse) in parsed.parses.iter().enumerate() {
        writer.write_parse(parse, &record(item, rank, parsed.status), item.position, &mut written)?;
    }
    if args.n_best.is_some() && args.format.to.parts_sentences() {
        written.text.push('\n');
    }
    let unmet = parsed.unmet.as_ref().map(ToString::to_string);
    Ok(Printed { written, status: parsed.status, unmet, num_words: item.num_words(), is_search_error: false })
}

fn record(item: &Item, rank: usize, status: Status) -> ParseRecord<'_> {
    ParseRecord::new(&item.document, item.number, rank + 1, status)
}
