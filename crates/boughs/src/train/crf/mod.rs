//! Grammars with features, trained to tell the gold tree from all others (Taskar et al. 2004; Hall, Durrett & Klein 2014).
//!
//! The naive form lists all parses of every sentence and solves one large quadratic program. Parses share their parts, so what is wanted of all parses of a
//! sentence, the best one with its errors counted in or an average over all, comes from a search of a packed forest; a trainer goes from sentence to
//! sentence and asks for no more (`oracle`). What can be learned depends on what is looked at:
//!
//! - *Forests* come from a generative grammar, once, before training (`view`), and are kept with their features (`examples`).
//! - *Others are heard.* What the grammar thinks of a phrase can be a feature, and what a classifier thinks that sees a span by itself (`flat`).
//! - *Folds.* Both are surer of sentences that they have learned from. So that features do not learn to trust them too much, each part of the treebank
//!   is seen by those who learned from the other parts (`folds`).
//! - *Targets.* If the gold tree is not in a forest, the one with the fewest errors stands for it.

mod checkpoint;
mod config;
mod dual;
mod evaluate;
mod examples;
mod folds;
mod gold;
mod index;
mod online;
mod oracle;
#[cfg(test)]
mod reference;
mod span_classifier;
mod state;
mod train;
mod view;

pub use checkpoint::{CrfCheckpoint, fingerprint};
pub use config::{BaseGrammar, CrfConfig, Loss, Optimizer};
pub use train::{CrfEvent, CrfPoint, TrainedCrf, train};
