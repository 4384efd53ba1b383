//! The best trees (Huang & Chiang 2005, algorithm 2).
//!
//! The naive form lists all trees and sorts them. Here every span knows its best bodies, children and
//! sequences of children, the best first; the next one is always a neighbour of one already taken. As every
//! tree is built in one way only, none is found twice.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::best::ScoredTree;
use super::table::{SpanScores, Square, by_length};
use crate::neural::labels::LabelledSpan;
use crate::span::Span;

/// The `k` trees with the highest scores, the best first; fewer if there are no more.
pub(crate) fn best_trees(scores: &SpanScores, k: usize) -> Vec<ScoredTree> {
    let num_words = scores.num_words();
    if num_words == 0 || k == 0 {
        return vec![ScoredTree { score: 0.0, phrases: Vec::new() }].into_iter().take(k).collect();
    }
    let chart = RankedChart::fill(scores, k);
    let sequences = &chart.sequences[chart.places.at(0, num_words)];
    let tree = |rank: usize| ScoredTree { score: sequences[rank].score, phrases: chart.read_off(rank) };
    (0..sequences.len()).map(tree).collect()
}

/// One of the best ways to fill a span. What its fields mean depends on the list that it is in.
#[derive(Debug, Clone, Copy, PartialEq)]
struct RankedWay {
    score: f32,
    /// Of bodies: where the last child starts. Of children: the rank of the label, or none. Of sequences:
    /// whether it is one child.
    choice: u32,
    /// Which of the ways of the one or two parts.
    ranks: [u32; 2],
}

impl Eq for RankedWay {}

impl Ord for RankedWay {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_score = self.score.total_cmp(&other.score);
        by_score.then_with(|| (other.choice, other.ranks).cmp(&(self.choice, self.ranks)))
    }
}

impl PartialOrd for RankedWay {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The choice of a word that is no phrase.
const BARE: u32 = u32::MAX;

struct RankedChart {
    num_words: usize,
    k: usize,
    /// Where the lists of a span are.
    places: Square<usize>,
    labels: Vec<Vec<(u16, f32)>>,
    bodies: Vec<Vec<RankedWay>>,
    children: Vec<Vec<RankedWay>>,
    sequences: Vec<Vec<RankedWay>>,
}

impl RankedChart {
    fn fill(scores: &SpanScores, k: usize) -> Self {
        let num_words = scores.num_words();
        let mut chart = Self {
            num_words,
            k,
            places: Square::new(num_words, usize::MAX),
            labels: Vec::new(),
            bodies: Vec::new(),
            children: Vec::new(),
            sequences: Vec::new(),
        };
        for (start, end) in by_length(num_words) {
            let span = Span::new(start as u32, end as u32);
            *chart.places.at_mut(start, end) = chart.labels.len();
            chart.labels.push(best_labels(scores.row(span), k));
            let bodies = if span.len() == 1 { vec![word()] } else { chart.ranked_bodies(start, end) };
            chart.bodies.push(bodies);
            let children = chart.ranked_children(span, scores.bare(span));
            let sequences = chart.ranked_sequences(span, &children, scores.bare(span));
            chart.children.push(children);
            chart.sequences.push(sequences);
        }
        chart
    }

    /// Sequences of two children or more.
    fn ranked_bodies(&self, start: usize, end: usize) -> Vec<RankedWay> {
        let way = |split: u32, ranks: [u32; 2]| {
            let sequences = &self.sequences[self.places.at(start, split as usize)];
            let children = &self.children[self.places.at(split as usize, end)];
            let score = sequences.get(ranks[0] as usize)?.score + children.get(ranks[1] as usize)?.score;
            Some(RankedWay { score, choice: split, ranks })
        };
        ranked(self.k, start as u32 + 1..end as u32, way)
    }

