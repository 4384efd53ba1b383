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

pub mod align;
pub mod chart;
pub mod error;
pub mod eval;
pub mod learn;
pub mod model;
pub mod parser;
pub mod rng;
pub mod span;
pub mod tagger;
pub mod text;
pub mod train;
pub mod transition;
pub mod translate;
pub mod tree;
pub mod treebank;
pub mod vocab;

pub use error::{Error, ErrorKind, Result};
