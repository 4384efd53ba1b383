//! Beam search (Turian & Melamed 2005): one step from the best partial parse, whose successors all go to a queue that
//! keeps the best few.

use super::explorer::{Explorer, Late};
use super::outcome::{End, Outcome};
use super::problem::Problem;
use super::total::Total;

/// Searches until the best partial parse is no better than the best complete one.
pub(super) fn search<T: Total>(
    explorer: &mut Explorer<T>,
    mut problem: Problem<'_>,
    max_pops: u64,
) -> Outcome {
    let end = run(explorer, &mut problem, max_pops).unwrap_or(End::Deadline);
    Outcome { greedy_was_best: None, ..explorer.outcome(problem, end) }
}

fn run<T: Total>(explorer: &mut Explorer<T>, problem: &mut Problem<'_>, max_pops: u64) -> Result<End, Late> {
    let first = explorer.visit_first(problem);
    if problem.is_late() {
        return Err(Late);
    }
    explorer.expand(problem, first);
    let mut num_pops = 1;
    while explorer.is_any_left() {
        if num_pops >= max_pops {
            return stop(explorer, problem, End::MaxPops);
        }
        if problem.is_late() {
            return stop_late(explorer, problem);
        }
        num_pops += 1;
        if let Some(id) = explorer.visit_best(problem) {
            explorer.expand(problem, id);
        }
    }
    Ok(explorer.exhausted())
}

/// Best first, hours may pass without a complete parse; a greedy completion takes but a moment. Whoever has a rival has a parse.
fn stop_late<T: Total>(explorer: &mut Explorer<T>, problem: &mut Problem<'_>) -> Result<End, Late> {
    match problem.task.rival {
        Some(_) => Err(Late),
        None => {
            problem.put_off_deadline();
            stop(explorer, problem, End::Deadline)
        }
    }
}

/// Completes the best partial parse greedily, unless there is a complete one.
fn stop<T: Total>(explorer: &mut Explorer<T>, problem: &mut Problem<'_>, end: End) -> Result<End, Late> {
    while !explorer.has_finished() && explorer.is_any_left() {
        if let Some(id) = explorer.visit_best(problem) {
            explorer.complete(problem, id)?;
            break;
        }
    }
    Ok(end)
}
