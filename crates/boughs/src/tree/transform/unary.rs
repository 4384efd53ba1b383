//! Unary projections to self, such as `(NP (NP …))` or `(NP (S (NP …)))`.
//!
//! The naive form goes bottom-up and deletes a phrase with one child if its label occurs again below it in
//! the same chain of only children. The lowest phrase of each label always survives that, so it is the
//! same to keep, of every run of equal spans, the lowest phrase of each label.

use rustc_hash::FxHashSet;

use crate::tree::Tree;

/// Removes every phrase whose label occurs again lower in the same unary chain. The root stays if it
/// follows a root convention.
pub fn remove_unary_to_self(tree: &mut Tree) {
    let repeats = repeats_in_chain(tree, |label| label);
    let has_root = tree.has_root();
    tree.retain_nodes(|node| !repeats[node.id.index()] || (has_root && node.parent.is_none()));
}

/// For every phrase, whether its category, as `category` tells it from the label, occurs again lower in the same
/// chain.
pub(crate) fn repeats_in_chain(tree: &Tree, category: fn(&str) -> &str) -> Vec<bool> {
    let mut repeats = vec![false; tree.num_nodes()];
    let mut below: FxHashSet<&str> = FxHashSet::default();
    // In reverse pre-order a chain is met from its lowest phrase up.
    for node in tree.nodes().rev() {
        if tree.unary_child(node.id).is_none() {
            below.clear();
        }
        repeats[node.id.index()] = !below.insert(category(node.label));
    }
    repeats
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(text: &str) -> String {
        let mut tree: Tree = text.parse().expect("a tree");
        remove_unary_to_self(&mut tree);
        tree.to_string()
    }

    #[test]
    fn the_upper_one_goes() {
        assert_eq!(applied("(TOP (NP (NP (NN a))))"), "(TOP (NP (NN a)))");
        assert_eq!(applied("(TOP (NP (S (NP (NN a) (NN b)))))"), "(TOP (S (NP (NN a) (NN b))))");
        assert_eq!(applied("(S (S (S (VB go) (RP on))))"), "(S (VB go) (RP on))");
        assert_eq!(applied("(A (B (A (B (X a)))))"), "(A (B (X a)))");
    }

    #[test]
    fn chains_end_where_a_phrase_branches() {
        for text in ["(NP (NP (NN a)) (NN b))", "(NP (NP (NN a)) (, ,))", "(TOP (S (X a)) (S (X b)))"] {
            assert_eq!(applied(text), text);
        }
    }

    #[test]
    fn the_root_stays() {
        assert_eq!(applied("(TOP (S (TOP (UH Yes))))"), "(TOP (S (TOP (UH Yes))))");
    }
}
