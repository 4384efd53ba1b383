//! Pruning: which substates of the next finer grammar are looked at.

use super::cells::Chart;
use crate::model::{Grammar, Splits};

/// Fills `fine` with the substates that were split from those whose posterior probability in `coarse` is at least
/// `threshold`.
pub(super) fn refine(grammar: &Grammar, coarse: &Chart, splits: &Splits, threshold: f32, fine: &mut Chart) {
    fine.clear(coarse.num_words);
    fine.constraints.clone_from(&coarse.constraints);
    for span in coarse.spans() {
        let first = fine.num_entries();
        // What is between top and bottom of a cell with a constraint has no value of its own, and so no posterior.
        let is_constrained = coarse.constraints.of(span).is_some();
        for &entry in coarse.entries(coarse.cell(span)) {
            let range = coarse.range(grammar, entry);
            let survives = |origin: u16| {
                let place = range.start + usize::from(origin);
                let posterior = coarse.total[place] * coarse.outer_bottom[place];
                is_constrained || (posterior > 0.0 && posterior >= threshold)
            };
            let origins = &splits[entry.symbol.index()];
            if (0..range.len() as u16).any(survives) {
                fine.push_entry(entry.symbol, origins.iter().map(|&origin| survives(origin)));
            }
        }
        fine.set_range(span, first);
    }
}
