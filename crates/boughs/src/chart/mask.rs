//! What survived pruning, to fill the chart of the same sentence again and again.

use super::cells::Chart;
use crate::model::{Grammar, Symbol};
use crate::span::Span;

/// The symbols of all cells of a sentence, and which of their substates may be there: a bit each.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Mask {
    num_words: usize,
    /// For each span, the shorter ones first, how many symbols there are.
    counts: Vec<u16>,
    symbols: Vec<Symbol>,
    bits: Vec<u64>,
    num_bits: usize,
}

impl Mask {
    /// What a chart for a grammar may have, and whatever `required` says, in ascending order, with all of its
    /// substates.
    pub(crate) fn new(grammar: &Grammar, chart: &Chart, required: &[(Span, Symbol)]) -> Self {
        debug_assert!(required.is_sorted(), "in order");
        let mut mask = Self { num_words: chart.num_words, ..Self::default() };
        for span in chart.spans() {
            let first = mask.symbols.len();
            let is_required = |symbol: Symbol| required.binary_search(&(span, symbol)).is_ok();
            for &entry in chart.entries(chart.cell(span)) {
                let is_all = is_required(entry.symbol);
                let allowed = &chart.allowed[chart.range(grammar, entry)];
                mask.push(entry.symbol, allowed.iter().map(|&it| it || is_all));
            }
            let from = required.partition_point(|(other, _)| *other < span);
            for &(_, symbol) in required[from..].iter().take_while(|(other, _)| *other == span) {
                if !mask.symbols[first..].contains(&symbol) {
                    mask.push(symbol, std::iter::repeat_n(true, grammar.size(symbol)));
                }
            }
            mask.counts.push((mask.symbols.len() - first) as u16);
        }
        mask
    }

    fn push(&mut self, symbol: Symbol, allowed: impl Iterator<Item = bool>) {
        self.symbols.push(symbol);
        for is_allowed in allowed {
            if self.num_bits.is_multiple_of(64) {
                self.bits.push(0);
            }
            self.bits[self.num_bits / 64] |= u64::from(is_allowed) << (self.num_bits % 64);
            self.num_bits += 1;
        }
    }

    /// How many symbols all cells have together.
    pub(crate) fn num_symbols(&self) -> usize {
        self.symbols.len()
    }

    /// Fills a chart for the grammar that the mask was made for.
    pub(crate) fn fill(&self, grammar: &Grammar, chart: &mut Chart) {
        chart.clear(self.num_words);
        let mut symbols = self.symbols.iter();
        let mut next = 0;
        for (span, &count) in chart.spans().zip(&self.counts) {
            let first = chart.num_entries();
            for &symbol in symbols.by_ref().take(usize::from(count)) {
                let places = next..next + grammar.size(symbol);
                next = places.end;
                chart.push_entry(symbol, places.map(|place| self.bits[place / 64] >> (place % 64) & 1 == 1));
            }
            chart.set_range(span, first);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charts_come_back_with_what_is_required() {
        let grammar = Grammar::new(vec![1, 2, 40], Vec::new(), 0);
        let mut chart = Chart::default();
        chart.clear(2);
        let [first, whole] = [Span::new(0, 1), Span::new(0, 2)];
        let begin = chart.num_entries();
        chart.push_entry(Symbol(1), [false, true]);
        chart.push_entry(Symbol(2), (0..40).map(|sub| sub % 3 == 0));
        chart.set_range(first, begin);
        let mask = Mask::new(&grammar, &chart, &[(first, Symbol(1)), (whole, Symbol(0))]);
        let mut again = Chart::default();
        mask.fill(&grammar, &mut again);
        assert_eq!(again.entries(again.cell(first)), chart.entries(chart.cell(first)));
        assert_eq!(again.allowed[..2], [true, true]);
        assert_eq!(again.allowed[2..42], chart.allowed[2..]);
        assert_eq!(again.find(whole, Symbol(0)).map(|entry| entry.start), Some(42));
        assert_eq!((mask.num_symbols(), again.num_words), (3, 2));
    }
}
