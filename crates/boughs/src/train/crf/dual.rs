//! Structured sequential minimal optimization (Taskar et al. 2004, section 5).
//!
//! The dual of the margin's quadratic program gives every sentence a distribution over its parses, α, and the weights
//! are `w = C Σ α(y) (f(y*) - f(y))`. The naive form has a number for each parse. Here a sentence keeps only the
//! parses that have some mass. A step moves mass from one parse `a` to another `b`, and the dual objective gains most
//! by
//!
//! ```text
//! δ = (v(b) - v(a)) / (C |f(a) - f(b)|²)   at most α(a)        v(y) = s(y) + L(y)
//! ```
//!
//! The best parse with its errors counted in is `b`, the worst of those with mass is `a`. What is left to gain is the
//! duality gap, `C Σ (max v - Σ α v)`, which is never negative and zero only at the optimum.

use serde::{Deserialize, Serialize};

use super::examples::Example;
use super::online::SparseSums;
use super::oracle::{SHARD, square_norm, sum};
use super::state::WeightState;
use crate::chart::best_derivation;
use crate::learn::run::Watch;
use crate::learn::shards::Chunks;

/// A parse and its part of the mass of its sentence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct DualParse {
    pub(super) edges: Vec<u32>,
    pub(super) mass: f64,
}

/// How far training is from the optimum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Gap {
    /// ½|w|² + C Σ h.
    pub(super) primal: f64,
    /// The primal objective minus the dual one.
    pub(super) gap: f64,
    /// Σ h.
    pub(super) hinge: f64,
}

/// Steps among the parses of a sentence for each new one: a search costs more than several of these.
const STEPS: usize = 4;

/// Mass below this is none.
const SMALLEST_MASS: f64 = 1e-9;

/// Visits every sentence once, in this order.
pub(super) fn epoch(
    state: &mut WeightState,
    examples: &[Example],
    order: &[usize],
    c: f64,
    loss_weight: f32,
) {
    start(&mut state.duals, examples);
    let mut sums = SparseSums::new(state.weights.len());
    for &index in order {
        let example = &examples[index];
        let mut parses = std::mem::take(&mut state.duals[index]);
        let scores = example.edge_scores(&state.weights, loss_weight);
        let edges = best_derivation(&example.graph, &scores).1;
        if !parses.iter().any(|parse| parse.edges == edges) {
            parses.push(DualParse { edges, mass: 0.0 });
        }
        for _ in 0..STEPS {
            if !step(state, example, &mut parses, c, loss_weight, &mut sums) {
                break;
            }
        }
        parses.retain(|parse| parse.mass > SMALLEST_MASS);
        state.duals[index] = parses;
        state.tick();
    }
}

/// All mass of a sentence that was never visited is with its target.
fn start(duals: &mut Vec<Vec<DualParse>>, examples: &[Example]) {
    if duals.is_empty() {
        let target = |example: &Example| vec![DualParse { edges: example.target.clone(), mass: 1.0 }];
        duals.extend(examples.iter().map(target));
    }
}

/// Moves mass from the worst parse to the best of those at hand; whether there was any to move.
fn step(
    state: &mut WeightState,
    example: &Example,
    parses: &mut [DualParse],
    c: f64,
    loss_weight: f32,
    sums: &mut SparseSums,
) -> bool {
    let scores = example.edge_scores(&state.weights, loss_weight);
    let values: Vec<f64> = parses.iter().map(|parse| sum(&scores, &parse.edges)).collect();
    let with_mass = (0..parses.len()).filter(|&it| parses[it].mass > 0.0);
    let Some(worst) = with_mass.min_by(|&a, &b| values[a].total_cmp(&values[b])) else { return false };
    let best = (0..parses.len()).rev().max_by(|&a, &b| values[a].total_cmp(&values[b])).unwrap_or(worst);
    let gain = values[best] - values[worst];
    if gain <= 0.0 {
        return false;
    }
    let edges = example.difference(&parses[best].edges, &parses[worst].edges);
    let gradient = example.gradient_of(&edges, gain);
    example.each_feature(&gradient, |place, strength| sums.add(place, strength));
    let norm: f64 = sums.list().iter().map(|(_, strength)| f64::from(strength * strength)).sum();
    let moved = move_length(gain, c, norm).min(parses[worst].mass);
    for &(place, strength) in sums.list() {
        state.change(place as usize, (-c * moved * f64::from(strength)) as f32);
    }
    sums.clear();
    parses[best].mass += moved;
    parses[worst].mass -= moved;
    true
}

/// How much mass the dual objective wants to move.
fn move_length(gain: f64, c: f64, norm: f64) -> f64 {
    if norm > 0.0 { gain / (c * norm) } else { f64::INFINITY }
}

/// Measures how far the weights are from the optimum.
pub(super) fn measure(
    state: &WeightState,
    examples: &[Example],
    c: f64,
    loss_weight: f32,
    watch: &Watch<'_>,
) -> Gap {
    let of_one = |place: usize| {
        let (example, parses) = (&examples[place], &state.duals[place]);
        let scores = example.edge_scores(&state.weights, loss_weight);
        let best = best_derivation(&example.graph, &scores).0;
        let mean: f64 = parses.iter().map(|parse| parse.mass * sum(&scores, &parse.edges)).sum();
        [best - sum(&scores, &example.target), best - mean]
    };
    let add = |[a, b]: [f64; 2], [c, d]: [f64; 2]| [a + c, b + d];
    let places: Vec<usize> = (0..examples.len()).collect();
    let compute = |shard: &[usize]| shard.iter().map(|&place| of_one(place)).fold([0.0; 2], add);
    let work = Chunks { items: &places, size: SHARD, compute };
    let [hinge, gap] = watch.sum(&work, &(), [0.0; 2], |sums, shard| *sums = add(*sums, shard));
    Gap { primal: 0.5 * square_norm(&state.weights) + c * hinge, gap: c * gap, hinge }
}
