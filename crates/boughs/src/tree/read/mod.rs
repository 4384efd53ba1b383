//! Trees in: one reader per format, and [`TreebankReader`] over any number of files.

mod bracket;
mod continuous;
mod export;
mod graph;
mod json;
mod lines;
mod message;
mod scanner;
mod source;
mod table;
mod tiger;
mod treebank;
mod xml;

pub use bracket::BracketReader;
pub use export::{ExportReader, ExportVersion};
pub(crate) use export::{FIRST_NODE, is_taken_for_markup};
pub use json::JsonReader;
pub use source::{Encoding, Input, TREEBANK_EXTENSIONS};
pub use table::TableReader;
pub use tiger::TigerReader;
pub use treebank::{Format, ReadOptions, TreebankReader};

/// What a blank line between trees means.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BlankLines {
    /// Nothing.
    #[default]
    Skip,
    /// A sentence without a tree, as some parsers mark a failure: it is read as the empty tree.
    AreEmptyTrees,
}
