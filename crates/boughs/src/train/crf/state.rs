//! Weights on their way, with what the optimizers remember.

use super::dual::{DualParse, Duals};
use super::oracle::Scaled;
use crate::error::Result;
use crate::model::{Array, ModelFile, damaged};

/// Weights, their average, and what else an optimizer needs to go on.
#[derive(Debug, Clone, PartialEq)]
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
    /// The dual variables (SMO).
    pub(super) duals: Duals,
}

impl WeightState {
    pub(super) fn new(num_weights: usize) -> Self {
        Self {
            weights: vec![0.0; num_weights],
            late_changes: vec![0.0; num_weights],
            squares: vec![0.0; num_weights],
            ..Self::after(0)
        }
    }

    /// No weights, after some steps without a scale.
    pub(super) fn after(num_steps: u64) -> Self {
        Self {
            weights: Vec::new(),
            scale: 1.0,
            num_steps,
            clock: num_steps as f64,
            late_changes: Vec::new(),
            squares: Vec::new(),
            duals: Duals::default(),
        }
    }

    /// Puts the weights into a checkpoint:
    ///
    /// | array | type | content |
    /// |---|---|---|
    /// | `crf_weights`, `squares` | f32 | for each feature its weight, and the sum of the squares of its gradients |
    /// | `late_changes` | f64 | for each feature what averaging needs |
    /// | `dual_parses` | u32 | for each sentence the number of parses with mass, and for each of these its number of edges and the edges |
    /// | `dual_masses` | f64 | for each of these parses its mass |
    pub(super) fn save(&self, file: &mut ModelFile) {
        file.insert("crf_weights", Array::F32(self.weights.clone()));
        file.insert("squares", Array::F32(self.squares.clone()));
        file.insert("late_changes", Array::F64(self.late_changes.clone()));
        let parses = self.duals.sentences.iter().flatten();
        file.insert("dual_parses", Array::U32(dual_numbers(&self.duals)));
        file.insert("dual_masses", Array::F64(parses.map(|parse| parse.mass).collect()));
    }

    /// The weights of a checkpoint, after some steps.
    pub(super) fn restore(file: &ModelFile, num_steps: u64) -> Result<Self> {
        let state = Self {
            weights: file.f32s("crf_weights")?.to_vec(),
            late_changes: file.f64s("late_changes")?.to_vec(),
            squares: file.f32s("squares")?.to_vec(),
            duals: read_duals(file.u32s("dual_parses")?, file.f64s("dual_masses")?)?,
            ..Self::after(num_steps)
        };
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

fn dual_numbers(duals: &Duals) -> Vec<u32> {
    let mut numbers = Vec::new();
    for parses in &duals.sentences {
        numbers.push(parses.len() as u32);
        for parse in parses {
            numbers.push(parse.edges.len() as u32);
            numbers.extend(&parse.edges);
        }
    }
    numbers
}

fn read_duals(numbers: &[u32], masses: &[f64]) -> Result<Duals> {
    let wrong = || damaged("its dual variables are cut off");
    let (mut numbers, mut masses) = (numbers, masses.iter());
    let mut sentences = Vec::new();
    while let Some((&num_parses, rest)) = numbers.split_first() {
        numbers = rest;
        let mut parses = Vec::new();
        for _ in 0..num_parses {
            let (&length, rest) = numbers.split_first().ok_or_else(wrong)?;
            let (edges, rest) = rest.split_at_checked(length as usize).ok_or_else(wrong)?;
            numbers = rest;
            parses.push(DualParse { edges: edges.to_vec(), mass: *masses.next().ok_or_else(wrong)? });
        }
        sentences.push(parses);
    }
    Ok(Duals { sentences })
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
