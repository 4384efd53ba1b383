//! The parses that are left in a chart, as a packed forest whose edges have scores to be added up.
//!
//! Every way to choose a tree is a way to score edges: the tree with the best sum is the answer. So there is one
//! search for the best, or the `n` best ([`kbest`](super::kbest)), whatever is to be maximised.

use std::ops::Range;

use super::cells::{Cell, CellEntry, Chart, index, split_points};
use super::inside::Scratch;
use super::options::Decoder;
use super::posterior::Chains;
use super::scale::power_of_two;
use super::semiring::{Semiring, SumSemiring};
use crate::model::{Grammar, Symbol};
use crate::span::Span;

/// Something over a span: a symbol, or one of its substates, with at most some number of unary rules.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ForestItem {
    pub(crate) symbol: Symbol,
    /// The substate; 0 where items are symbols.
    pub(crate) substate: u16,
    pub(crate) span: Span,
    pub(crate) first_edge: u32,
    /// The posterior probability of the symbol over the span.
    pub(crate) posterior: f32,
}

/// A way to make an item.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ForestEdge {
    pub(crate) score: f32,
    pub(crate) kind: EdgeKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EdgeKind {
    Word,
    /// The same without a unary rule.
    Same(u32),
    Unary(u32),
    Binary(u32, u32),
}

impl EdgeKind {
    /// The items that the edge is made of.
    pub(crate) fn children(self) -> impl Iterator<Item = usize> {
        let (one, other) = match self {
            Self::Word => (None, None),
            Self::Same(only) | Self::Unary(only) => (Some(only), None),
            Self::Binary(left, right) => (Some(left), Some(right)),
        };
        [one, other].into_iter().flatten().map(|child| child as usize)
    }
}

/// Items, each behind those that it is made of; the last is the root.
#[derive(Debug, Clone, Default)]
pub(crate) struct PackedForest {
    pub(crate) items: Vec<ForestItem>,
    pub(crate) edges: Vec<ForestEdge>,
    /// For each cell, by its end and start, where its items begin.
    first_items: Vec<u32>,
}

/// What an edge counts for [`Decoder::MaxRecall`] if its item is so likely, and for [`Decoder::MaxRuleSum`] if it is so
/// likely itself. A binarised tree has one item over
/// each of its spans, so that each takes the place of another; what a unary rule adds takes none, and must rather be
/// right than wrong.
pub(super) fn worth(kind: EdgeKind, posterior: f32) -> f32 {
    match kind {
        EdgeKind::Unary(_) => posterior - 0.5,
        _ => posterior,
    }
}

/// Rules whose posterior probability is below this are in no tree worth looking at.
pub(super) const SMALLEST_POSTERIOR: f32 = 1e-9;

impl PackedForest {
    pub(crate) fn edges(&self, item: usize) -> &[ForestEdge] {
        &self.edges[self.edge_places(item)]
    }

    pub(super) fn edges_mut(&mut self, item: usize) -> &mut [ForestEdge] {
        let places = self.edge_places(item);
        &mut self.edges[places]
    }

    fn edge_places(&self, item: usize) -> Range<usize> {
        let end = self.items.get(item + 1).map_or(self.edges.len(), |next| next.first_edge as usize);
        self.items[item].first_edge as usize..end
    }

    /// The items over a span.
    pub(super) fn cell(&self, span: Span) -> impl Iterator<Item = usize> {
        let first = self.first_items[index(span)] as usize;
        (first..self.items.len()).take_while(move |&item| self.items[item].span == span)
    }

    /// Becomes the same as another, in its own memory.
    pub(super) fn copy_from(&mut self, other: &Self) {
        self.items.clone_from(&other.items);
        self.edges.clone_from(&other.edges);
        self.first_items.clone_from(&other.first_items);
    }

    /// Multiplies all scores and posteriors.
    pub(super) fn scale(&mut self, factor: f32) {
        self.items.iter_mut().for_each(|item| item.posterior *= factor);
        self.edges.iter_mut().for_each(|edge| edge.score *= factor);
    }

    fn clear(&mut self, num_words: usize) {
        self.items.clear();
        self.edges.clear();
        self.first_items.clear();
        self.first_items.resize(num_words * (num_words + 1) / 2, 0);
    }
}

