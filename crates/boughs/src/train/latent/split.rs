//! Splitting every substate in two, a little unlike each other.

use super::state::{GrammarState, all_rows, set_normalized};
use crate::model::{Grammar, RuleBlock, Splits, Symbol};
use crate::rng::Rng;
use crate::train::grammar::{GrammarTrees, LeafScores};

/// Splits every substate but the root's; `noise` is how much the numbers of the halves differ at most.
pub(crate) fn split(trees: &GrammarTrees, state: &GrammarState, noise: f64, rng: &mut Rng) -> GrammarState {
    let root = trees.symbols.root();
    let old = &state.grammar;
    // A symbol that occurs in another fold only has nothing to split.
    let occurs = |symbol: Symbol| state.weights[old.substates(symbol)].iter().any(|&weight| weight > 0.0);
    let parts = |symbol: Symbol| if symbol == root || !occurs(symbol) { 1 } else { 2 };
    let mut draw = || 1.0 + noise * (2.0 * rng.unit() - 1.0);
    let (mut grammar, origins) = split_grammar(old, parts);
    let uses = origins.iter().map(|&origin| f64::from(old.values()[origin as usize] * draw() as f32));
    let uses: Vec<f64> = uses.collect();
    set_normalized(&mut grammar, &uses);
    let mut leaf_scores = LeafScores::zeros(trees, &grammar);
    for (index, leaf) in trees.leaves.iter().enumerate() {
        let start = leaf_scores.starts[index] as usize;
        for (a, &score) in state.leaf_scores.of(index).iter().enumerate() {
            for part in 0..usize::from(parts(leaf.tag)) {
                leaf_scores.values[start + usize::from(parts(leaf.tag)) * a + part] = score * draw() as f32;
            }
        }
    }
    let mut splits = state.splits.clone();
    splits.push(halves_of(&grammar, parts));
    let weights = vec![0.0; grammar.num_substates()];
    GrammarState {
        lexicon: state.lexicon.clone(),
        leaf_counts: leaf_scores.clone(),
        leaf_scores,
        splits,
        weights,
        grammar,
    }
}

/// The grammar with `halves` substates for each, its numbers zero, and the place that each number comes from. The
/// grammar has all rows.
pub(crate) fn split_grammar(old: &Grammar, halves: impl Fn(Symbol) -> u16) -> (Grammar, Vec<u32>) {
    let symbols = (0..old.num_symbols() as u16).map(Symbol);
    let sizes: Vec<u16> = symbols.map(|symbol| old.size(symbol) as u16 * halves(symbol)).collect();
    let mut origins = Vec::new();
    let mut blocks = Vec::with_capacity(old.rules().len());
    for (index, rule) in old.rules().iter().enumerate() {
        let start = old.values_of(index).start;
        let size = sizes[rule.parent.index()];
        let (right, right_halves) = rule.right.map_or((1, 1), |right| (sizes[right.index()], halves(right)));
        let rows = all_rows(usize::from(sizes[rule.left.index()]), usize::from(right));
        for &[b, c] in &rows {
            let (b, c) = (b / halves(rule.left), c / right_halves);
            let row = usize::from(b) * usize::from(right / right_halves) + usize::from(c);
            let first = start + row * old.size(rule.parent);
            origins.extend((0..size).map(|a| first as u32 + u32::from(a / halves(rule.parent))));
        }
        let values = vec![0.0; rows.len() * usize::from(size)];
        blocks.push(RuleBlock { parent: rule.parent, left: rule.left, right: rule.right, rows, values });
    }
    (Grammar::new(sizes, blocks, old.max_chain()), origins)
}

/// For each symbol of a split grammar, which substate each of its substates was split from.
pub(crate) fn halves_of(grammar: &Grammar, halves: impl Fn(Symbol) -> u16) -> Splits {
    let symbols = (0..grammar.num_symbols() as u16).map(Symbol);
    symbols.map(|symbol| (0..grammar.size(symbol) as u16).map(|sub| sub / halves(symbol)).collect()).collect()
}
