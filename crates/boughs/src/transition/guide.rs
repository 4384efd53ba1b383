//! Guides: they score inferences. The model and the gold tree answer the same question, so that a search can follow
//! either.

use super::heads::HeadTable;
use super::item::{ItemId, Items};
use super::search::best;
use super::state::{Inference, ParserState};
use super::symbols::{Label, TOP, TransitionSymbols};

/// An inference and its score, which is positive if it is rather correct than not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scored {
    /// The inference.
    pub(crate) inference: Inference,
    /// The confidence that it is correct, h.
    pub(crate) score: f64,
}

impl Scored {
    /// What the inference costs, ln(1 + exp(-h)): never negative, so the cost of a path only grows.
    pub(crate) fn cost(&self) -> f64 {
        cost(self.score)
    }
}

/// ln(1 + exp(-score)) without overflow.
pub(crate) fn cost(score: f64) -> f64 {
    crate::learn::loss::log_loss(score)
}

/// The sentence that is being parsed, with the memory to do it in.
#[derive(Debug, Clone, Default)]
pub(crate) struct Workspace {
    /// The items made so far.
    pub(crate) items: Items,
    /// Positions of heads.
    pub(crate) heads: HeadTable,
}

impl Workspace {
    /// The phrase with a label over children, which may be all items that are left.
    pub(crate) fn phrase(
        &mut self,
        symbols: &TransitionSymbols,
        label: Label,
        children: &[ItemId],
        is_whole: bool,
    ) -> ItemId {
        let sequence = self.heads.sequence(symbols, &self.items, children, is_whole || label == TOP);
        let head = self.heads.heads(sequence, symbols).position(label);
        self.items.phrase(label, children, head)
    }
}

/// Scores the legal inferences of a state.
pub(crate) trait Guide {
    /// A sentence begins: what was remembered by the number of an item no longer holds.
    fn start(&mut self) {}

    /// Replaces `scored` by the legal inferences of a state, places from left to right and labels in their order.
    fn score(&mut self, state: &ParserState, workspace: &mut Workspace, scored: &mut Vec<Scored>);

    /// The one of these inferences, which it has just scored, to make first, and where it stands.
    fn first(&self, scored: &[Scored]) -> Option<(usize, Scored)> {
        best(scored)
    }
}
