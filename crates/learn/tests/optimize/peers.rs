//! The same minima as other implementations find.

use crate::problems::{Bowl, Dense, rosenbrock, rosenbrock_start};
use crate::{assert_close, go_on, precise};
use argmin::core::{CostFunction, Error, Executor, Gradient, State as _};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;
use boughs_learn::optimize::{L1, OptimizerState, minimize};

struct Problem<F>(F);

impl<F: Fn(&[f64], &mut [f64]) -> f64> CostFunction for Problem<F> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, point: &Vec<f64>) -> Result<f64, Error> {
        Ok((self.0)(point, &mut vec![0.0; point.len()]))
    }
}

impl<F: Fn(&[f64], &mut [f64]) -> f64> Gradient for Problem<F> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, point: &Vec<f64>) -> Result<Vec<f64>, Error> {
        let mut gradient = vec![0.0; point.len()];
        (self.0)(point, &mut gradient);
        Ok(gradient)
    }
}

fn argmin(objective: impl Fn(&[f64], &mut [f64]) -> f64, start: &[f64]) -> Vec<f64> {
    let solver = LBFGS::new(MoreThuenteLineSearch::new(), 10).with_tolerance_grad(1e-9).expect("a tolerance");
    let executor = Executor::new(Problem(objective), solver);
    let result =
        executor.configure(|state| state.param(start.to_vec()).max_iters(500)).run().expect("a minimum");
    result.state.get_best_param().expect("a point").clone()
}

fn liblbfgs(objective: impl Fn(&[f64], &mut [f64]) -> f64, start: &[f64], l1: f64) -> Vec<f64> {
    let mut point = start.to_vec();
    // With a penalty it reports a failed line search instead of an end when asked for more than it can do.
    let epsilon = if l1 > 0.0 { 1e-6 } else { 1e-9 };
    let mut settings = liblbfgs::lbfgs().with_epsilon(epsilon).with_max_step_size(1e20);
    if l1 > 0.0 {
        settings =
            settings.with_orthantwise(l1, 0, start.len()).with_linesearch_algorithm("BacktrackingArmijo");
    }
    settings.minimize(&mut point, |x, g| Ok(objective(x, g)), |_| false).expect("a minimum");
    point
}

fn ours(objective: impl Fn(&[f64], &mut [f64]) -> f64, start: &[f64], l1: f64) -> Vec<f64> {
    let mut state = OptimizerState::new(start.to_vec());
    minimize(objective, &mut state, &L1::uniform(l1).expect("a weight"), &precise(), go_on)
        .expect("a minimum");
    state.point.to_vec()
}

#[test]
fn smooth_minima_agree() {
    let dense = Dense::new(200, 25, 0.5, 21);
    let logistic = |x: &[f64], g: &mut [f64]| dense.evaluate(x, g);
    let start = vec![0.0; 25];
    let found = ours(logistic, &start, 0.0);
    assert_close(&found, &argmin(logistic, &start), 1e-6);
    assert_close(&found, &liblbfgs(logistic, &start, 0.0), 1e-6);

    let start = rosenbrock_start(20);
    let found = ours(rosenbrock, &start, 0.0);
    assert_close(&found, &argmin(rosenbrock, &start), 1e-6);
    assert_close(&found, &liblbfgs(rosenbrock, &start, 0.0), 1e-6);
}

#[test]
fn sparse_minima_agree() {
    let dense = Dense::new(200, 25, 0.01, 22);
    let logistic = |x: &[f64], g: &mut [f64]| dense.evaluate(x, g);
    let start = vec![0.0; 25];
    for l1 in [0.5, 2.0, 8.0] {
        assert_close(&ours(logistic, &start, l1), &liblbfgs(logistic, &start, l1), 1e-5);
    }
    let bowl = Bowl::new(40, 20.0, 23);
    let quadratic = |x: &[f64], g: &mut [f64]| bowl.evaluate(x, g);
    let start = vec![0.0; 40];
    assert_close(&ours(quadratic, &start, 1.0), &liblbfgs(quadratic, &start, 1.0), 1e-5);
}
