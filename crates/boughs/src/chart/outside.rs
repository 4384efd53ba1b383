//! Outside values: how likely, or how good, is all around a symbol over a span.
//!
//! The mirror image of [`inside`](super::inside): from long spans to short ones, a block for each pair of children
//! says what the rules above them make of each pair of substates, once for all split points of the span. Values are
//! scaled so that inside times outside is the share of the parses that have the symbol over the span: the posterior
//! probability, if parses are summed.

use std::ops::Range;
use std::time::Instant;

use super::cells::{Cell, CellEntry, Chart, split_points};
use super::inside::{Scratch, add_products, close_unaries, keep_only, mask};
use super::scale::power_of_two;
use super::semiring::Semiring;
use crate::model::{Grammar, Symbol};
use crate::span::Span;

/// Fills the outside values of a chart with inside values. What has a posterior below `floor` is taken to have nothing
/// below it, so that most cells of a coarse grammar need not be looked at. Returns whether there is a parse, and there
/// was time enough.
pub(crate) fn outside<S: Semiring>(
    grammar: &Grammar,
    root: Symbol,
    chart: &mut Chart,
    scratch: &mut Scratch,
    floor: f32,
    deadline: Option<Instant>,
) -> bool {
    outside_seen::<S>(grammar, root, chart, scratch, floor, deadline, None)
}

/// What looks at cells.
pub(super) type Observer<'o> = &'o mut dyn FnMut(&Chart, &Scratch, Cell);

/// The same; `see` gets each cell that has a parse when its outside values are there, in `sums` those of `bottom`, and
/// the blocks are the products of what is below.
pub(super) fn outside_seen<S: Semiring>(
    grammar: &Grammar,
    root: Symbol,
    chart: &mut Chart,
    scratch: &mut Scratch,
    floor: f32,
    deadline: Option<Instant>,
    mut see: Option<Observer<'_>>,
) -> bool {
    chart.reset_outside();
    scratch.reset(grammar);
    if see.is_none() && scratch.is_plain {
        scratch.plain.sort_rules(grammar);
    }
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
        add_unaries::<S>(grammar, chart, scratch, span);
        let floor = if chart.constraints.of(span).is_some() { 0.0 } else { floor };
        if drop_unlikely(grammar, chart, scratch, cell, floor) {
            match &mut see {
                None if scratch.is_plain => hand_down_plain::<S>(chart, scratch, span, cell),
                see => {
                    for (both, factor) in scaled_split_points(chart, span, cell) {
                        add_products::<S>(grammar, chart, &mut scratch.blocks, both, factor);
                    }
                    if let Some(see) = see {
                        see(chart, scratch, cell);
                    }
                    hand_down::<S>(grammar, chart, scratch, span, cell);
                }
            }
        }
        scratch.leave(grammar, chart.entries(cell));
    }
    true
}

/// Takes what is below the floor out of `sums`; whether there is anything left.
fn drop_unlikely(grammar: &Grammar, chart: &Chart, scratch: &mut Scratch, cell: Cell, floor: f32) -> bool {
    let mut is_any_left = false;
    for &entry in chart.entries(cell) {
        let inside = &chart.total[chart.range(grammar, entry)];
        let mut is_left = false;
        for (outside, inside) in scratch.sums[grammar.substates(entry.symbol)].iter_mut().zip(inside) {
            if *outside * inside < floor {
                *outside = 0.0;
            }
            is_left |= *outside > 0.0;
        }
        scratch.is_here[entry.symbol.index()] = is_left;
        is_any_left |= is_left;
    }
    is_any_left
}

/// Symbols that may not be on top of a cell have nothing above them.
fn keep_tops(grammar: &Grammar, chart: &mut Chart, span: Span) {
    let Some(constraint) = chart.constraints.of(span) else { return };
    let is_no_top = |entry: &&CellEntry| !constraint.is_top[entry.symbol.index()];
    let others: Vec<CellEntry> = chart.entries(chart.cell(span)).iter().filter(is_no_top).copied().collect();
    for entry in others {
        let range = chart.range(grammar, entry);
        chart.outer[range].fill(0.0);
    }
}

