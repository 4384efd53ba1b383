//! Parses scored by features of their parts (Taskar et al. 2004; Hall, Durrett & Klein 2014).
//!
//! The naive form lists all parses of a sentence and adds up the weights of the features of each. Parses share their
//! parts, *anchored* in the sentence: a phrase over a span, a rule over it with its split point, a word with a tag. So
//! every part gets its score once, and the forest that the parts make is searched. Five refinements:
//!
//! - *A grammar goes first.* What it finds unlikely is no part at all: a sentence of 20 words has a thousand rules
//!   left (`graph`).
//! - *Features by number.* What is seen of words is hashed once in a sentence, a feature is a mix of a few of these
//!   numbers, and its weight is looked up by it (`surface`, `features`).
//! - *One forest for all.* The best trees, and for training sums over all of them, come from the same items and edges
//!   (`sums`).
//! - *Posteriors as features.* The grammar, and a classifier that sees spans by themselves, say how likely a span is a
//!   phrase (`span_classifier`).
//! - *Reasons.* A feature can be told in words at the place where it holds, though a model knows only its number
//!   (`explain`).

mod explain;
mod features;
mod graph;
mod parser;
mod span_classifier;
mod sums;
mod surface;

pub use explain::{CrfExplanation, ExplainedPart, WeightedFeature};
pub(crate) use features::{CrfPart, Extractor, PartSymbols};
pub(crate) use graph::{CrfGraph, NO_PART};
pub(super) use parser::CrfParser;
pub(crate) use parser::{Forester, decode};
pub(crate) use span_classifier::SpanScorer;
pub(crate) use sums::{best_derivation, edge_posteriors};
pub(crate) use surface::Surface;
