//! How substates came about by splitting, and the coarser grammars that this gives.
//!
//! A grammar with many substates is slow, so a parser begins with a coarse one and lets the finer ones look only at
//! what survived. The coarse grammars are not stored: each is the fine one with substates put together again in the
//! order in which they were split, weighted by how often they occur (Petrov & Klein 2007 take the frequencies from the
//! grammar itself; here they come from the training trees).

use super::projection::Projection;
use super::quantize::Grid;
use super::{Grammar, GrammarLexicon, GrammarRule, ScoreTable, Symbol, Symbols};
use crate::error::{Error, ErrorKind, Result};

/// For each symbol, which coarser substate each of its substates was split from.
pub type Splits = Vec<Vec<u16>>;

/// All that a chart parser needs.
#[derive(Debug, Clone, PartialEq)]
pub struct GrammarModel {
    symbols: Symbols,
    /// From the coarsest to the finest: one more than there are splits.
    levels: Vec<Level>,
    splits: Vec<Splits>,
    /// How many of the levels, the finest ones, have numbers of their own; the others follow from the coarsest of
    /// these.
    num_own: usize,
    /// The coarse grammar behind a plain one with many symbols.
    projection: Option<Box<Projection>>,
}

/// A grammar of some coarseness, and its scores of words.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    /// The grammar.
    pub grammar: Grammar,
    /// The words.
    pub lexicon: GrammarLexicon,
    /// How often each substate occurs, in any unit.
    pub weights: Vec<f32>,
}

impl GrammarModel {
    /// A model of a grammar whose substates came about by these splits, the first first. Its numbers are rounded as in
    /// a file, so that a model is the same before and after.
    ///
    /// # Panics
    /// If the splits do not lead to the substates of the grammar.
    pub fn new(symbols: Symbols, mut finest: Level, splits: Vec<Splits>) -> Self {
        finest.round();
        Self::of_rounded(symbols, finest, splits)
    }

    /// The same, of numbers that come from a file.
    pub(crate) fn of_rounded(symbols: Symbols, finest: Level, splits: Vec<Splits>) -> Self {
        let plain = splits.is_empty().then(|| Projection::of(&symbols, &finest)).flatten();
        let mut levels = vec![finest];
        for splits in splits.iter().rev() {
            let coarser = levels[levels.len() - 1].undo(splits);
            levels.push(coarser);
        }
        levels.reverse();
        Self { symbols, levels, splits, num_own: 1, projection: plain.map(Box::new) }
    }

    /// The model with a finer grammar that has numbers of its own, rounded in the same way. `splits` says which of the
    /// substates that were the finest each of its own was split from.
    ///
    /// # Panics
    /// If the splits are not those of the symbols.
    #[must_use]
    pub fn with_finer(self, mut finer: Level, splits: Splits) -> Self {
        finer.round();
        self.with_rounded(finer, splits)
    }

    /// The same, of numbers that come from a file.
    pub(crate) fn with_rounded(mut self, finer: Level, splits: Splits) -> Self {
        assert_eq!(coarse_sizes(&splits), self.finest().grammar.sizes(), "splits of these substates");
        self.levels.push(finer);
        self.splits.push(splits);
        self.num_own += 1;
        self.projection = None;
        self
    }

    /// The same with other scores of words, at every level.
    #[must_use]
    pub(crate) fn with_lexicons(mut self, change: impl Fn(&GrammarLexicon) -> GrammarLexicon) -> Self {
        self.levels.iter_mut().for_each(|level| level.lexicon = change(&level.lexicon));
        if let Some(projection) = &mut self.projection {
            projection.model.levels.iter_mut().for_each(|level| level.lexicon = change(&level.lexicon));
        }
        self
    }

    /// The grammars with numbers of their own, from the coarsest to the finest; there is at least one.
    pub fn own_levels(&self) -> &[Level] {
        &self.levels[self.levels.len() - self.num_own..]
    }

    /// The coarse grammar behind a plain one with many symbols.
    pub(crate) fn projection(&self) -> Option<&Projection> {
        self.projection.as_deref()
    }

    /// The same with that grammar, however few symbols it has.
    #[cfg(test)]
    pub(crate) fn projected(mut self) -> Self {
        self.projection = Projection::project(&self.symbols, &self.levels[0]).map(Box::new);
        self
    }

    /// The names.
    pub fn symbols(&self) -> &Symbols {
        &self.symbols
    }

    /// The grammars from the coarsest to the finest: one more than there are splits.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// The finest grammar.
    pub fn finest(&self) -> &Level {
        &self.levels[self.levels.len() - 1]
    }

