//! Recipes: from a treebank to a model. The only part of the library that knows both ends.

mod checkpoint;
pub mod crf;
mod grammar;
pub mod latent;
mod margins;
pub mod pcfg;
mod tags;
pub mod transition;

pub use checkpoint::fingerprint;
pub use grammar::{Annotation, Annotations, GrammarScores, LexiconConfig};
pub use margins::{Margins, NUM_PERCENTILES, margins};
pub use tags::{jackknife_tags, retag, tagged_sentences};
