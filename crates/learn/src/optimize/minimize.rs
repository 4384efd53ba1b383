//! The loop: direction, line search, step.

use super::history::CurvatureHistory;
use super::l1::{L1, pseudo_gradient};
use super::line_search::{LineSample, LineSearchResult, SUFFICIENT, strong_wolfe};
use super::settings::OptimizerConfig;
use super::state::OptimizerState;
use super::vector::{dot, move_along, norm, sum_blocks};
use crate::{Error, ErrorKind, Result};
use std::ops::ControlFlow;

/// Why a minimisation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptimizerStop {
    /// The gradient is as small as [`OptimizerConfig::gradient_tolerance`] asks.
    SmallGradient,
    /// The value falls no faster than [`OptimizerConfig::value_tolerance`] asks.
    FlatValue,
    /// No step lowers the value further: the end of the precision of the objective, or a wrong gradient.
    NoFall,
    /// [`OptimizerConfig::max_iterations`] were done.
    Iterations,
    /// The watcher asked for it.
    Asked,
}

/// How a minimisation is getting on, after each iteration.
#[derive(Debug, Clone, Copy)]
pub struct OptimizerProgress<'a> {
    /// The number of this iteration, counted from 1.
    pub iteration: u64,
    /// The value at the point, penalty included.
    pub value: f64,
    /// The Euclidean length of the gradient, or of the pseudo-gradient where there is an L1 penalty.
    pub gradient_norm: f64,
    /// How far the line search went, where 1 is the full quasi-Newton step.
    pub step: f64,
    /// How many parameters are not 0.
    pub num_nonzero: usize,
    /// Where it stands, to be saved.
    pub state: &'a OptimizerState,
}

/// Minimises an objective plus an L1 penalty, from a state on, and leaves the state at the best point found.
///
/// `objective` fills in the gradient at a point and returns the value there. `watch` is told of each iteration
/// and may end the run. The value never rises from one iteration to the next.
///
/// A value or gradient that is not finite makes the line search try a shorter step.
///
/// # Errors
/// If a setting is out of its range; if the objective is not finite at the start, or at every step along a
/// direction. The error names the iteration, and the state is the one before it.
pub fn minimize(
    objective: impl FnMut(&[f64], &mut [f64]) -> f64,
    state: &mut OptimizerState,
    l1: &L1,
    settings: &OptimizerConfig,
    mut watch: impl FnMut(&OptimizerProgress<'_>) -> ControlFlow<()>,
) -> Result<OptimizerStop> {
    settings.check()?;
    state.check()?;
    let mut run = Minimization::new(objective, state, l1, settings);
    run.evaluate_start()?;
    let mut measures = run.measure();
    loop {
        if let Some(stop) = run.reason_to_stop(&measures) {
            return Ok(stop);
        }
        let Some(step) = run.step()? else { return Ok(OptimizerStop::NoFall) };
        measures = run.measure();
        if watch(&run.progress(step, &measures)).is_break() {
            return Ok(OptimizerStop::Asked);
        }
    }
}

struct Minimization<'a, F> {
    objective: F,
    state: &'a mut OptimizerState,
    l1: &'a L1,
    settings: &'a OptimizerConfig,
    direction: Vec<f64>,
    next: Vec<f64>,
    next_gradient: Vec<f64>,
    next_value: f64,
    factors: Vec<f64>,
}

struct PointMeasures {
    gradient_norm: f64,
    point_norm: f64,
    num_nonzero: usize,
}

impl<'a, F: FnMut(&[f64], &mut [f64]) -> f64> Minimization<'a, F> {
    fn new(objective: F, state: &'a mut OptimizerState, l1: &'a L1, settings: &'a OptimizerConfig) -> Self {
        let zeros = || vec![0.0; state.point.len()];
        let (direction, next, next_gradient) = (zeros(), zeros(), zeros());
        let factors = Vec::with_capacity(settings.history);
        Self { objective, state, l1, settings, direction, next, next_gradient, next_value: 0.0, factors }
    }

    fn evaluate_start(&mut self) -> Result<()> {
        if self.state.value.is_some() {
            return Ok(());
        }
        let smooth = (self.objective)(&self.state.point, &mut self.state.gradient);
        self.state.evaluations += 1;
        let value = smooth + self.l1.value(&self.state.point);
        let length = norm(&self.state.gradient);
        if !value.is_finite() || !length.is_finite() {
            let message = format!(
                "the objective at the start must be finite, found value {value} and gradient norm {length}"
            );
            return Err(Error::new(ErrorKind::Numeric, message).hint("start from another point"));
        }
        self.state.remember_value(value, self.settings.window);
        Ok(())
    }

    fn measure(&self) -> PointMeasures {
        let OptimizerState { point, gradient, .. } = &*self.state;
        let [gradient_squared, point_squared, nonzero] = sum_blocks(0..point.len(), &|range| {
            let mut sums = [0.0; 3];
            for (piece, weight) in self.l1.pieces(range) {
                for i in piece {
                    sums[0] += pseudo_gradient(point[i], gradient[i], weight).powi(2);
                    sums[1] += point[i] * point[i];
                    sums[2] += f64::from(u8::from(point[i] != 0.0));
                }
            }
            sums
        });
        PointMeasures {
            gradient_norm: gradient_squared.sqrt(),
            point_norm: point_squared.sqrt(),
            num_nonzero: nonzero as usize,
        }
    }

