//! What a search has found.

use crate::transition::guide::Scored;
use crate::transition::item::ItemId;

/// Why a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum End {
    /// Nothing better is left: the parses are the best there are.
    Optimal,
    /// Greedy search does not look further.
    Greedy,
    /// Enough inferences were scored.
    MaxInferences,
    /// Enough steps were taken.
    MaxPops,
    /// The agenda was too small: something better may have been forgotten.
    FullAgenda,
    /// The time was up.
    Deadline,
    /// Every path that was followed has come to a state without a legal inference.
    DeadEnd,
    /// No parse is better than the rival.
    Beaten,
}

/// One step of a parse.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The inference and its score.
    pub scored: Scored,
    /// The phrase that it built; nothing if it was a shift.
    pub item: Option<ItemId>,
}

/// A complete parse.
#[derive(Debug, Clone, PartialEq)]
pub struct Parse {
    /// The root.
    pub root: ItemId,
    /// The inferences in the order in which they were made. The root of a fallback was not inferred.
    pub steps: Vec<Step>,
    /// The sum of the costs of the steps, whatever the aggregator.
    pub cost: f64,
    /// Whether no complete parse was found, so that the root is over what the most complete of the partial ones had left.
    pub is_fallback: bool,
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Different parses, the best first; at least one. If the rival was not beaten, it is a fallback.
    pub parses: Vec<Parse>,
    /// Why the search ended; the reason for the fallback, if there is one.
    pub end: End,
    /// Inferences scored.
    pub num_inferences: u64,
    /// States whose inferences were scored.
    pub num_states: u64,
    /// Whether the greedy parse is the best; beam search does not know, as it does not come by it.
    pub greedy_was_best: Option<bool>,
}

impl Step {
    /// The probability that the inference is correct, according to the guide: 1 / (1 + exp(-score)).
    pub fn confidence(&self) -> f64 {
        crate::learn::loss::sigmoid(self.scored.score)
    }
}

impl Parse {
    pub(super) fn new(root: ItemId, steps: Vec<Step>, is_fallback: bool) -> Self {
        let cost = steps.iter().fold(0.0, |sum, step| sum + step.scored.cost());
        Self { root, steps, cost, is_fallback }
    }

    /// The confidence in a phrase of the parse; nothing for tokens and for the root of a fallback.
    pub fn confidence(&self, item: ItemId) -> Option<f64> {
        self.steps.iter().find(|step| step.item == Some(item)).map(Step::confidence)
    }

    /// The lowest score of a step, which the max-min aggregator looks at first.
    pub fn lowest_score(&self) -> f64 {
        self.steps.iter().map(|step| step.scored.score).fold(f64::INFINITY, f64::min)
    }
}

impl Outcome {
    /// The best parse.
    ///
    /// # Panics
    /// If `parses` was emptied.
    pub fn best(&self) -> &Parse {
        &self.parses[0]
    }

    /// Whether the parses are proved to be the best there are.
    pub fn is_optimal(&self) -> bool {
        self.end == End::Optimal
    }
}
