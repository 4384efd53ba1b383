//! Agenda search with greedy completion (Turian & Melamed 2006): from the best partial parse, depth first to a complete
//! one; then from the best of what was passed over.
//!
//! Plain uniform-cost search would finish nothing until it had looked at every partial parse that is better than the best
//! complete one. Completing early gives a bound, and most inferences turn out to be beyond it before they are queued.
//!
//! Completing only once and going on best first was tried: it scored 4% fewer inferences (`gum` development sentences up to
//! 15 words, a small model), but where the limit cut it short it was left with far worse parses.

use super::explorer::{Explorer, Late};
use super::outcome::{End, Outcome};
use super::problem::Problem;
use super::total::Total;

/// Searches until nothing better is left. The limit counts between completions only, so that the first one, and with it
/// a parse, is always reached.
pub(super) fn search<T: Total>(
    explorer: &mut Explorer<T>,
    mut problem: Problem<'_>,
    max_inferences: u64,
) -> Outcome {
    let end = run(explorer, &mut problem, max_inferences).unwrap_or(End::Deadline);
    explorer.outcome(problem, end)
}

fn run<T: Total>(
    explorer: &mut Explorer<T>,
    problem: &mut Problem<'_>,
    max_inferences: u64,
) -> Result<End, Late> {
    let first = explorer.visit_first(problem);
    explorer.complete(problem, first)?;
    while explorer.is_any_left() {
        if problem.num_inferences >= max_inferences {
            return Ok(End::MaxInferences);
        }
        if let Some(id) = explorer.visit_best(problem) {
            explorer.complete(problem, id)?;
        }
    }
    Ok(explorer.exhausted())
}
