//! Sentences to parse again.

use crate::tree::{TRACE_TAG, Tree};

/// The words of a tree, without tags and traces.
pub(in crate::train) fn untagged(tree: &Tree) -> Tree {
    let mut tree = tree.clone();
    tree.retain_tokens(|token| token.tag != TRACE_TAG);
    Tree::flat(tree.into_sentence().without_tags())
}
