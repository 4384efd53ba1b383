//! Splitting every substate in two, a little unlike each other.

use super::state::{GrammarState, all_rows, set_normalized};
use crate::model::{Grammar, RuleBlock, Symbol};
use crate::rng::Rng;
use crate::train::grammar::{GrammarTrees, LeafScores};

/// Splits every substate but the root's; `noise` is how much the numbers of the halves differ at most.
pub(crate) fn split(trees: &GrammarTrees, state: &GrammarState, noise: f64, rng: &mut Rng) -> GrammarState {
    let root = trees.symbols.root();
    let old = &state.grammar;
    // A symbol that occurs in another fold only has nothing to split.
    let occurs = |symbol: Symbol| state.weights[old.substates(symbol)].iter().any(|&weight| weight > 0.0);
    let parts = |symbol: Symbol| if symbol == root || !occurs(symbol) { 1 } else { 2 };
    let sizes: Vec<u16> =
        trees.symbols.iter().map(|symbol| old.size(symbol) as u16 * parts(symbol)).collect();
    let mut draw = || 1.0 + noise * (2.0 * rng.unit() - 1.0);
    let block = |block: RuleBlock| {
        let size = usize::from(sizes[block.parent.index()]);
        let right = block.right.map_or(1, |right| usize::from(sizes[right.index()]));
        let rows = all_rows(usize::from(sizes[block.left.index()]), right);
        let (right_parts, old_right) = block.right.map_or((1, 1), |right| (parts(right), old.size(right)));
        let old_size = old.size(block.parent);
        let values = rows.iter().flat_map(|&[b, c]| {
            let (b, c) = (usize::from(b / parts(block.left)), usize::from(c / right_parts));
            let start = (b * old_right + c) * old_size;
            let row = &block.values[start..start + old_size];
            (0..size).map(|a| row[a / usize::from(parts(block.parent))] * draw() as f32).collect::<Vec<_>>()
        });
        RuleBlock { values: values.collect(), rows, ..block }
    };
    let blocks = old.blocks().map(block).collect();
    let mut grammar = Grammar::new(sizes, blocks, old.max_chain());
    let uses: Vec<f64> = grammar.values().iter().map(|&value| f64::from(value)).collect();
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
    let origins = |symbol: Symbol| (0..grammar.size(symbol) as u16).map(|sub| sub / parts(symbol)).collect();
    let mut splits = state.splits.clone();
    splits.push(trees.symbols.iter().map(origins).collect());
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
