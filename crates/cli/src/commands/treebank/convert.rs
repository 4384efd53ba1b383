//! `boughs treebank convert`: from any format that can be read to any that can be written.

use std::io::Write;

use anyhow::Result;
use boughs::tree::{Tree, write};
use clap::{Args, ValueEnum};

use super::binarize::BinarizeArgs;
use crate::Outcome;
use crate::input::InputArgs;
use crate::output::stdout;

/// Convert trees from one format to another
#[derive(Args)]
pub(crate) struct ConvertArgs {
    #[command(flatten)]
    input: InputArgs,

    /// The format to write
    #[arg(long, short, value_enum, default_value_t)]
    to: To,

    #[command(flatten)]
    binarize: BinarizeArgs,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum To {
    /// One tree a line
    #[default]
    Line,
    /// Indented brackets
    Pretty,
}

pub(crate) fn run(args: &ConvertArgs) -> Result<Outcome> {
    let mut trees = args.input.open()?;
    let shape = args.binarize.prepare()?;
    let mut out = stdout();
    let mut text = String::new();
    while let Some(tree) = trees.next()? {
        let tree = shape.apply(tree)?;
        text.clear();
        write_tree(&tree, args.to, &mut text)?;
        text.push('\n');
        out.write_all(text.as_bytes())?;
    }
    out.flush()?;
    Ok(trees.finish())
}

fn write_tree(tree: &Tree, to: To, text: &mut String) -> std::fmt::Result {
    match to {
        To::Line => write::write_line(tree, text),
        To::Pretty => write::write_pretty(tree, text),
    }
}