    fn reason_to_stop(&self, measures: &PointMeasures) -> Option<OptimizerStop> {
        let settings = self.settings;
        if measures.gradient_norm <= settings.gradient_tolerance * measures.point_norm.max(1.0) {
            return Some(OptimizerStop::SmallGradient);
        }
        if self.is_flat() {
            return Some(OptimizerStop::FlatValue);
        }
        (self.state.iteration >= settings.max_iterations).then_some(OptimizerStop::Iterations)
    }

    fn is_flat(&self) -> bool {
        let recent = &self.state.recent;
        match (recent.front(), recent.back()) {
            (Some(first), Some(last)) if recent.len() > self.settings.window => {
                first - last <= self.settings.value_tolerance * last.abs()
            }
            _ => false,
        }
    }

    fn progress(&self, step: f64, measures: &PointMeasures) -> OptimizerProgress<'_> {
        OptimizerProgress {
            iteration: self.state.iteration,
            value: self.state.value.unwrap_or(f64::NAN),
            gradient_norm: measures.gradient_norm,
            step,
            num_nonzero: measures.num_nonzero,
            state: self.state,
        }
    }

    /// Takes a step and tells its length; none if no step lowers the value, not even straight downhill.
    fn step(&mut self) -> Result<Option<f64>> {
        loop {
            let slope = self.find_direction();
            match self.search(slope) {
                LineSearchResult::Step(step) => {
                    self.accept();
                    return Ok(Some(step));
                }
                LineSearchResult::NotFinite(value) if self.state.history.is_empty() => {
                    return Err(self.not_finite(value));
                }
                LineSearchResult::Nothing if self.state.history.is_empty() => return Ok(None),
                LineSearchResult::Nothing | LineSearchResult::NotFinite(_) => self.state.history.clear(),
            }
        }
    }

    fn not_finite(&self, value: f64) -> Error {
        let iteration = self.state.iteration + 1;
        let message = format!(
            "the objective must be finite, found value {value} at every step of iteration {iteration}"
        );
        Error::new(ErrorKind::Numeric, message).hint("is its gradient right, and is it bounded below?")
    }

    /// Fills in the direction; returns the slope along it, which is negative unless the gradient is 0.
    fn find_direction(&mut self) -> f64 {
        let slope = self.quasi_newton_direction();
        if slope < 0.0 {
            return slope;
        }
        self.state.history.clear();
        self.quasi_newton_direction()
    }

    fn quasi_newton_direction(&mut self) -> f64 {
        let OptimizerState { point, gradient, history, .. } = &*self.state;
        self.l1.steepest_descent(&mut self.direction, point, gradient);
        history.apply(&mut self.direction, &mut self.factors);
        if self.l1.is_none() {
            return dot(&self.direction, gradient);
        }
        self.l1.align(&mut self.direction, point, gradient);
        move_along(&mut self.next, point, 1.0, &self.direction);
        self.l1.slope_between([point, gradient], &self.next)
    }

    fn search(&mut self, slope: f64) -> LineSearchResult {
        let is_first = self.state.history.is_empty();
        // Nothing is known of the curvature yet: go no further than 1.
        let first = if is_first { (1.0 / norm(&self.direction)).min(1.0) } else { 1.0 };
        if self.l1.is_none() { self.search_wolfe(first, slope) } else { self.search_orthant(first) }
    }

    fn search_wolfe(&mut self, first: f64, slope: f64) -> LineSearchResult {
        let Some(value) = self.state.value else { return LineSearchResult::Nothing };
        let mut last = f64::NAN;
        let start = LineSample { step: 0.0, value, slope };
        let found = strong_wolfe(start, first, self.settings.max_trials, |step| {
            last = step;
            self.probe(step)
        });
        if let LineSearchResult::Step(step) = found
            && step != last
        {
            self.probe(step);
        }
        found
    }

    fn probe(&mut self, step: f64) -> LineSample {
        move_along(&mut self.next, &self.state.point, step, &self.direction);
        self.evaluate_next();
        LineSample { step, value: self.next_value, slope: dot(&self.next_gradient, &self.direction) }
    }

    /// Halves the step until the value falls far enough, or the point stays where it is.
    fn search_orthant(&mut self, first: f64) -> LineSearchResult {
        let Some(value) = self.state.value else { return LineSearchResult::Nothing };
        let (mut step, mut found) = (first, LineSearchResult::Nothing);
        for _ in 0..self.settings.max_trials {
            let old = [&self.state.point[..], &self.state.gradient];
            self.l1.move_within_orthant(&mut self.next, old, step, &self.direction);
            let promised = self.l1.slope_between(old, &self.next);
            if promised.is_nan() || promised >= 0.0 {
                break;
            }
            self.evaluate_next();
            found = match self.next_value.is_finite() && norm(&self.next_gradient).is_finite() {
                false => LineSearchResult::NotFinite(self.next_value),
                true if self.next_value <= value + SUFFICIENT * promised => {
                    return LineSearchResult::Step(step);
                }
                true => LineSearchResult::Nothing,
            };
            step *= 0.5;
        }
        found
    }

    fn evaluate_next(&mut self) {
        let smooth = (self.objective)(&self.next, &mut self.next_gradient);
        self.next_value = smooth + self.l1.value(&self.next);
        self.state.evaluations += 1;
    }

    fn accept(&mut self) {
        let OptimizerState { point, gradient, history, .. } = &mut *self.state;
        let new: [&[f64]; 2] = [&self.next, &self.next_gradient];
        CurvatureHistory::push(history, self.settings.history, new, [point, gradient]);
        std::mem::swap(point, &mut self.next);
        std::mem::swap(gradient, &mut self.next_gradient);
        self.state.iteration += 1;
        self.state.remember_value(self.next_value, self.settings.window);
    }
}
