//! Trees in: [`TreeReader`] over one stream of any format, [`TreebankReader`] over any number of files.
//!
//! ```
//! use boughs::tree::read::{Format, ReadOptions, TreeReader};
//!
//! fn first(text: &str, options: impl Into<ReadOptions>) -> String {
//!     let tree = TreeReader::new(text.as_bytes(), options).next().unwrap();
//!     tree.map_or_else(|error| error.to_string(), |tree| tree.to_string())
//! }
//!
//! let json = r#"{"tokens":[{"word":"go","tag":"VB"}],"nodes":[{"label":"VP","start":0,"end":1}]}"#;
//! assert_eq!(first(json, Format::Json), "(VP (VB go))");
//! let tiger = r#"<s id="1"><graph><terminals><t id="a" word="Ja" pos="PTKANT"/></terminals></graph></s>"#;
//! assert_eq!(first(tiger, Format::TigerXml), "(VROOT (PTKANT Ja))");
//! let table = "Boughs\tNNS\nbend\tVBP\n\nSo\tRB\n";
//! assert_eq!(first(table, Format::Table), "( (NNS Boughs) (VBP bend))");
//!
//! let gap = "\
//! #BOS 1
//! Was\tPWS\t--\tOA\t501
//! kann\tVMFIN\t--\tHD\t500
//! sie\tPPER\t--\tSB\t500
//! lesen\tVVINF\t--\tHD\t501
//! #501\tVP\t--\tOC\t500
//! #500\tS\t--\t--\t0
//! #EOS 1
//! ";
//! assert!(first(gap, Format::Export).starts_with("line 6: tree 1: `VP-OC` is discontinuous"));
//! let closed = first(gap, ReadOptions { attach_discontinuous: true, ..Format::Export.into() });
//! assert_eq!(closed, "(VROOT (S (PWS Was) (VMFIN kann) (PPER sie) (VP-OC (VVINF lesen))))");
//! ```

mod alpino;
mod bracket;
mod continuous;
mod export;
mod floresta;
mod format;
mod graph;
mod json;
mod lines;
mod message;
mod reader;
mod scanner;
mod sinica;
mod source;
mod table;
mod tiger;
mod treebank;
mod xml;
mod xml_tags;

pub use export::ExportVersion;
pub(crate) use export::{FIRST_NODE, is_taken_for_markup};
pub use format::{Format, TREEBANK_EXTENSIONS};
pub use reader::{ReadOptions, TreeReader};
pub use source::{Encoding, Input};
pub use treebank::TreebankReader;

/// U+FEFF in UTF-8, with which some programs start a file.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// What a blank line between trees means.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BlankLines {
    /// Nothing.
    #[default]
    Skip,
    /// A sentence without a tree, as some parsers mark a failure: it is read as the empty tree.
    AreEmptyTrees,
}
