//! Inside values: how likely, or how good, is what can be made of a span.
//!
//! For a span and a pair of symbols `B C`, the products of their inside values are summed over the split points of the
//! span into a *block*, a number for each pair of substates. All rules with these children then take the same block;
//! those that do not tell substates apart take its sum, which makes sparse grammars 6 to 11% faster
//! (record/2026-11-16-conditional.md). This is the only place that knows rules and inside values;
//! [`outside`](super::outside) is its mirror image.
//!
//! The kernel does 13.6% of the multiply-adds that any x86-64 could do with rows of ten numbers, and 1.6% with rows of
//! two: finding rows is what takes the time, so wider registers alone would not help (record/2026-11-16-kernel.md).

use std::time::Instant;

use super::cells::{CellEntry, Chart, split_points};
use super::plain::PairTable;
use super::scale::{exponent, power_of_two};
use super::semiring::Semiring;
use crate::model::Grammar;
use crate::span::Span;

/// Numbers below this share of the largest in a cell are taken for zero: they are far from all that pruning keeps, and
/// numbers near the smallest that a processor knows make it slow.
const SMALLEST: f32 = 1e-26;

/// Memory for one cell at a time.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// A number for each substate of the grammar. Between two cells all are zero: see [`leave`](Self::leave).
    pub(super) sums: Vec<f32>,
    pub(super) other: Vec<f32>,
    pub(super) next: Vec<f32>,
    /// Whether a symbol is in the cell.
    pub(super) is_here: Vec<bool>,
    pub(super) blocks: Blocks,
    /// In place of the blocks, if nothing is split.
    pub(super) plain: PairTable,
    pub(super) is_plain: bool,
}

/// A block of numbers for some pairs.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    values: Vec<f32>,
    others: Vec<f32>,
    place: Vec<u32>,
    touched: Vec<u32>,
}

const NO_BLOCK: u32 = u32::MAX;

impl Blocks {
    fn reset(&mut self, num_pairs: usize) {
        self.place.clear();
        self.place.resize(num_pairs, NO_BLOCK);
        self.touched.clear();
        self.values.clear();
    }

    pub(super) fn clear(&mut self) {
        for &pair in &self.touched {
            self.place[pair as usize] = NO_BLOCK;
        }
        self.touched.clear();
        self.values.clear();
    }

    /// The block of a pair; whether it is new.
    #[inline]
    pub(super) fn get(&mut self, pair: usize, size: usize) -> (&mut [f32], bool) {
        let is_new = self.place[pair] == NO_BLOCK;
        if is_new {
            self.place[pair] = self.values.len() as u32;
            self.touched.push(pair as u32);
            self.values.resize(self.values.len() + size, 0.0);
        }
        let start = self.place[pair] as usize;
        (&mut self.values[start..start + size], is_new)
    }

    /// The block of a pair that has one.
    #[inline]
    pub(super) fn find(&self, pair: usize, size: usize) -> Option<&[f32]> {
        match self.place[pair] {
            NO_BLOCK => None,
            start => Some(&self.values[start as usize..start as usize + size]),
        }
    }

    /// Puts other numbers into all blocks, which begin as zeros. `fill` gets pair, old and new numbers; blocks for
    /// which it returns false are there no more.
    pub(super) fn replace(&mut self, mut fill: impl FnMut(usize, &[f32], &mut [f32]) -> bool) {
        let mut others = std::mem::take(&mut self.others);
        others.clear();
        others.resize(self.values.len(), 0.0);
        for index in 0..self.touched.len() {
            let pair = self.touched[index] as usize;
            let next = self.touched.get(index + 1).map(|&next| self.place[next as usize] as usize);
            let range = self.place[pair] as usize..next.unwrap_or(self.values.len());
            if !fill(pair, &self.values[range.clone()], &mut others[range]) {
                self.place[pair] = NO_BLOCK;
            }
        }
        self.others = std::mem::replace(&mut self.values, others);
    }

