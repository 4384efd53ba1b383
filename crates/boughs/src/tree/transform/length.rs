//! How long a sentence is.

use crate::tree::{TRACE_TAG, Tree};

/// The number of tokens that are not traces: punctuation counts, as in EVALB's column `Len.` and in the
/// limits (15 words, 40 words) of the literature.
pub fn sentence_length(tree: &Tree) -> usize {
    tree.tokens().filter(|token| token.tag != TRACE_TAG).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn punctuation_counts_and_traces_do_not() {
        let tree: Tree = "(S (NP (-NONE- *)) (VP (VB go)) (. .) ('' ''))".parse().expect("a tree");
        assert_eq!(sentence_length(&tree), 3);
        assert_eq!(sentence_length(&Tree::empty()), 0);
    }
}
