//! The formats that trees are written in.

use boughs::tree::read::ExportVersion;
use boughs::tree::{Tree, draw, write};
use clap::ValueEnum;

use crate::output::terminal_width;

/// A format has its line here and its line in [`TreeFormat::write`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TreeFormat {
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

impl TreeFormat {
    /// The line before the first tree.
    pub(crate) fn header(self) -> Option<&'static str> {
        match self {
            Self::Export => Some(ExportVersion::V4.header()),
            Self::Export3 => Some(ExportVersion::V3.header()),
            _ => None,
        }
    }

    /// What follows each tree: the line end that its writer leaves to us, or a blank line.
    pub(crate) fn after_tree(self) -> &'static str {
        match self {
            Self::Pretty => "\n\n",
            Self::Svg => "",
            _ => "\n",
        }
    }

    /// Writes the tree of this number.
    pub(crate) fn write(self, tree: &Tree, number: u64, text: &mut String) -> std::fmt::Result {
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

/// How to draw text on standard output.
pub(crate) fn text_options() -> draw::TextOptions {
    let mut options = draw::TextOptions::default();
    options.max_width = terminal_width().unwrap_or(options.max_width);
    options
}
