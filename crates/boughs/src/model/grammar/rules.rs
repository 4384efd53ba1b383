//! Rules, with a row of numbers for each pair of substates of their children.

use std::ops::Range;

use super::Symbol;

/// A rule of the treebank: binary, or unary if there is no right child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GrammarRule {
    /// The phrase above.
    pub parent: Symbol,
    /// The first child, or the only one.
    pub left: Symbol,
    /// The second child.
    pub right: Option<Symbol>,
    first_row: u32,
    first_value: u32,
    num_rows: u32,
}

/// A rule and its numbers, to make a [`Grammar`] of.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleBlock {
    /// The phrase above.
    pub parent: Symbol,
    /// The first child, or the only one.
    pub left: Symbol,
    /// The second child.
    pub right: Option<Symbol>,
    /// Substates of the children, in ascending order; the second is 0 if there is one child.
    pub rows: Vec<[u16; 2]>,
    /// For each row, a number for each substate of the parent.
    pub values: Vec<f32>,
}

/// Rules over symbols with substates.
#[derive(Debug, Clone, PartialEq)]
pub struct Grammar {
    /// How many substates each symbol has.
    sizes: Vec<u16>,
    /// Where those of each symbol begin among all, and the end.
    starts: Vec<u32>,
    /// Binary rules by their children, then unary rules by their child.
    rules: Vec<GrammarRule>,
    rows: Vec<[u16; 2]>,
    values: Vec<f32>,
    /// For each rule the one number of all its rows, or 0.
    even: Vec<f32>,
    /// For each pair of symbols the number of the pair in `pairs`, or [`NO_PAIR`].
    pair_table: Vec<u32>,
    pairs: Vec<ChildPair>,
    /// For each symbol the pairs that it is the first of, and a bit for each symbol: whether it is the second.
    left_ranges: Vec<Range<u32>>,
    right_bits: Vec<u64>,
    /// For each symbol the unary rules that have it as their child.
    unary_ranges: Vec<Range<u32>>,
    max_chain: usize,
}

/// The children of some binary rules.
#[derive(Debug, Clone, PartialEq)]
pub struct ChildPair {
    /// The first child.
    pub left: Symbol,
    /// The second child.
    pub right: Symbol,
    rules: Range<u32>,
}

const NO_PAIR: u32 = u32::MAX;

impl Grammar {
    /// A grammar of rules, each at most once and in any order. At most `max_chain` unary rules are used above each
    /// other.
    ///
    /// # Panics
    /// If a block has a symbol or row that there is not, or another number of values than its rows ask for.
    pub fn new(sizes: Vec<u16>, mut blocks: Vec<RuleBlock>, max_chain: usize) -> Self {
        blocks.sort_by_key(|block| (block.right.is_none(), block.left, block.right, block.parent));
        let mut grammar = Self::without_rules(sizes, max_chain);
        for RuleBlock { parent, left, right, rows, values } in blocks {
            grammar.push(parent, left, right, &rows, &values);
        }
        grammar
    }

    /// A grammar to [`push`](Self::push) rules to.
    pub(crate) fn without_rules(sizes: Vec<u16>, max_chain: usize) -> Self {
        Self {
            starts: starts(&sizes),
            rules: Vec::new(),
            rows: Vec::new(),
            values: Vec::new(),
            even: Vec::new(),
            pair_table: vec![NO_PAIR; sizes.len() * sizes.len()],
            pairs: Vec::new(),
            left_ranges: vec![0..0; sizes.len()],
            right_bits: vec![0; sizes.len() * sizes.len().div_ceil(64)],
            unary_ranges: vec![0..0; sizes.len()],
            max_chain,
            sizes,
        }
    }

    /// Adds a rule, which must come behind all others in their order.
    pub(crate) fn push(
        &mut self,
        parent: Symbol,
        left: Symbol,
        right: Option<Symbol>,
        rows: &[[u16; 2]],
        values: &[f32],
    ) {
        let right_size = right.map_or(1, |right| self.size(right));
        assert_eq!(values.len(), rows.len() * self.size(parent), "a value for each");
        let is_there = |&[b, c]: &[u16; 2]| usize::from(b) < self.size(left) && usize::from(c) < right_size;
        assert!(rows.iter().all(is_there), "a row for substates that there are");
        let index = self.rules.len() as u32;
        self.rules.push(GrammarRule {
            parent,
            left,
            right,
            first_row: self.rows.len() as u32,
            first_value: self.values.len() as u32,
            num_rows: rows.len() as u32,
        });
        self.rows.extend(rows);
        self.values.extend(values);
        self.even.push(self.find_even(index as usize));
        match right {
            Some(right) => self.index_pair(left, right, index),
            None => index_range(&mut self.unary_ranges[left.index()], index),
        }
    }

