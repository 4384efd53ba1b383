//! Learning from sparse binary features: rows, columns, labels and weights, never words.
//!
//! A [`Dataset`] holds the rows once; a [`Target`] says what one classifier is to learn from them, so that many
//! classifiers share one dataset.

mod dataset;
pub mod optimize;
pub mod svmlight;
mod target;

pub use dataset::{Dataset, DatasetBuilder, Postings, PostingsIter};
pub use target::Target;
