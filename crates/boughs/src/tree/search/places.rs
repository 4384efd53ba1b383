//! Phrases, tags and words of a tree as one list of nodes, with the way from each to the others.

use std::ops::Range;

use super::Hit;
use crate::span::Span;
use crate::tree::{Child, NodeId, Tree};

/// The nodes of a tree: first the phrases in pre-order, then the tags, then the words.
pub(super) struct Places<'t> {
    tree: &'t Tree,
    parents: Vec<Option<usize>>,
    /// Where the children of each node are in `children`.
    ranges: Vec<Range<usize>>,
    children: Vec<usize>,
    /// Which child of its parent each node is, from 0.
    orders: Vec<usize>,
}

impl<'t> Places<'t> {
    pub(super) fn new(tree: &'t Tree) -> Self {
        let (num_nodes, num_tokens) = (tree.num_nodes(), tree.num_tokens());
        let count = Self::count(tree);
        let mut places = Self {
            tree,
            parents: vec![None; count],
            ranges: vec![0..0; count],
            children: Vec::with_capacity(count),
            orders: vec![0; count],
        };
        for id in tree.ids() {
            let start = places.children.len();
            for child in tree.children(id) {
                places.children.push(match child {
                    Child::Node(id) => id.index(),
                    Child::Token(index) => num_nodes + index,
                });
            }
            places.adopt(id.index(), start);
        }
        for index in 0..num_tokens {
            let start = places.children.len();
            places.children.push(num_nodes + num_tokens + index);
            places.adopt(num_nodes + index, start);
        }
        places
    }

    fn adopt(&mut self, parent: usize, start: usize) {
        self.ranges[parent] = start..self.children.len();
        for (order, &child) in self.children[start..].iter().enumerate() {
            self.parents[child] = Some(parent);
            self.orders[child] = order;
        }
    }

    /// How many nodes a tree has.
    pub(super) fn count(tree: &Tree) -> usize {
        tree.num_nodes() + 2 * tree.num_tokens()
    }

    pub(super) fn label_of(tree: &Tree, place: usize) -> &str {
        match Self::hit(tree, place) {
            Hit::Phrase(id) => tree.label(id),
            Hit::Tag(index) => tree.token(index).tag,
            Hit::Word(index) => tree.word(index),
        }
    }

    pub(super) fn hit(tree: &Tree, place: usize) -> Hit {
        let (num_nodes, num_tokens) = (tree.num_nodes(), tree.num_tokens());
        match place {
            place if place < num_nodes => Hit::Phrase(NodeId::new(place as u32)),
            place if place < num_nodes + num_tokens => Hit::Tag(place - num_nodes),
            place => Hit::Word(place - num_nodes - num_tokens),
        }
    }

    pub(super) fn of_hit(tree: &Tree, hit: Hit) -> usize {
        match hit {
            Hit::Phrase(id) => id.index(),
            Hit::Tag(index) => tree.num_nodes() + index,
            Hit::Word(index) => tree.num_nodes() + tree.num_tokens() + index,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.parents.len()
    }

    pub(super) fn label(&self, place: usize) -> &'t str {
        Self::label_of(self.tree, place)
    }

    pub(super) fn span(&self, place: usize) -> Span {
        match Self::hit(self.tree, place) {
            Hit::Phrase(id) => self.tree.span(id),
            Hit::Tag(index) | Hit::Word(index) => Span::new(index as u32, index as u32 + 1),
        }
    }

    pub(super) fn parent(&self, place: usize) -> Option<usize> {
        self.parents[place]
    }

    pub(super) fn children(&self, place: usize) -> &[usize] {
        &self.children[self.ranges[place].clone()]
    }

    /// Which child of its parent a node is, from 0.
    pub(super) fn order(&self, place: usize) -> usize {
        self.orders[place]
    }

    /// The nodes above a node, the nearest first.
    pub(super) fn ancestors(&self, place: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.parent(place), |&above| self.parent(above))
    }

    /// The nodes below a node.
    pub(super) fn descendants(&self, place: usize) -> impl Iterator<Item = usize> {
        let mut waiting: Vec<usize> = self.children(place).iter().rev().copied().collect();
        std::iter::from_fn(move || {
            let next = waiting.pop()?;
            waiting.extend(self.children(next).iter().rev());
            Some(next)
        })
    }
}
