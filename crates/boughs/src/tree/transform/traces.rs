//! Traces and other empty elements.

use crate::tree::{TRACE_TAG, Tree};

/// Removes traces, and the phrases that dominate nothing else.
pub fn remove_traces(tree: &mut Tree) {
    tree.retain_tokens(|token| token.tag != TRACE_TAG);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emptied_phrases_go_too() {
        let mut tree: Tree =
            "(S (NP-SBJ (-NONE- *)) (VP (TO to) (VP (VB go) (SBAR (-NONE- 0) (S (-NONE- *T*-1))))))"
                .parse()
                .expect("a tree");
        remove_traces(&mut tree);
        assert_eq!(tree.to_string(), "(S (VP (TO to) (VP (VB go))))");
    }

    #[test]
    fn a_tree_of_traces_becomes_empty() {
        let mut tree: Tree = "( (NP (-NONE- *)) (-NONE- 0))".parse().expect("a tree");
        remove_traces(&mut tree);
        assert_eq!(tree, Tree::empty());
    }
}
