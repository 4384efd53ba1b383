//! Neural parsers: an encoder makes vectors of words in their context, a small network scores labelled spans,
//! and a chart finds the best tree (Stern, Andreas & Klein 2017; Kitaev & Klein 2018).
//!
//! It is the max-margin parser of Taskar et al. (2004) in its modern form: the objective, the search with
//! errors counted in and the chart are the same. The naive form describes a span by the words at its edges,
//! as somebody thought of them; here an encoder that has read much text describes it, and training adapts the
//! encoder, too.
//!
//! 1. *Words* become pieces of the encoder's vocabulary, in windows if there are many (`head/input.rs`), and
//!    the encoder
//!    gives a vector for each piece.
//! 2. The *head* makes scores of these: for each label of each span, and for each tag of each word (`head/`).
//! 3. The *search* works on the table of scores alone (`search/`): the best tree, the best trees, sums over
//!    all,
//!    constraints.
//! 4. The *objective* says what a table of scores lacks, and in which direction to change it
//!    (`objective.rs`).
//!
//! A phrase that is the only child of another is one with it: its label is that of the whole chain, as `S+VP`
//! (`labels.rs`). So a span has one label or none.

mod calibrate;
mod explain;
mod head;
mod labels;
mod model;
mod objective;
mod options;
mod parser;
mod posteriors;
mod search;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod words;

pub use boughs_encoder::Storage as WeightStorage;
pub use explain::{ExplainedAlternative, ExplainedPhrase, NeuralExplanation};
pub(crate) use head::{
    EncodedBatch, EncoderSentence, Head, HeadBatch, HeadSizes, HeadTask, HeadTrace, PassLoss, piece_batches,
};
pub(crate) use labels::{GoldTree, LabelledSpan, PhraseLabels};
pub use model::{NEURAL_KIND, NeuralModel};
pub use objective::NeuralObjective;
pub use options::NeuralOptions;
pub use parser::NeuralParser;
pub(crate) use parser::tree_of;
pub(crate) use posteriors::SpanPosteriors;
pub(crate) use search::{
    ScoredTree, SpanScores, TreeSums, best_tree, best_trees, num_spans, restrict, span_index,
};
pub(crate) use words::{NUM_SHAPES, as_in_text};
#[cfg(test)]
pub(crate) use {
    objective::tree_score,
    search::{all_trees, distance},
};
