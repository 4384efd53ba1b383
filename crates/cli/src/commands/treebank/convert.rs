//! `boughs treebank convert`: from any format that can be read to any that can be written.

use std::io::Write;

use anyhow::Result;
use boughs::tree::read::ExportVersion;
use boughs::tree::{Tree, write};
use clap::{Args, ValueEnum};

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
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum To {
    /// One tree a line
    #[default]
    Line,
    /// Indented brackets
    Pretty,
    /// NEGRA export, version 4
    Export,
    /// NEGRA export, version 3
    Export3,
    /// Tokens and tags in the ten columns of CoNLL-U, without phrases
    Table,
}

impl To {
    /// The line before the first tree.
    fn header(self) -> Option<&'static str> {
        match self {
            Self::Export => Some(ExportVersion::V4.header()),
            Self::Export3 => Some(ExportVersion::V3.header()),
            _ => None,
        }
    }
}

pub(crate) fn run(args: &ConvertArgs) -> Result<Outcome> {
    let mut trees = args.input.open()?;
    let mut out = stdout();
    let mut text = String::new();
    if let Some(header) = args.to.header() {
        writeln!(out, "{header}")?;
    }
    let mut number = 0;
    while let Some(tree) = trees.next()? {
        number += 1;
        text.clear();
        write_tree(&tree, number, args.to, &mut text)?;
        text.push('\n');
        out.write_all(text.as_bytes())?;
    }
    out.flush()?;
    Ok(trees.finish())
}

fn write_tree(tree: &Tree, number: u64, to: To, text: &mut String) -> std::fmt::Result {
    match to {
        To::Line => write::write_line(tree, text),
        To::Pretty => write::write_pretty(tree, text),
        To::Export => write::write_export(tree, number, ExportVersion::V4, text),
        To::Export3 => write::write_export(tree, number, ExportVersion::V3, text),
        To::Table => write::write_table(tree, text),
    }
}
