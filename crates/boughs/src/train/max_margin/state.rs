//! Weights on their way, with what the optimizers remember.

use super::dual::Duals;

/// Weights, their average, and what else an optimizer needs to go on.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct State {
    pub(super) weights: Vec<f32>,
    /// How many steps are averaged over.
    pub(super) num_steps: u64,
    /// For each weight the sum of its changes, each times the step that it was made in.
    pub(super) late_changes: Vec<f64>,
    /// For each weight the sum of the squares of its pulls (AdaGrad).
    pub(super) squares: Vec<f32>,
    /// The dual variables (SMO).
    pub(super) duals: Duals,
}

impl State {
    pub(super) fn new(num_weights: usize) -> Self {
        Self {
            weights: vec![0.0; num_weights],
            num_steps: 0,
            late_changes: vec![0.0; num_weights],
            squares: vec![0.0; num_weights],
            duals: Duals::default(),
        }
    }

    /// Changes a weight in the current step.
    #[inline]
    pub(super) fn change(&mut self, place: usize, change: f32) {
        self.weights[place] += change;
        self.late_changes[place] += self.num_steps as f64 * f64::from(change);
    }

    /// Begins the average anew.
    pub(super) fn forget_average(&mut self) {
        self.num_steps = 0;
        self.late_changes.fill(0.0);
    }

    /// The mean of the weights after each step: a change made in step t of n counts for n - t of them.
    pub(super) fn average(&self) -> Vec<f32> {
        let num_steps = self.num_steps.max(1) as f64;
        let mean = |(&weight, &late): (&f32, &f64)| (f64::from(weight) - late / num_steps) as f32;
        self.weights.iter().zip(&self.late_changes).map(mean).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averages_are_means_over_steps() {
        let mut state = State::new(1);
        let changes = [1.0, 0.0, -3.0, 2.0];
        let mut sum = 0.0;
        for change in changes {
            state.change(0, change);
            state.num_steps += 1;
            sum += state.weights[0];
        }
        assert_eq!(state.average(), [sum / 4.0]);
        state.forget_average();
        assert_eq!(state.average(), state.weights);
    }
}
