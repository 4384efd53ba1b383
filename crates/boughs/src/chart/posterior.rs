//! Posterior probabilities of rules at places, from inside and outside values.

use super::cells::{Cell, CellEntry, Chart};
use super::inside::{Scratch, apply_unaries, mask};
use super::outside::unapply_unaries;
use super::semiring::{Semiring, SumSemiring};
use crate::model::Grammar;

/// Inside and outside values of a cell by the number of unary rules below and above.
///
/// A chain has at most `max_chain` unary rules. With `i` of them above a rule, at most `max_chain - 1 - i` are below,
/// so the expected number of times that a unary rule A → B is used in the cell is the sum over `i` of `above[i][A] ·
/// P(A → B) · below[max_chain - 1 - i][B]`, where `above[i]` has exactly `i` rules above and `below[j]` at most `j`
/// below.
#[derive(Debug, Default)]
pub(super) struct Chains {
    above: Vec<Vec<f32>>,
    below: Vec<Vec<f32>>,
}

impl Chains {
    pub(super) fn reset(&mut self, grammar: &Grammar) {
        for layers in [&mut self.above, &mut self.below] {
            layers.resize(grammar.max_chain(), Vec::new());
            for layer in layers {
                layer.clear();
                layer.resize(grammar.num_substates(), 0.0);
            }
        }
    }

    /// Looks at a cell; the scratch must have entered it.
    pub(super) fn fill(&mut self, grammar: &Grammar, chart: &Chart, scratch: &Scratch, cell: Cell) {
        let entries = chart.entries(cell);
        for layer in 0..grammar.max_chain() {
            let (done, rest) = self.above.split_at_mut(layer);
            clear(grammar, entries, &mut rest[0]);
            match done.last() {
                None => load(grammar, chart, entries, &chart.outer, &mut rest[0]),
                Some(last) => {
                    unapply_unaries::<SumSemiring>(grammar, entries, &scratch.is_here, last, &mut rest[0]);
                }
            }
            mask(grammar, chart, entries, &mut rest[0]);
            let (done, rest) = self.below.split_at_mut(layer);
            load(grammar, chart, entries, &chart.bottom, &mut rest[0]);
            if let Some(last) = done.last() {
                apply_unaries::<SumSemiring>(grammar, entries, &scratch.is_here, last, &mut rest[0]);
                mask(grammar, chart, entries, &mut rest[0]);
            }
        }
    }

    /// The numbers above and below a unary rule: how often the rule is used is the sum of their products, times the
    /// rule's own.
    pub(super) fn layers(&self, grammar: &Grammar, rule: usize) -> impl Iterator<Item = [&[f32]; 2]> {
        let (parent, child) = (grammar.rule(rule).parent, grammar.rule(rule).left);
        let (parent, child) = (grammar.substates(parent), grammar.substates(child));
        let layers = self.above.iter().zip(self.below.iter().rev());
        layers.map(move |(above, below)| [&above[parent.clone()], &below[child.clone()]])
    }

    /// How often a unary rule is used in the cell, on average over the parses.
    pub(super) fn posterior(&self, grammar: &Grammar, rule: usize) -> f32 {
        let of_layer = |[above, below]: [&[f32]; 2]| {
            let row = |([b, _], values): ([u16; 2], &[f32])| match below[usize::from(b)] {
                0.0 => 0.0,
                inside => inside * SumSemiring::dot(values, above),
            };
            grammar.rows(rule).map(row).sum::<f32>()
        };
        self.layers(grammar, rule).map(of_layer).sum()
    }
}

fn clear(grammar: &Grammar, entries: &[CellEntry], values: &mut [f32]) {
    for entry in entries {
        values[grammar.substates(entry.symbol)].fill(0.0);
    }
}

fn load(grammar: &Grammar, chart: &Chart, entries: &[CellEntry], from: &[f32], to: &mut [f32]) {
    for entry in entries {
        to[grammar.substates(entry.symbol)].copy_from_slice(&from[chart.range(grammar, *entry)]);
    }
}
