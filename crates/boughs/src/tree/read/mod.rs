//! Trees in: one reader per format, and [`TreebankReader`] over any number of files.

mod bracket;
mod json;
mod scanner;
mod source;
mod treebank;

pub use bracket::BracketReader;
pub use json::JsonReader;
pub use source::{Encoding, Input, TREEBANK_EXTENSIONS};
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
