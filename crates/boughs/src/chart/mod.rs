//! Chart parsing: all parses of a sentence at once, in the cells of a table.
//!
//! The naive form (Cocke, Kasami, Younger) goes over spans from short to long, and for each over all split points,
//! all rules, and all substates of parent and children: `inside[A] += P(A → B C) · inside[B] · inside[C]`. This is
//! it, with four refinements:
//!
//! - *Split points first.* How likely `B` and `C` are side by side, summed over the split points of the span, does not
//!   depend on the rule. So the sum is made once for every pair of symbols, and then multiplied with all rules of the
//!   pair (`inside`).
//! - *Scaled numbers.* Every cell has an exponent of its own, so that probabilities need no logarithms and no sentence
//!   is too long (`cells`). Outside values are scaled by the inverse, so that inside times outside is a posterior
//!   probability.
//! - *Coarse to fine.* What a coarser grammar finds unlikely, a finer one does not look at (`grammar_parser`).
//! - *One forest for all decoders.* What is left is a packed forest, and a decoder is a way to score its edges
//!   (`forest`): so are several grammars (`product`), and features (`crf`).
//!
//! ```no_run
//! use boughs::chart::{ChartOptions, ChartParser};
//! use boughs::model::{ChartModel, ModelFile};
//! use boughs::parse::Request;
//! use boughs::tree::Tokens;
//!
//! let model = ChartModel::from_file(&ModelFile::load("grammar.model".as_ref())?)?;
//! let mut parser = ChartParser::new(&model, &ChartOptions::default());
//! let tokens: Tokens = [("boughs", ""), ("bend", "")].into_iter().collect();
//! println!("{}", parser.parse(Request::new(&tokens), &[])?.tree());
//! # Ok::<(), boughs::Error>(())
//! ```

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
    CrfGraph, CrfPart, Extractor, Forester, NO_PART, PartSymbols, SpanScorer, Surface, best_derivation,
    decode, edge_posteriors,
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
