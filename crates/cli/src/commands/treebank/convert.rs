//! `boughs treebank convert`: from any format that can be read to any that can be written.

use std::io::Write;

use anyhow::Result;
use boughs::tree::read::ExportVersion;
use boughs::tree::{Tree, draw, write};
use clap::{Args, ValueEnum};

use super::binarize::BinarizeArgs;
use super::draw::text_options;
use crate::Outcome;
use crate::input::InputArgs;
use crate::output::stdout;

/// Convert trees from one format to another
#[derive(Args)]
pub(crate) struct ConvertArgs {
    #[command(flatten)]
    input: InputArgs,

    /// The format to write
    #[arg(long, short, value_enum, value_name = "FORMAT", default_value_t)]
    to: To,

    #[command(flatten)]
    binarize: BinarizeArgs,
}

/// A format has its line here and its line in [`To::write`].
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum To {
    /// One tree a line, in brackets
    #[default]
    Line,
    /// Indented brackets
    Pretty,
    /// One JSON object a line, with tokens and labelled spans
    Json,
    /// NEGRA export, version 4
    Export,
    /// NEGRA export, version 3
    Export3,
    /// Tokens and tags in the ten columns of CoNLL-U, without phrases
    Table,
    /// Source for the LaTeX package `forest`
    Latex,
    /// SVG documents, one after the other; for files of their own see `treebank draw`
    Svg,
    /// Drawings for terminals
    Text,
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

    /// What follows each tree: the line end that its writer leaves to us, or a blank line.
    fn after_tree(self) -> &'static str {
        match self {
            Self::Pretty => "\n\n",
            Self::Svg => "",
            _ => "\n",
        }
    }

    /// Writes the tree of this number.
    fn write(self, tree: &Tree, number: u64, text: &mut String) -> std::fmt::Result {
        match self {
            Self::Line => write::write_line(tree, text),
            Self::Pretty => write::write_pretty(tree, text),
            Self::Json => write::write_json(tree, text),
            Self::Export => write::write_export(tree, number, ExportVersion::V4, text),
            Self::Export3 => write::write_export(tree, number, ExportVersion::V3, text),
            Self::Table => write::write_table(tree, text),
            Self::Latex => write::write_latex(tree, text),
            Self::Svg => draw::write_svg(tree, text),
            Self::Text => draw::write_text(tree, &text_options(), text),
        }
    }
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
