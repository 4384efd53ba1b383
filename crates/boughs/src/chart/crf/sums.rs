//! The best derivation of a graph, and sums over all of them, for any scores of edges.
//!
//! Logarithms throughout: scores are sums of weights and may be far apart, and a graph is small enough not to mind.

use super::graph::CrfGraph;
use crate::chart::forest::{EdgeKind, ForestEdge, PackedForest};

/// The best score, and the edges of the derivation that has it; among equals the edge that comes first.
pub(crate) fn best_derivation(graph: &CrfGraph, scores: &[f32]) -> (f64, Vec<u32>) {
    let forest = &graph.forest;
    let mut best: Vec<(f64, u32)> = Vec::with_capacity(forest.items.len());
    for item in &forest.items {
        let first = item.first_edge;
        let edges = (first..).zip(forest.edges(best.len()));
        let score = |(edge, it): (u32, &ForestEdge)| {
            (f64::from(scores[edge as usize]) + below(it.kind, |child| best[child].0), edge)
        };
        let better = |a: (f64, u32), b: (f64, u32)| if b.0 > a.0 { b } else { a };
        best.push(edges.map(score).reduce(better).unwrap_or((f64::NEG_INFINITY, first)));
    }
    let mut edges = Vec::new();
    let mut open = vec![graph.root()];
    while let Some(item) = open.pop() {
        let edge = best[item].1;
        edges.push(edge);
        open.extend(forest.edges[edge as usize].kind.children());
    }
    (best[graph.root()].0, edges)
}

/// For each edge how likely it is in a derivation, if derivations are as likely as the exponentials of their scores;
/// and the logarithm of the sum of these.
pub(crate) fn edge_posteriors(graph: &CrfGraph, scores: &[f32], posteriors: &mut Vec<f32>) -> f64 {
    forest_posteriors(&graph.forest, graph.root(), scores, posteriors)
}

/// The same of a forest whose root is one of its items.
pub(super) fn forest_posteriors(
    forest: &PackedForest,
    root: usize,
    scores: &[f32],
    posteriors: &mut Vec<f32>,
) -> f64 {
    let inside = inside(forest, root, scores);
    let total = inside[root];
    let mut outside = vec![0.0f64; inside.len()];
    outside[root] = 1.0;
    posteriors.clear();
    posteriors.resize(scores.len(), 0.0);
    // `outside` holds posteriors of items: all items above are done when one comes up.
    for item in (0..inside.len()).rev() {
        if outside[item] == 0.0 {
            continue;
        }
        let first = forest.items[item].first_edge as usize;
        for (edge, it) in (first..).zip(forest.edges(item)) {
            let log_share = f64::from(scores[edge]) + below(it.kind, |child| inside[child]) - inside[item];
            let posterior = outside[item] * log_share.exp();
            posteriors[edge] = posterior as f32;
            it.kind.children().for_each(|child| outside[child] += posterior);
        }
    }
    total
}

fn inside(forest: &PackedForest, root: usize, scores: &[f32]) -> Vec<f64> {
    let mut inside: Vec<f64> = Vec::with_capacity(root + 1);
    for item in &forest.items[..=root] {
        let first = item.first_edge as usize;
        let edges = forest.edges(inside.len());
        let log = |(edge, it): (usize, &ForestEdge)| {
            f64::from(scores[edge]) + below(it.kind, |child| inside[child])
        };
        let largest = (first..).zip(edges).map(log).fold(f64::NEG_INFINITY, f64::max);
        // What cannot be made of words has no finite logarithm to compare with.
        let sum = |largest: f64| (first..).zip(edges).map(|it| (log(it) - largest).exp()).sum::<f64>();
        inside.push(if largest.is_finite() { largest + sum(largest).ln() } else { f64::NEG_INFINITY });
    }
    inside
}

#[inline]
fn below(kind: EdgeKind, value: impl Fn(usize) -> f64) -> f64 {
    match kind {
        EdgeKind::Word => 0.0,
        EdgeKind::Same(only) | EdgeKind::Unary(only) => value(only as usize),
        EdgeKind::Binary(left, right) => value(left as usize) + value(right as usize),
    }
}
