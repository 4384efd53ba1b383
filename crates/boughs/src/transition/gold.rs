//! Gold trees, as the oracle sees them.

use super::state::InferencePlace;
use super::symbols::{Label, TransitionSymbols};
use crate::tree::{Child, Tree};

/// The phrases of a preprocessed tree.
#[derive(Debug, Clone)]
pub(crate) struct GoldTree {
    pub(super) num_terminals: usize,
    /// In pre-order.
    phrases: Vec<GoldPhrase>,
    /// The parent of each terminal.
    parents: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
struct GoldPhrase {
    label: Label,
    parent: Option<u32>,
    num_children: u32,
    /// Its place among the children of its parent.
    place: u32,
}

/// What stands in a frontier, in terms of the gold tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GoldNode {
    Terminal(u32),
    Phrase(u32),
}

impl GoldTree {
    /// The phrases of a preprocessed tree; nothing if it has a label that the symbols do not, or no root.
    pub(crate) fn new(tree: &Tree, symbols: &TransitionSymbols) -> Option<Self> {
        let num_terminals = tree.num_tokens();
        let mut gold = Self { num_terminals, phrases: Vec::new(), parents: vec![0; num_terminals] };
        for node in tree.nodes() {
            let label = symbols.label(node.label)?;
            let parent = node.parent.map(|parent| parent.index() as u32);
            gold.phrases.push(GoldPhrase { label, parent, num_children: 0, place: 0 });
        }
        for id in tree.ids() {
            for (place, child) in (0..).zip(tree.children(id)) {
                gold.phrases[id.index()].num_children += 1;
                match child {
                    Child::Node(child) => gold.phrases[child.index()].place = place,
                    Child::Token(token) => {
                        gold.parents[token] = id.index() as u32 | if place == 0 { FIRST } else { 0 };
                    }
                }
            }
        }
        (!gold.phrases.is_empty()).then_some(gold)
    }

    /// The label of the parent.
    pub(super) fn label_above(&self, node: GoldNode) -> Option<Label> {
        self.parent(node).map(|parent| self.phrases[parent as usize].label)
    }

    pub(super) fn parent(&self, node: GoldNode) -> Option<u32> {
        match node {
            GoldNode::Terminal(token) => Some(self.parents[token as usize] & !FIRST),
            GoldNode::Phrase(phrase) => self.phrases[phrase as usize].parent,
        }
    }

    /// The place of the phrase whose first child stands at `start` and whose other children stand behind it, if there
    /// is one.
    pub(super) fn ready_at(
        &self,
        start: usize,
        node_at: impl Fn(usize) -> Option<GoldNode>,
    ) -> Option<InferencePlace> {
        let first = node_at(start).filter(|&node| self.is_first_child(node))?;
        let parent = self.parent(first)?;
        let end = start + self.phrases[parent as usize].num_children as usize;
        let is_child = |at| node_at(at).and_then(|node| self.parent(node)) == Some(parent);
        (start..end).all(is_child).then(|| InferencePlace::build(start, end - start))
    }

    fn is_first_child(&self, node: GoldNode) -> bool {
        match node {
            GoldNode::Terminal(token) => self.parents[token as usize] & FIRST != 0,
            GoldNode::Phrase(phrase) => self.phrases[phrase as usize].place == 0,
        }
    }
}

/// Marks terminals that are the first child of their parent.
const FIRST: u32 = 1 << 31;