/// Builds the forest of a chart with inside and outside values; where its root is.
pub(super) fn build(
    decoder: Decoder,
    grammar: &Grammar,
    root: Symbol,
    chart: &Chart,
    scratch: &mut Scratch,
    forest: &mut PackedForest,
) -> Option<usize> {
    forest.clear(chart.num_words);
    scratch.reset(grammar);
    let mut chains = Chains::default();
    chains.reset(grammar);
    let mut builder = ForestBuilder { decoder, grammar, chart, chains, forest, edges: Vec::new() };
    for span in chart.spans() {
        let cell = chart.cell(span);
        scratch.enter(chart.entries(cell));
        builder.add_cell(span, cell, scratch);
        scratch.leave(grammar, chart.entries(cell));
    }
    let whole = chart.whole();
    let place = chart.entries(chart.cell(whole)).iter().position(|entry| entry.symbol == root)?;
    let first = builder.units(whole).take(place).map(|(_, size)| size).sum::<usize>();
    Some(builder.item(whole, grammar.max_chain(), first))
}

struct ForestBuilder<'b> {
    decoder: Decoder,
    grammar: &'b Grammar,
    chart: &'b Chart,
    chains: Chains,
    forest: &'b mut PackedForest,
    /// Edges of the lowest items of the cell, by unit.
    edges: Vec<(u32, ForestEdge)>,
}

