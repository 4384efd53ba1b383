//! Chart parsing: all parses of a sentence at once, in the cells of a table.
//!
//! The naive form (Cocke, Kasami, Younger) goes over spans from short to long, and for each over all places to divide it, all rules, and
//! all sub-symbols of parent and children: `inside[A] += P(A → B C) · inside[B] · inside[C]`. This is it, with four refinements:
//!
//! - *Divide first.* How likely `B` and `C` are side by side, summed over the places to divide the span, does not depend on the rule. So
//!   the sum is made once for every pair of symbols, and then multiplied with all rules of the pair ([`inside`]).
//! - *Scaled numbers.* Every cell has an exponent of its own, so that probabilities need no logarithms and no sentence is too long
//!   (`cells`). Outside values are scaled by the inverse, so that inside times outside is a posterior probability.
//! - *Coarse to fine.* What a coarser grammar finds unlikely, a finer one does not look at (`worker`).
//! - *One kernel.* Sums and maxima differ in one operation ([`Semiring`]).
//!
//! Unary rules are applied a limited number of times in a cell, so there are no cycles.

mod cells;
mod constraints;
mod crf;
mod expected_counts;
mod forest;
mod grammar_parser;
mod inside;
mod kbest;
mod mask;
mod options;
mod output;
mod outside;
mod parser;
mod plain;
mod posterior;
mod product;
mod prune;
mod query;
#[cfg(test)]
mod reference;
mod scale;
mod semiring;

pub(crate) use cells::Chart;
pub use crf::{CrfExplanation, ExplainedPart, WeightedFeature};
pub(crate) use crf::{
    CrfGraph, CrfPart, Extractor, Forester, NO_PART, SpanScorer, Surface, best_derivation, decode,
    edge_posteriors,
};
pub(crate) use expected_counts::add_expected_counts;
pub(crate) use grammar_parser::GrammarParser;
pub(crate) use inside::{Scratch, inside};
pub(crate) use mask::Mask;
pub use options::{ChartOptions, Decoder};
pub(crate) use outside::outside;
pub use parser::ChartParser;
pub(crate) use query::Query;
pub use query::TagPosteriors;
pub(crate) use scale::{exponent, power_of_two};
pub(crate) use semiring::{Semiring, SumSemiring};