    pub(super) fn touched(&self) -> impl Iterator<Item = (usize, &[f32])> {
        let ends = self.touched.iter().skip(1).map(|&next| self.place[next as usize] as usize);
        let ends = ends.chain(std::iter::once(self.values.len()));
        self.touched.iter().zip(ends).map(|(&pair, end)| {
            let start = self.place[pair as usize] as usize;
            (pair as usize, &self.values[start..end])
        })
    }
}

impl Scratch {
    pub(super) fn reset(&mut self, grammar: &Grammar) {
        self.is_plain = grammar.is_plain();
        if self.is_plain {
            self.plain.reset(grammar.num_symbols());
        }
        self.blocks.reset(grammar.num_pairs());
        self.is_here.clear();
        self.is_here.resize(grammar.num_symbols(), false);
        for values in [&mut self.sums, &mut self.other, &mut self.next] {
            values.clear();
            values.resize(grammar.num_substates(), 0.0);
        }
    }

    pub(super) fn enter(&mut self, entries: &[CellEntry]) {
        for entry in entries {
            self.is_here[entry.symbol.index()] = true;
        }
    }

    pub(super) fn leave(&mut self, grammar: &Grammar, entries: &[CellEntry]) {
        for entry in entries {
            self.is_here[entry.symbol.index()] = false;
            let range = grammar.substates(entry.symbol);
            self.sums[range.clone()].fill(0.0);
            self.other[range].fill(0.0);
        }
        self.blocks.clear();
    }
}

/// Fills the inside values of a chart whose cells have their symbols. `score` puts the scores of the word at a place
/// into those of the substates of the grammar; `finish` sees each cell as soon as it is done and may drop symbols from
/// it. Returns whether there was time enough.
pub(crate) fn inside<S: Semiring>(
    grammar: &Grammar,
    chart: &mut Chart,
    scratch: &mut Scratch,
    deadline: Option<Instant>,
    mut score: impl FnMut(usize, &mut [f32]),
    mut finish: impl FnMut(&mut Chart, Span),
) -> bool {
    chart.reset_inside(grammar.num_symbols());
    scratch.reset(grammar);
    for span in chart.spans() {
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return false;
        }
        let cell = chart.cell(span);
        if chart.entries(cell).is_empty() {
            continue;
        }
        scratch.enter(chart.entries(cell));
        let reference = match span.len() {
            1 => {
                score(span.start as usize, &mut scratch.sums);
                0
            }
            _ => add_split_points::<S>(grammar, chart, scratch, span),
        };
        add_unaries::<S>(grammar, chart, scratch, span);
        store(grammar, chart, scratch, span, reference);
        // While the cell still has all the symbols that it was entered with: what is left behind would be found in
        // later cells, as it was until 2026-11-16 (record/2026-11-16-product.md). Words have scores of tags that are
        // not in their cells, too.
        scratch.leave(grammar, chart.entries(cell));
        if span.len() == 1 {
            scratch.sums.fill(0.0);
        }
        drop_zeros(grammar, chart, span);
        finish(chart, span);
        chart.close(span);
    }
    true
}

