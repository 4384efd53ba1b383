//! What is done to trees before training and scoring, and undone after parsing.
//!
//! The naive way is a chain of scripts that read trees and write trees, each a little different, with the
//! tokens removed on the way lost. Here every transform is a function on a [`Tree`]; a [`Pipeline`] is an
//! ordered list of them, by name; and a [`Record`] remembers what a pipeline did to the tokens of a sentence,
//! so that the tree a parser gives back can be completed to a tree over exactly the tokens that went in.
//!
//! Since a tree is labelled spans over tokens, most transforms are one line about spans: raising punctuation
//! is narrowing spans, a unary chain is a run of equal spans, and putting a token back is widening them.
//!
//! ```
//! use boughs::tree::Tree;
//! use boughs::tree::transform::Pipeline;
//!
//! let pipeline = "tm06".parse::<Pipeline>().unwrap();
//! let tokens = [("``", "``"), ("Go", "VB"), ("on", "RP"), (".", "."), ("''", "''")];
//! let mut sentence = Tree::flat(tokens.into_iter().collect());
//! let record = pipeline.prepare(&mut sentence);
//! assert_eq!(sentence.to_string(), "( (VB go) (RP on))");
//!
//! let parsed: Tree = "(TOP (S (VP (VB go) (ADVP (RP on)))))".parse()?;
//! let expected = "(TOP (`` ``) (S (VP (VB Go) (ADVP (RP on)))) (. .) ('' ''))";
//! assert_eq!(record.restore(&parsed)?.to_string(), expected);
//! # Ok::<(), boughs::Error>(())
//! ```

mod labels;
mod length;
mod pipeline;
mod punctuation;
mod rare;
mod record;
mod step;
mod tags;
mod traces;
mod unary;
mod words;

pub use labels::{
    label_wh_phrases, prt_to_advp, remove_tags, rename_tags, splice, strip_alternatives, strip_functions,
};
pub use length::sentence_length;
pub use pipeline::{KeepOrDrop, PIPELINES, Pipeline, TransformSettings};
pub use punctuation::{raise_punctuation, remove_outer_punctuation, remove_quotes};
pub use rare::{Counting, KnownWords, WordCounts, read_words, replace_rare};
pub use record::Record;
pub use step::TransformStep;
pub use tags::TagSet;
pub use traces::remove_traces;
pub use unary::remove_unary_to_self;
pub(crate) use unary::repeats_in_chain;
pub use words::{lowercase, unescape_slashes};

#[cfg(doc)]
use super::Tree;