impl ForestBuilder<'_> {
    /// The entries of a cell and how many items each has in a layer: one for each substate for Viterbi, else one.
    fn units(&self, span: Span) -> impl Iterator<Item = (CellEntry, usize)> {
        let entries = self.chart.entries(self.chart.cell(span));
        let is_viterbi = self.decoder == Decoder::Viterbi;
        entries
            .iter()
            .map(move |&entry| (entry, if is_viterbi { self.grammar.size(entry.symbol) } else { 1 }))
    }

    fn num_units(&self, span: Span) -> usize {
        self.units(span).map(|(_, size)| size).sum()
    }

    fn item(&self, span: Span, layer: usize, unit: usize) -> usize {
        self.forest.first_items[index(span)] as usize + layer * self.num_units(span) + unit
    }

    fn top(&self, span: Span, unit: usize) -> u32 {
        self.item(span, self.grammar.max_chain(), unit) as u32
    }

    fn add_cell(&mut self, span: Span, cell: Cell, scratch: &mut Scratch) {
        self.forest.first_items[index(span)] = self.forest.items.len() as u32;
        if self.chart.entries(cell).is_empty() {
            return;
        }
        self.chains.fill(self.grammar, self.chart, scratch, cell);
        let posteriors: Vec<f32> =
            self.chart.entries(cell).iter().map(|&entry| self.posterior(entry, scratch)).collect();
        self.edges.clear();
        match (self.decoder, span.len()) {
            (Decoder::Viterbi, 1) => self.add_words_viterbi(cell),
            (_, 1) => self.add_words(cell),
            (Decoder::Viterbi, _) => self.add_split_points_viterbi(span, scratch),
            _ => self.add_split_points(span, cell, scratch, &posteriors),
        }
        // Stable: the order of split points decides between equals.
        self.edges.sort_by_key(|(unit, _)| *unit);
        self.push_layers(span, &posteriors);
    }

    /// How likely a symbol is over the span of the cell: at the bottom, or above a unary rule.
    fn posterior(&self, entry: CellEntry, scratch: &Scratch) -> f32 {
        let range = self.chart.range(self.grammar, entry);
        let bottom = SumSemiring::dot(&self.chart.bottom[range.clone()], &self.chart.outer_bottom[range]);
        let above = |child: Symbol| {
            let rules = self.grammar.rules_of_child(child);
            rules.filter(|&rule| self.grammar.rule(rule).parent == entry.symbol)
        };
        let children = (0..self.grammar.num_symbols() as u16).map(Symbol);
        let children = children.filter(|child| scratch.is_here[child.index()]);
        let unary: f32 = children.flat_map(above).map(|rule| self.chains.posterior(self.grammar, rule)).sum();
        (bottom + unary).min(1.0)
    }

    fn add_words(&mut self, cell: Cell) {
        for (unit, entry) in (0..).zip(self.chart.entries(cell)) {
            let range = self.chart.range(self.grammar, *entry);
            let posterior =
                SumSemiring::dot(&self.chart.bottom[range.clone()], &self.chart.outer_bottom[range]);
            if posterior > SMALLEST_POSTERIOR {
                let score = self.score(EdgeKind::Word, posterior, posterior);
                self.edges.push((unit, ForestEdge { score, kind: EdgeKind::Word }));
            }
        }
    }

    fn add_words_viterbi(&mut self, cell: Cell) {
        let exponent = cell.exponent as f32 * std::f32::consts::LN_2;
        let mut unit = 0;
        for entry in self.chart.entries(cell) {
            for &value in &self.chart.bottom[self.chart.range(self.grammar, *entry)] {
                if value > 0.0 {
                    self.edges
                        .push((unit, ForestEdge { score: value.ln() + exponent, kind: EdgeKind::Word }));
                }
                unit += 1;
            }
        }
    }

    /// The score of an edge of this posterior, below an item of that one.
    fn score(&self, kind: EdgeKind, edge: f32, item: f32) -> f32 {
        match self.decoder {
            Decoder::MaxRecall => worth(kind, item),
            Decoder::MaxRuleSum => worth(kind, edge),
            _ => edge.ln(),
        }
    }

    fn add_split_points(&mut self, span: Span, cell: Cell, scratch: &mut Scratch, posteriors: &[f32]) {
        let (grammar, chart) = (self.grammar, self.chart);
        let unit_of = unit_table(grammar, chart.entries(cell));
        for [left, right] in split_points(span) {
            let (left_cell, right_cell) = (chart.cell(left), chart.cell(right));
            let factor = power_of_two(left_cell.exponent + right_cell.exponent - cell.exponent);
            for (l, left_entry) in chart.entries(left_cell).iter().enumerate() {
                for (r, right_entry) in chart.entries(right_cell).iter().enumerate() {
                    let Some(pair) = grammar.pair_of(left_entry.symbol, right_entry.symbol) else { continue };
                    let rules = grammar.rules_of_pair(pair);
                    let values = [*left_entry, *right_entry].map(|it| &chart.total[chart.range(grammar, it)]);
                    let size = values[0].len() * values[1].len();
                    let (blocks, is_new) = scratch.blocks.get(pair, size * rules.len());
                    if is_new {
                        fill_blocks(grammar, &unit_of, chart, pair, blocks);
                    }
                    for (rule, block) in rules.zip(blocks.chunks_exact(size)) {
                        let Some((unit, _)) = unit_of[grammar.rule(rule).parent.index()] else { continue };
                        let posterior = factor * between(values, block);
                        if posterior > SMALLEST_POSTERIOR {
                            let kind = EdgeKind::Binary(self.top(left, l), self.top(right, r));
                            let score = self.score(kind, posterior, posteriors[unit as usize]);
                            self.edges.push((unit, ForestEdge { score, kind }));
                        }
                    }
                }
            }
        }
    }

    fn add_split_points_viterbi(&mut self, span: Span, scratch: &Scratch) {
        let (grammar, chart) = (self.grammar, self.chart);
        let units: Vec<(CellEntry, usize)> = first_units(self.units(span));
        let constraint = chart.constraints.of(span);
        let is_wanted = |parent: Symbol| {
            scratch.is_here[parent.index()] && constraint.is_none_or(|it| it.is_bottom[parent.index()])
        };
        for [left, right] in split_points(span) {
            for (left_entry, l) in first_units(self.units(left)) {
                for (right_entry, r) in first_units(self.units(right)) {
                    let Some(pair) = grammar.pair_of(left_entry.symbol, right_entry.symbol) else { continue };
                    let rules = grammar.rules_of_pair(pair);
                    for rule in rules.filter(|&rule| is_wanted(grammar.rule(rule).parent)) {
                        let parent = grammar.rule(rule).parent;
                        let Some(&(entry, unit)) = units.iter().find(|(it, _)| it.symbol == parent) else {
                            continue;
                        };
                        for ([b, c], values) in grammar.rows(rule) {
                            let [b, c] = [b, c].map(usize::from);
                            let is_there =
                                |entry: CellEntry, sub: usize| chart.total[entry.start as usize + sub] > 0.0;
                            if !is_there(left_entry, b) || !is_there(right_entry, c) {
                                continue;
                            }
                            let kind = EdgeKind::Binary(self.top(left, l + b), self.top(right, r + c));
                            for (a, &value) in values.iter().enumerate() {
                                if value > 0.0 && chart.allowed[entry.start as usize + a] {
                                    self.edges
                                        .push(((unit + a) as u32, ForestEdge { score: value.ln(), kind }));
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Makes the items of the cell, those without unary rules first.
    fn push_layers(&mut self, span: Span, posteriors: &[f32]) {
        let item = |((entry, size), &posterior): ((CellEntry, usize), &f32)| {
            let symbol = entry.symbol;
            (0..size as u16).map(move |substate| ForestItem {
                symbol,
                substate,
                span,
                first_edge: 0,
                posterior,
            })
        };
        let units: Vec<ForestItem> = self.units(span).zip(posteriors).flat_map(item).collect();
        let mut edges = std::mem::take(&mut self.edges).into_iter().peekable();
        for (unit, &item) in (0..).zip(&units) {
            self.push_item(item);
            while let Some((_, edge)) = edges.next_if(|(owner, _)| *owner == unit) {
                self.forest.edges.push(edge);
            }
        }
        let unary = self.unary_edges(span, posteriors);
        for layer in 1..=self.grammar.max_chain() {
            let mut unary = unary.iter().peekable();
            for (unit, &item) in (0u32..).zip(&units) {
                let bottom = self.item(span, 0, unit as usize) as u32;
                self.push_item(item);
                self.forest.edges.push(ForestEdge { score: 0.0, kind: EdgeKind::Same(bottom) });
                while let Some(&(_, score, child)) = unary.next_if(|(owner, _, _)| *owner == unit) {
                    let child = self.item(span, layer - 1, child as usize) as u32;
                    self.forest.edges.push(ForestEdge { score, kind: EdgeKind::Unary(child) });
                }
            }
        }
    }

    fn push_item(&mut self, item: ForestItem) {
        let first_edge = self.forest.edges.len() as u32;
        self.forest.items.push(ForestItem { first_edge, ..item });
    }

    /// Unary rules of the cell: the unit above, the score, the unit below.
    fn unary_edges(&self, span: Span, posteriors: &[f32]) -> Vec<(u32, f32, u32)> {
        let units = first_units(self.units(span));
        let mut edges = Vec::new();
        for &(child, child_unit) in &units {
            for rule in self.grammar.rules_of_child(child.symbol) {
                let parent = self.grammar.rule(rule).parent;
                let Some(place) = units.iter().position(|(entry, _)| entry.symbol == parent) else {
                    continue;
                };
                let (entry, unit) = units[place];
                if self.decoder == Decoder::Viterbi {
                    for ([b, _], values) in self.grammar.rows(rule) {
                        for (a, &value) in values.iter().enumerate() {
                            if value > 0.0 && self.chart.allowed[entry.start as usize + a] {
                                let below = (child_unit + usize::from(b)) as u32;
                                edges.push(((unit + a) as u32, value.ln(), below));
                            }
                        }
                    }
                    continue;
                }
                let posterior = self.chains.posterior(self.grammar, rule);
                if posterior > SMALLEST_POSTERIOR {
                    let score = self.score(EdgeKind::Unary(0), posterior, posteriors[place]);
                    edges.push((unit as u32, score, child_unit as u32));
                }
            }
        }
        edges.sort_by_key(|&(unit, _, _)| unit);
        edges
    }
}

/// Entries with the number of their first unit.
fn first_units(units: impl Iterator<Item = (CellEntry, usize)>) -> Vec<(CellEntry, usize)> {
    let mut next = 0;
    units
        .map(|(entry, size)| {
            next += size;
            (entry, next - size)
        })
        .collect()
}

/// For each symbol of a cell its place there.
fn unit_table(grammar: &Grammar, entries: &[CellEntry]) -> Vec<Option<(u32, CellEntry)>> {
    let mut table = vec![None; grammar.num_symbols()];
    for (unit, &entry) in (0..).zip(entries) {
        table[entry.symbol.index()] = Some((unit, entry));
    }
    table
}

/// For each rule of a pair, and each pair of substates, what the rule has above it.
fn fill_blocks(
    grammar: &Grammar,
    unit_of: &[Option<(u32, CellEntry)>],
    chart: &Chart,
    pair: usize,
    blocks: &mut [f32],
) {
    let rules = grammar.rules_of_pair(pair);
    let right_size = grammar.size(grammar.pair(pair).right);
    let size = blocks.len() / rules.len();
    for (rule, block) in rules.zip(blocks.chunks_exact_mut(size)) {
        let Some((_, entry)) = unit_of[grammar.rule(rule).parent.index()] else { continue };
        let above = &chart.outer_bottom[chart.range(grammar, entry)];
        let even = grammar.even_value(rule);
        if even > 0.0 {
            block.fill(even * SumSemiring::total(above));
            continue;
        }
        for ([b, c], values) in grammar.rows(rule) {
            block[usize::from(b) * right_size + usize::from(c)] = SumSemiring::dot(values, above);
        }
    }
}

/// The sum of left times block times right.
fn between([left, right]: [&[f32]; 2], block: &[f32]) -> f32 {
    let rows = left.iter().zip(block.chunks_exact(right.len()));
    rows.filter(|(left, _)| **left > 0.0).map(|(left, row)| left * SumSemiring::dot(row, right)).sum()
}
