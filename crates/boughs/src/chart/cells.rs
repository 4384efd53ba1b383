//! The table: for each span the symbols that may be there, with numbers for each of their substates.
//!
//! The naive table has a number for every substate of every symbol over every span. Pruning leaves few of them, so a
//! cell is a list of entries, and the numbers of all cells lie one behind the other: entry by entry in `allowed`,
//! `bottom`, `total`, `outer` and `outer_bottom` alike. A bit for each symbol of a finished cell says which partners
//! of a left child are there: looking for them in the lists took 8.4 CPU s for wsj dev with the parser that ships,
//! and takes 7.3 (record/2026-11-16-conditional.md).

use std::ops::Range;

use super::constraints::CellConstraints;
use crate::model::{Grammar, Symbol};
use crate::span::Span;

/// A symbol over a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CellEntry {
    /// The symbol.
    pub(crate) symbol: Symbol,
    /// Where its numbers begin.
    pub(crate) start: u32,
}

/// What is over a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Cell {
    first: u32,
    last: u32,
    /// Inside values are to be multiplied by 2 to this power, outside values divided.
    pub(crate) exponent: i32,
}

/// The cells of a sentence. Memory is kept from one sentence to the next.
#[derive(Debug, Clone, Default)]
pub(crate) struct Chart {
    /// The number of words.
    pub(crate) num_words: usize,
    /// What some cells must be like.
    pub(super) constraints: CellConstraints,
    cells: Vec<Cell>,
    entries: Vec<CellEntry>,
    /// For each cell that is done a bit for each symbol: whether it has an entry.
    here: Vec<u64>,
    /// For each cell and symbol with such a bit where its numbers begin.
    starts: Vec<u32>,
    num_symbols: usize,
    /// Whether a substate may be there.
    pub(crate) allowed: Vec<bool>,
    /// Inside values of what a binary rule or a word has made.
    pub(crate) bottom: Vec<f32>,
    /// The same with unary rules above.
    pub(crate) total: Vec<f32>,
    /// Outside values of `total`.
    pub(crate) outer: Vec<f32>,
    /// Outside values of `bottom`.
    pub(crate) outer_bottom: Vec<f32>,
}

impl Chart {
    /// Makes room for a sentence; no cell has a symbol.
    pub(crate) fn clear(&mut self, num_words: usize) {
        self.num_words = num_words;
        self.constraints = CellConstraints::default();
        self.cells.clear();
        self.cells.resize(num_words * (num_words + 1) / 2, Cell::default());
        self.entries.clear();
        self.allowed.clear();
    }

    /// Puts symbols into a cell, all of whose substates are allowed.
    pub(crate) fn fill(&mut self, span: Span, grammar: &Grammar, symbols: impl IntoIterator<Item = Symbol>) {
        let first = self.entries.len() as u32;
        for symbol in symbols {
            self.push_entry(symbol, std::iter::repeat_n(true, grammar.size(symbol)));
        }
        self.set_range(span, first);
    }

    /// Adds a symbol to the cell that is being filled.
    pub(super) fn push_entry(&mut self, symbol: Symbol, allowed: impl IntoIterator<Item = bool>) {
        let start = self.allowed.len() as u32;
        self.allowed.extend(allowed);
        self.entries.push(CellEntry { symbol, start });
    }

    /// How many entries there are so far.
    pub(super) fn num_entries(&self) -> u32 {
        self.entries.len() as u32
    }

    /// Gives the entries from `first` on to a cell.
    pub(super) fn set_range(&mut self, span: Span, first: u32) {
        let last = self.entries.len() as u32;
        let index = index(span);
        self.cells[index] = Cell { first, last, exponent: 0 };
    }

    /// Sets all numbers to zero, once all cells are filled.
    pub(super) fn reset_inside(&mut self, num_symbols: usize) {
        self.num_symbols = num_symbols;
        self.starts.resize(self.cells.len() * num_symbols, 0);
        self.here.clear();
        self.here.resize(self.cells.len() * num_symbols.div_ceil(64), 0);
        for values in [&mut self.bottom, &mut self.total] {
            values.clear();
            values.resize(self.allowed.len(), 0.0);
        }
    }

    pub(super) fn reset_outside(&mut self) {
        for values in [&mut self.outer, &mut self.outer_bottom] {
            values.clear();
            values.resize(self.allowed.len(), 0.0);
        }
    }

    /// Makes the entries of a cell known to [`partners`](Self::partners), once they are the last ones.
    pub(super) fn close(&mut self, span: Span) {
        let cell = self.cell(span);
        let starts = &mut self.starts[index(span) * self.num_symbols..][..self.num_symbols];
        let num_words = self.num_symbols.div_ceil(64);
        let here = &mut self.here[index(span) * num_words..][..num_words];
        for entry in &self.entries[cell.first as usize..cell.last as usize] {
            let symbol = entry.symbol.index();
            starts[symbol] = entry.start;
            here[symbol / 64] |= 1 << (symbol % 64);
        }
    }

