//! The formats that trees are written in.

use std::fmt;

use boughs::parser::{PHRASE_COLUMNS, Parse, ParseRecord, Status};
use boughs::tree::heads::HeadRules;
use boughs::tree::read::ExportVersion;
use boughs::tree::{Tree, base_label, draw, write};
use clap::{Args, ValueEnum};

use crate::output::terminal_width;

/// A format has its line here and its line in [`TreeWriter::write`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TreeFormat {
    /// One tree a line, in brackets
    #[default]
    Line,
    /// Indented brackets
    Pretty,
    /// One JSON object a line, with tokens and labelled spans
    Json,
    /// A table of phrases for spreadsheets: sentence, label, text, start and end in characters, head, confidence,
    /// document
    Phrases,
    /// NEGRA export, version 4
    Export,
    /// NEGRA export, version 3
    Export3,
    /// Tokens and tags in the ten columns of CoNLL-U, without phrases
    Table,
    /// CoNLL-U with dependencies from the heads of phrases, and the tree in a comment
    Conllu,
    /// Source for the LaTeX package `forest`
    Latex,
    /// One SVG picture of all trees, below each other; for files of their own see `treebank draw`
    Svg,
    /// A web page with each sentence and its picture
    Html,
    /// Drawings for terminals
    Text,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct FormatArgs {
    /// The format to write
    #[arg(long, short, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Output")]
    pub(crate) to: TreeFormat,

    /// With `--to phrases`, only phrases with one of these labels, function tags aside: `--label NP,PP`
    #[arg(long, value_name = "LABEL", value_delimiter = ',', help_heading = "Output")]
    label: Vec<String>,
}

impl FormatArgs {
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        match self.label.is_empty() || self.to == TreeFormat::Phrases {
            true => Ok(()),
            false => anyhow::bail!("--label chooses among the rows of a table: add --to phrases"),
        }
    }

    /// Whether heads of phrases are written.
    pub(crate) fn needs_heads(&self) -> bool {
        matches!(self.to, TreeFormat::Phrases | TreeFormat::Conllu)
    }

    pub(crate) fn writer(&self, heads: HeadRules) -> TreeWriter {
        TreeWriter { format: self.to, heads, labels: self.label.clone() }
    }
}

/// What comes of trees: text, or pictures that only the end of the document puts together.
#[derive(Debug, Default)]
pub(crate) struct Written {
    pub(crate) text: String,
    pub(crate) drawings: Vec<draw::Drawing>,
}

/// Writes trees in a format.
#[derive(Debug)]
pub(crate) struct TreeWriter {
    format: TreeFormat,
    heads: HeadRules,
    /// The labels of the phrases to be listed; none for all.
    labels: Vec<String>,
}

impl TreeWriter {
    /// What comes before the first tree.
    pub(crate) fn start(&self) -> String {
        match self.format {
            TreeFormat::Export => format!("{}\n", ExportVersion::V4.header()),
            TreeFormat::Export3 => format!("{}\n", ExportVersion::V3.header()),
            TreeFormat::Phrases => format!("{PHRASE_COLUMNS}\n"),
            TreeFormat::Html => draw::html_start("boughs"),
            _ => String::new(),
        }
    }

    /// What comes after the last tree.
    pub(crate) fn end(&self, drawings: &[draw::Drawing]) -> Result<String, fmt::Error> {
        let mut text = String::new();
        match self.format {
            TreeFormat::Svg => draw::write_sheet(drawings, &mut text)?,
            TreeFormat::Html => text.push_str(draw::HTML_END),
            _ => {}
        }
        Ok(text)
    }

    /// Writes a parse; `number` counts sentences over all documents.
    pub(crate) fn write_parse(
        &self,
        parse: &Parse,
        record: &ParseRecord<'_>,
        number: u64,
        out: &mut Written,
    ) -> fmt::Result {
        match self.format {
            TreeFormat::Json => record.write_json(parse, &self.heads, &mut out.text)?,
            _ => return self.write(parse, record, number, out),
        }
        out.text.push('\n');
        Ok(())
    }

    /// Writes a tree that no parser has made.
    pub(crate) fn write_tree(
        &self,
        tree: Tree,
        document: &str,
        sentence: u64,
        number: u64,
        out: &mut Written,
    ) -> fmt::Result {
        let parse = Parse { tree, cost: None, confidences: Vec::new() };
        let record = ParseRecord::new(document, sentence, 1, Status::Trivial);
        self.write(&parse, &record, number, out)
    }

    fn write(&self, parse: &Parse, record: &ParseRecord<'_>, number: u64, out: &mut Written) -> fmt::Result {
        let (tree, text) = (&parse.tree, &mut out.text);
        match self.format {
            TreeFormat::Line => write::write_line(tree, text)?,
            TreeFormat::Pretty => write::write_pretty(tree, text)?,
            TreeFormat::Json => write::write_json(tree, text)?,
            TreeFormat::Phrases => return self.write_phrases(parse, record, text),
            TreeFormat::Export => write::write_export(tree, number, ExportVersion::V4, text)?,
            TreeFormat::Export3 => write::write_export(tree, number, ExportVersion::V3, text)?,
            TreeFormat::Table => write::write_table(tree, text)?,
            TreeFormat::Conllu => {
                let id = format!("{}-{}", record.document, record.sentence);
                write::write_conllu(tree, &id, &self.heads, text)?;
            }
            TreeFormat::Latex => write::write_latex(tree, text)?,
            TreeFormat::Svg => out.drawings.push(draw::Drawing::of(tree)),
            TreeFormat::Html => draw::write_html(tree, number, text)?,
            TreeFormat::Text => draw::write_text(tree, &text_options(), text)?,
        }
        out.text.push_str(self.format.after_tree());
        Ok(())
    }

    fn write_phrases(&self, parse: &Parse, record: &ParseRecord<'_>, text: &mut String) -> fmt::Result {
        let is_wanted = |label: &str| {
            self.labels.iter().any(|wanted| wanted == label || wanted == base_label(label))
                || self.labels.is_empty()
        };
        record.write_phrases(parse, &self.heads, |phrase| is_wanted(phrase.label), text)
    }
}

impl TreeFormat {
    /// What follows each tree: the line end that its writer leaves to us, or a blank line.
    fn after_tree(self) -> &'static str {
        match self {
            Self::Pretty => "\n\n",
            Self::Svg | Self::Html | Self::Phrases => "",
            _ => "\n",
        }
    }

    /// Whether the text of some sentences, after that of others, is the text of both.
    pub(crate) fn has_parts(self) -> bool {
        !matches!(self, Self::Svg | Self::Html)
    }

    /// Whether the trees of a sentence are kept apart from those of the next by a blank line.
    pub(crate) fn parts_sentences(self) -> bool {
        !matches!(self, Self::Json | Self::Phrases | Self::Svg | Self::Html)
    }
}

/// How to draw text on standard output.
pub(crate) fn text_options() -> draw::TextOptions {
    let mut options = draw::TextOptions::default();
    options.max_width = terminal_width().unwrap_or(options.max_width);
    options
}
