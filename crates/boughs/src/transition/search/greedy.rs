//! Greedy search: the best inference, again and again. One state changes in place, so nothing is kept but the steps.

use super::outcome::{End, Outcome, ParsePath};
use super::problem::{Problem, is_last, step};
use crate::transition::guide::Scored;
use crate::transition::state::ParserState;

/// Greedy search, with its memory.
#[derive(Debug, Clone, Default)]
pub(super) struct Greedy {
    state: ParserState,
    scored: Vec<Scored>,
}

impl Greedy {
    pub(super) fn search(&mut self, mut problem: Problem<'_>) -> Outcome {
        let mut steps = Vec::with_capacity(2 * problem.task.terminals.len());
        let mut cost = 0.0;
        problem.start(&mut self.state);
        let end = loop {
            if problem.is_late() {
                break End::Deadline;
            }
            problem.score(&self.state, &mut self.scored);
            let Some((_, next)) = problem.first(&self.scored) else { break End::DeadEnd };
            cost += next.cost();
            if problem.task.rival.is_some_and(|rival| cost >= rival) {
                break End::Beaten;
            }
            problem.advance(&mut self.state, next.inference);
            steps.push(step(next, &self.state.frontier));
            if is_last(next.inference) {
                break End::Greedy;
            }
        };
        let is_fallback = end != End::Greedy;
        let root = match is_fallback {
            true => problem.fallback_root(&self.state.frontier),
            false => self.state.frontier[0],
        };
        Outcome {
            parses: vec![ParsePath::new(root, steps, is_fallback)],
            end,
            num_inferences: problem.num_inferences,
            num_states: problem.num_states,
            greedy_was_best: Some(!is_fallback),
        }
    }
}
