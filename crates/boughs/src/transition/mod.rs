//! The transition parser (Turian & Melamed 2005, 2006): a tree is built bottom-up, one inference at a time, and one
//! classifier per label scores the candidate inferences.
//!
//! A state is a row of items without parents, the frontier. An inference puts a label over consecutive items of it.
//! The [`Scheme`] says which inferences are candidates, a [`Strategy`] in which order a tree is built.

mod bundle_cache;
mod examples;
pub mod explain;
pub mod features;
mod file;
mod gold;
mod guide;
mod heads;
mod item;
mod model;
mod model_guide;
mod options;
mod oracle;
mod parser;
mod search;
mod state;
mod strategy;
mod symbols;
#[cfg(test)]
mod testing;

pub use examples::{ExampleWeights, ExamplesSummary};
pub(crate) use examples::{Examples, ExamplesBuilder};
pub use file::MAX_CHILDREN;
pub use model::TransitionModel;
pub(crate) use model::{action_name, actions, prepare};
pub use options::{Aggregator, Search, TransitionOptions};
pub use parser::TransitionParser;
pub(crate) use state::Action;
pub use state::Scheme;
pub use strategy::Strategy;
pub(crate) use symbols::TransitionSymbols;
