//! Root conventions: the bracket above a sentence that says nothing about it.

use super::{Node, Tree};

/// The labels that treebanks and parsers give to the root.
pub const ROOT_LABELS: [&str; 5] = ["", "TOP", "ROOT", "S1", "VROOT"];

/// Whether a label is one of [`ROOT_LABELS`].
pub fn is_root_label(label: &str) -> bool {
    ROOT_LABELS.contains(&label)
}

impl Tree {
    /// Whether the top node follows a root convention.
    pub fn has_root(&self) -> bool {
        self.root().is_some_and(|root| is_root_label(root.label))
    }

    /// Gives the tree one root with this label, in place of any that a convention put there.
    pub fn set_root(&mut self, label: &str) {
        self.strip_root();
        match self.root() {
            Some(root) if is_root_label(root.label) => self.set_label(root.id, label),
            _ => self.add_root(label),
        }
    }

    /// Removes the root, or several above each other, unless it holds several phrases together.
    pub fn strip_root(&mut self) {
        let num_tops = self.num_removable_roots();
        self.retain_nodes(|node| node.id.index() >= num_tops);
    }

    /// How many nodes at the top follow a root convention and hold one phrase or one token.
    fn num_removable_roots(&self) -> usize {
        let holds_one = |node: &Node<'_>| self.num_tokens() == 1 || self.unary_child(node.id).is_some();
        self.nodes().take_while(|node| is_root_label(node.label) && holds_one(node)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rooted(text: &str, label: &str) -> String {
        let mut tree: Tree = text.parse().expect("a tree");
        tree.set_root(label);
        tree.to_string()
    }

    fn stripped(text: &str) -> String {
        let mut tree: Tree = text.parse().expect("a tree");
        tree.strip_root();
        tree.to_string()
    }

    #[test]
    fn every_convention_becomes_one() {
        for text in ["( (S (VB go)))", "(ROOT (S (VB go)))", "(S (VB go))", "(S1 (TOP (S (VB go))))"] {
            assert_eq!(rooted(text, "TOP"), "(TOP (S (VB go)))");
            assert_eq!(stripped(text), "(S (VB go))");
        }
    }

    #[test]
    fn several_phrases_keep_their_root() {
        assert_eq!(rooted("( (NP (NN a)) (. .))", "TOP"), "(TOP (NP (NN a)) (. .))");
        assert_eq!(stripped("(TOP (NP (NN a)) (. .))"), "(TOP (NP (NN a)) (. .))");
    }

    #[test]
    fn a_hundred_thousand_roots() {
        let depth = 100_000;
        let text = format!("{}(S (VB go)){}", "(TOP ".repeat(depth), ")".repeat(depth));
        assert_eq!(rooted(&text, "ROOT"), "(ROOT (S (VB go)))");
    }

    #[test]
    fn bare_tokens() {
        assert_eq!(rooted("(UH Yes)", "TOP"), "(TOP (UH Yes))");
        assert_eq!(stripped("(TOP (UH Yes))"), "(UH Yes)");
        assert_eq!(rooted("()", "TOP"), "()");
    }
}