    fn index_pair(&mut self, left: Symbol, right: Symbol, rule: u32) {
        let place = left.index() * self.sizes.len() + right.index();
        if self.pair_table[place] == NO_PAIR {
            self.pair_table[place] = self.pairs.len() as u32;
            index_range(&mut self.left_ranges[left.index()], self.pairs.len() as u32);
            self.pairs.push(ChildPair { left, right, rules: 0..0 });
            let words = self.sizes.len().div_ceil(64);
            self.right_bits[left.index() * words + right.index() / 64] |= 1 << (right.index() % 64);
        }
        index_range(&mut self.pairs[self.pair_table[place] as usize].rules, rule);
    }

    /// How many symbols there are.
    pub fn num_symbols(&self) -> usize {
        self.sizes.len()
    }

    /// How many substates all symbols have together.
    pub fn num_substates(&self) -> usize {
        self.starts.last().map_or(0, |&end| end as usize)
    }

    /// Whether no symbol is split.
    pub fn is_plain(&self) -> bool {
        self.sizes.iter().all(|&size| size == 1)
    }

    /// How many substates each symbol has.
    pub fn sizes(&self) -> &[u16] {
        &self.sizes
    }

    /// How many substates a symbol has.
    pub fn size(&self, symbol: Symbol) -> usize {
        usize::from(self.sizes[symbol.index()])
    }

    /// The substates of a symbol among those of all.
    pub fn substates(&self, symbol: Symbol) -> Range<usize> {
        self.starts[symbol.index()] as usize..self.starts[symbol.index() + 1] as usize
    }

    /// The rules: binary ones by their children, then unary ones by their child.
    pub fn rules(&self) -> &[GrammarRule] {
        &self.rules
    }

    /// The rules by number.
    pub fn rule(&self, index: usize) -> &GrammarRule {
        &self.rules[index]
    }

    /// The numbers of the rule that has this parent and these children.
    pub fn find(&self, parent: Symbol, left: Symbol, right: Option<Symbol>) -> Option<usize> {
        let key = |rule: &GrammarRule| (rule.right.is_none(), rule.left, rule.right, rule.parent);
        self.rules.binary_search_by_key(&(right.is_none(), left, right, parent), key).ok()
    }

    /// The most unary rules above each other.
    pub fn max_chain(&self) -> usize {
        self.max_chain
    }

    /// How many pairs of symbols are children of a rule.
    pub fn num_pairs(&self) -> usize {
        self.pairs.len()
    }

    /// The number of the pair of two symbols, if they are the children of a rule.
    #[inline]
    pub fn pair_of(&self, left: Symbol, right: Symbol) -> Option<usize> {
        match self.pair_table[left.index() * self.sizes.len() + right.index()] {
            NO_PAIR => None,
            pair => Some(pair as usize),
        }
    }

    /// The numbers of the pairs that a symbol is the first of.
    #[inline]
    pub fn pairs_of_left(&self, left: Symbol) -> Range<usize> {
        range(&self.left_ranges[left.index()])
    }

    /// A bit for each symbol: whether it makes a pair with a first one.
    #[inline]
    pub fn rights_of_left(&self, left: Symbol) -> &[u64] {
        let words = self.sizes.len().div_ceil(64);
        &self.right_bits[left.index() * words..][..words]
    }

    /// The pair with a number.
    pub fn pair(&self, pair: usize) -> &ChildPair {
        &self.pairs[pair]
    }

    /// The numbers of the rules with these children.
    #[inline]
    pub fn rules_of_pair(&self, pair: usize) -> Range<usize> {
        range(&self.pairs[pair].rules)
    }

    /// The numbers of the unary rules with this child.
    #[inline]
    pub fn rules_of_child(&self, child: Symbol) -> Range<usize> {
        range(&self.unary_ranges[child.index()])
    }

    /// The rows of a rule: substates of the children, and a number for each substate of the parent.
    #[inline]
    pub fn rows(&self, rule: usize) -> impl ExactSizeIterator<Item = ([u16; 2], &[f32])> {
        let rule = &self.rules[rule];
        let first = rule.first_row as usize;
        let rows = self.rows[first..first + rule.num_rows as usize].iter().copied();
        rows.zip(self.values[self.value_range(rule)].chunks_exact(self.size(rule.parent)))
    }

    /// The number of a rule between symbols that are not split; 0 if it has none.
    #[inline]
    pub fn only_value(&self, rule: usize) -> f32 {
        let rule = &self.rules[rule];
        if rule.num_rows == 0 { 0.0 } else { self.values[rule.first_value as usize] }
    }

    /// The places of the numbers of a rule among those of all.
    pub fn values_of(&self, rule: usize) -> Range<usize> {
        self.value_range(&self.rules[rule])
    }

    /// The substates of the children in the rows of a rule.
    pub fn row_indices(&self, rule: usize) -> &[[u16; 2]] {
        let GrammarRule { first_row, num_rows, .. } = self.rules[rule];
        &self.rows[first_row as usize..(first_row + num_rows) as usize]
    }

    fn value_range(&self, rule: &GrammarRule) -> Range<usize> {
        let first = rule.first_value as usize;
        first..first + rule.num_rows as usize * self.size(rule.parent)
    }

