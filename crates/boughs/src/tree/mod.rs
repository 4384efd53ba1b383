//! Trees: the data structure, readers, writers and everything that changes a tree.
//!
//! ```
//! use boughs::tree::Tree;
//!
//! let tree: Tree = "(S (NP (DT The) (NN bough)) (VP (VBZ bends)))".parse()?;
//! let np = tree.nodes().find(|node| node.label == "NP").unwrap();
//! assert_eq!((np.span.start, np.span.end), (0, 2));
//! assert_eq!(tree.words().collect::<Vec<_>>(), ["The", "bough", "bends"]);
//! # Ok::<(), boughs::Error>(())
//! ```

mod arena;
pub mod binarize;
mod constraints;
pub mod draw;
pub mod escape;
pub mod heads;
mod label;
mod phrase;
pub mod profile;
pub mod read;
mod root;
pub(crate) mod rule_text;
pub mod search;
mod symbol;
pub mod transform;
mod unary;
pub mod write;

use std::str::FromStr;

pub use arena::{
    Child, Children, Events, Node, NodeId, Token, Tokens, Tree, TreeBuilder, WalkEvent, from_spans,
};
pub use binarize::{Binarization, Branching, binarize, debinarize};
pub use constraints::{Constraints, Prepared};
pub use label::{base_label, functions, split_label};
pub use phrase::Phrase;
pub use root::{ROOT_LABELS, is_root_label};
pub(crate) use symbol::before_annotation as base_of_name;
pub use symbol::is_intermediate;
pub(crate) use symbol::labels as labels_of;
pub use unary::{Unaries, collapse_unaries};

use crate::error::{Error, ErrorKind, Result};

/// How bracket files and token tables write the tag of a token that has none.
pub const NO_TAG: &str = "_";

/// The tag of traces and other empty elements in Penn treebanks.
pub const TRACE_TAG: &str = "-NONE-";

/// Reads exactly one tree in brackets.
impl FromStr for Tree {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut trees = read::TreeReader::new(text.as_bytes(), read::Format::Bracket);
        let tree = trees.next().unwrap_or_else(|| Err(one_tree("none")))?;
        match trees.next() {
            None => Ok(tree),
            Some(Ok(_)) => Err(one_tree("several")),
            Some(Err(error)) => Err(error),
        }
    }
}

fn one_tree(found: &str) -> Error {
    Error::new(ErrorKind::Syntax, format!("expected one tree, found {found}"))
}
