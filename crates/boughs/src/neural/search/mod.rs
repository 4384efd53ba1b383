//! Trees over a table of scores: a score for each label of each span, and 0 for a span without one.
//!
//! The naive chart splits every span in two, and a span that is no phrase gets no label. It finds the best
//! tree, but finds every tree in many ways, as children of a phrase can be grouped in any order: sums over
//! trees would count some of them many times, and lists of the best would be full of copies. Here every tree
//! is found in one way. A *body*, what is in a phrase, is a word, or a *sequence* of children and one more
//! *child*. A child is a phrase, or a word that is none. A sequence is a child, or a body without a label.
//! The loops are as short as those of the naive chart.
//!
//! - [`best_tree`]: the highest score ([`best`]).
//! - [`best_trees`]: the highest scores ([`kbest`]).
//! - [`TreeSums`]: sums over all trees, and posteriors ([`sums`]).
//! - [`expected_gains`]: scores by which the best tree is that with the fewest errors to be expected
//!   ([`risk`]).
//! - [`restrict`]: scores by which the best trees meet constraints ([`mod@restrict`]).
//!
//! All are held against a list of all trees of short sentences (`reference.rs`).

mod best;
mod kbest;
#[cfg(test)]
mod reference;
mod restrict;
mod risk;
mod sums;
mod table;

pub(crate) use best::{ScoredTree, best_tree};
pub(crate) use kbest::best_trees;
#[cfg(test)]
pub(crate) use reference::{all_trees, distance};
pub(crate) use restrict::restrict;
pub(crate) use risk::expected_gains;
pub(crate) use sums::TreeSums;
pub(crate) use table::{SpanScores, num_spans, span_index, spans};