/// Puts what binary rules make of a span into `sums`; the exponent that goes with it.
fn add_split_points<S: Semiring>(grammar: &Grammar, chart: &Chart, scratch: &mut Scratch, span: Span) -> i32 {
    let is_filled = |both: &[Span; 2]| both.iter().all(|&it| !chart.entries(chart.cell(it)).is_empty());
    let split_points = || split_points(span).filter(is_filled);
    // Each cell has its own exponent; what is added up needs one. The largest leaves no factor above 1, and what is
    // lost below is too small to matter.
    let exponent = |[left, right]: [Span; 2]| chart.cell(left).exponent + chart.cell(right).exponent;
    let Some(reference) = split_points().map(exponent).max() else { return 0 };
    let factor = |both| power_of_two(exponent(both) - reference);
    if scratch.is_plain {
        for both in split_points() {
            scratch.plain.add_products::<S>(grammar, chart, both, factor(both));
        }
        scratch.plain.apply_rules::<S>(grammar, &scratch.is_here, &mut scratch.sums);
        return reference;
    }
    for both in split_points() {
        add_products::<S>(grammar, chart, &mut scratch.blocks, both, factor(both));
    }
    for (pair, block) in scratch.blocks.touched() {
        let right_size = grammar.size(grammar.pair(pair).right);
        let mut whole = None;
        for rule in grammar.rules_of_pair(pair) {
            let parent = grammar.rule(rule).parent;
            if !scratch.is_here[parent.index()] {
                continue;
            }
            let sums = &mut scratch.sums[grammar.substates(parent)];
            let even = grammar.even_value(rule);
            if even > 0.0 {
                let whole = *whole.get_or_insert_with(|| S::total(block));
                sums.iter_mut().for_each(|sum| *sum = S::add(*sum, even * whole));
                continue;
            }
            for ([b, c], values) in grammar.rows(rule) {
                let both = block[usize::from(b) * right_size + usize::from(c)];
                if both > 0.0 {
                    S::add_scaled(sums, both, values);
                }
            }
        }
    }
    reference
}

/// Adds the products of what is over two neighbouring spans to the blocks of the pairs.
pub(super) fn add_products<S: Semiring>(
    grammar: &Grammar,
    chart: &Chart,
    blocks: &mut Blocks,
    [left, right]: [Span; 2],
    factor: f32,
) {
    for left in chart.entries(chart.cell(left)) {
        let left_values = &chart.total[chart.range(grammar, *left)];
        for (pair, entry) in chart.partners(grammar, left.symbol, right) {
            let right_values = &chart.total[chart.range(grammar, entry)];
            let (block, _) = blocks.get(pair, left_values.len() * right_values.len());
            for (row, &left_value) in block.chunks_exact_mut(right_values.len()).zip(left_values) {
                if left_value > 0.0 {
                    S::add_scaled(row, factor * left_value, right_values);
                }
            }
        }
    }
}

/// Puts the numbers of `sums` with unary rules above into `other`: b + U(b + U(b + …)).
fn add_unaries<S: Semiring>(grammar: &Grammar, chart: &Chart, scratch: &mut Scratch, span: Span) {
    let entries = chart.entries(chart.cell(span));
    mask(grammar, chart, entries, &mut scratch.sums);
    let constraint = chart.constraints.of(span);
    if let Some(constraint) = constraint {
        keep_only(grammar, entries, &constraint.is_bottom, &mut scratch.sums);
    }
    let Scratch { sums, other, next, is_here, .. } = scratch;
    close_unaries(grammar, chart, entries, sums, next, other, |from, to| {
        apply_unaries::<S>(grammar, entries, is_here, from, to)
    });
    if let Some(constraint) = constraint {
        keep_only(grammar, entries, &constraint.is_top, other);
    }
}

/// Puts b + U(b + U(b + …)) into `closed`, where `b` is `base` and `apply` adds what one unary rule makes of numbers
/// and says whether there is any. No chain is longer than the grammar allows, so there are no cycles, and nothing to
/// invert.
#[inline]
pub(super) fn close_unaries(
    grammar: &Grammar,
    chart: &Chart,
    entries: &[CellEntry],
    base: &[f32],
    next: &mut [f32],
    closed: &mut [f32],
    apply: impl Fn(&[f32], &mut [f32]) -> bool,
) {
    copy(grammar, entries, base, closed);
    for _ in 0..grammar.max_chain() {
        copy(grammar, entries, base, next);
        let has_changed = apply(closed, next);
        mask(grammar, chart, entries, next);
        copy(grammar, entries, next, closed);
        if !has_changed {
            break;
        }
    }
}

