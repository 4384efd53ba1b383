//! What training asks of a sentence: how far the weights are from what is wanted, and in which direction that is.
//!
//! With s(y) the score of a parse, y* the target and L(y) the errors of y beyond those of y*:
//!
//! ```text
//! margin      h = max over y of (s(y) + L(y)) - s(y*)          direction   f(best) - f(y*)
//! likelihood  h = ln sum over y of exp(s(y)) - s(y*)           direction   E[f(y)] - f(y*)
//! ```

use serde::{Deserialize, Serialize};

use super::examples::Example;
use super::index::BASE;
use crate::chart::{best_derivation, edge_posteriors};
use crate::learn::run::Watch;
use crate::learn::shards::Chunks;
use crate::model::CrfObjective;

/// Base scores are in the order of ten, features of one.
const BASE_SCORE_SCALE: f32 = 0.1;

/// The factor of base scores before training.
const FIRST_FACTOR: f32 = 1.0;

/// Sentences of a shard.
pub(super) const SHARD: usize = 256;

/// The factor of base scores under these weights.
pub(super) fn base_factor<'w>(weights: impl Into<Scaled<'w>>) -> f32 {
    let Scaled { weights, scale } = weights.into();
    FIRST_FACTOR + BASE_SCORE_SCALE * scale * weights[BASE]
}

/// Weights that are all to be taken times a number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scaled<'w> {
    pub(super) weights: &'w [f32],
    pub(super) scale: f32,
}

impl<'w, W: AsRef<[f32]> + ?Sized> From<&'w W> for Scaled<'w> {
    fn from(weights: &'w W) -> Self {
        Self { weights: weights.as_ref(), scale: 1.0 }
    }
}

/// The gradient of the loss of a sentence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Gradient {
    /// How far from what is wanted: h of the formulas above.
    pub(super) value: f64,
    /// Parts whose scores should fall, by how much.
    pub(super) parts: Vec<(u32, f32)>,
    /// The same for the weight of the base score.
    pub(super) base_score: f32,
}

impl Example {
    /// The scores of edges, and errors with this weight.
    pub(super) fn edge_scores<'w>(&self, weights: impl Into<Scaled<'w>>, loss_weight: f32) -> Vec<f32> {
        let weights = weights.into();
        let parts = self.features.scores(weights);
        let mut scores = Vec::new();
        self.graph.edge_scores(base_factor(weights), &parts, &mut scores);
        if loss_weight != 0.0 {
            scores.iter_mut().zip(&self.losses).for_each(|(score, loss)| *score += loss_weight * loss);
        }
        scores
    }

    /// The gradient of the sentence under these weights.
    pub(super) fn gradient<'w>(
        &self,
        weights: impl Into<Scaled<'w>>,
        objective: CrfObjective,
        loss_weight: f32,
    ) -> Gradient {
        let scores = self.edge_scores(weights, loss_weight);
        match objective {
            CrfObjective::Margin => {
                let (best, edges) = best_derivation(&self.graph, &scores);
                self.gradient_from(&edges, best - sum(&scores, &self.target))
            }
            CrfObjective::Likelihood => {
                let mut posteriors = Vec::new();
                let total = edge_posteriors(&self.graph, &scores, &mut posteriors);
                self.target.iter().for_each(|&edge| posteriors[edge as usize] -= 1.0);
                self.gradient_of(&posteriors, total - sum(&scores, &self.target))
            }
        }
    }

    /// The gradient of the difference between a parse and the target.
    pub(super) fn gradient_from(&self, edges: &[u32], value: f64) -> Gradient {
        self.gradient_of(&self.difference(edges, &self.target), value)
    }

    /// For each edge how often one parse has it more than another.
    pub(super) fn difference(&self, one: &[u32], other: &[u32]) -> Vec<f32> {
        let mut counts = vec![0.0; self.graph.of_edges.len()];
        one.iter().for_each(|&edge| counts[edge as usize] += 1.0);
        other.iter().for_each(|&edge| counts[edge as usize] -= 1.0);
        counts
    }

    /// Sums over edges become sums over parts.
    pub(super) fn gradient_of(&self, edges: &[f32], value: f64) -> Gradient {
        let mut counts = vec![0.0f32; self.graph.parts.len()];
        let mut base_score = 0.0;
        for (edge, &count) in edges.iter().enumerate().filter(|(_, count)| **count != 0.0) {
            if self.is_base_learned {
                base_score += count * BASE_SCORE_SCALE * self.graph.base_scores[edge];
            }
            for part in self.graph.of_edges[edge] {
                if let Some(sum) = counts.get_mut(part as usize) {
                    *sum += count;
                }
            }
        }
        let parts = (0..).zip(counts).filter(|(_, count)| count.abs() > SMALLEST_GRADIENT).collect();
        Gradient { value, parts, base_score }
    }

    /// Calls `add` with the place of each weight that a gradient is about, and how strong it is. A place may come more
    /// than once.
    pub(super) fn each_feature(&self, gradient: &Gradient, mut add: impl FnMut(u32, f32)) {
        if gradient.base_score != 0.0 {
            add(BASE as u32, gradient.base_score);
        }
        for &(part, strength) in &gradient.parts {
            self.features.of(part as usize).iter().for_each(|&place| add(place, strength));
        }
    }
}

/// ½|w|² + C Σ h of the margin.
pub(super) fn primal(
    weights: &[f32],
    examples: &[Example],
    c: f64,
    loss_weight: f32,
    watch: &Watch<'_>,
) -> f64 {
    let hinge = |example: &Example| {
        let scores = example.edge_scores(weights, loss_weight);
        best_derivation(&example.graph, &scores).0 - sum(&scores, &example.target)
    };
    let compute = |shard: &[Example]| shard.iter().map(hinge).sum::<f64>();
    let work = Chunks { items: examples, size: SHARD, compute };
    let hinges = watch.sum(&work, &(), 0.0, |hinges, shard| *hinges += shard);
    0.5 * square_norm(weights) + c * hinges
}

pub(super) fn square_norm(weights: &[f32]) -> f64 {
    weights.iter().map(|&weight| f64::from(weight).powi(2)).sum()
}

/// Gradients below this are none: most parts of a forest are nearly certain to be wrong, and known to be.
const SMALLEST_GRADIENT: f32 = 1e-4;

/// The sum of the scores of some edges.
pub(super) fn sum(scores: &[f32], edges: &[u32]) -> f64 {
    edges.iter().map(|&edge| f64::from(scores[edge as usize])).sum()
}
