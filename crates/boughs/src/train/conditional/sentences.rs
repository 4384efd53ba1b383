//! Training sentences: their words, their gold phrases, and what is worth looking at.

use rayon::prelude::*;

use crate::chart::{ChartOptions, GrammarParser, Mask};
use crate::model::{Grammar, GrammarModel, Splits, Symbol};
use crate::span::Span;
use crate::train::grammar::{GrammarTrees, NodeKind};
use crate::tree::Tokens;

/// A sentence to learn from.
#[derive(Debug)]
pub(super) struct Sentence {
    /// The leaf of each word.
    pub(super) leaves: Vec<u32>,
    pub(super) mask: Mask,
}

/// Sentences that a thread works on at a time.
const CHUNK: usize = 16;

/// Prunes all sentences by a model for a finer grammar; nothing for those without a parse.
pub(super) fn prune(
    trees: &GrammarTrees,
    model: &GrammarModel,
    finer: &Grammar,
    splits: &Splits,
    options: &ChartOptions,
) -> Vec<Option<Sentence>> {
    let chunks: Vec<Vec<Option<Sentence>>> = trees
        .trees
        .par_chunks(CHUNK)
        .map(|chunk| {
            let mut parser = GrammarParser::new(model, options.clone());
            let prune = |tree: &std::ops::Range<u32>| {
                let leaves = leaves(trees, tree.clone());
                let tokens = tokens(trees, &leaves);
                let mask = parser.survivors(&tokens, finer, splits, &gold(trees, tree.clone()));
                mask.map(|mask| Sentence { leaves, mask })
            };
            chunk.iter().map(prune).collect()
        })
        .collect();
    chunks.into_iter().flatten().collect()
}

fn leaves(trees: &GrammarTrees, tree: std::ops::Range<u32>) -> Vec<u32> {
    let nodes = &trees.nodes[tree.start as usize..tree.end as usize];
    let leaf = |kind: &NodeKind| if let NodeKind::Leaf { leaf } = kind { Some(*leaf) } else { None };
    nodes.iter().filter_map(|node| leaf(&node.kind)).collect()
}

fn tokens(trees: &GrammarTrees, leaves: &[u32]) -> Tokens {
    leaves.iter().map(|&leaf| (trees.words.name(trees.leaves[leaf as usize].word), "")).collect()
}

/// The phrases and tags of a tree, in order.
fn gold(trees: &GrammarTrees, tree: std::ops::Range<u32>) -> Vec<(Span, Symbol)> {
    let mut gold: Vec<(Span, Symbol)> = Vec::with_capacity(tree.len());
    let mut next = 0;
    for node in &trees.nodes[tree.start as usize..tree.end as usize] {
        let of = |child: u32| gold[(child - tree.start) as usize].0;
        let span = match node.kind {
            NodeKind::Leaf { .. } => {
                next += 1;
                Span::new(next - 1, next)
            }
            NodeKind::Unary { child, .. } => of(child),
            NodeKind::Binary { children: [left, right], .. } => Span::new(of(left).start, of(right).end),
        };
        gold.push((span, node.symbol));
    }
    gold.sort_unstable();
    gold.dedup();
    gold
}

/// Whether no unary rules are above each other that a chart has not.
pub(super) fn fits_chart(trees: &GrammarTrees, tree: &std::ops::Range<u32>) -> bool {
    let mut chains = vec![0; tree.len()];
    for (index, node) in trees.nodes[tree.start as usize..tree.end as usize].iter().enumerate() {
        if let NodeKind::Unary { child, .. } = node.kind {
            chains[index] = chains[(child - tree.start) as usize] + 1;
        }
    }
    chains.iter().all(|&chain| chain <= trees.max_chain)
}
