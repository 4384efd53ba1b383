//! Word alignment, and translation by transforming the source tree (Turian, Wellington and Melamed 2006, section 4).
//!
//! The naive form of translation replaces every word by its most frequent translation. This one chooses, for every
//! word, one translation or none, and for every phrase whether to keep or swap its two parts. What is left at the
//! leaves is the translation. No word is ever added: what a language says in two words where the other says one is out
//! of reach. The paper's point is a comparison of ways to learn the choices, and so is ours:
//!
//! - [`DiscriminativeConfig`]: a boosted classifier for every word and translation, and one for each order,
//!   over features of the whole source tree;
//! - [`GenerativeConfig`]: a lexicalised top-down transducer, by Viterbi EM;
//! - [`Transducer::most_frequent`]: the naive form;
//! - [`compare_words`]: classifiers with an l2 penalty for the choice of words alone.
//!
//! [`align`] finds out which words translate which, [`eval`] how good translations are. Everything is about one
//! language pair at a time, and knows languages only by what [`AlignedPair`]s show. A [`Transducer`] is frozen and
//! shared by threads; it has its own [`SearchLimits`], and each [`TranslateWorker`] searches with memory of its own.
//!
//! ```
//! use boughs::train::run;
//! use boughs::tree::Tree;
//! use boughs_translate::align::{AlignConfig, Bitext, Symmetrization};
//! use boughs_translate::{AlignedPair, Transducer};
//!
//! let (mut trees, mut bitext) = (Vec::new(), Bitext::new());
//! for (tree, target) in [
//!     ("(S (NP (DT the) (NN dog)) (VP (VBZ sleeps)))", "le chien dort"),
//!     ("(S (NP (DT the) (NN cat)) (VP (VBZ eats)))", "le chat mange"),
//!     ("(S (NP (DT a) (NN dog)) (VP (VBZ eats)))", "un chien mange"),
//! ] {
//!     let tree: Tree = tree.parse()?;
//!     bitext.push(tree.words(), target.split(' '));
//!     trees.push(tree);
//! }
//! let aligned = run(&AlignConfig::default(), &bitext, None, Default::default())?.expect("nobody broke it off");
//! let pairs = AlignedPair::all(trees, &bitext, aligned.model.symmetrize(Symmetrization::Intersection), &[]);
//! let transducer = Transducer::most_frequent(&pairs)?;
//!
//! let tree: Tree = "(S (NP (DT a) (NN cat)) (VP (VBZ sleeps)))".parse()?;
//! assert_eq!(transducer.worker().translate(&tree, 1)[0].words, ["un", "chat", "dort"]);
//! # Ok::<(), boughs::Error>(())
//! ```

pub mod align;
mod context;
mod discriminative;
pub mod eval;
mod examples;
mod explain;
mod file;
mod generative;
mod lexicon;
mod problem;
mod search;
#[cfg(test)]
mod testing;
mod transducer;
mod words;

pub use discriminative::{DiscriminativeConfig, DiscriminativeState, PenaltyCriterion};
pub use examples::AlignedPair;
pub use explain::{ChoiceAlternative, NodeChoice, TranslationExplanation, WordChoice};
pub use generative::{GenerativeConfig, GenerativeState};
pub use lexicon::{BilingualLexicon, CandidateFilter};
pub use search::SearchLimits;
pub use transducer::{Transducer, TranslateWorker, Translation, TranslationPreset};
pub use words::{L2_WEIGHTS, WORD_LEARNERS, WordAccuracy, WordComparison, compare_words};
