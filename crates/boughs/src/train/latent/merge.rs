//! Undoing the splits that brought least (Petrov et al. 2006, section 2.3).

use serde::{Deserialize, Serialize};

use super::expectation::{TreeValues, over_trees};
use super::state::{GrammarState, TreeScores, with_all_rows};
use crate::learn::run::Watch;
use crate::model::{Grammar, Splits, Symbol, Symbols, merge_sums};
use crate::train::grammar::{GrammarTrees, LeafScores};

/// A split, by the place of its first half among all substates, and the likelihood that is lost without it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MergeLoss {
    pub(crate) symbol: Symbol,
    first: u16,
    loss: f64,
}

/// What a round of splitting brought to one symbol.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SymbolSplits {
    /// The name of the symbol.
    pub symbol: String,
    /// Whether it is a tag; a phrase may have the same name.
    pub is_tag: bool,
    /// How many of its substates were split.
    pub num_split: usize,
    /// How many of the splits were not undone.
    pub num_kept: usize,
    /// What the logarithm of the likelihood of the training trees would lose without those that were kept, each undone
    /// alone.
    pub gain: f64,
}

/// What the last splits brought to each symbol, in the order of symbols, if all but some are kept.
pub(crate) fn gains(trees: &GrammarTrees, undone: &[MergeLoss], kept: &[MergeLoss]) -> Vec<SymbolSplits> {
    let of_symbol = |symbol: Symbol| {
        let count = |losses: &[MergeLoss]| losses.iter().filter(|loss| loss.symbol == symbol).count();
        let own = kept.iter().filter(|loss| loss.symbol == symbol);
        SymbolSplits {
            symbol: trees.symbols.name(symbol).to_owned(),
            is_tag: trees.symbols.is_tag(symbol),
            num_split: count(undone) + count(kept),
            num_kept: count(kept),
            gain: own.fold(0.0, |sum, loss| sum + loss.loss),
        }
    };
    trees.symbols.iter().map(of_symbol).filter(|splits| splits.num_split > 0).collect()
}

/// What the likelihood of the training trees would lose by undoing each of the last splits alone, the least first.
pub(crate) fn losses(trees: &GrammarTrees, state: &GrammarState, watch: &Watch<'_>) -> Vec<MergeLoss> {
    let losses = losses_of_trees(trees, state.scores(), &state.weights, watch);
    ranked(&trees.symbols, &state.grammar, &losses)
}

/// The same, for each pair of substates at the place of the first.
pub(crate) fn losses_of_trees(
    trees: &GrammarTrees,
    scores: TreeScores<'_>,
    weights: &[f64],
    watch: &Watch<'_>,
) -> Vec<f64> {
    let look = |shard: &[TreeValues<'_>]| {
        let mut losses = vec![0.0; scores.grammar.num_substates()];
        for tree in shard {
            for (index, node) in tree.nodes.iter().enumerate() {
                let (inside, outside) = tree.of(index);
                let range = scores.grammar.substates(node.symbol);
                add_losses(inside, outside, &weights[range.clone()], &mut losses[range]);
            }
        }
        losses
    };
    let losses = vec![0.0; scores.grammar.num_substates()];
    over_trees(trees, scores, watch, look, losses, |losses, shard| {
        losses.iter_mut().zip(shard).for_each(|(sum, loss)| *sum += loss);
    })
}

/// Adds what is lost at a node whose substates are put together, pair by pair.
pub(crate) fn add_losses(inside: &[f32], outside: &[f32], weights: &[f64], losses: &mut [f64]) {
    for a in (0..inside.len() - inside.len() % 2).step_by(2) {
        let halves = [a, a + 1];
        losses[a] += loss_at(
            halves.map(|a| f64::from(inside[a])),
            halves.map(|a| f64::from(outside[a])),
            halves.map(|a| weights[a]),
        );
    }
}

/// The splits of all symbols, those that bring least first.
pub(crate) fn ranked(symbols: &Symbols, grammar: &Grammar, losses: &[f64]) -> Vec<MergeLoss> {
    let of_symbol = |symbol: Symbol| {
        let range = grammar.substates(symbol);
        let firsts = (0..(range.len() - range.len() % 2) as u16).step_by(2);
        firsts.map(move |first| MergeLoss { symbol, first, loss: losses[range.start + usize::from(first)] })
    };
    let mut all: Vec<MergeLoss> = symbols.iter().flat_map(of_symbol).collect();
    all.sort_by(|a, b| a.loss.total_cmp(&b.loss));
    all
}

