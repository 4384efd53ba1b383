//! Weights on their way, with what the optimizers remember.

use serde::{Deserialize, Serialize};

use super::dual::DualParse;
use super::oracle::Scaled;
use crate::error::Result;
use crate::model::{ModelFile, damaged};

/// Weights, their average, and what else an optimizer needs to go on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct WeightState {
    pub(super) weights: Vec<f32>,
    /// What all weights are to be multiplied with, now (subgradient; else 1).
    pub(super) scale: f32,
    /// How many steps are averaged over.
    pub(super) num_steps: u64,
    /// The sum of the scales of these steps.
    pub(super) clock: f64,
    /// For each weight the sum of its changes, each times the clock when it was made.
    pub(super) late_changes: Vec<f64>,
    /// For each weight the sum of the squares of its gradients (AdaGrad).
    pub(super) squares: Vec<f32>,
    /// The dual variables (SMO): for each sentence the parses with mass; nothing before the first epoch.
    pub(super) duals: Vec<Vec<DualParse>>,
}

impl WeightState {
    pub(super) fn new(num_weights: usize) -> Self {
        Self {
            weights: vec![0.0; num_weights],
            scale: 1.0,
            num_steps: 0,
            clock: 0.0,
            late_changes: vec![0.0; num_weights],
            squares: vec![0.0; num_weights],
            duals: Vec::new(),
        }
    }

    /// The weights of a checkpoint.
    pub(super) fn restore(file: &ModelFile) -> Result<Self> {
        let state: Self = file.state("weights")?;
        match [state.late_changes.len(), state.squares.len()] == [state.weights.len(); 2] {
            true => Ok(state),
            false => Err(damaged("its arrays differ in their number of weights")),
        }
    }

    /// The weights as they stand.
    pub(super) fn scaled(&self) -> Scaled<'_> {
        Scaled { weights: &self.weights, scale: self.scale }
    }

    /// Ends a step.
    pub(super) fn tick(&mut self) {
        self.num_steps += 1;
        self.clock += f64::from(self.scale);
    }

    /// Changes a weight in the current step.
    #[inline]
    pub(super) fn change(&mut self, place: usize, change: f32) {
        self.weights[place] += change;
        self.late_changes[place] += self.clock * f64::from(change);
    }

    /// Begins the average anew.
    pub(super) fn forget_average(&mut self) {
        self.num_steps = 0;
        self.clock = 0.0;
        self.late_changes.fill(0.0);
    }

    /// The mean of the weights after each step: a change made in step t of n counts for n - t of them, or for the
    /// scales of these.
    pub(super) fn average(&self) -> Vec<f32> {
        if self.num_steps == 0 {
            return self.weights.iter().map(|weight| self.scale * weight).collect();
        }
        let num_steps = self.num_steps as f64;
        let mean =
            |(&weight, &late): (&f32, &f64)| ((f64::from(weight) * self.clock - late) / num_steps) as f32;
        self.weights.iter().zip(&self.late_changes).map(mean).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averages_are_means_over_steps() {
        let mut state = WeightState::new(1);
        let changes = [1.0, 0.0, -3.0, 2.0];
        let mut sum = 0.0;
        for change in changes {
            state.change(0, change);
            state.tick();
            sum += state.weights[0];
        }
        assert_eq!(state.average(), [sum / 4.0]);
        state.forget_average();
        assert_eq!(state.average(), state.weights);
    }

    #[test]
    fn each_step_counts_with_its_scale() {
        let mut state = WeightState::new(1);
        let mut sum = 0.0;
        for (change, scale) in [(1.0, 0.5), (2.0, 0.25), (0.0, 0.125)] {
            state.change(0, change);
            state.scale = scale;
            state.tick();
            sum += scale * state.weights[0];
        }
        assert!((state.average()[0] - sum / 3.0).abs() < 1e-6);
    }
}
