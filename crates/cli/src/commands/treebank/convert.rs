//! `boughs treebank convert`: from any format that can be read to any that can be written.

use std::io::Write;

use anyhow::Result;
use boughs::tree::heads::HeadRules;
use clap::Args;

use super::binarize::BinarizeArgs;
use crate::Outcome;
use crate::format::{FormatArgs, Written};
use crate::input::{InputArgs, Trees};
use crate::output::stdout;
use crate::profile::ProfileArgs;

/// Convert trees from one format to another
#[derive(Args)]
pub(crate) struct ConvertArgs {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    profile: ProfileArgs,

    #[command(flatten)]
    format: FormatArgs,

    #[command(flatten)]
    binarize: BinarizeArgs,
}

pub(crate) fn run(args: &ConvertArgs) -> Result<Outcome> {
    args.format.check()?;
    args.binarize.check(args.format.needs_heads())?;
    let mut trees = args.input.open()?;
    let heads = heads(args, &mut trees)?;
    let shape = args.binarize.prepare(&heads);
    let writer = args.format.writer(heads);
    let mut out = stdout();
    let mut written = Written::default();
    out.write_all(writer.start().as_bytes())?;
    for number in 1.. {
        let Some(tree) = trees.next()? else { break };
        let document = trees.file().to_owned();
        writer.write_tree(shape.apply(tree)?, &document, trees.number(), number, &mut written)?;
        out.write_all(written.text.as_bytes())?;
        written.text.clear();
    }
    out.write_all(writer.end(&written.drawings)?.as_bytes())?;
    out.flush()?;
    Ok(trees.finish())
}

/// The head rules that were asked for, or else those of the profile, which is looked for only where heads matter or
/// the user names it.
fn heads(args: &ConvertArgs, trees: &mut Trees) -> Result<HeadRules> {
    if let Some(rules) = args.binarize.head_rules()? {
        return Ok(rules);
    }
    let is_named = args.profile.is_given();
    if !is_named && !args.format.needs_heads() && !args.binarize.needs_heads() {
        return Ok(HeadRules::default_for_any_language());
    }
    let profile = args.profile.of_stream(trees)?;
    if is_named {
        trees.normalize(&profile);
    }
    Ok(profile.heads())
}
