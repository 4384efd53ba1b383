//! What agenda and beam search share: visited states, inferences that are still to be made, complete parses.

use super::finished::{Complete, Finished};
use super::problem::{SearchProblem, is_last};
use super::queue::{Agenda, AgendaEntry};
use super::searched::{ParsePath, Searched};
use super::states::States;
use super::total::Total;
use crate::parse::{Limit, Status};
use crate::transition::guide::Scored;
use crate::transition::state::ParserState;

/// Inferences to put aside before they go to the agenda.
const MAX_ASIDE: usize = 1 << 18;

/// The memory of a search through states.
#[derive(Debug, Clone, Default)]
pub(super) struct Explorer<T: Total> {
    states: States<T>,
    agenda: Agenda<T>,
    finished: Finished<T>,
    /// What a complete parse must be better than to be of use.
    bound: Option<T>,
    /// The state that is looked at.
    state: ParserState,
    pub(super) scored: Vec<Scored>,
    /// Inferences on their way to the agenda, each with its state. They wait until a greedy completion has ended, which
    /// often shows that few of them are of use.
    aside: Vec<(u32, Scored)>,
}

impl<T: Total> Explorer<T> {
    /// Forgets everything.
    pub(super) fn start(&mut self, problem: &SearchProblem<'_>, max_agenda: usize) {
        self.states.start();
        self.agenda.start(max_agenda);
        self.finished.start(problem.task.num_best);
        self.aside.clear();
        self.bound = problem.task.bound.and_then(T::of_cost);
    }

    /// Visits the first state.
    pub(super) fn visit_first(&mut self, problem: &SearchProblem<'_>) -> u32 {
        self.state = problem.initial();
        self.states.add(&self.state, T::default(), None)
    }

    /// Whether an entry of the agenda can lead to a parse of use.
    pub(super) fn is_any_left(&self) -> bool {
        self.agenda.best().is_some_and(|total| self.is_of_use(total))
    }

    fn is_of_use(&self, total: &T) -> bool {
        self.bound().is_none_or(|bound| total < bound)
    }

    /// What a path must be better than to be of use.
    fn bound(&self) -> Option<&T> {
        let worst = self.finished.bound();
        match (worst, &self.bound) {
            (Some(worst), Some(bound)) if bound < worst => Some(bound),
            (worst, bound) => worst.or(bound.as_ref()),
        }
    }

    /// Visits the state that the best entry of the agenda leads to. Nothing if it is complete, which is then
    /// remembered, or was visited before on a path that is as good.
    pub(super) fn visit_best(&mut self, problem: &mut SearchProblem<'_>) -> Option<u32> {
        let entry = self.agenda.heap.pop()?;
        self.states.load(entry.state, &mut self.state);
        let scored = entry.scored();
        self.visit(problem, entry.state, scored, entry.total)
    }

    /// Visits the state that an inference leads to from the one looked at, whose number is `before`.
    fn visit(
        &mut self,
        problem: &mut SearchProblem<'_>,
        before: u32,
        scored: Scored,
        total: T,
    ) -> Option<u32> {
        problem.advance(&mut self.state, scored.inference);
        let arrival = Some((before, scored));
        if is_last(scored.inference) {
            let id = self.states.add(&self.state, total.clone(), arrival);
            self.finished.add(total, self.state.frontier[0], id);
            return None;
        }
        match problem.task.scheme.strategy.has_many_paths() {
            true => self.states.add_if_better(&self.state, total, arrival),
            false => Some(self.states.add(&self.state, total, arrival)),
        }
    }

    /// Puts the inferences of the state looked at aside.
    pub(super) fn expand(&mut self, problem: &mut SearchProblem<'_>, id: u32) {
        problem.score(&self.state, &mut self.scored);
        self.put_aside(id, None);
        self.enqueue();
    }

    /// Makes the best inference, again and again, from the state looked at, until the parse is complete or of no use.
    /// The other inferences go to the agenda.
    pub(super) fn complete(&mut self, problem: &mut SearchProblem<'_>, mut id: u32) -> Result<(), Limit> {
        loop {
            problem.check_time()?;
            problem.score(&self.state, &mut self.scored);
            let Some((index, next)) = problem.first(&self.scored) else { break };
            self.put_aside(id, Some(index));
            let total = self.states.total(id).plus(next.score);
            if !self.is_of_use(&total) {
                break;
            }
            match self.visit(problem, id, next, total) {
                Some(visited) => id = visited,
                None => break,
            }
        }
        self.enqueue();
        Ok(())
    }

    /// Puts the scored inferences aside that may be of use, except for one that is made now.
    fn put_aside(&mut self, id: u32, made: Option<usize>) {
        let hopeless = self.hopeless_score(id);
        for (index, &scored) in self.scored.iter().enumerate() {
            if hopeless.is_none_or(|hopeless| scored.score > hopeless) && Some(index) != made {
                self.aside.push((id, scored));
            }
        }
        if self.aside.len() > MAX_ASIDE {
            self.enqueue();
        }
    }

    /// Moves what is of use from aside to the agenda.
    fn enqueue(&mut self) {
        let (mut state, mut hopeless) = (u32::MAX, None);
        let mut aside = std::mem::take(&mut self.aside);
        for (id, scored) in aside.drain(..) {
            if id != state {
                (state, hopeless) = (id, self.hopeless_score(id));
            }
            if hopeless.is_some_and(|hopeless| scored.score <= hopeless) {
                continue;
            }
            let total = self.states.total(id).plus(scored.score);
            if self.is_of_use(&total) {
                self.agenda.heap.push(AgendaEntry::new(total, id, scored));
            }
        }
        self.aside = aside;
        self.agenda.trim();
    }

    fn hopeless_score(&self, id: u32) -> Option<f64> {
        self.bound().map(|bound| self.states.total(id).hopeless_score(bound))
    }

    /// Whether a complete parse was found.
    pub(super) fn has_finished(&self) -> bool {
        !self.finished.parses.is_empty()
    }

    /// The end of a search that has nothing left on its agenda: what may have kept it from the best parse.
    pub(super) fn exhausted(&self) -> Result<(), Limit> {
        if self.agenda.forgotten.as_ref().is_some_and(|total| self.is_of_use(total)) {
            return Err(Limit::Agenda);
        }
        match self.bound.is_some() && !self.has_finished() {
            true => Err(Limit::Bound),
            false => Ok(()),
        }
    }

    /// What was found by a search that a limit may have ended. If it began with a greedy completion, the first complete
    /// parse is the greedy one.
    pub(super) fn searched(&self, mut problem: SearchProblem<'_>, end: Result<(), Limit>) -> Searched {
        let complete = &self.finished.parses;
        let path = |parse: &Complete<T>| ParsePath::new(parse.root, self.states.path(parse.state));
        let mut parses: Vec<ParsePath> = complete.iter().map(path).collect();
        let status = match end {
            end if parses.is_empty() => Status::Fallback(end.err()),
            Ok(()) => Status::Optimal,
            Err(limit) => Status::CutShort(limit),
        };
        if parses.is_empty() {
            parses.extend(self.fallback(&mut problem));
        }
        let greedy_was_best = Some(complete.first().is_some_and(|parse| parse.is_first));
        Searched { parses, status, num_inferences: problem.num_inferences, greedy_was_best }
    }

    fn fallback(&self, problem: &mut SearchProblem<'_>) -> Option<ParsePath> {
        let state = self.states.most_complete()?;
        let root = problem.fallback_root(self.states.frontier(state));
        Some(ParsePath::new(root, self.states.path(state)))
    }
}
