//! Beam search (Turian & Melamed 2005): one step from the best partial parse, whose successors all go to an agenda
//! that keeps the best few.

use super::explorer::Explorer;
use super::problem::SearchProblem;
use super::total::Total;
use crate::parse::Limit;

/// Searches until the best partial parse is no better than the best complete one, or a limit is reached.
pub(super) fn search<T: Total>(
    explorer: &mut Explorer<T>,
    problem: &mut SearchProblem<'_>,
    max_pops: u64,
) -> Result<(), Limit> {
    let first = explorer.visit_first(problem);
    problem.check_time()?;
    explorer.expand(problem, first);
    let mut num_pops = 1;
    while explorer.is_any_left() {
        if num_pops >= max_pops {
            return stop(explorer, problem, Limit::Steps);
        }
        if problem.is_late() {
            // Best first, hours may pass without a complete parse; a greedy completion takes but a moment. Who gives a
            // bound has a parse.
            if problem.task.bound.is_none() {
                problem.put_off_deadline();
                return stop(explorer, problem, Limit::Time);
            }
            return Err(Limit::Time);
        }
        num_pops += 1;
        if let Some(id) = explorer.visit_best(problem) {
            explorer.expand(problem, id);
        }
    }
    explorer.exhausted()
}

/// Completes the best partial parse greedily, unless there is a complete one.
fn stop<T: Total>(
    explorer: &mut Explorer<T>,
    problem: &mut SearchProblem<'_>,
    limit: Limit,
) -> Result<(), Limit> {
    while !explorer.has_finished() && explorer.is_any_left() {
        if let Some(id) = explorer.visit_best(problem) {
            explorer.complete(problem, id)?;
            break;
        }
    }
    Err(limit)
}
