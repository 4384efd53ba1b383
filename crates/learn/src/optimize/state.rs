//! Where a minimisation stands.

use super::history::CurvatureHistory;
use crate::{Error, ErrorKind, Result};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Where a minimisation stands: all that decides its next steps.
///
/// It can be cloned, compared and, with a binary serde format, saved; text formats may round numbers.
/// [`minimize`](super::minimize) goes on from a restored state to the same bits as if it had never stopped.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct OptimizerState {
    /// The parameters.
    pub point: Vec<f64>,
    /// The gradient of the smooth part.
    pub(super) gradient: Vec<f64>,
    /// The value at the point, penalty included; none before the first evaluation.
    pub value: Option<f64>,
    /// How many steps were taken.
    pub iteration: u64,
    /// How often the objective was evaluated.
    pub evaluations: u64,
    pub(super) history: CurvatureHistory,
    /// The last values, oldest first.
    pub(super) recent: VecDeque<f64>,
}

impl OptimizerState {
    /// A start at a point.
    pub fn new(point: Vec<f64>) -> Self {
        Self { gradient: vec![0.0; point.len()], point, ..Self::default() }
    }

    /// Whether all vectors are of as many parameters; a file may be damaged.
    pub(super) fn check(&self) -> Result<()> {
        let num_parameters = self.point.len();
        if self.gradient.len() == num_parameters && self.history.fits(num_parameters) {
            return Ok(());
        }
        let message = format!(
            "expected vectors of {num_parameters} parameters in a saved optimiser state, found others"
        );
        Err(Error::new(ErrorKind::Syntax, message).hint("the file is damaged"))
    }

    pub(super) fn remember_value(&mut self, value: f64, window: usize) {
        self.value = Some(value);
        while self.recent.len() > window {
            self.recent.pop_front();
        }
        self.recent.push_back(value);
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::optimize::{L1, OptimizerConfig, minimize};

    #[test]
    fn vectors_of_unequal_length_are_refused() {
        let mut state = OptimizerState::new(vec![1.0, 2.0]);
        let text = serde_json::to_string(&state).unwrap();
        assert_eq!(serde_json::from_str::<OptimizerState>(&text).unwrap(), state);
        state.gradient.pop();
        let text = serde_json::to_string(&state).unwrap();
        let mut state: OptimizerState = serde_json::from_str(&text).unwrap();
        let (l1, config) = (L1::uniform(0.0).unwrap(), OptimizerConfig::default());
        let error =
            minimize(|_, _| 0.0, &mut state, &l1, &config, |_| ControlFlow::Continue(())).unwrap_err();
        assert!(error.to_string().contains("vectors of 2 parameters"), "{error}");
    }

    #[test]
    fn the_window_slides() {
        let mut state = OptimizerState::new(Vec::new());
        for value in [5.0, 4.0, 3.0, 2.0] {
            state.remember_value(value, 2);
        }
        assert_eq!(state.recent, [4.0, 3.0, 2.0]);
    }
}
