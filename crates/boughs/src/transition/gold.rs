//! Gold trees, and the oracle that follows them.

use super::guide::Workspace;
use super::state::{Action, Inference, InferencePlace, ParserState, Scheme};
use super::symbols::{Label, TransitionSymbols};
use crate::rng::Rng;
use crate::tree::{Child, Tree};

/// The phrases of a preprocessed tree.
#[derive(Debug, Clone)]
pub(crate) struct GoldTree {
    num_terminals: usize,
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

/// A walk through the states of a gold tree. See [`GoldTree::walk`].
#[derive(Debug, Clone)]
pub(crate) struct GoldPath<'g> {
    gold: &'g GoldTree,
    scheme: Scheme,
    /// The state reached.
    pub(crate) state: ParserState,
    /// The gold node of each item of the frontier.
    nodes: Vec<GoldNode>,
    correct: Vec<InferencePlace>,
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

    /// Follows the tree from the first state on.
    pub(crate) fn walk(&self, scheme: Scheme) -> GoldPath<'_> {
        let nodes = (0..self.num_terminals as u32).map(GoldNode::Terminal).collect();
        let state = ParserState::initial(self.num_terminals, scheme.strategy);
        let mut path = GoldPath { gold: self, scheme, state, nodes, correct: Vec::new() };
        path.find_correct();
        path
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

impl GoldPath<'_> {
    /// The correct inferences, from left to right; none once the tree is complete. One may have more children than the
    /// scheme allows.
    pub(crate) fn correct(&self) -> impl ExactSizeIterator<Item = Inference> + '_ {
        self.correct.iter().map(|&place| self.inference(place))
    }

    /// Makes one of the correct inferences, drawn by `rng` if there are several; none once the tree is complete.
    pub(crate) fn step(
        &mut self,
        workspace: &mut Workspace,
        symbols: &TransitionSymbols,
        rng: &mut Rng,
    ) -> Option<Inference> {
        let choice = match self.correct.len() {
            0 => return None,
            1 => 0,
            len => rng.below(len as u64) as usize,
        };
        let inference = self.inference(self.correct[choice]);
        let parent = self.parent_at(inference.place).filter(|_| !inference.place.is_shift);
        self.scheme.advance(&mut self.state, inference, workspace, symbols);
        if let Some(parent) = parent {
            self.nodes.splice(inference.place.range(), [GoldNode::Phrase(parent)]);
        }
        self.find_correct();
        Some(inference)
    }

    fn parent_at(&self, place: InferencePlace) -> Option<u32> {
        self.gold.parent(self.nodes[place.start as usize])
    }

    fn inference(&self, place: InferencePlace) -> Inference {
        let action = match self.parent_at(place) {
            Some(parent) if !place.is_shift => Action::Build(self.gold.phrases[parent as usize].label),
            _ => Action::Shift,
        };
        Inference { place, action }
    }

    fn find_correct(&mut self) {
        self.correct.clear();
        if self.nodes == [GoldNode::Phrase(0)] {
            return;
        }
        for start in 0..self.nodes.len() {
            self.correct.extend(self.gold.ready_at(start, |at| self.nodes.get(at).copied()));
        }
        self.scheme.strategy.order().keep_correct(self.state.focus, &mut self.correct);
    }
}
