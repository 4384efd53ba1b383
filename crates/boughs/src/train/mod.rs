//! Recipes: from a treebank to a model. The only part of the library that knows both ends.

mod checkpoint;
pub mod history;
mod margins;
mod tags;

pub use checkpoint::fingerprint;
pub use margins::{Margins, NUM_PERCENTILES, margins};
pub use tags::{jackknife_tags, retag, tagged_sentences};
