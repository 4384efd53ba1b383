//! The best trees of a forest (Huang & Chiang 2005, algorithm 2).
//!
//! The naive form lists all trees and sorts them. Here every item knows its `k` best derivations: the best one
//! combines the best of its children, and the next is always a neighbour of one already taken, with one child
//! replaced by its next best. Among equals the edge that was found first wins, then the better left child.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::forest::{EdgeKind, PackedForest};

/// A derivation of an item: an edge, and which derivation of each child.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RankedDerivation {
    pub(super) score: f32,
    pub(super) edge: u32,
    pub(super) ranks: [u32; 2],
}

impl Eq for RankedDerivation {}

impl Ord for RankedDerivation {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_score = self.score.total_cmp(&other.score);
        by_score.then_with(|| (other.edge, other.ranks).cmp(&(self.edge, self.ranks)))
    }
}

impl PartialOrd for RankedDerivation {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The best derivations of all items of a forest.
#[derive(Debug, Default)]
pub(super) struct KBest {
    derivations: Vec<RankedDerivation>,
    /// Where those of each item begin, and the end.
    starts: Vec<u32>,
    heap: BinaryHeap<RankedDerivation>,
}

impl KBest {
    /// Finds the `k` best derivations of every item.
    pub(super) fn find(&mut self, forest: &PackedForest, k: usize) {
        self.derivations.clear();
        self.starts.clear();
        for item in 0..forest.items.len() {
            self.starts.push(self.derivations.len() as u32);
            match k {
                1 => self.push_best(forest, item),
                _ => self.push_several(forest, item, k),
            }
        }
        self.starts.push(self.derivations.len() as u32);
    }

    /// The derivations of an item, the best first.
    pub(super) fn of(&self, item: usize) -> &[RankedDerivation] {
        &self.derivations[self.starts[item] as usize..self.starts[item + 1] as usize]
    }

    fn push_best(&mut self, forest: &PackedForest, item: usize) {
        let first = forest.items[item].first_edge;
        let derivations = first..first + forest.edges(item).len() as u32;
        let best = derivations.filter_map(|edge| self.derivation(forest, edge, [0, 0])).max();
        self.derivations.extend(best);
    }

    fn push_several(&mut self, forest: &PackedForest, item: usize, k: usize) {
        let first = forest.items[item].first_edge;
        let mut heap = std::mem::take(&mut self.heap);
        heap.clear();
        heap.extend(
            (first..first + forest.edges(item).len() as u32)
                .filter_map(|edge| self.derivation(forest, edge, [0, 0])),
        );
        let start = self.derivations.len();
        while self.derivations.len() - start < k {
            let Some(best) = heap.pop() else { break };
            self.derivations.push(best);
            let [left, right] = best.ranks;
            heap.extend(self.derivation(forest, best.edge, [left + 1, right]));
            // Every combination is reached in one way: first along the left child, then along the right one.
            if left == 0 {
                heap.extend(self.derivation(forest, best.edge, [left, right + 1]));
            }
        }
        self.heap = heap;
    }

    fn derivation(&self, forest: &PackedForest, edge: u32, ranks: [u32; 2]) -> Option<RankedDerivation> {
        let data = forest.edges[edge as usize];
        let child = |item: u32, rank: u32| {
            let range = self.starts[item as usize] as usize..self.starts[item as usize + 1] as usize;
            self.derivations[range].get(rank as usize).map(|derivation| derivation.score)
        };
        let below = match (data.kind, ranks) {
            (EdgeKind::Word, [0, 0]) => 0.0,
            (EdgeKind::Same(only) | EdgeKind::Unary(only), [rank, 0]) => child(only, rank)?,
            (EdgeKind::Binary(left, right), [l, r]) => child(left, l)? + child(right, r)?,
            _ => return None,
        };
        Some(RankedDerivation { score: data.score + below, edge, ranks })
    }
}

#[cfg(test)]
mod tests {
    use super::super::forest::{ForestEdge, ForestItem};
    use super::*;
    use crate::model::Symbol;
    use crate::span::Span;

    /// Two items with three scores each, and one over both.
    fn forest() -> PackedForest {
        let item = |first_edge| ForestItem {
            symbol: Symbol(0),
            substate: 0,
            span: Span::new(0, 1),
            first_edge,
            posterior: 1.0,
        };
        let word = |score| ForestEdge { score, kind: EdgeKind::Word };
        let mut forest = PackedForest::default();
        forest.items = vec![item(0), item(3), item(6)];
        forest.edges = [-1.0, -2.0, -4.0, -1.0, -1.5, -8.0].map(word).to_vec();
        forest.edges.push(ForestEdge { score: -0.5, kind: EdgeKind::Binary(0, 1) });
        forest
    }

    #[test]
    fn the_best_in_order() {
        let mut all: Vec<f32> =
            [-1.0, -2.0, -4.0].iter().flat_map(|l| [-1.0, -1.5, -8.0].map(|r| -0.5 + (l + r))).collect();
        all.sort_by(|a, b| b.total_cmp(a));
        for k in 1..=10 {
            let mut best = KBest::default();
            best.find(&forest(), k);
            let scores: Vec<f32> = best.of(2).iter().map(|derivation| derivation.score).collect();
            // Children know only k derivations, and no more are needed.
            assert_eq!(scores, all[..k.min(9)], "{k}");
        }
    }
}