/// Sets the numbers of other symbols than some to zero.
pub(super) fn keep_only(grammar: &Grammar, entries: &[CellEntry], is_kept: &[bool], values: &mut [f32]) {
    for entry in entries.iter().filter(|entry| !is_kept[entry.symbol.index()]) {
        values[grammar.substates(entry.symbol)].fill(0.0);
    }
}

/// Adds what one unary rule makes of `from` to `to`; whether there is any.
pub(super) fn apply_unaries<S: Semiring>(
    grammar: &Grammar,
    entries: &[CellEntry],
    is_here: &[bool],
    from: &[f32],
    to: &mut [f32],
) -> bool {
    let mut has_changed = false;
    for entry in entries {
        let from = &from[grammar.substates(entry.symbol)];
        for rule in grammar.rules_of_child(entry.symbol) {
            let parent = grammar.rule(rule).parent;
            if !is_here[parent.index()] {
                continue;
            }
            let sums = &mut to[grammar.substates(parent)];
            for ([b, _], values) in grammar.rows(rule) {
                let child = from[usize::from(b)];
                if child > 0.0 {
                    S::add_scaled(sums, child, values);
                    has_changed = true;
                }
            }
        }
    }
    has_changed
}

/// Sets the numbers of substates that may not be there to zero.
pub(super) fn mask(grammar: &Grammar, chart: &Chart, entries: &[CellEntry], values: &mut [f32]) {
    for entry in entries {
        let allowed = &chart.allowed[chart.range(grammar, *entry)];
        for (value, &allowed) in values[grammar.substates(entry.symbol)].iter_mut().zip(allowed) {
            if !allowed {
                *value = 0.0;
            }
        }
    }
}

fn copy(grammar: &Grammar, entries: &[CellEntry], from: &[f32], to: &mut [f32]) {
    for entry in entries {
        let range = grammar.substates(entry.symbol);
        to[range.clone()].copy_from_slice(&from[range]);
    }
}

/// Scales the numbers of a cell so that the largest is between 1 and 2, and puts them into the chart. The factor is a
/// power of two, so that scaling rounds nothing.
fn store(grammar: &Grammar, chart: &mut Chart, scratch: &Scratch, span: Span, reference: i32) {
    let cell = chart.cell(span);
    let largest = chart
        .entries(cell)
        .iter()
        .flat_map(|entry| &scratch.other[grammar.substates(entry.symbol)])
        .fold(0.0, |largest: f32, &value| largest.max(value));
    // The chart has zeros already.
    if largest < f32::MIN_POSITIVE {
        return;
    }
    let shift = exponent(largest);
    let factor = power_of_two(-shift);
    for place in 0..chart.entries(cell).len() {
        let entry = chart.entries(cell)[place];
        let (from, to) = (grammar.substates(entry.symbol), chart.range(grammar, entry));
        scale(&scratch.sums[from.clone()], factor, &mut chart.bottom[to.clone()]);
        scale(&scratch.other[from], factor, &mut chart.total[to]);
    }
    chart.set_exponent(span, reference + shift);
}

/// Drops the symbols of a cell that nothing can be made of; a cell with a constraint keeps all of them if it has any
/// that can be made, since those between its top and its bottom have no value of their own.
fn drop_zeros(grammar: &Grammar, chart: &mut Chart, span: Span) {
    let is_made = |chart: &Chart, entry: CellEntry| {
        chart.total[chart.range(grammar, entry)].iter().any(|&value| value > 0.0)
    };
    let is_constrained = chart.constraints.of(span).is_some();
    let has_any =
        is_constrained && chart.entries(chart.cell(span)).iter().any(|&entry| is_made(chart, entry));
    chart.retain(span, |chart, entry| has_any || (!is_constrained && is_made(chart, entry)));
}

fn scale(from: &[f32], factor: f32, to: &mut [f32]) {
    for (to, &from) in to.iter_mut().zip(from) {
        let value = from * factor;
        *to = if value < SMALLEST { 0.0 } else { value };
    }
}
