//! Trees in: one reader per format, and [`TreebankReader`] over any number of files.

mod bracket;
mod continuous;
mod export;
mod format;
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
pub use format::{Format, TREEBANK_EXTENSIONS};
pub use json::JsonReader;
pub use source::{Encoding, Input};
pub use table::TableReader;
pub use tiger::TigerReader;
pub use treebank::{ReadOptions, TreebankReader};

use crate::error::{ErrorKind, Result};
use crate::tree::Tree;

/// U+FEFF in UTF-8, with which some programs start a file.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The next item of an iterator over trees. An error of the operating system is the last item, since it would come
/// again.
fn next_until_failure<R>(
    reader: &mut R,
    failed: impl Fn(&mut R) -> &mut bool,
    read: impl Fn(&mut R) -> Result<Option<Tree>>,
) -> Option<Result<Tree>> {
    if *failed(reader) {
        return None;
    }
    let result = read(reader);
    *failed(reader) = result.as_ref().is_err_and(|error| error.kind() == ErrorKind::Io);
    result.transpose()
}

/// What a blank line between trees means.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BlankLines {
    /// Nothing.
    #[default]
    Skip,
    /// A sentence without a tree, as some parsers mark a failure: it is read as the empty tree.
    AreEmptyTrees,
}
