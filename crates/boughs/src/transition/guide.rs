//! Guides: who says how good an inference is. The model and the gold tree answer the same question, so parsing, generating
//! examples and rebuilding gold trees share one loop.

use super::heads::HeadTable;
use super::item::Items;
use super::search::best;
use super::state::{Inference, State};

/// An inference and its score: positive if it rather is correct.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    /// The inference.
    pub inference: Inference,
    /// The confidence that it is correct, h.
    pub score: f64,
}

impl Scored {
    /// What the inference costs, ln(1 + exp(-h)): never negative, so the cost of a path only grows.
    pub fn cost(&self) -> f64 {
        cost(self.score)
    }
}

/// ln(1 + exp(-score)) without overflow.
pub fn cost(score: f64) -> f64 {
    crate::learn::loss::log_loss(score)
}

/// The sentence that is being parsed, with the memory to do it in.
#[derive(Debug, Clone, Default)]
pub struct Workspace {
    /// The items made so far.
    pub items: Items,
    /// Positions of heads.
    pub heads: HeadTable,
}

/// Says how good the legal inferences of a state are.
pub trait Guide {
    /// A sentence begins: what was remembered by the number of an item no longer holds.
    fn start(&mut self, _workspace: &Workspace) {}

    /// Replaces `scored` by the legal inferences of a state, places from left to right and labels in their order.
    fn score(&mut self, state: &State, workspace: &mut Workspace, scored: &mut Vec<Scored>);

    /// The one of these inferences, which it has just scored, to make first, and where it stands.
    fn first(&self, scored: &[Scored]) -> Option<(usize, Scored)> {
        best(scored)
    }
}
