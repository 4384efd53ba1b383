//! The last few steps, and the inverse Hessian they imply.

use super::vector::{add_scaled, dot, scale, subtract, sum_blocks};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// One step of the past: how the point and the gradient changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct PastStep {
    point: Vec<f64>,
    gradient: Vec<f64>,
    /// The scalar product of the two, always positive.
    curvature: f64,
}

/// The changes of the last steps, oldest first. Once full, its vectors are used again.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct CurvatureHistory {
    changes: VecDeque<PastStep>,
    /// Curvature over squared change of gradient of the newest step: the first guess of the inverse Hessian.
    scale: f64,
}

/// Below this share of the squared change of gradient, a curvature is rounding noise or a concave stretch.
const MIN_CURVATURE: f64 = 1e-10;

impl CurvatureHistory {
    pub(super) fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.changes.clear();
    }

    /// Whether the history could have come from a run over so many parameters.
    pub(super) fn fits(&self, num_parameters: usize) -> bool {
        let is_sound = |change: &PastStep| {
            change.point.len() == num_parameters
                && change.gradient.len() == num_parameters
                && change.curvature > 0.0
        };
        self.changes.iter().all(is_sound) && (self.is_empty() || self.scale > 0.0)
    }

    /// Remembers the step from the old to the new point, unless it says nothing good about the curvature.
    pub(super) fn push(&mut self, capacity: usize, new: [&[f64]; 2], old: [&[f64]; 2]) {
        let [curvature, squared] = curvature(new, old);
        if curvature.is_nan() || curvature <= MIN_CURVATURE * squared {
            return;
        }
        let mut change = self.room(capacity, new[0].len());
        subtract(&mut change.point, new[0], old[0]);
        subtract(&mut change.gradient, new[1], old[1]);
        change.curvature = curvature;
        self.changes.push_back(change);
        self.scale = curvature / squared;
    }

    /// A change to overwrite: the oldest if the history is full.
    fn room(&mut self, capacity: usize, num_parameters: usize) -> PastStep {
        while self.changes.len() > capacity {
            self.changes.pop_front();
        }
        let oldest = if self.changes.len() == capacity { self.changes.pop_front() } else { None };
        oldest.unwrap_or_else(|| PastStep {
            point: vec![0.0; num_parameters],
            gradient: vec![0.0; num_parameters],
            curvature: 0.0,
        })
    }

    /// Multiplies `vector` by the inverse Hessian: the two-loop recursion of Nocedal (1980).
    pub(super) fn apply(&self, vector: &mut [f64], factors: &mut Vec<f64>) {
        factors.clear();
        for change in self.changes.iter().rev() {
            let factor = dot(&change.point, vector) / change.curvature;
            add_scaled(vector, -factor, &change.gradient);
            factors.push(factor);
        }
        if !self.is_empty() {
            scale(vector, self.scale);
        }
        for (change, factor) in self.changes.iter().zip(factors.iter().rev()) {
            let overshoot = dot(&change.gradient, vector) / change.curvature;
            add_scaled(vector, factor - overshoot, &change.point);
        }
    }
}

/// The change of point times the change of gradient, and the change of gradient squared.
fn curvature(new: [&[f64]; 2], old: [&[f64]; 2]) -> [f64; 2] {
    sum_blocks(0..new[0].len(), &|range| {
        let mut sums = [0.0; 2];
        for i in range {
            let change = new[1][i] - old[1][i];
            sums[0] += (new[0][i] - old[0][i]) * change;
            sums[1] += change * change;
        }
        sums
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps along the axes of a quadratic with these second derivatives.
    fn history_of(hessian: &[f64], capacity: usize) -> CurvatureHistory {
        let zero = vec![0.0; hessian.len()];
        let mut history = CurvatureHistory::default();
        for (axis, second) in hessian.iter().enumerate() {
            let mut point = zero.clone();
            let mut gradient = zero.clone();
            point[axis] = 1.0;
            gradient[axis] = *second;
            history.push(capacity, [&point, &gradient], [&zero, &zero]);
        }
        history
    }

    #[test]
    fn conjugate_steps_give_the_exact_inverse() {
        let history = history_of(&[2.0, 5.0, 0.5], 3);
        let mut vector = vec![2.0, 5.0, 0.5];
        history.apply(&mut vector, &mut Vec::new());
        assert_eq!(vector, [1.0; 3]);
    }

    #[test]
    fn the_oldest_step_is_forgotten() {
        let history = history_of(&[2.0, 5.0, 0.5], 2);
        assert_eq!(history.changes.len(), 2);
        let mut vector = vec![2.0, 5.0, 0.5];
        history.apply(&mut vector, &mut Vec::new());
        assert_eq!(vector, [4.0, 1.0, 1.0], "the first axis has only the scale, 1 / 0.5");
    }

    #[test]
    fn a_concave_step_is_not_kept() {
        assert!(history_of(&[-1.0], 2).is_empty());
        assert!(history_of(&[f64::NAN], 2).is_empty());
    }
}
