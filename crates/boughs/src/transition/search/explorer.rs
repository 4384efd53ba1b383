//! What agenda and beam search share: visited states, inferences that are still to be made, complete parses.

use super::finished::{Complete, Finished};
use super::outcome::{End, Outcome, ParsePath};
use super::problem::{Problem, is_last};
use super::queue::{Agenda, AgendaEntry};
use super::states::States;
use super::total::Total;
use crate::transition::guide::Scored;
use crate::transition::state::ParserState;

/// Inferences to put aside before they go to the queue.
const MAX_ASIDE: usize = 1 << 18;

/// The memory of a search through states.
#[derive(Debug, Clone)]
pub(super) struct Explorer<T> {
    states: States<T>,
    queue: Agenda<T>,
    finished: Finished<T>,
    /// What a complete parse must be better than.
    rival: Option<T>,
    /// The state that is looked at.
    state: ParserState,
    scored: Vec<Scored>,
    /// Inferences on their way to the queue, each with its state. They wait until a greedy completion has ended, which
    /// often shows that few of them are of use.
    aside: Vec<(u32, Scored)>,
}

/// The time is up.
pub(super) struct Late;

impl<T: Total> Default for Explorer<T> {
    fn default() -> Self {
        Self {
            states: States::default(),
            queue: Agenda::default(),
            finished: Finished::default(),
            rival: None,
            state: ParserState::default(),
            scored: Vec::new(),
            aside: Vec::new(),
        }
    }
}

impl<T: Total> Explorer<T> {
    /// Forgets everything.
    pub(super) fn start(&mut self, num_best: usize, max_queue: usize) -> &mut Self {
        self.states.start();
        self.queue.start(max_queue);
        self.finished.start(num_best);
        self.aside.clear();
        self
    }

    /// Visits the first state.
    pub(super) fn visit_first(&mut self, problem: &Problem<'_>) -> u32 {
        problem.start(&mut self.state);
        self.rival = problem.task.rival.and_then(T::of_cost);
        self.states.add(&self.state, T::empty(), None)
    }

    /// Whether an entry of the queue can lead to a parse of use.
    pub(super) fn is_any_left(&self) -> bool {
        self.queue.best().is_some_and(|total| self.is_of_use(total))
    }

    fn is_of_use(&self, total: &T) -> bool {
        self.bound().is_none_or(|bound| total < bound)
    }

    /// What a path must be better than to be of use.
    fn bound(&self) -> Option<&T> {
        self.finished.bound().into_iter().chain(&self.rival).min()
    }

    /// Visits the state that the best entry of the queue leads to. Nothing if it is complete, which is then remembered,
    /// or was visited before on a path that is as good.
    pub(super) fn visit_best(&mut self, problem: &mut Problem<'_>) -> Option<u32> {
        let entry = self.queue.pop()?;
        self.states.load(entry.state, &mut self.state);
        let scored = entry.scored();
        self.visit(problem, entry.state, scored, entry.total)
    }

    /// Visits the state that an inference leads to from the one looked at, whose number is `before`.
    fn visit(&mut self, problem: &mut Problem<'_>, before: u32, scored: Scored, total: T) -> Option<u32> {
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
    pub(super) fn expand(&mut self, problem: &mut Problem<'_>, id: u32) {
        problem.score(&self.state, &mut self.scored);
        self.put_aside(id, None);
        self.enqueue();
    }

    /// Makes the best inference, again and again, from the state looked at, until the parse is complete or of no use.
    /// The other inferences go to the queue.
    pub(super) fn complete(&mut self, problem: &mut Problem<'_>, mut id: u32) -> Result<(), Late> {
        loop {
            if problem.is_late() {
                return Err(Late);
            }
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

    /// Moves what is of use from aside to the queue.
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
                self.queue.push(AgendaEntry::new(total, id, scored));
            }
        }
        self.aside = aside;
        self.queue.trim();
    }

    fn hopeless_score(&self, id: u32) -> Option<f64> {
        self.bound().map(|bound| self.states.total(id).hopeless_score(bound))
    }

    /// Whether a complete parse was found.
    pub(super) fn has_finished(&self) -> bool {
        !self.finished.parses().is_empty()
    }

    /// Why a search ends that has nothing left in its queue.
    pub(super) fn exhausted(&self) -> End {
        let forgotten = self.queue.forgotten().is_some_and(|total| self.is_of_use(total));
        match (forgotten, self.has_finished()) {
            (true, _) => End::FullAgenda,
            (false, true) => End::Optimal,
            (false, false) if self.rival.is_some() => End::Beaten,
            (false, false) => End::DeadEnd,
        }
    }

    /// What was found. If the search began with a greedy completion, the first complete parse is the greedy one.
    pub(super) fn outcome(&self, mut problem: Problem<'_>, end: End) -> Outcome {
        let complete = self.finished.parses();
        let parse = |parse: &Complete<T>| ParsePath::new(parse.root, self.states.path(parse.state), false);
        let mut parses: Vec<ParsePath> = complete.iter().map(parse).collect();
        if parses.is_empty() {
            parses.extend(self.fallback(&mut problem));
        }
        Outcome {
            parses,
            end,
            num_inferences: problem.num_inferences,
            num_states: problem.num_states,
            greedy_was_best: Some(complete.first().is_some_and(|parse| parse.is_first)),
        }
    }

    fn fallback(&self, problem: &mut Problem<'_>) -> Option<ParsePath> {
        let state = self.states.most_complete()?;
        let root = problem.fallback_root(self.states.frontier(state));
        Some(ParsePath::new(root, self.states.path(state), true))
    }
}
