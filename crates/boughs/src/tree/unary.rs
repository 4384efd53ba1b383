//! Unary chains as one phrase: `(S (VP (VB go)))` becomes `(S+VP (VB go))`, and back.
//!
//! Chart parsers want no chains of unary rules, which can go round in circles; joined symbols take them away
//! without losing what they say. Preterminals are no phrases in a [`Tree`], so a phrase over one token is not a chain.

use serde::{Deserialize, Serialize};

use super::symbol::{push_escaped, push_joined};
use super::{Node, NodeId, Tree};

/// What to do with a phrase whose only child is a phrase.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unaries {
    /// Leave it alone.
    #[default]
    #[serde(rename = "rules")]
    Keep,
    /// Join it and its child, `S+VP`, but leave a [root](super::ROOT_LABELS) alone, so that all trees keep the
    /// same root.
    #[serde(rename = "compound")]
    CollapseBelowRoot,
    /// Join it and its child, root or not.
    #[serde(rename = "compound-with-root")]
    Collapse,
}

impl Unaries {
    /// Whether a phrase becomes one with its parent.
    fn joins(self, tree: &Tree, node: Node<'_>) -> bool {
        let Some(parent) = node.parent else { return false };
        let apart = match self {
            Self::Keep => true,
            Self::CollapseBelowRoot => parent.index() == 0 && tree.has_root(),
            Self::Collapse => false,
        };
        !apart && tree.unary_child(parent) == Some(node.id)
    }
}

/// Joins unary chains; [`debinarize`](super::debinarize) is the exact inverse.
///
/// Labels that contain `+` or another character with a meaning in [names of symbols](mod@super::binarize) have it
/// escaped, also if nothing is joined.
///
/// ```
/// use boughs::tree::{Tree, Unaries, collapse_unaries, debinarize};
///
/// let tree: Tree = "(TOP (S (VP (VB Go) (ADVP (RB home)))))".parse()?;
/// let collapsed = collapse_unaries(&tree, Unaries::CollapseBelowRoot);
/// assert_eq!(collapsed.to_string(), "(TOP (S+VP (VB Go) (ADVP (RB home))))");
/// assert_eq!(debinarize(&collapsed)?, tree);
/// # Ok::<(), boughs::Error>(())
/// ```
pub fn collapse_unaries(tree: &Tree, unaries: Unaries) -> Tree {
    let mut collapsed = tree.clone();
    let mut symbol = String::new();
    let mut top = NodeId::new(0);
    let mut joined = Vec::with_capacity(tree.num_nodes());
    for node in tree.nodes() {
        let joins = unaries.joins(tree, node);
        joined.push(joins);
        if joins {
            push_joined(&mut symbol, node.label);
        } else {
            top = node.id;
            symbol.clear();
            push_escaped(&mut symbol, node.label);
        }
        if !goes_on(tree, unaries, node.id) {
            collapsed.set_label(top, &symbol);
        }
    }
    collapsed.retain_nodes(|node| !joined[node.id.index()]);
    collapsed
}

/// The lowest phrase of every chain, in pre-order: what [`collapse_unaries`] leaves has their children.
pub(super) fn bottoms(tree: &Tree, unaries: Unaries) -> impl Iterator<Item = Node<'_>> {
    tree.nodes().filter(move |node| !goes_on(tree, unaries, node.id))
}

/// Whether the chain that a phrase is in goes on below it.
fn goes_on(tree: &Tree, unaries: Unaries, node: NodeId) -> bool {
    tree.unary_child(node).is_some_and(|child| unaries.joins(tree, tree.node(child)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collapsed(text: &str, unaries: Unaries) -> String {
        collapse_unaries(&text.parse().expect("a tree"), unaries).to_string()
    }

    #[test]
    fn chains_of_any_length() {
        let text = "(TOP (S (VP (VP (VB go) (NP (NP (NN a)))))))";
        assert_eq!(collapsed(text, Unaries::Keep), text);
        assert_eq!(collapsed(text, Unaries::CollapseBelowRoot), "(TOP (S+VP+VP (VB go) (NP+NP (NN a))))");
        assert_eq!(collapsed(text, Unaries::Collapse), "(TOP+S+VP+VP (VB go) (NP+NP (NN a)))");
    }

    #[test]
    fn only_a_root_is_kept_apart() {
        assert_eq!(collapsed("(S (VP (VB go)))", Unaries::CollapseBelowRoot), "(S+VP (VB go))");
        assert_eq!(collapsed("( (S (VB go)))", Unaries::CollapseBelowRoot), "( (S (VB go)))");
        assert_eq!(collapsed("( (S (VB go)))", Unaries::Collapse), "(+S (VB go))");
    }

    #[test]
    fn labels_with_a_plus_are_escaped() {
        assert_eq!(collapsed("(A+B (C (X x)))", Unaries::Collapse), r"(A\+B+C (X x))");
        assert_eq!(collapsed("(A+B (C (X x)))", Unaries::Keep), r"(A\+B (C (X x)))");
    }

    #[test]
    fn trees_without_phrases() {
        assert_eq!(collapsed("()", Unaries::Collapse), "()");
        assert_eq!(collapsed("(NN a)", Unaries::Collapse), "(NN a)");
    }
}