    /// Of a cell that is done a bit for each symbol, whether it has an entry, and where its numbers begin if it has.
    #[inline]
    pub(super) fn row(&self, span: Span) -> (&[u64], &[u32]) {
        let num_words = self.num_symbols.div_ceil(64);
        let here = &self.here[index(span) * num_words..][..num_words];
        (here, &self.starts[index(span) * self.num_symbols..][..self.num_symbols])
    }

    /// The symbols over a span that make a pair with one to their left.
    #[inline]
    pub(super) fn partners<'a>(
        &'a self,
        grammar: &'a Grammar,
        left: Symbol,
        right: Span,
    ) -> impl Iterator<Item = (usize, CellEntry)> + 'a {
        let (here, starts) = self.row(right);
        let both = here.iter().zip(grammar.rights_of_left(left)).map(|(here, rights)| here & rights);
        both.enumerate().flat_map(|(word, both)| bits(word, both)).map(move |place| {
            let symbol = Symbol(place as u16);
            (grammar.pair_of(left, symbol).unwrap_or(0), CellEntry { symbol, start: starts[place] })
        })
    }

    /// The cell of a span.
    #[inline]
    pub(crate) fn cell(&self, span: Span) -> Cell {
        self.cells[index(span)]
    }

    pub(super) fn set_exponent(&mut self, span: Span, exponent: i32) {
        self.cells[index(span)].exponent = exponent;
    }

    /// The symbols of a cell.
    #[inline]
    pub(crate) fn entries(&self, cell: Cell) -> &[CellEntry] {
        &self.entries[cell.first as usize..cell.last as usize]
    }

    /// Drops the symbols of a cell for which `keep` is false.
    pub(super) fn retain(&mut self, span: Span, mut keep: impl FnMut(&Self, CellEntry) -> bool) {
        let index = index(span);
        let cell = self.cells[index];
        let mut last = cell.first;
        for place in cell.first..cell.last {
            let entry = self.entries[place as usize];
            if keep(self, entry) {
                self.entries[last as usize] = entry;
                last += 1;
            }
        }
        self.cells[index].last = last;
    }

    /// The numbers of a symbol among those of all cells.
    #[inline]
    pub(crate) fn range(&self, grammar: &Grammar, entry: CellEntry) -> Range<usize> {
        let start = entry.start as usize;
        start..start + grammar.size(entry.symbol)
    }

    /// The entry of a symbol over a span.
    pub(crate) fn find(&self, span: Span, symbol: Symbol) -> Option<CellEntry> {
        self.entries(self.cell(span)).iter().copied().find(|entry| entry.symbol == symbol)
    }

    /// The span of the whole sentence.
    pub(crate) fn whole(&self) -> Span {
        Span::new(0, self.num_words as u32)
    }

    /// All spans, the shorter ones first.
    pub(crate) fn spans(&self) -> impl DoubleEndedIterator<Item = Span> + use<> {
        spans(self.num_words)
    }
}

/// All spans of a sentence, the shorter ones first.
pub(super) fn spans(num_words: usize) -> impl DoubleEndedIterator<Item = Span> {
    let num_words = num_words as u32;
    (1..=num_words)
        .flat_map(move |length| (0..=num_words - length).map(move |start| Span::new(start, start + length)))
}

/// The two parts of a span at each of its split points, the first split point first.
pub(super) fn split_points(span: Span) -> impl Iterator<Item = [Span; 2]> {
    (span.start + 1..span.end).map(move |k| [Span::new(span.start, k), Span::new(k, span.end)])
}

/// The places of the bits that are set in one of many words.
#[inline]
pub(super) fn bits(word: usize, mut rest: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
        rest &= rest - 1;
        Some(64 * word + bit)
    })
}

/// The number of a cell: those that end first come first, so that a longer sentence has the cells of its beginning.
#[inline]
pub(super) fn index(span: Span) -> usize {
    let (start, end) = (span.start as usize, span.end as usize);
    end * (end - 1) / 2 + start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_that_are_set() {
        assert_eq!(
            bits(0, 0b1010).chain(bits(1, 0)).chain(bits(2, 1 << 63)).collect::<Vec<_>>(),
            [1, 3, 191]
        );
    }

    #[test]
    fn every_span_has_a_cell() {
        let mut seen: Vec<usize> = spans(7).map(index).collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..28).collect::<Vec<_>>());
    }

    #[test]
    fn dropped_symbols_leave_the_others() {
        let grammar = Grammar::new(vec![1, 2, 3], Vec::new(), 0);
        let mut chart = Chart::default();
        chart.clear(2);
        let span = Span::new(0, 2);
        chart.fill(span, &grammar, [Symbol(0), Symbol(1), Symbol(2)]);
        chart.retain(span, |_, entry| entry.symbol != Symbol(1));
        let entries = chart.entries(chart.cell(span));
        assert_eq!(entries.iter().map(|entry| entry.symbol).collect::<Vec<_>>(), [Symbol(0), Symbol(2)]);
        assert_eq!(chart.range(&grammar, entries[1]), 3..6);
        assert!(chart.entries(chart.cell(Span::new(0, 1))).is_empty());
    }
}
