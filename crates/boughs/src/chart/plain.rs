//! The kernels of a grammar without latent subcategories.
//!
//! Most of the time of a parse goes into the coarsest grammar, where a block is a single number, and finding it takes
//! longer than multiplying. So here all blocks of a cell are one table, with a row for each left child and a bit for
//! each number that is there. Two neighbouring cells are multiplied by walking over the bits that the right one and
//! the row have in common. On gum dev this parses 71 sentences a CPU-second in place of 41, with the same trees
//! (record/2026-11-16-coarse.md).
//!
//! Invariant: between two cells the table is empty, values and bits. So nothing needs to be cleared but what was used.

use super::cells::{Chart, bits};
use super::semiring::Semiring;
use crate::model::{Grammar, GrammarRule, Symbol};
use crate::span::Span;

/// A number for each pair of symbols.
#[derive(Debug, Default)]
pub(super) struct PairTable {
    num_symbols: usize,
    /// A row for each left child; what has no bit is zero.
    values: Vec<f32>,
    bits: Vec<u64>,
    /// Whose rows are in use.
    is_used: Vec<bool>,
    used: Vec<Symbol>,
    /// The binary rules, by their parents.
    rules: Vec<PlainRule>,
}

#[derive(Debug, Clone, Copy)]
struct PlainRule {
    parent: Symbol,
    left: Symbol,
    right: Symbol,
    value: f32,
}

impl PairTable {
    /// Makes room for these many symbols. The table is empty: whoever fills it empties it.
    pub(super) fn reset(&mut self, num_symbols: usize) {
        debug_assert!(self.used.is_empty(), "empty");
        if self.num_symbols != num_symbols {
            self.num_symbols = num_symbols;
            self.is_used.resize(num_symbols, false);
            self.values.resize(num_symbols * num_symbols, 0.0);
            self.bits.resize(num_symbols * num_symbols.div_ceil(64), 0);
        }
    }

    /// Puts the rules in the order of their parents, for [`fill`](Self::fill).
    pub(super) fn sort_rules(&mut self, grammar: &Grammar) {
        let binary = |rule: usize| {
            let &GrammarRule { parent, left, right, .. } = grammar.rule(rule);
            Some(PlainRule { parent, left, right: right?, value: grammar.only_value(rule) })
        };
        self.rules.clear();
        self.rules.extend((0..grammar.rules().len()).filter_map(binary));
        self.rules.sort_by_key(|rule| rule.parent);
    }

    /// The row of a left child, in use from now on.
    #[inline]
    fn row(&mut self, left: Symbol) -> (&mut [f32], &mut [u64]) {
        if !std::mem::replace(&mut self.is_used[left.index()], true) {
            self.used.push(left);
        }
        let (length, num_words) = (self.num_symbols, self.num_symbols.div_ceil(64));
        let values = &mut self.values[left.index() * length..][..length];
        (values, &mut self.bits[left.index() * num_words..][..num_words])
    }

    /// Adds the products of what is over two neighbouring spans.
    pub(super) fn add_products<S: Semiring>(
        &mut self,
        grammar: &Grammar,
        chart: &Chart,
        [left, right]: [Span; 2],
        factor: f32,
    ) {
        let (here, starts) = chart.row(right);
        for left in chart.entries(chart.cell(left)) {
            let left_value = factor * chart.total[left.start as usize];
            let (values, row_bits) = self.row(left.symbol);
            let rights = grammar.rights_of_left(left.symbol);
            for (word, (bits_of_row, (here, rights))) in
                row_bits.iter_mut().zip(here.iter().zip(rights)).enumerate()
            {
                let both = here & rights;
                *bits_of_row |= both;
                for right in bits(word, both) {
                    let right_value = chart.total[starts[right] as usize];
                    values[right] = S::add(values[right], left_value * right_value);
                }
            }
        }
    }

    /// Puts what rules make of the products into `sums`, a number for each symbol, and empties the table.
    pub(super) fn apply_rules<S: Semiring>(&mut self, grammar: &Grammar, is_here: &[bool], sums: &mut [f32]) {
        self.empty(|left, right, both| {
            let Some(pair) = grammar.pair_of(left, right) else { return };
            for rule in grammar.rules_of_pair(pair) {
                let parent = grammar.rule(rule).parent.index();
                if is_here[parent] {
                    sums[parent] = S::add(sums[parent], both * grammar.only_value(rule));
                }
            }
        });
    }

    /// Adds what the rules of a parent have above them.
    pub(super) fn fill<S: Semiring>(&mut self, parent: Symbol, above: f32) {
        let first = self.rules.partition_point(|rule| rule.parent < parent);
        for place in first..self.rules.len() {
            let PlainRule { parent: other, left, right, value } = self.rules[place];
            if other != parent {
                break;
            }
            let right = right.index();
            let (values, row_bits) = self.row(left);
            values[right] = S::add(values[right], above * value);
            row_bits[right / 64] |= 1 << (right % 64);
        }
    }

    /// Hands what rules have above them on to the two parts of a span.
    pub(super) fn hand_down<S: Semiring>(
        &self,
        chart: &Chart,
        [left, right]: [Span; 2],
        factor: f32,
        outer: &mut [f32],
    ) {
        let (here, starts) = chart.row(right);
        let (length, num_words) = (self.num_symbols, self.num_symbols.div_ceil(64));
        for left in chart.entries(chart.cell(left)).iter().filter(|left| self.is_used[left.symbol.index()]) {
            let values = &self.values[left.symbol.index() * length..][..length];
            let row_bits = &self.bits[left.symbol.index() * num_words..][..num_words];
            let left_value = factor * chart.total[left.start as usize];
            let mut sum = 0.0;
            for (word, (bits_of_row, here)) in row_bits.iter().zip(here).enumerate() {
                for right in bits(word, bits_of_row & here) {
                    let place = starts[right] as usize;
                    sum = S::add(sum, values[right] * chart.total[place]);
                    outer[place] = S::add(outer[place], values[right] * left_value);
                }
            }
            let place = left.start as usize;
            outer[place] = S::add(outer[place], factor * sum);
        }
    }

    /// Empties the table; `see` gets each pair and its number.
    pub(super) fn empty(&mut self, mut see: impl FnMut(Symbol, Symbol, f32)) {
        let (length, num_words) = (self.num_symbols, self.num_symbols.div_ceil(64));
        for left in self.used.drain(..) {
            self.is_used[left.index()] = false;
            let values = &mut self.values[left.index() * length..][..length];
            let row_bits = &mut self.bits[left.index() * num_words..][..num_words];
            for (word, bits_of_row) in row_bits.iter_mut().enumerate() {
                for right in bits(word, std::mem::take(bits_of_row)) {
                    see(left, Symbol(right as u16), std::mem::take(&mut values[right]));
                }
            }
        }
    }
}