    /// Whether phrases may have a label.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] if the grammar does not know it, or it is that of the root.
    pub fn check_label(&self, label: &str) -> Result<()> {
        let symbols = &self.symbols;
        let phrases = symbols.iter().filter(|&it| it != symbols.root());
        let mut known: Vec<&str> = phrases.flat_map(|it| symbols.labels(it)).map(AsRef::as_ref).collect();
        known.sort_unstable();
        known.dedup();
        match known.contains(&label) {
            true => Ok(()),
            false => {
                let message = format!("expected a label of phrases that the model knows, found `{label}`");
                Err(Error::new(ErrorKind::Argument, message).hint(format!("it knows {}", known.join(", "))))
            }
        }
    }

    /// The splits, the first first.
    pub fn splits(&self) -> &[Splits] {
        &self.splits
    }
}

impl Grammar {
    /// The grammar with substates put together, each weighted by how often it occurs: sums over those of children,
    /// averages over those of parents.
    ///
    /// # Panics
    /// If there is no weight or no origin for each substate.
    #[must_use]
    pub fn merged(&self, splits: &Splits, weights: &[f32]) -> Self {
        let sizes = coarse_sizes(splits);
        let share = shares(self, weights, splits, &sizes);
        let mut merged = Self::without_rules(sizes, self.max_chain());
        let mut merger = Merger { splits, share, place_of: Vec::new(), rows: Vec::new(), values: Vec::new() };
        for (index, rule) in self.rules().iter().enumerate() {
            merger.merge(self, index, &merged);
            merged.push(rule.parent, rule.left, rule.right, &merger.rows, &merger.values);
        }
        merged
    }
}

pub(super) fn coarse_sizes(splits: &Splits) -> Vec<u16> {
    splits.iter().map(|origins| origins.iter().max().map_or(0, |&last| last + 1)).collect()
}

/// Sums numbers of substates over those that are put together.
pub(crate) fn merge_sums<T: Copy + std::ops::AddAssign + Default>(
    fine: &Grammar,
    coarse: &Grammar,
    splits: &Splits,
    numbers: &[T],
) -> Vec<T> {
    let mut sums = vec![T::default(); coarse.num_substates()];
    for (symbol, origins) in (0..).map(Symbol).zip(splits) {
        let start = coarse.substates(symbol).start;
        for (place, &origin) in fine.substates(symbol).zip(origins) {
            sums[start + usize::from(origin)] += numbers[place];
        }
    }
    sums
}

impl Level {
    fn round(&mut self) {
        let GrammarLexicon { of_words, of_classes, .. } = &mut self.lexicon;
        let round = |values: &mut [f32]| Grid::of(values).round(values);
        self.grammar.change_values(round);
        [of_words, of_classes].into_iter().for_each(|scores| round(scores.values_mut()));
        // What was rounded to zero is not in the file.
        self.grammar = self.grammar.without_small(f32::MIN_POSITIVE);
    }

    /// The grammar before a split.
    pub(crate) fn undo(&self, splits: &Splits) -> Self {
        let sizes = coarse_sizes(splits);
        let share = shares(&self.grammar, &self.weights, splits, &sizes);
        let grammar = self.grammar.merged(splits, &self.weights);
        let weights = merge_sums(&self.grammar, &grammar, splits, &self.weights);
        let merge_scores = |table: &ScoreTable| merge_table(&self.grammar, table, splits, &sizes, &share);
        let lexicon = GrammarLexicon {
            of_words: merge_scores(&self.lexicon.of_words),
            of_classes: merge_scores(&self.lexicon.of_classes),
            ..self.lexicon.clone()
        };
        Self { grammar, lexicon, weights }
    }
}

/// For each substate, its part of the occurrences of what it was split from.
fn shares(grammar: &Grammar, weights: &[f32], splits: &Splits, sizes: &[u16]) -> Vec<f32> {
    let mut shares = vec![0.0; grammar.num_substates()];
    for (symbol, origins) in splits.iter().enumerate() {
        let range = grammar.substates(Symbol(symbol as u16));
        let mut totals = vec![0.0; usize::from(sizes[symbol])];
        let mut numbers = vec![0.0; totals.len()];
        for (&origin, &weight) in origins.iter().zip(&weights[range.clone()]) {
            totals[usize::from(origin)] += weight;
            numbers[usize::from(origin)] += 1.0;
        }
        for (place, &origin) in range.zip(origins) {
            let total = totals[usize::from(origin)];
            // What never occurs is shared evenly.
            let even = 1.0 / numbers[usize::from(origin)];
            shares[place] = if total > 0.0 { weights[place] / total } else { even };
        }
    }
    shares
}

