//! boughs: constituency parsing that learns from your treebank.
//!
//! ```
//! use boughs::tree::read::BracketReader;
//!
//! let text = "( (S (NP (DT The) (NN bough)) (VP (VBZ bends))))";
//! for tree in BracketReader::new(text.as_bytes()) {
//!     let tree = tree?;
//!     assert_eq!(tree.num_tokens(), 3);
//!     assert_eq!(tree.to_string(), text);
//! }
//! # Ok::<(), boughs::Error>(())
//! ```

pub mod chart;
pub mod eval;
pub mod model;
pub mod parse;
pub mod parser;
pub mod span;
pub mod tagger;
pub mod text;
pub mod train;
pub mod transition;
pub mod tree;
pub mod treebank;

// Tests inside the library share files with those outside.
#[cfg(test)]
extern crate self as boughs;

pub(crate) use boughs_learn as learn;
pub use boughs_learn::error;
pub(crate) use boughs_learn::{rng, vocab};
pub use error::{Error, ErrorKind, Result};
