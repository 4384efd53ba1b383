//! Expected counts: how often each number of a grammar is used, on average over the parses of a sentence.
//!
//! The naive form takes every rule at every place, and every choice of substates. Since the products of what is below
//! are summed over the split points of a span anyway, a rule is looked at once for each span: block times outside
//! values.

use super::cells::{Cell, Chart};
use super::inside::Scratch;
use super::outside::outside_seen;
use super::posterior::Chains;
use super::semiring::{Semiring, SumSemiring};
use crate::model::{Grammar, Symbol};

/// Fills the outside values of a chart that has inside values, and adds to `counts`, for each number of the grammar,
/// its expected count divided by the number: the derivative of the logarithm of the sum of all parses. Returns whether
/// there is a parse.
///
/// # Panics
/// If there are not as many counts as numbers.
pub(crate) fn add_expected_counts(
    grammar: &Grammar,
    root: Symbol,
    chart: &mut Chart,
    scratch: &mut Scratch,
    counts: &mut [f32],
) -> bool {
    assert_eq!(counts.len(), grammar.values().len(), "a place for each");
    let mut chains = Chains::default();
    chains.reset(grammar);
    let mut see = |chart: &Chart, scratch: &Scratch, cell: Cell| {
        add_binary(grammar, scratch, counts);
        chains.fill(grammar, chart, scratch, cell);
        add_unary(grammar, chart, scratch, cell, &chains, counts);
    };
    outside_seen::<SumSemiring>(grammar, root, chart, scratch, 0.0, None, Some(&mut see))
}

fn add_binary(grammar: &Grammar, scratch: &Scratch, counts: &mut [f32]) {
    for (pair, block) in scratch.blocks.touched() {
        let right_size = grammar.size(grammar.pair(pair).right);
        for rule in grammar.rules_of_pair(pair) {
            let parent = grammar.rule(rule).parent;
            if !scratch.is_here[parent.index()] {
                continue;
            }
            let above = &scratch.sums[grammar.substates(parent)];
            let counts = counts[grammar.values_of(rule)].chunks_exact_mut(above.len());
            for (row, &[b, c]) in counts.zip(grammar.row_indices(rule)) {
                let both = block[usize::from(b) * right_size + usize::from(c)];
                if both > 0.0 {
                    SumSemiring::add_scaled(row, both, above);
                }
            }
        }
    }
}

fn add_unary(
    grammar: &Grammar,
    chart: &Chart,
    scratch: &Scratch,
    cell: Cell,
    chains: &Chains,
    counts: &mut [f32],
) {
    for entry in chart.entries(cell) {
        for rule in grammar.rules_of_child(entry.symbol) {
            if !scratch.is_here[grammar.rule(rule).parent.index()] {
                continue;
            }
            for [above, below] in chains.layers(grammar, rule) {
                let counts = counts[grammar.values_of(rule)].chunks_exact_mut(above.len());
                for (row, &[b, _]) in counts.zip(grammar.row_indices(rule)) {
                    SumSemiring::add_scaled(row, below[usize::from(b)], above);
                }
            }
        }
    }
}
