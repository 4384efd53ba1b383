//! Translation by transforming the source tree (Turian, Wellington and Melamed 2006, section 4).
//!
//! The naive form replaces every word by its most frequent translation. This one chooses, for every word, one
//! translation or none, and for every phrase whether to keep or swap its two parts; what is left at the leaves is the
//! translation. No word is ever added: what a language says in two words where the other says one is out of reach. The
//! paper's point is a comparison of ways to learn the choices, and so is ours:
//!
//! - [`train`]: a boosted classifier for every word and translation, and one for each order, over features of the whole
//!   source tree ([`Context`]);
//! - [`train_generative`]: a lexicalised top-down transducer, by Viterbi EM;
//! - [`Transducer::most_frequent`]: the naive form;
//! - [`compare_words`]: classifiers with an l2 penalty for the choice of words alone.
//!
//! Everything here is about one language pair at a time, and knows languages only by what its [`AlignedPair`]s show. A
//! [`Transducer`] is frozen and shared by threads; each [`Worker`] searches with memory of its own.

pub mod align;
mod context;
pub mod eval;
mod examples;
mod explain;
mod file;
mod generative;
mod lexicon;
mod problem;
mod search;
mod train;
mod transducer;
mod words;

pub use context::Context;
pub use examples::AlignedPair;
pub use explain::{Explanation, NodeChoice, Rival, WordChoice};
pub use generative::{GenerativeConfig, train_generative};
pub use lexicon::{CandidateFilter, Lexicon};
pub use search::{Derivation, SearchLimits};
pub use train::{Report, TrainConfig, train};
pub use transducer::{Transducer, Translation, Worker};
pub use words::{WordAccuracy, WordComparison, compare_words};