/// Puts the rows of rules together, rule by rule.
struct Merger<'a> {
    splits: &'a Splits,
    share: Vec<f32>,
    /// For each pair of coarse substates of the children one more than its row, or 0.
    place_of: Vec<u32>,
    rows: Vec<[u16; 2]>,
    values: Vec<f32>,
}

impl Merger<'_> {
    /// Sums over the substates of the children, and averages over those of the parent.
    fn merge(&mut self, fine: &Grammar, rule: usize, coarse: &Grammar) {
        let GrammarRule { parent, left, right, .. } = *fine.rule(rule);
        let origins = |symbol: Symbol| &self.splits[symbol.index()];
        let (of_left, of_right) = (origins(left), right.map(origins));
        let coarse_row = |[b, c]: [u16; 2]| {
            [of_left[usize::from(b)], of_right.map_or(0, |origins| origins[usize::from(c)])]
        };
        let width = right.map_or(1, |right| coarse.size(right));
        let place = |[b, c]: [u16; 2]| usize::from(b) * width + usize::from(c);
        self.place_of.clear();
        self.place_of.resize(coarse.size(left) * width, 0);
        fine.row_indices(rule).iter().for_each(|&row| self.place_of[place(coarse_row(row))] = 1);
        self.rows.clear();
        for (place, row) in self.place_of.iter_mut().enumerate().filter(|(_, row)| **row > 0) {
            self.rows.push([(place / width) as u16, (place % width) as u16]);
            *row = self.rows.len() as u32;
        }
        let size = coarse.size(parent);
        self.values.clear();
        self.values.resize(self.rows.len() * size, 0.0);
        let (share, origins) = (&self.share[fine.substates(parent)], origins(parent));
        for (row, numbers) in fine.rows(rule) {
            let first = (self.place_of[place(coarse_row(row))] - 1) as usize * size;
            let sums = &mut self.values[first..first + size];
            for ((value, share), &origin) in numbers.iter().zip(share).zip(origins) {
                sums[usize::from(origin)] += value * share;
            }
        }
    }
}

fn merge_table(
    grammar: &Grammar,
    table: &ScoreTable,
    splits: &Splits,
    sizes: &[u16],
    share: &[f32],
) -> ScoreTable {
    let mut merged = ScoreTable::new();
    let mut coarse = Vec::new();
    for index in 0..table.len() {
        for (tag, fine) in table.get(index) {
            coarse.clear();
            coarse.resize(usize::from(sizes[tag.index()]), 0.0);
            let share = &share[grammar.substates(tag)];
            for ((value, share), &origin) in fine.iter().zip(share).zip(&splits[tag.index()]) {
                coarse[usize::from(origin)] += value * share;
            }
            merged.push_tag(tag, &coarse);
        }
        merged.end_word();
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::grammar::RuleBlock;

    fn grammar() -> Grammar {
        let block = |parent, left, right: Option<u16>, rows: Vec<[u16; 2]>, values| RuleBlock {
            parent: Symbol(parent),
            left: Symbol(left),
            right: right.map(Symbol),
            rows,
            values,
        };
        let blocks = vec![
            block(1, 0, Some(0), vec![[0, 0], [1, 0]], vec![0.5, 0.25]),
            block(0, 0, None, vec![[0, 0], [1, 0]], vec![0.5, 0.1, 0.0, 0.3]),
        ];
        Grammar::new(vec![2, 1], blocks, 1)
    }

    #[test]
    fn children_are_summed_and_parents_averaged() {
        let merged = grammar().merged(&vec![vec![0, 0], vec![0]], &[3.0, 1.0, 4.0]);
        assert_eq!(merged.sizes(), [1, 1]);
        let expected = [0.75, 0.75 * 0.5 + 0.25 * 0.4];
        assert!(
            merged.values().iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-6)
        );
    }

    #[test]
    fn nothing_merged_is_nothing_changed() {
        assert_eq!(grammar().merged(&vec![vec![0, 1], vec![0]], &[3.0, 1.0, 4.0]), grammar());
    }

    #[test]
    fn what_never_occurs_is_shared_evenly() {
        let merged = grammar().merged(&vec![vec![0, 0], vec![0]], &[0.0; 3]);
        assert!((merged.values()[1] - (0.5 * 0.5 + 0.5 * 0.4)).abs() < 1e-6);
    }
}
