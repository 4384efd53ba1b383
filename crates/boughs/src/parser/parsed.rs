//! What comes of parsing a sentence, whatever the parser.

use crate::error::Error;
use crate::tree::Tree;

/// Trees, and how they were found.
#[derive(Debug)]
pub struct Parsed {
    /// The trees over all tokens of the sentence, the best first; always at least one.
    pub parses: Vec<Parse>,
    /// How they were found.
    pub status: Status,
    /// Why the trees do not meet the demands on them, if they do not.
    pub unmet: Option<Error>,
}

/// A tree with what the parser thinks of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Parse {
    /// The tree.
    pub tree: Tree,
    /// How bad it is, in the parser's own measure; none if it is a makeshift or there was nothing to decide.
    pub cost: Option<f64>,
    /// For each phrase in pre-order how likely it is right; none where there is no telling. Phrases beyond the end have none.
    pub confidences: Vec<Option<f64>>,
}

/// How a tree was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// There was nothing to search for.
    Trivial,
    /// It is the best there is.
    Optimal,
    /// It is the best of what pruning left.
    Pruned,
    /// The search was greedy and did not look for a better one.
    Greedy,
    /// The search came to a limit before it had proved that there is none better.
    CutShort(Limit),
    /// There was no complete parse; in time, if there was a limit.
    Fallback {
        /// Whether the time was up.
        is_late: bool,
    },
    /// The sentence was too long to be parsed.
    TooLong,
    /// It does not meet the demands on it.
    DemandsUnmet,
}

/// What ended a search too early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// The time was up.
    Time,
    /// Enough inferences were scored.
    Inferences,
    /// Enough steps were taken.
    Steps,
    /// The agenda was too small.
    Agenda,
}

impl Parsed {
    /// The best tree.
    ///
    /// # Panics
    /// If `parses` was emptied.
    pub fn tree(&self) -> &Tree {
        &self.parses[0].tree
    }

    /// Whether the tree is a makeshift.
    pub fn is_fallback(&self) -> bool {
        matches!(self.status, Status::Fallback { .. } | Status::TooLong)
    }

    /// The same, found without keeping to demands.
    pub(super) fn against(self, unmet: Error) -> Self {
        Self { status: Status::DemandsUnmet, unmet: Some(unmet), ..self }
    }

    /// What another parse must cost less than to be among the best so many.
    pub(super) fn to_beat(&self, num_best: usize) -> Option<f64> {
        let is_sound = self.unmet.is_none() && !self.is_fallback();
        self.parses.get(num_best - 1).and_then(|parse| parse.cost).filter(|_| is_sound)
    }

    /// The better of two, or the best parses of both if neither is a makeshift.
    pub(super) fn or_better(mut self, mut other: Self, num_best: usize) -> Self {
        let is_sound = |parsed: &Self| parsed.unmet.is_none() && !parsed.is_fallback();
        match (is_sound(&self), is_sound(&other)) {
            (false, true) => return other,
            (_, false) => return self,
            (true, true) => {}
        }
        let status = if other.parses[0].cost < self.parses[0].cost { other.status } else { self.status };
        self.parses.append(&mut other.parses);
        self.parses.sort_by(|a, b| a.cost.unwrap_or(0.0).total_cmp(&b.cost.unwrap_or(0.0)));
        self.parses.truncate(num_best);
        Self { status, ..self }
    }

    pub(super) fn flat(tree: Tree, status: Status) -> Self {
        Self { parses: vec![Parse { tree, cost: None, confidences: Vec::new() }], status, unmet: None }
    }
}
