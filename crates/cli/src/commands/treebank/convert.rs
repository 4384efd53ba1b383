//! `boughs treebank convert`: from any format that can be read to any that can be written.

use std::io::Write;

use anyhow::Result;
use clap::Args;

use super::binarize::BinarizeArgs;
use crate::Outcome;
use crate::format::TreeFormat;
use crate::input::InputArgs;
use crate::output::stdout;

/// Convert trees from one format to another
#[derive(Args)]
pub(crate) struct ConvertArgs {
    #[command(flatten)]
    input: InputArgs,

    /// The format to write
    #[arg(long, short, value_enum, value_name = "FORMAT", default_value_t)]
    to: TreeFormat,

    #[command(flatten)]
    binarize: BinarizeArgs,
}

pub(crate) fn run(args: &ConvertArgs) -> Result<Outcome> {
    let mut trees = args.input.open()?;
    let shape = args.binarize.prepare()?;
    let mut out = stdout();
    let mut text = String::new();
    if let Some(header) = args.to.header() {
        writeln!(out, "{header}")?;
    }
    let mut number = 0;
    while let Some(tree) = trees.next()? {
        let tree = shape.apply(tree)?;
        number += 1;
        text.clear();
        args.to.write(&tree, number, &mut text)?;
        text.push_str(args.to.after_tree());
        out.write_all(text.as_bytes())?;
    }
    out.flush()?;
    Ok(trees.finish())
}
