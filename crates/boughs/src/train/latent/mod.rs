//! Grammars with latent sub-symbols, learned by splitting (Petrov et al. 2006; Petrov & Klein 2007).
//!
//! The naive form gives every symbol `k` sub-symbols at once, at random, and lets EM find out what they mean (Matsuzaki et al. 2005). It gets stuck, and
//! spends as much on commas as on verb phrases. Here every symbol is split in two, EM runs, the half of the splits that
//! brought least is undone, and what is left is smoothed; then the next round. After each round the grammar parses the development trees, and the best
//! round is kept.

mod checkpoint;
mod conditional;
mod expectation;
mod merge;
mod smooth;
mod split;
mod state;
mod train;

pub use checkpoint::{LatentCheckpoint, fingerprint};
pub use conditional::{
    ConditionalCheckpoint, ConditionalConfig, ConditionalEvent, ConditionalPoint, Penalty, Start,
    TrainedConditional, conditional_fingerprint, train as train_conditional,
};
pub use merge::SymbolSplits;
pub use train::{LatentConfig, LatentEvent, Point, Trained, train};
