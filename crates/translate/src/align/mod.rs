//! Which words translate which: word alignment of sentence pairs, and trees aligned by it.
//!
//! The naive form of word alignment: count how often two words stand in the same sentence pair, and link each word
//! with the one it meets most often. Frequent words then attract everything. IBM model 1 (Brown et al. 1993) makes
//! the words of a sentence compete for each word of its translation, by EM. The HMM model (Vogel, Ney and Tillmann
//! 1996) adds that neighbours tend to be translated by neighbours, and a sparse prior that a word has few
//! translations. Both link a word of the target to one word of the source at most. So they are trained in both
//! directions, and the links made symmetric.
//!
//! - [`Bitext`] holds the pairs, [`Tokenization`] says what a token is, [`PairFilter`] which pairs to keep; [`split`]
//!   draws parts that share no sentence;
//! - [`AlignConfig`] is the recipe that trains and links; [`Symmetrization`] unites the two directions;
//! - [`parse_links`] and [`format_links`] are the Pharaoh format of other aligners; [`ErrorRate`] compares with gold
//!   links;
//! - [`TreeCounts`] says what links mean for source trees: which words have one, and which phrases swap their parts.
//!
//! ```
//! use boughs_learn::run::run;
//! use boughs_translate::align::{AlignConfig, Bitext, Symmetrization, format_links};
//!
//! let mut bitext = Bitext::new();
//! for (source, target) in [("the house", "la maison"), ("the flower", "la fleur"), ("a house", "une maison")] {
//!     bitext.push(source.split(' '), target.split(' '));
//! }
//! let aligned = run(&AlignConfig::default(), &bitext, None, Default::default())?.expect("nobody broke it off");
//! let links = aligned.model.symmetrize(Symmetrization::Intersection);
//! assert_eq!(format_links(&links[0]), "0-0 1-1");
//! # Ok::<(), boughs::Error>(())
//! ```

mod binary;
mod bitext;
mod dirichlet;
mod error_rate;
mod hmm;
mod jumps;
mod links;
mod model1;
mod split;
mod symmetrize;
mod table;
mod tokens;
mod train;
mod tree;

pub(crate) use binary::{BinaryNode, BinaryPart, BinaryTree, HEAD_RULES};
pub(crate) use bitext::IdRows;
pub use bitext::{Bitext, BitextSide, PairFilter, Rejection, split_pair};
pub use error_rate::{ErrorRate, GoldLinks};
pub(crate) use links::one_to_one;
pub use links::{Link, format_links, parse_links};
pub use split::{SentenceGroups, split};
pub use symmetrize::Symmetrization;
pub use tokens::Tokenization;
pub use train::{AlignConfig, AlignState, Directed};
pub use tree::TreeCounts;
pub(crate) use tree::{PartOrder, TreeAlignment};

/// The place of the highest score and the score; the first of equals.
pub(crate) fn first_best(scores: impl IntoIterator<Item = f64>) -> (usize, f64) {
    let better = |best: (usize, f64), next: (usize, f64)| if next.1 > best.1 { next } else { best };
    scores.into_iter().enumerate().fold((0, f64::NEG_INFINITY), better)
}