    /// Phrases, and a word that is none.
    fn ranked_children(&self, span: Span, bare: f32) -> Vec<RankedWay> {
        let (Some(labels), Some(bodies)) = (self.labels.last(), self.bodies.last()) else {
            return Vec::new();
        };
        let way = |choice: u32, ranks: [u32; 2]| match choice {
            BARE => (ranks == [0, 0]).then_some(RankedWay { score: bare, choice, ranks }),
            _ => {
                let score = labels.get(ranks[0] as usize)?.1 + bodies.get(ranks[1] as usize)?.score;
                Some(RankedWay { score, choice, ranks })
            }
        };
        let bare = (span.len() == 1).then_some(BARE);
        let mut ways = ranked(self.k, [0].into_iter().chain(bare), way);
        ways.retain(|way| way.score > f32::NEG_INFINITY);
        ways
    }

    /// Children and, over several words, bodies.
    fn ranked_sequences(&self, span: Span, children: &[RankedWay], bare: f32) -> Vec<RankedWay> {
        let bodies = self.bodies.last().filter(|_| span.len() > 1 && bare > f32::NEG_INFINITY);
        let way = |choice: u32, ranks: [u32; 2]| {
            let ways = if choice == 0 { Some(children) } else { bodies.map(Vec::as_slice) };
            let score = ways?.get(ranks[0] as usize).filter(|_| ranks[1] == 0)?.score;
            Some(RankedWay { score, choice, ranks })
        };
        ranked(self.k, 0..2, way)
    }

    fn read_off(&self, rank: usize) -> Vec<LabelledSpan> {
        let mut phrases = Vec::new();
        let whole = Span::new(0, self.num_words as u32);
        // Spans that are still to be read, the last first, whether each is one child, and which of its ways.
        let mut work = vec![(whole, false, rank)];
        while let Some((span, is_child, rank)) = work.pop() {
            let place = self.places.at(span.start as usize, span.end as usize);
            let body = match is_child {
                true => {
                    let RankedWay { choice, ranks: [label, body], .. } = self.children[place][rank];
                    if choice == BARE {
                        continue;
                    }
                    phrases.push(LabelledSpan { span, label: self.labels[place][label as usize].0 });
                    body as usize
                }
                false => {
                    let RankedWay { choice, ranks, .. } = self.sequences[place][rank];
                    if choice == 0 {
                        work.push((span, true, ranks[0] as usize));
                        continue;
                    }
                    ranks[0] as usize
                }
            };
            if span.len() > 1 {
                let RankedWay { choice: split, ranks: [left, right], .. } = self.bodies[place][body];
                work.push((Span::new(split, span.end), true, right as usize));
                work.push((Span::new(span.start, split), false, left as usize));
            }
        }
        phrases
    }
}

fn word() -> RankedWay {
    RankedWay { score: 0.0, choice: 0, ranks: [0, 0] }
}

/// The best labels of a span that are possible, the first among equals first.
fn best_labels(row: &[f32], k: usize) -> Vec<(u16, f32)> {
    let mut labels: Vec<(u16, f32)> =
        (0..).zip(row.iter().copied()).filter(|(_, score)| *score > f32::NEG_INFINITY).collect();
    labels.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    labels.truncate(k);
    labels
}

/// The best `k` ways, given the choices and, for two ranks, what that way is worth.
fn ranked(
    k: usize,
    choices: impl Iterator<Item = u32>,
    way: impl Fn(u32, [u32; 2]) -> Option<RankedWay>,
) -> Vec<RankedWay> {
    let mut heap: BinaryHeap<RankedWay> = choices.filter_map(|choice| way(choice, [0, 0])).collect();
    let mut ways = Vec::new();
    while ways.len() < k {
        let Some(best) = heap.pop() else { break };
        ways.push(best);
        let [left, right] = best.ranks;
        heap.extend(way(best.choice, [left + 1, right]));
        // Every combination is reached in one way: first along the left part, then along the right one.
        if left == 0 {
            heap.extend(way(best.choice, [left, right + 1]));
        }
    }
    ways
}