/// Puts the outside values of a cell, with unary rules above, into `sums` and into `outer_bottom`.
fn add_unaries<S: Semiring>(grammar: &Grammar, chart: &mut Chart, scratch: &mut Scratch, span: Span) {
    let cell = chart.cell(span);
    let entries = chart.entries(cell);
    for entry in entries {
        let range = grammar.substates(entry.symbol);
        scratch.other[range.clone()].copy_from_slice(&chart.outer[chart.range(grammar, *entry)]);
    }
    mask(grammar, chart, entries, &mut scratch.other);
    let Scratch { sums, other, next, is_here, .. } = scratch;
    close_unaries(grammar, chart, entries, other, next, sums, |from, to| {
        unapply_unaries::<S>(grammar, entries, is_here, from, to)
    });
    if let Some(constraint) = chart.constraints.of(span) {
        keep_only(grammar, entries, &constraint.is_bottom, sums);
    }
    for place in 0..chart.entries(cell).len() {
        let entry = chart.entries(cell)[place];
        let range = chart.range(grammar, entry);
        chart.outer_bottom[range].copy_from_slice(&sums[grammar.substates(entry.symbol)]);
    }
}

/// Adds what one unary rule takes down from `from` to `to`; whether there is any.
pub(super) fn unapply_unaries<S: Semiring>(
    grammar: &Grammar,
    entries: &[CellEntry],
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

/// Hands on the outside values of a cell, in `sums`, to the children of its rules, whose products are in the blocks.
fn hand_down<S: Semiring>(
    grammar: &Grammar,
    chart: &mut Chart,
    scratch: &mut Scratch,
    span: Span,
    cell: Cell,
) {
    let (is_here, above) = (&scratch.is_here, &scratch.sums);
    scratch.blocks.replace(|pair, below, block| fill_block::<S>(grammar, is_here, above, pair, below, block));
    let mut outer = std::mem::take(&mut chart.outer);
    for ([left, right], factor) in scaled_split_points(chart, span, cell) {
        for &left in chart.entries(chart.cell(left)) {
            for (pair, right) in chart.partners(grammar, left.symbol, right) {
                let children = [left, right].map(|child| chart.range(grammar, child));
                if let Some(block) = scratch.blocks.find(pair, children[0].len() * children[1].len()) {
                    add_to_children::<S>(&chart.total, block, children, factor, &mut outer);
                }
            }
        }
    }
    chart.outer = outer;
}

/// The same without blocks, if nothing is split.
fn hand_down_plain<S: Semiring>(chart: &mut Chart, scratch: &mut Scratch, span: Span, cell: Cell) {
    for entry in chart.entries(cell).iter().filter(|entry| scratch.is_here[entry.symbol.index()]) {
        scratch.plain.fill::<S>(entry.symbol, scratch.sums[entry.symbol.index()]);
    }
    let mut outer = std::mem::take(&mut chart.outer);
    for (both, factor) in scaled_split_points(chart, span, cell) {
        scratch.plain.hand_down::<S>(chart, both, factor, &mut outer);
    }
    scratch.plain.empty(|_, _, _| {});
    chart.outer = outer;
}

/// The two parts of a span at each split point, and the factor that brings their numbers to the scale of the cell.
fn scaled_split_points(chart: &Chart, span: Span, cell: Cell) -> impl Iterator<Item = ([Span; 2], f32)> {
    split_points(span).map(move |both| {
        let [left, right] = both.map(|it| chart.cell(it).exponent);
        (both, power_of_two(left + right - cell.exponent))
    })
}

fn add_to_children<S: Semiring>(
    total: &[f32],
    block: &[f32],
    [left, right]: [Range<usize>; 2],
    factor: f32,
    outer: &mut [f32],
) {
    for (row, b) in block.chunks_exact(right.len()).zip(left) {
        let inside = total[b];
        if inside > 0.0 {
            outer[b] = S::add(outer[b], factor * S::dot(row, &total[right.clone()]));
            S::add_scaled(&mut outer[right.clone()], factor * inside, row);
        }
    }
}

/// For each pair of substates that is somewhere below, what all rules with these children have above them; whether
/// there is any.
fn fill_block<S: Semiring>(
    grammar: &Grammar,
    is_here: &[bool],
    above: &[f32],
    pair: usize,
    below: &[f32],
    block: &mut [f32],
) -> bool {
    let right_size = grammar.size(grammar.pair(pair).right);
    let mut is_any = false;
    for rule in grammar.rules_of_pair(pair) {
        let parent = grammar.rule(rule).parent;
        if !is_here[parent.index()] {
            continue;
        }
        let above = &above[grammar.substates(parent)];
        let even = grammar.even_value(rule);
        if even > 0.0 {
            let all = even * S::total(above);
            let places = block.iter_mut().zip(below).filter(|(_, below)| **below > 0.0);
            places.for_each(|(place, _)| *place = S::add(*place, all));
            is_any = true;
            continue;
        }
        for ([b, c], values) in grammar.rows(rule) {
            let place = usize::from(b) * right_size + usize::from(c);
            if below[place] > 0.0 {
                block[place] = S::add(block[place], S::dot(values, above));
                is_any = true;
            }
        }
    }
    is_any
}
