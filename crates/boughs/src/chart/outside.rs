//! Outside values: how likely, or how good, is all around a symbol over a span.
//!
//! The mirror image of [`inside`](super::inside): from long spans to short ones, a block for each pair of children says what the rules
//! above them make of each pair of sub-symbols, once for all places to divide the span. Values are scaled so that inside times outside is the
//! share of the parses that have the symbol over the span: the posterior probability, if parses are summed.

use std::time::Instant;

use super::cells::{Cell, Chart, Entry};
use super::inside::{Scratch, copy, keep_only, mask};
use super::scale::power_of_two;
use super::semiring::Semiring;
use crate::model::{Grammar, Symbol};
use crate::span::Span;

/// Fills the outside values of a chart with inside values. Returns whether there is a parse, and there was time enough.
pub fn outside<S: Semiring>(
    grammar: &Grammar,
    root: Symbol,
    chart: &mut Chart,
    scratch: &mut Scratch,
    deadline: Option<Instant>,
) -> bool {
    chart.reset_outside();
    scratch.reset(grammar);
    let Some(top) = chart.find(chart.whole(), root) else { return false };
    let inside = chart.total[top.start as usize];
    chart.outer[top.start as usize] = 1.0 / inside;
    for span in chart.spans().rev() {
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return false;
        }
        let cell = chart.cell(span);
        if chart.entries(cell).is_empty() {
            continue;
        }
        scratch.enter(chart.entries(cell));
        keep_tops(grammar, chart, span);
        add_unaries::<S>(grammar, chart, scratch, cell);
        if let Some(limit) = chart.limits.of(span) {
            keep_only(grammar, chart.entries(cell), &limit.is_bottom, &mut scratch.sums);
        }
        add_divisions::<S>(grammar, chart, scratch, span, cell);
        scratch.leave(grammar, chart.entries(cell));
    }
    true
}

/// Symbols that may not be on top of a cell have nothing above them.
fn keep_tops(grammar: &Grammar, chart: &mut Chart, span: Span) {
    let Some(limit) = chart.limits.of(span) else { return };
    let is_no_top = |entry: &&Entry| !limit.is_top[entry.symbol.index()];
    let others: Vec<Entry> = chart.entries(chart.cell(span)).iter().filter(is_no_top).copied().collect();
    for entry in others {
        let range = chart.range(grammar, entry);
        chart.outer[range].fill(0.0);
    }
}

/// Puts the outside values of a cell, with unary rules above, into `sums` and into `outer_bottom`.
fn add_unaries<S: Semiring>(grammar: &Grammar, chart: &mut Chart, scratch: &mut Scratch, cell: Cell) {
    let entries = chart.entries(cell);
    for entry in entries {
        let range = grammar.substates(entry.symbol);
        scratch.other[range.clone()].copy_from_slice(&chart.outer[chart.range(grammar, *entry)]);
    }
    mask(grammar, chart, entries, &mut scratch.other);
    copy(grammar, entries, &scratch.other, &mut scratch.sums);
    for _ in 0..grammar.max_chain() {
        copy(grammar, entries, &scratch.other, &mut scratch.next);
        let has_changed =
            unapply_unaries::<S>(grammar, entries, &scratch.is_here, &scratch.sums, &mut scratch.next);
        mask(grammar, chart, entries, &mut scratch.next);
        copy(grammar, entries, &scratch.next, &mut scratch.sums);
        if !has_changed {
            break;
        }
    }
    for place in 0..chart.entries(cell).len() {
        let entry = chart.entries(cell)[place];
        let range = chart.range(grammar, entry);
        chart.outer_bottom[range].copy_from_slice(&scratch.sums[grammar.substates(entry.symbol)]);
    }
}

/// Adds what one unary rule takes down from `from` to `to`; whether there is any.
pub(super) fn unapply_unaries<S: Semiring>(
    grammar: &Grammar,
    entries: &[Entry],
    is_here: &[bool],
    from: &[f32],
    to: &mut [f32],
) -> bool {
    let mut has_changed = false;
    for entry in entries {
        let start = grammar.substates(entry.symbol).start;
        for rule in grammar.rules_of_child(entry.symbol) {
            let parent = grammar.rule(rule).parent;
            if !is_here[parent.index()] {
                continue;
            }
            let above = &from[grammar.substates(parent)];
            for ([b, _], values) in grammar.rows(rule) {
                let place = start + usize::from(b);
                let taken = S::dot(values, above);
                to[place] = S::add(to[place], taken);
                has_changed |= taken > 0.0;
            }
        }
    }
    has_changed
}

fn add_divisions<S: Semiring>(
    grammar: &Grammar,
    chart: &mut Chart,
    scratch: &mut Scratch,
    span: Span,
    cell: Cell,
) {
    for k in span.start + 1..span.end {
        let (left, right) = (chart.cell(Span::new(span.start, k)), chart.cell(Span::new(k, span.end)));
        let factor = power_of_two(left.exponent + right.exponent - cell.exponent);
        for l in 0..chart.entries(left).len() {
            for r in 0..chart.entries(right).len() {
                let (left, right) = (chart.entries(left)[l], chart.entries(right)[r]);
                let Some(pair) = grammar.pair_of(left.symbol, right.symbol) else { continue };
                add_to_children::<S>(grammar, chart, scratch, pair, [left, right], factor);
            }
        }
    }
}

fn add_to_children<S: Semiring>(
    grammar: &Grammar,
    chart: &mut Chart,
    scratch: &mut Scratch,
    pair: usize,
    children: [Entry; 2],
    factor: f32,
) {
    let [left, right] = children.map(|child| chart.range(grammar, child));
    let (block, is_new) = scratch.blocks.get(pair, left.len() * right.len());
    if is_new {
        fill_block::<S>(grammar, &scratch.is_here, &scratch.sums, pair, block);
    }
    for (row, b) in block.chunks_exact(right.len()).zip(left) {
        let inside = chart.total[b];
        let outer = factor * S::dot(row, &chart.total[right.clone()]);
        chart.outer[b] = S::add(chart.outer[b], outer);
        if inside > 0.0 {
            S::add_scaled(&mut chart.outer[right.clone()], factor * inside, row);
        }
    }
}

/// For each pair of sub-symbols, what all rules with these children have above them.
fn fill_block<S: Semiring>(
    grammar: &Grammar,
    is_here: &[bool],
    above: &[f32],
    pair: usize,
    block: &mut [f32],
) {
    let right_size = grammar.size(grammar.pair(pair).right);
    for rule in grammar.rules_of_pair(pair) {
        let parent = grammar.rule(rule).parent;
        if !is_here[parent.index()] {
            continue;
        }
        let above = &above[grammar.substates(parent)];
        for ([b, c], values) in grammar.rows(rule) {
            let place = usize::from(b) * right_size + usize::from(c);
            block[place] = S::add(block[place], S::dot(values, above));
        }
    }
}
