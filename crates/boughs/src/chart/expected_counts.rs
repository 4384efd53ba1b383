//! How often each number of a grammar is used, on average over the parses of a sentence.
//!
//! The naive form takes every rule at every place, and every choice of sub-symbols. Since the products of what is below are summed over
//! the places to divide a span anyway, a rule is looked at once for each span: block times outside values.

use super::cells::{Cell, Chart};
use super::inside::Scratch;
use super::outside::outside_seen;
use super::posterior::Chains;
use super::semiring::{Semiring, SumSemiring};
use crate::model::{Grammar, Symbol};

/// Fills the outside values of a chart that has inside values, and adds to `uses`, for each number of the grammar, its expected uses divided by
/// the number. Returns whether there is a parse.
///
/// # Panics
/// If there are not as many uses as numbers.
pub(crate) fn add_expected_counts(
    grammar: &Grammar,
    root: Symbol,
    chart: &mut Chart,
    scratch: &mut Scratch,
    uses: &mut [f32],
) -> bool {
    assert_eq!(uses.len(), grammar.values().len(), "a place for each");
    let mut chains = Chains::default();
    chains.reset(grammar);
    let mut see = |chart: &Chart, scratch: &Scratch, cell: Cell| {
        add_binary(grammar, scratch, uses);
        chains.fill(grammar, chart, scratch, cell);
        add_unary(grammar, chart, scratch, cell, &chains, uses);
    };
    outside_seen::<SumSemiring>(grammar, root, chart, scratch, 0.0, None, Some(&mut see))
}

fn add_binary(grammar: &Grammar, scratch: &Scratch, uses: &mut [f32]) {
    for (pair, block) in scratch.blocks.touched() {
        let right_size = grammar.size(grammar.pair(pair).right);
        for rule in grammar.rules_of_pair(pair) {
            let parent = grammar.rule(rule).parent;
            if !scratch.is_here[parent.index()] {
                continue;
            }
            let above = &scratch.sums[grammar.substates(parent)];
            let uses = uses[grammar.values_of(rule)].chunks_exact_mut(above.len());
            for (row, &[b, c]) in uses.zip(grammar.row_indices(rule)) {
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
    uses: &mut [f32],
) {
    for entry in chart.entries(cell) {
        for rule in grammar.rules_of_child(entry.symbol) {
            if !scratch.is_here[grammar.rule(rule).parent.index()] {
                continue;
            }
            for [above, below] in chains.layers(grammar, rule) {
                let uses = uses[grammar.values_of(rule)].chunks_exact_mut(above.len());
                for (row, &[b, _]) in uses.zip(grammar.row_indices(rule)) {
                    SumSemiring::add_scaled(row, below[usize::from(b)], above);
                }
            }
        }
    }
}
