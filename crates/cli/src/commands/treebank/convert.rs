//! `boughs treebank convert`: from any format that can be read to any that can be written.

use std::collections::{BTreeSet, VecDeque};
use std::io::Write;

use anyhow::Result;
use boughs::tree::Tree;
use boughs::tree::heads::HeadRules;
use clap::Args;

use super::binarize::BinarizeArgs;
use crate::Outcome;
use crate::format::{FormatArgs, Written};
use crate::input::{InputArgs, Trees};
use crate::output::stdout;

/// Convert trees from one format to another
#[derive(Args)]
pub(crate) struct ConvertArgs {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    format: FormatArgs,

    #[command(flatten)]
    binarize: BinarizeArgs,
}

/// Trees that are read before the tags of the treebank are judged by.
const NUM_JUDGED: usize = 100;

pub(crate) fn run(args: &ConvertArgs) -> Result<Outcome> {
    args.format.check()?;
    let mut trees = args.input.open()?;
    let shape = args.binarize.prepare(args.format.needs_heads())?;
    let mut first = VecDeque::new();
    while args.format.needs_heads() && first.len() < NUM_JUDGED {
        let Some(tree) = next(&mut trees)? else { break };
        first.push_back(tree);
    }
    let writer = args.format.writer(heads(args, &first)?);
    let mut out = stdout();
    let mut written = Written::default();
    out.write_all(writer.start().as_bytes())?;
    for number in 1.. {
        let tree = if first.is_empty() { next(&mut trees)? } else { first.pop_front() };
        let Some((document, sentence, tree)) = tree else { break };
        writer.write_tree(shape.apply(tree)?, &document, sentence, number, &mut written)?;
        out.write_all(written.text.as_bytes())?;
        written.text.clear();
    }
    out.write_all(writer.end(&written.drawings)?.as_bytes())?;
    out.flush()?;
    Ok(trees.finish())
}

/// A tree after its file and its number there.
type Numbered = (String, u64, Tree);

fn next(trees: &mut Trees) -> Result<Option<Numbered>> {
    Ok(trees.next()?.map(|tree| (trees.file().to_owned(), trees.number(), tree)))
}

fn heads(args: &ConvertArgs, first: &VecDeque<Numbered>) -> Result<HeadRules> {
    let tags: BTreeSet<&str> = first.iter().flat_map(|(_, _, tree)| tree.tokens().map(|it| it.tag)).collect();
    Ok(args.binarize.head_rules()?.unwrap_or_else(|| HeadRules::for_tags(tags)))
}
