//! What a search asks: which inferences there are, where they lead, and whether there is time left.

use std::time::{Duration, Instant};

use super::Task;
use super::searched::ParseStep;
use crate::parse::Limit;
use crate::transition::guide::{Guide, Scored, Workspace};
use crate::transition::item::ItemId;
use crate::transition::state::{Action, Inference, ParserState};
use crate::transition::symbols::TOP;

/// A sentence to be parsed by a guide. Counts what is asked.
pub(super) struct Problem<'a> {
    guide: &'a mut dyn Guide,
    workspace: &'a mut Workspace,
    pub(super) task: &'a Task<'a>,
    pub(super) num_inferences: u64,
    deadline: Option<Instant>,
    /// From the beginning to the deadline.
    time: Duration,
}

impl<'a> Problem<'a> {
    pub(super) fn new(guide: &'a mut dyn Guide, workspace: &'a mut Workspace, task: &'a Task<'a>) -> Self {
        let deadline = task.deadline;
        let time =
            deadline.map_or(Duration::ZERO, |deadline| deadline.saturating_duration_since(Instant::now()));
        Self { guide, workspace, task, num_inferences: 0, deadline, time }
    }

    /// The first state.
    pub(super) fn initial(&self) -> ParserState {
        ParserState::initial(self.task.terminals.len(), self.task.scheme.strategy)
    }

    /// Replaces `scored` by the legal inferences of a state.
    pub(super) fn score(&mut self, state: &ParserState, scored: &mut Vec<Scored>) {
        self.guide.score(state, self.workspace, scored);
        self.num_inferences += scored.len() as u64;
    }

    /// The inference to make first of those just scored, and where it stands.
    pub(super) fn first(&self, scored: &[Scored]) -> Option<(usize, Scored)> {
        self.guide.first(scored)
    }

    /// Makes an inference in place.
    pub(super) fn advance(&mut self, state: &mut ParserState, inference: Inference) {
        self.task.scheme.advance(state, inference, self.workspace, self.task.symbols);
    }

    /// The root over items that nothing better could be made of.
    pub(super) fn fallback_root(&mut self, frontier: &[ItemId]) -> ItemId {
        self.workspace.phrase(self.task.symbols, TOP, frontier, true)
    }

    /// Whether the time is up.
    pub(super) fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Ends a search whose time is up.
    pub(super) fn check_time(&self) -> Result<(), Limit> {
        if self.is_late() { Err(Limit::Time) } else { Ok(()) }
    }

    /// Puts the deadline off by as much time as there was.
    pub(super) fn put_off_deadline(&mut self) {
        self.deadline = self.deadline.and_then(|deadline| deadline.checked_add(self.time));
    }
}

/// Whether an inference completes the parse: [`TOP`] is legal over the whole only.
pub(super) fn is_last(inference: Inference) -> bool {
    inference.action == Action::Build(TOP)
}

/// The inference with the highest score, and where it stands; ties as the module says.
pub(crate) fn best(scored: &[Scored]) -> Option<(usize, Scored)> {
    let rank = |scored: &Scored| (scored.inference.action, scored.inference.place);
    let is_better = |one: &Scored, other: &Scored| {
        let order = one.score.total_cmp(&other.score);
        order.is_gt() || (order.is_eq() && rank(one) < rank(other))
    };
    let (mut index, mut best) = (0, *scored.first()?);
    for (at, candidate) in scored.iter().enumerate().skip(1) {
        if is_better(candidate, &best) {
            (index, best) = (at, *candidate);
        }
    }
    Some((index, best))
}

/// A step that has just led to `state`.
pub(super) fn step(scored: Scored, frontier: &[ItemId]) -> ParseStep {
    let item = match scored.inference.action {
        Action::Build(_) => frontier.get(scored.inference.place.start as usize).copied(),
        Action::Shift => None,
    };
    ParseStep { scored, item }
}