/// The logarithm of the likelihood with two substates over that with one in their place, at one node whose likelihood
/// is 1.
fn loss_at(inside: [f64; 2], outside: [f64; 2], weights: [f64; 2]) -> f64 {
    let total = weights[0] + weights[1];
    if total <= 0.0 {
        return 0.0;
    }
    let apart = inside[0] * outside[0] + inside[1] * outside[1];
    let mean = (weights[0] * inside[0] + weights[1] * inside[1]) / total;
    let together = mean * (outside[0] + outside[1]);
    -(1.0 - apart + together).max(f64::MIN_POSITIVE).ln()
}

/// What becomes of each substate if these splits are undone, all of the last round.
pub(crate) fn origins_without(fine: &Grammar, undone: &[MergeLoss]) -> Splits {
    let mut origins: Splits = fine.sizes().iter().map(|&size| (0..size).collect()).collect();
    let mut is_undone = vec![false; fine.num_substates()];
    for loss in undone {
        is_undone[fine.substates(loss.symbol).start + usize::from(loss.first)] = true;
    }
    for (symbol, origins) in (0..).map(Symbol).zip(&mut origins) {
        let start = fine.substates(symbol).start;
        let mut next = 0;
        for (a, origin) in origins.iter_mut().enumerate() {
            let joins_last = a % 2 == 1 && is_undone[start + a - 1];
            next -= u16::from(joins_last);
            *origin = next;
            next += 1;
        }
    }
    origins
}

/// Undoes these splits, all of the last round.
pub(crate) fn merge(trees: &GrammarTrees, state: &GrammarState, undone: &[MergeLoss]) -> GrammarState {
    let fine = &state.grammar;
    let origins = origins_without(fine, undone);
    let weights: Vec<f32> = state.weights.iter().map(|&weight| weight as f32).collect();
    let grammar = with_all_rows(&fine.merged(&origins, &weights));
    let mut leaf_scores = LeafScores::zeros(trees, &grammar);
    for (index, leaf) in trees.leaves.iter().enumerate() {
        merge_leaf(state, &weights, &origins[leaf.tag.index()], leaf.tag, index, &mut leaf_scores);
    }
    let mut splits = state.splits.clone();
    splits.last_mut().into_iter().for_each(|last| after_merge(last, &origins));
    let weights = merge_sums(fine, &grammar, &origins, &state.weights);
    GrammarState {
        lexicon: state.lexicon.clone(),
        leaf_counts: leaf_scores.clone(),
        leaf_scores,
        splits,
        weights,
        grammar,
    }
}

fn merge_leaf(
    state: &GrammarState,
    weights: &[f32],
    origins: &[u16],
    tag: Symbol,
    index: usize,
    merged: &mut LeafScores,
) {
    let weights = &weights[state.grammar.substates(tag)];
    let start = merged.starts[index] as usize;
    let mut totals = vec![0.0; origins.len()];
    for (&origin, weight) in origins.iter().zip(weights) {
        totals[usize::from(origin)] += weight;
    }
    for ((&origin, weight), score) in origins.iter().zip(weights).zip(state.leaf_scores.of(index)) {
        let total: f32 = totals[usize::from(origin)];
        if total > 0.0 {
            merged.values[start + usize::from(origin)] += weight / total * score;
        }
    }
}

/// Leaves out of a split what was put together again.
pub(crate) fn after_merge(splits: &mut Splits, origins: &Splits) {
    for (split, origins) in splits.iter_mut().zip(origins) {
        let mut kept: Vec<u16> = Vec::new();
        for (&from, &origin) in split.iter().zip(origins) {
            if usize::from(origin) == kept.len() {
                kept.push(from);
            }
        }
        *split = kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::WordClasses;
    use crate::tree::Binarization;

    #[test]
    fn halves_that_are_alike_are_no_loss() {
        assert_eq!(loss_at([0.5, 0.5], [1.0, 1.0], [3.0, 1.0]), 0.0);
        let loss = loss_at([1.0, 0.0], [1.0, 0.0], [1.0, 1.0]);
        assert!((loss - 2f64.ln()).abs() < 1e-12, "{loss}");
    }

    #[test]
    fn gains_are_those_of_kept_splits() {
        let trees = ["(S (NP (DT the) (NN dog)) (VP (VBZ sleeps)))".parse().unwrap()];
        let trees = GrammarTrees::new(&trees, &Binarization::x_bar(), &WordClasses::english()).unwrap();
        let symbol = trees.symbols.phrase("NP").unwrap();
        let losses = [0.5, 2.0, 3.0].map(|loss| MergeLoss { symbol, first: 0, loss });
        let gains = gains(&trees, &losses[..1], &losses[1..]);
        let expected =
            SymbolSplits { symbol: "NP".to_owned(), is_tag: false, num_split: 3, num_kept: 2, gain: 5.0 };
        assert_eq!(gains, [expected]);
    }
}
