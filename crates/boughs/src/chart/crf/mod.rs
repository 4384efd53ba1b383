//! Parses scored by features of their parts (Taskar et al. 2004; Hall, Durrett & Klein 2014).
//!
//! The naive form lists all parses of a sentence and adds up the weights of the features of each. Parses share their parts, *anchored* in the
//! sentence: a phrase over a span, a rule over it with a place to divide it, a word with a tag. So every part gets its score once, and the forest that
//! the parts make is searched. Five refinements:
//!
//! - *A grammar goes first.* What it finds unlikely is no part at all: a sentence of 20 words has a thousand rules left (`graph`).
//! - *Features by number.* What is seen of words is hashed once in a sentence, a feature is a mix of a few of these numbers, and its weight is looked up by
//!   it (`surface`, `features`).
//! - *One forest for all.* The best trees, and for training sums over all of them, come from the same items and edges (`sums`).
//! - *Others are heard.* The grammar, and a classifier that sees spans by themselves, say how likely a span is a phrase (`flat`).
//! - *Reasons.* A feature can be told in words at the place where it holds, though a model knows only its number (`explain`).

mod explain;
mod features;
mod graph;
mod parser;
mod span_classifier;
mod sums;
mod surface;

pub use explain::{Explanation, Reason, Step};
pub(crate) use features::{Extractor, Part};
pub(crate) use graph::{Graph, NO_PART};
pub use parser::CrfParser;
pub(crate) use parser::{Forester, decode};
pub(crate) use span_classifier::SpanScorer;
pub(crate) use sums::{best_derivation, edge_posteriors};
pub(crate) use surface::Surface;
