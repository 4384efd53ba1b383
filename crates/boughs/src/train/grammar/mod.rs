//! What all grammars are made from: binarised trees with numbers for names, and the words in them.

mod annotations;
mod lexicon;
mod trees;

pub use annotations::{Annotation, Annotations};
pub use lexicon::LexiconConfig;
pub(super) use lexicon::{LeafScores, estimate};
pub(super) use trees::{BinaryNode, BinaryTrees, GrammarTrees, NodeKind};
