//! Greedy search: the best inference, again and again. One state changes in place, so nothing is kept but the steps.

use super::problem::{Problem, is_last, step};
use super::searched::{ParsePath, Searched};
use crate::parse::{Limit, Status};
use crate::transition::guide::Scored;

pub(super) fn search(mut problem: Problem<'_>, scored: &mut Vec<Scored>) -> Searched {
    let mut state = problem.initial();
    let mut steps = Vec::with_capacity(2 * problem.task.terminals.len());
    let mut cost = 0.0;
    let status = loop {
        if problem.is_late() {
            break Status::Fallback(Some(Limit::Time));
        }
        problem.score(&state, scored);
        let Some((_, next)) = problem.first(scored) else { break Status::Fallback(None) };
        cost += next.cost();
        if problem.task.bound.is_some_and(|bound| cost >= bound) {
            break Status::Fallback(Some(Limit::Bound));
        }
        problem.advance(&mut state, next.inference);
        steps.push(step(next, &state.frontier));
        if is_last(next.inference) {
            break Status::Greedy;
        }
    };
    let root = match status {
        Status::Greedy => state.frontier[0],
        _ => problem.fallback_root(&state.frontier),
    };
    Searched {
        parses: vec![ParsePath::new(root, steps)],
        status,
        num_inferences: problem.num_inferences,
        greedy_was_best: Some(status == Status::Greedy),
    }
}
