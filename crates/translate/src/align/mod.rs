//! Which words translate which: word alignment of sentence pairs, and trees aligned by it.
//!
//! The naive form of word alignment: count how often two words stand in the same sentence pair, and link each word with
//! the one it meets most often. Frequent words then attract everything. IBM model 1 (Brown et al. 1993) makes the words of
//! a sentence compete for each word of its translation, by EM; the HMM model (Vogel, Ney and Tillmann 1996) adds that
//! neighbours tend to be translated by neighbours, and a sparse prior that a word has few translations. Both link a word of the target to one word of the source at most, so they
//! are trained in both directions and the links made symmetric.
//!
//! - [`Bitext`] holds the pairs, [`Tokens`] says what a token is, [`PairFilter`] which pairs are worth having; [`split`] draws
//!   parts that share no sentence;
//! - [`align_words`] trains and links; [`Symmetrization`] unites the two directions;
//! - [`parse_links`] and [`format_links`] are the Pharaoh format, in which aligners talk; [`ErrorRate`] compares with gold links;
//! - [`TreeAlignment`] carries links over to source trees: which word becomes which, and which phrases swap their parts.
//!
//! ```
//! use boughs_translate::align::{AlignConfig, Bitext, Symmetrization, align_words, format_links};
//!
//! let mut bitext = Bitext::new();
//! for (source, target) in [("the house", "la maison"), ("the flower", "la fleur"), ("a house", "une maison")] {
//!     bitext.push(source.split(' '), target.split(' '));
//! }
//! let directed = align_words(&bitext, &AlignConfig::default(), |_| {})?;
//! let links = directed.symmetrize(Symmetrization::Intersection);
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

pub use binary::{BinaryNode, BinaryTree, Part};
pub use bitext::{Bitext, PairFilter, Rejection, Sentences, Side, split_pair};
pub use error_rate::{ErrorRate, GoldLinks};
pub use links::{Link, format_links, one_to_one, parse_links};
pub use split::{SentenceGroups, split};
pub use symmetrize::Symmetrization;
pub use tokens::Tokens;
pub use train::{AlignConfig, Directed, Iteration, Model, align_words};
pub use tree::{Order, TreeAlignment, TreeCounts};
