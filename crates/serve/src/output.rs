//! How trees are written.

use std::fmt;

use boughs::parser::{ParseRecord, Parsed};
use boughs::tree::draw::{Drawing, write_sheet};
use boughs::tree::write::{write_conllu, write_latex, write_line};
use serde::{Deserialize, Serialize};

use crate::media;
use crate::models::Model;

/// The form of the trees of an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// One object with all trees, each as `boughs parse --to json` writes it.
    #[default]
    Json,
    /// The same trees, one a line, each as soon as it is known.
    Ndjson,
    /// One tree a line, in brackets.
    Brackets,
    /// CoNLL-U with dependencies from the heads of phrases.
    Conllu,
    /// Source for the LaTeX package `forest`.
    Latex,
    /// One picture of all trees.
    Svg,
}

/// What came of a sentence.
#[derive(Debug, Default)]
pub(crate) struct Written {
    pub(crate) text: String,
    pub(crate) drawings: Vec<Drawing>,
}

/// A sentence of a request, by its number from 1.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) document: &'a str,
    pub(crate) sentence: u64,
}

impl Format {
    pub(crate) fn named(name: &str) -> Option<Self> {
        serde_json::from_value(name.into()).ok()
    }

    pub(crate) fn media_type(self) -> &'static str {
        match self {
            Self::Json => media::JSON,
            Self::Ndjson => media::NDJSON,
            Self::Brackets | Self::Conllu | Self::Latex => media::TEXT,
            Self::Svg => media::SVG,
        }
    }

    /// Writes the parses of a sentence. If several are wanted, a blank line follows them in brackets.
    pub(crate) fn write(
        self,
        model: &Model,
        place: Place<'_>,
        parsed: &Parsed,
        are_several: bool,
        out: &mut Written,
    ) -> fmt::Result {
        let unmet = parsed.unmet.as_ref().map(ToString::to_string);
        for (rank, parse) in (1..).zip(&parsed.parses) {
            let (tree, text) = (&parse.tree, &mut out.text);
            match self {
                Self::Json | Self::Ndjson => {
                    let record = ParseRecord::new(place.document, place.sentence, rank, parsed.status);
                    let record = ParseRecord { model: Some(&model.name), unmet: unmet.as_deref(), ..record };
                    if self == Self::Json && !text.is_empty() {
                        text.push(',');
                    }
                    record.write_json(parse, &model.heads, text)?;
                }
                Self::Brackets => write_line(tree, text)?,
                Self::Conllu => {
                    let id = format!("{}-{}", place.document, place.sentence);
                    write_conllu(tree, &id, &model.heads, text)?;
                }
                Self::Latex => write_latex(tree, text)?,
                Self::Svg => out.drawings.push(Drawing::of(tree)),
            }
            if !matches!(self, Self::Json | Self::Svg) {
                out.text.push('\n');
            }
        }
        if are_several && matches!(self, Self::Brackets | Self::Conllu | Self::Latex) {
            out.text.push('\n');
        }
        Ok(())
    }

    /// All sentences as one document.
    pub(crate) fn document(self, sentences: &[Written]) -> String {
        let texts = sentences.iter().map(|written| written.text.as_str());
        match self {
            Self::Json => {
                let texts: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
                format!("{{\"parses\":[{}]}}", texts.join(","))
            }
            Self::Svg => {
                let drawings: Vec<Drawing> =
                    sentences.iter().flat_map(|written| written.drawings.iter().cloned()).collect();
                let mut sheet = String::new();
                // Strings take all that is written.
                let _ = write_sheet(&drawings, &mut sheet);
                sheet
            }
            _ => texts.collect(),
        }
    }
}
