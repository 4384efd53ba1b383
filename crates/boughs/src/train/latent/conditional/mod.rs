//! Grammars with latent sub-symbols that tell the gold tree from the others (Petrov & Klein 2008, "Discriminative log-linear grammars
//! with latent variables").
//!
//! The naive form counts how often rules occur, and hopes that the tree which is likely together with its words is also the one
//! that is likely given them. Here the weights of rules and words are free numbers, exp θ, and what is maximised is the likelihood of the gold trees given
//! their words: the gradient is what is used in the gold trees, minus what is used in all parses, both expected. All parses of all training
//! sentences, again and again, is a lot, so
//!
//! - a coarser grammar says once for each stage what is worth looking at ([`Mask`](crate::chart::Mask)); gold phrases always are;
//! - stages go from few sub-symbols to many, each beginning where the last one ended, all symbols split in two;
//! - a penalty keeps parameters near those of the grammar that training began with: L2 (L-BFGS), or L1 (OWL-QN), which leaves most of
//!   them exactly there.

mod checkpoint;
mod config;
mod loglinear;
mod objective;
mod sentences;
mod train;
mod words;

pub use checkpoint::{ConditionalCheckpoint, conditional_fingerprint};
pub use config::{ConditionalConfig, Penalty, Start};
pub use train::{ConditionalEvent, ConditionalPoint, TrainedConditional, train};
