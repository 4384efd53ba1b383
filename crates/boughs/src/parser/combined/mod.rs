//! Several parsers in one: each says how likely every phrase is, and the tree that they like best together is
//! taken.
//!
//! The naive form lets parsers vote: a phrase that most of them have is in the tree (Henderson & Brill 1999). That
//! throws away how sure each of them is, and needs three. Here each has *posteriors*: for every span
//! the probabilities of its labels, and of there being no phrase. A neural parser has these exactly; all others
//! give their best trees with confidences. Posteriors are put together span by span with a weight for each parser
//! ([`CombinationRule`]), and what comes out is a table of scores, in which the search of neural parsers finds the
//! best trees and keeps to constraints. Weights are tuned on trees that no parser has seen ([`tune`]).

mod explain;
mod model;
mod options;
mod parser;
mod rule;
#[cfg(test)]
mod tests;
mod tune;

pub use explain::{CombinedExplanation, CombinedPhrase, PhrasePosteriors};
pub use model::{COMBINED_KIND, CombinedModel};
pub use options::CombinedOptions;
pub use parser::CombinedParser;
pub use rule::CombinationRule;
pub use tune::tune;
