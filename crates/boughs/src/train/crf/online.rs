//! Optimizers that go from sentence to sentence and forget each.

use super::examples::Example;
use super::oracle::Gradient;
use super::settings::{CrfConfig, Optimizer};
use super::state::WeightState;
use crate::learn::run::Watch;
use crate::learn::shards::Chunks;
use crate::model::CrfObjective;

/// Goes through the sentences for the time of this number, counted from 1, in this order; the sum of how far each was
/// from what is wanted.
pub(super) fn epoch(
    state: &mut WeightState,
    examples: &[Example],
    order: &[usize],
    config: &CrfConfig,
    c: f64,
    number: usize,
    watch: &Watch<'_>,
) -> f64 {
    match config.optimizer {
        Optimizer::AdaGrad => {
            state.forget_average();
            batches(state, examples, order, config, watch, |state, gradients| {
                adagrad(state, gradients, config);
            })
        }
        Optimizer::Subgradient => {
            state.forget_average();
            let strength = c * examples.len() as f64;
            let mut time = (number - 1) * order.len().div_ceil(config.batch);
            state.scale = subgradient_scale(strength, time);
            batches(state, examples, order, config, watch, |state, gradients| {
                time += 1;
                state.scale = subgradient_scale(strength, time);
                gradients.iter().for_each(|&(place, gradient)| {
                    state.change(place as usize, -gradient / config.batch as f32);
                });
            })
        }
        Optimizer::Perceptron => one_by_one(state, examples, order, 0.0, |_, _| 1.0),
        Optimizer::PassiveAggressive | Optimizer::Smo => {
            let most = c as f32;
            one_by_one(state, examples, order, config.loss_weight, |gradient, norm| {
                (gradient.value as f32 / norm.max(f32::MIN_POSITIVE)).min(most)
            })
        }
    }
}

/// Takes a step for some sentences at a time. Their gradients are found in any number of threads and applied in order.
fn batches(
    state: &mut WeightState,
    examples: &[Example],
    order: &[usize],
    config: &CrfConfig,
    watch: &Watch<'_>,
    mut step: impl FnMut(&mut WeightState, &[(u32, f32)]),
) -> f64 {
    let loss_weight = match config.objective {
        CrfObjective::Margin => config.loss_weight,
        CrfObjective::Likelihood => 0.0,
    };
    let mut total = 0.0;
    let mut sums = SparseSums::new(state.weights.len());
    for batch in order.chunks(config.batch) {
        let compute = |sentences: &[usize]| {
            sentences
                .iter()
                .map(|&index| {
                    (index, examples[index].gradient(state.scaled(), config.objective, loss_weight))
                })
                .collect::<Vec<(usize, Gradient)>>()
        };
        let work = Chunks { items: batch, size: 1, compute };
        let gradients = watch.sum(&work, &(), Vec::with_capacity(batch.len()), Vec::extend);
        for (index, gradient) in gradients {
            total += gradient.value;
            examples[index].each_feature(&gradient, |place, strength| sums.add(place, strength));
        }
        step(state, sums.list());
        sums.clear();
        state.tick();
    }
    total
}

fn adagrad(state: &mut WeightState, gradients: &[(u32, f32)], config: &CrfConfig) {
    for &(place, gradient) in gradients {
        let place = place as usize;
        let gradient = gradient + config.penalty * config.batch as f32 * state.weights[place];
        state.squares[place] += gradient * gradient;
        let rate = config.rate / (config.damping + state.squares[place]).sqrt();
        state.change(place, -rate * gradient);
    }
}

/// Pegasos on ½|w|² / S + mean of h, with S = C n: a step at time t has the rate S / (t + S), at most 1, and shrinks
/// all weights by 1 / (t + S). These shrinkings make S / (t + S) together, so weights are kept before them, where a
/// step adds the gradient itself.
fn subgradient_scale(strength: f64, time: usize) -> f32 {
    (strength / (strength + time as f64)) as f32
}

/// Takes a step for each sentence with an error, as long as `step` says for a gradient and the square of its norm.
fn one_by_one(
    state: &mut WeightState,
    examples: &[Example],
    order: &[usize],
    loss_weight: f32,
    step: impl Fn(&Gradient, f32) -> f32,
) -> f64 {
    let mut total = 0.0;
    let mut sums = SparseSums::new(state.weights.len());
    for &index in order {
        let example = &examples[index];
        let gradient = example.gradient(&state.weights, CrfObjective::Margin, loss_weight);
        total += gradient.value;
        example.each_feature(&gradient, |place, strength| sums.add(place, strength));
        let norm: f32 = sums.list().iter().map(|(_, strength)| strength * strength).sum();
        let length = step(&gradient, norm);
        for &(place, strength) in sums.list() {
            state.change(place as usize, -length * strength);
        }
        sums.clear();
        state.tick();
    }
    total
}

/// A vector most of whose numbers are zero.
#[derive(Debug)]
pub(super) struct SparseSums {
    values: Vec<f32>,
    is_touched: Vec<bool>,
    touched: Vec<u32>,
    list: Vec<(u32, f32)>,
}

impl SparseSums {
    pub(super) fn new(length: usize) -> Self {
        Self {
            values: vec![0.0; length],
            is_touched: vec![false; length],
            touched: Vec::new(),
            list: Vec::new(),
        }
    }

    #[inline]
    pub(super) fn add(&mut self, place: u32, value: f32) {
        if !self.is_touched[place as usize] {
            self.is_touched[place as usize] = true;
            self.touched.push(place);
        }
        self.values[place as usize] += value;
    }

    /// The numbers that were added to, in the order in which they first were.
    pub(super) fn list(&mut self) -> &[(u32, f32)] {
        self.list.clear();
        self.list.extend(self.touched.iter().map(|&place| (place, self.values[place as usize])));
        &self.list
    }

    pub(super) fn clear(&mut self) {
        for place in self.touched.drain(..) {
            self.values[place as usize] = 0.0;
            self.is_touched[place as usize] = false;
        }
    }
}
