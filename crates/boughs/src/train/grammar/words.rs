//! Sentences to parse again.

use crate::tree::{TRACE_TAG, Tokens, Tree};

/// The words of a tree, without tags and traces.
pub(in crate::train) fn untagged(tree: &Tree) -> Tokens {
    let mut tree = tree.clone();
    tree.retain_tokens(|token| token.tag != TRACE_TAG);
    tree.into_sentence().without_tags()
}
