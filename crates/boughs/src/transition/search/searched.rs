//! What a search has found.

use crate::parse::Status;
use crate::transition::guide::Scored;
use crate::transition::item::ItemId;

/// One step of a parse.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ParseStep {
    /// The inference and its score.
    pub(crate) scored: Scored,
    /// The phrase that it built; none if it was a shift.
    pub(crate) item: Option<ItemId>,
}

/// The steps to a tree.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ParsePath {
    /// The root.
    pub(crate) root: ItemId,
    /// The inferences in the order in which they were made. The root of a fallback was not inferred.
    pub(crate) steps: Vec<ParseStep>,
    /// The sum of the costs of the steps, whatever the aggregator.
    pub(crate) cost: f64,
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Searched {
    /// Different parses, the best first; none if the sentence is empty. If there is no complete parse, or none below
    /// the bound, it is a single fallback: a root over what the most complete partial parse had left.
    pub(crate) parses: Vec<ParsePath>,
    /// How they were found.
    pub(crate) status: Status,
    /// Inferences scored.
    pub(crate) num_inferences: u64,
    /// Whether the greedy parse is the best; beam search does not know, as it does not find it.
    pub(crate) greedy_was_best: Option<bool>,
}

impl ParseStep {
    /// The probability that the inference is correct, according to the guide: 1 / (1 + exp(-score)).
    pub(crate) fn confidence(&self) -> f64 {
        1.0 / (1.0 + (-self.scored.score).exp())
    }
}

impl ParsePath {
    pub(super) fn new(root: ItemId, steps: Vec<ParseStep>) -> Self {
        let cost = steps.iter().fold(0.0, |sum, step| sum + step.scored.cost());
        Self { root, steps, cost }
    }
}

impl Searched {
    /// Nothing was searched for: the sentence is empty.
    pub(super) const TRIVIAL: Self =
        Self { parses: Vec::new(), status: Status::Trivial, num_inferences: 0, greedy_was_best: None };

    /// The best parse, if it is complete.
    pub(crate) fn complete(&self) -> Option<&ParsePath> {
        self.parses.first().filter(|_| !self.status.is_fallback())
    }
}
