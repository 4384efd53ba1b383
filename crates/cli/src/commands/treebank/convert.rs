//! `boughs treebank convert`: from any format that can be read to any that can be written.

use std::io::Write;

use anyhow::Result;
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
    #[arg(long, short, value_enum, default_value_t)]
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
    /// Source for the LaTeX package `forest`
    Latex,
    /// SVG documents, one after the other; for files of their own see `treebank draw`
    Svg,
    /// Drawings for terminals
    Text,
}

impl To {
    /// Writes a tree, with a final line end.
    fn write(self, tree: &Tree, text: &mut String) -> std::fmt::Result {
        match self {
            Self::Line => with_line_end(text, |text| write::write_line(tree, text)),
            Self::Pretty => with_line_end(text, |text| write::write_pretty(tree, text)),
            Self::Json => with_line_end(text, |text| write::write_json(tree, text)),
            Self::Latex => with_line_end(text, |text| write::write_latex(tree, text)),
            Self::Svg => draw::write_svg(tree, text),
            Self::Text => with_line_end(text, |text| draw::write_text(tree, &text_options(), text)),
        }
    }
}

fn with_line_end(text: &mut String, write: impl FnOnce(&mut String) -> std::fmt::Result) -> std::fmt::Result {
    write(text)?;
    text.push('\n');
    Ok(())
}

pub(crate) fn run(args: &ConvertArgs) -> Result<Outcome> {
    let mut trees = args.input.open()?;
    let shape = args.binarize.prepare()?;
    let mut out = stdout();
    let mut text = String::new();
    while let Some(tree) = trees.next()? {
        let tree = shape.apply(tree)?;
        text.clear();
        args.to.write(&tree, &mut text)?;
        out.write_all(text.as_bytes())?;
    }
    out.flush()?;
    Ok(trees.finish())
}
