//! Source trees in which every phrase has two parts, so that a phrase can do nothing but keep or swap them.
//!
//! Phrases of one child are passed over. A phrase of more grows from its head outward: the head takes its sisters on
//! the right one by one, then those on its left, as [`Branching::Head`](boughs::tree::Branching) does. Only the source
//! decides, so trees look the same whether or not a translation is known.

use std::sync::LazyLock;

use boughs::tree::heads::HeadRules;
use boughs::tree::{Child, NodeId, Tree};

/// Which child is the head: the same rules wherever trees are transformed.
pub(crate) static HEAD_RULES: LazyLock<HeadRules> = LazyLock::new(HeadRules::english);

/// A word or a phrase of a [`BinaryTree`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BinaryPart {
    /// A word, by its index in the sentence.
    Word(u32),
    /// A phrase, by its index in the tree.
    Node(u32),
}

/// A phrase of two parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BinaryNode {
    /// The phrase of the source tree that it is, or is a piece of.
    pub(crate) phrase: NodeId,
    /// Whether it is only a piece of it.
    pub(crate) is_piece: bool,
    /// The first part.
    pub(crate) left: BinaryPart,
    /// The second part.
    pub(crate) right: BinaryPart,
    /// Whether the first part has the head.
    pub(crate) is_head_left: bool,
    /// The head word.
    pub(crate) head: u32,
    /// The words that it covers: the first, and one behind the last.
    pub(crate) span: (u32, u32),
}

impl BinaryNode {
    /// The part without the head.
    pub(crate) fn dependent(&self) -> BinaryPart {
        if self.is_head_left { self.right } else { self.left }
    }
}

/// A source tree in binary form: parts stand before what they are parts of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BinaryTree {
    /// The phrases, parts before what they are parts of.
    pub(crate) nodes: Vec<BinaryNode>,
    /// The whole sentence; nothing if it is empty.
    pub(crate) root: Option<BinaryPart>,
    /// The number of words.
    pub(crate) num_words: usize,
}

impl BinaryTree {
    /// The binary form of a tree.
    pub(crate) fn new(tree: &Tree) -> Self {
        let mut binary = Self { nodes: Vec::new(), root: None, num_words: tree.num_tokens() };
        let mut parts: Vec<Option<BinaryPart>> = vec![None; tree.num_nodes()];
        for id in tree.ids().rev() {
            let children: Vec<BinaryPart> = tree
                .children(id)
                .filter_map(|child| match child {
                    Child::Node(child) => parts[child.index()],
                    Child::Token(index) => Some(BinaryPart::Word(index as u32)),
                })
                .collect();
            let head = HEAD_RULES.head_child(tree, id);
            let head = tree.children(id).position(|child| child == head).unwrap_or(0);
            parts[id.index()] = binary.grow(id, &children, head);
        }
        binary.root = match tree.root() {
            Some(root) => parts[root.id.index()],
            None => (tree.num_tokens() > 0).then_some(BinaryPart::Word(0)),
        };
        binary
    }

    /// Makes a phrase of its children.
    fn grow(&mut self, phrase: NodeId, children: &[BinaryPart], head: usize) -> Option<BinaryPart> {
        let mut part = *children.get(head)?;
        let num_added = self.nodes.len() + children.len() - 1;
        for &right in &children[head + 1..] {
            part = self.join(phrase, part, right, true, num_added);
        }
        for &left in children[..head].iter().rev() {
            part = self.join(phrase, left, part, false, num_added);
        }
        Some(part)
    }

    fn join(
        &mut self,
        phrase: NodeId,
        left: BinaryPart,
        right: BinaryPart,
        is_head_left: bool,
        num_nodes: usize,
    ) -> BinaryPart {
        let head = self.head(if is_head_left { left } else { right });
        let span = (self.span(left).0, self.span(right).1);
        let is_piece = self.nodes.len() + 1 < num_nodes;
        self.nodes.push(BinaryNode { phrase, is_piece, left, right, is_head_left, head, span });
        BinaryPart::Node(self.nodes.len() as u32 - 1)
    }

    /// The head word of a part.
    pub(crate) fn head(&self, part: BinaryPart) -> u32 {
        match part {
            BinaryPart::Word(word) => word,
            BinaryPart::Node(node) => self.nodes[node as usize].head,
        }
    }

    /// The words of a part: the first, and one behind the last.
    pub(crate) fn span(&self, part: BinaryPart) -> (u32, u32) {
        match part {
            BinaryPart::Word(word) => (word, word + 1),
            BinaryPart::Node(node) => self.nodes[node as usize].span,
        }
    }

    /// The words in the order in which they stand when some phrases swap their parts.
    pub(crate) fn reordered(&self, is_swapped: impl Fn(usize) -> bool) -> Vec<u32> {
        let mut words = Vec::new();
        let mut waiting: Vec<BinaryPart> = self.root.into_iter().collect();
        while let Some(part) = waiting.pop() {
            match part {
                BinaryPart::Word(word) => words.push(word),
                BinaryPart::Node(index) => {
                    let BinaryNode { left, right, .. } = self.nodes[index as usize];
                    waiting.extend(if is_swapped(index as usize) { [left, right] } else { [right, left] });
                }
            }
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binary(text: &str) -> BinaryTree {
        BinaryTree::new(&text.parse().unwrap())
    }

    #[test]
    fn phrases_grow_from_their_heads() {
        let tree =
            binary("(TOP (S (NP (DT a) (JJ big) (NN dog)) (VP (VBD ate) (NP (NNS bones)) (RB fast)) (. .)))");
        let spans: Vec<(u32, u32)> = tree.nodes.iter().map(|node| node.span).collect();
        assert_eq!(spans, [(3, 5), (3, 6), (1, 3), (0, 3), (3, 7), (0, 7)]);
        let heads: Vec<u32> = tree.nodes.iter().map(|node| node.head).collect();
        assert_eq!(heads, [3, 3, 2, 2, 3, 3]);
        let pieces: Vec<bool> = tree.nodes.iter().map(|node| node.is_piece).collect();
        assert_eq!(pieces, [true, false, true, false, true, false]);
        assert_eq!(tree.root, Some(BinaryPart::Node(5)));
        assert_eq!(tree.reordered(|_| false), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(tree.reordered(|node| node == 2), [0, 2, 1, 3, 4, 5, 6]);
    }

    #[test]
    fn small_trees() {
        assert_eq!(binary("()").root, None);
        assert_eq!(binary("(TOP (UH Oh))").root, Some(BinaryPart::Word(0)));
        assert_eq!(binary("(UH Oh)").root, Some(BinaryPart::Word(0)));
        assert_eq!(binary("(X (A a) (B b))").nodes.len(), 1);
    }

    #[test]
    fn deep_trees_do_no_harm() {
        let depth = 50_000;
        let text = format!("{}(A a){}", "(X (B b) ".repeat(depth), ")".repeat(depth));
        assert_eq!(binary(&text).reordered(|_| true).len(), depth + 1);
    }
}