    fn find_even(&self, rule: usize) -> f32 {
        let GrammarRule { left, right, num_rows, .. } = self.rules[rule];
        let values = &self.values[self.values_of(rule)];
        let has_all_rows = num_rows as usize == self.size(left) * right.map_or(1, |right| self.size(right));
        let one = values.first().filter(|one| has_all_rows && values.iter().all(|value| value == *one));
        one.copied().unwrap_or(0.0)
    }

    /// The number of a rule that has the same one for all substates, as penalties leave many; 0 for other rules.
    #[inline]
    pub fn even_value(&self, rule: usize) -> f32 {
        self.even[rule]
    }

    /// All numbers, rule by rule and row by row.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Changes numbers.
    pub fn change_values(&mut self, change: impl FnOnce(&mut [f32])) {
        change(&mut self.values);
        self.even = (0..self.rules.len()).map(|rule| self.find_even(rule)).collect();
    }

    /// How many numbers are not zero.
    pub fn num_nonzero(&self) -> usize {
        self.values.iter().filter(|&&value| value != 0.0).count()
    }

    /// The rules with their numbers, as they were given, in order.
    pub fn blocks(&self) -> impl Iterator<Item = RuleBlock> {
        self.rules.iter().enumerate().map(|(index, rule)| RuleBlock {
            parent: rule.parent,
            left: rule.left,
            right: rule.right,
            rows: self.row_indices(index).to_vec(),
            values: self.values[self.value_range(rule)].to_vec(),
        })
    }

    /// The grammar without numbers below a limit, and without rows and rules that have no others.
    #[must_use]
    pub fn without_small(&self, limit: f32) -> Self {
        let thin = |mut block: RuleBlock| {
            let size = self.size(block.parent);
            let is_kept: Vec<bool> =
                block.values.chunks_exact(size).map(|row| row.iter().any(|&value| value >= limit)).collect();
            let mut kept = is_kept.iter();
            block.rows.retain(|_| kept.next().copied().unwrap_or(false));
            let rows = block.values.chunks_exact(size).zip(&is_kept).filter(|(_, kept)| **kept);
            let drop_small = |&value: &f32| if value < limit { 0.0 } else { value };
            block.values = rows.flat_map(|(row, _)| row.iter().map(drop_small)).collect();
            (!block.rows.is_empty()).then_some(block)
        };
        Self::new(self.sizes.clone(), self.blocks().filter_map(thin).collect(), self.max_chain)
    }
}

fn starts(sizes: &[u16]) -> Vec<u32> {
    let mut end = 0;
    let ends = sizes.iter().map(|&size| {
        end += u32::from(size);
        end
    });
    std::iter::once(0).chain(ends).collect()
}

fn range(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

/// Adds the next number to a range, which has those just before or none.
fn index_range(range: &mut Range<u32>, index: u32) {
    let first = if range.start == range.end { index } else { range.start };
    *range = first..index + 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(parent: u16, left: u16, right: Option<u16>, rows: &[[u16; 2]], values: &[f32]) -> RuleBlock {
        RuleBlock {
            parent: Symbol(parent),
            left: Symbol(left),
            right: right.map(Symbol),
            rows: rows.to_vec(),
            values: values.to_vec(),
        }
    }

    fn grammar() -> Grammar {
        let blocks = vec![
            block(1, 0, None, &[[0, 0]], &[0.5]),
            block(1, 0, Some(0), &[[0, 0], [0, 1]], &[0.5, 1e-9]),
            block(0, 0, Some(0), &[[1, 1]], &[0.25, 0.75]),
        ];
        Grammar::new(vec![2, 1], blocks, 1)
    }

    #[test]
    fn rules_are_found_by_their_children() {
        let grammar = grammar();
        let pair = grammar.pair_of(Symbol(0), Symbol(0)).unwrap();
        assert_eq!((grammar.rules_of_pair(pair), grammar.pair_of(Symbol(0), Symbol(1))), (0..2, None));
        assert_eq!(
            (grammar.pairs_of_left(Symbol(0)), grammar.pairs_of_left(Symbol(1))),
            (pair..pair + 1, 0..0)
        );
        assert_eq!((grammar.rules_of_child(Symbol(0)), grammar.rules_of_child(Symbol(1))), (2..3, 0..0));
        assert_eq!(grammar.find(Symbol(1), Symbol(0), None), Some(2));
        assert_eq!(grammar.find(Symbol(0), Symbol(0), None), None);
        let rows: Vec<_> = grammar.rows(0).collect();
        assert_eq!(rows, [([1, 1], &[0.25, 0.75][..])]);
        assert_eq!((grammar.num_substates(), grammar.substates(Symbol(1))), (3, 2..3));
    }

    #[test]
    fn blocks_make_the_grammar_again() {
        let grammar = grammar();
        assert_eq!(Grammar::new(grammar.sizes().to_vec(), grammar.blocks().collect(), 1), grammar);
    }

    #[test]
    fn small_numbers_take_their_rows_with_them() {
        let thin = grammar().without_small(0.5);
        assert_eq!(thin.values(), [0.0, 0.75, 0.5, 0.5]);
        assert_eq!(thin.row_indices(1), [[0, 0]]);
        assert_eq!(grammar().without_small(0.6).rules().len(), 1);
    }
}
