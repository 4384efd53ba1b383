//! The optimisers on problems whose answers are known.

mod peers;
mod problems;

use boughs_learn::ErrorKind;
use boughs_learn::optimize::{
    L1, OptimizerConfig, OptimizerProgress, OptimizerState, OptimizerStop, minimize,
};
use problems::{Bowl, Dense, rosenbrock, rosenbrock_start};
use std::ops::ControlFlow::{self, Break, Continue};

fn precise() -> OptimizerConfig {
    OptimizerConfig { gradient_tolerance: 1e-10, value_tolerance: 0.0, ..OptimizerConfig::default() }
}

fn go_on(_: &OptimizerProgress<'_>) -> ControlFlow<()> {
    Continue(())
}

fn assert_close(found: &[f64], expected: &[f64], tolerance: f64) {
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!((found - expected).abs() <= tolerance, "parameter {i}: {found}, expected {expected}");
    }
}

#[test]
fn bowls_are_descended_to_the_ground() {
    for (len, condition) in [(2, 1.0), (10, 100.0), (300, 1e3)] {
        let bowl = Bowl::new(len, condition, 1);
        let mut state = OptimizerState::new(vec![0.0; len]);
        let stop = minimize(|x, g| bowl.evaluate(x, g), &mut state, &L1::none(), &precise(), go_on).unwrap();
        assert_ne!(stop, OptimizerStop::Iterations);
        assert_close(&state.point, &bowl.centre, 1e-8);
    }
}

#[test]
fn rosenbrock_reaches_ones() {
    for len in [2, 100] {
        let mut state = OptimizerState::new(rosenbrock_start(len));
        let stop = minimize(rosenbrock, &mut state, &L1::none(), &precise(), go_on).unwrap();
        assert_eq!(stop, OptimizerStop::SmallGradient);
        assert_close(&state.point, &vec![1.0; len], 1e-9);
        assert!(state.iteration < 60, "{} iterations", state.iteration);
        assert!(state.evaluations < 80, "{} evaluations", state.evaluations);
    }
}

/// With an orthonormal design each parameter is the least-squares answer, drawn towards 0 by λ.
#[test]
fn orthonormal_design_is_soft_thresholding() {
    let bowl = Bowl::new(50, 1.0, 7);
    let weight = 0.6;
    let mut state = OptimizerState::new(vec![0.0; 50]);
    let l1 = L1::uniform(weight).unwrap();
    minimize(|x, g| bowl.evaluate(x, g), &mut state, &l1, &precise(), go_on).unwrap();
    let expected: Vec<f64> = bowl.centre.iter().map(|c| c.signum() * (c.abs() - weight).max(0.0)).collect();
    assert_close(&state.point, &expected, 1e-9);
    let zeros = |values: &[f64]| values.iter().map(|&x| x == 0.0).collect::<Vec<_>>();
    assert_eq!(zeros(&state.point), zeros(&expected), "zeros are exact");
}

/// Separable with unequal curvatures: the threshold is λ / curvature, whatever the start.
#[test]
fn blocks_have_their_own_thresholds() {
    let bowl = Bowl::new(90, 50.0, 3);
    let weights: Vec<f64> = (0..90).map(|i| [0.0, 2.0, 10.0][i / 30]).collect();
    let l1 = L1::blocks([(30, 0.0), (30, 2.0), (30, 10.0)]).unwrap();
    let expected: Vec<f64> = (0..90)
        .map(|i| {
            let centre = bowl.centre[i];
            centre.signum() * (centre.abs() - weights[i] / bowl.curvatures[i]).max(0.0)
        })
        .collect();
    for start in [0.0, 1.0, -5.0] {
        let mut state = OptimizerState::new(vec![start; 90]);
        minimize(|x, g| bowl.evaluate(x, g), &mut state, &l1, &precise(), go_on).unwrap();
        assert_close(&state.point, &expected, 1e-7);
    }
}

/// At the minimum of a convex problem with L1, gradients are ∓λ where x ≠ 0 and within ±λ where x = 0.
#[test]
fn logistic_with_l1_meets_the_optimality_conditions() {
    let dense = Dense::new(200, 30, 0.0, 5);
    let weight = 4.0;
    let mut state = OptimizerState::new(vec![0.0; 30]);
    let l1 = L1::uniform(weight).unwrap();
    minimize(|x, g| dense.evaluate(x, g), &mut state, &l1, &precise(), go_on).unwrap();
    let mut gradient = vec![0.0; 30];
    dense.evaluate(&state.point, &mut gradient);
    let zeros = state.point.iter().filter(|&&x| x == 0.0).count();
    assert!((5..30).contains(&zeros), "{zeros} zeros");
    for (x, g) in state.point.iter().zip(&gradient) {
        if *x == 0.0 {
            assert!(g.abs() <= weight + 1e-6);
        } else {
            assert!((g + weight * x.signum()).abs() < 1e-6, "{x}: {g}");
        }
    }
}

#[test]
fn values_never_rise_and_progress_is_truthful() {
    let dense = Dense::new(100, 20, 0.0, 9);
    for l1 in [L1::none(), L1::uniform(1.0).unwrap()] {
        let mut state = OptimizerState::new(vec![0.0; 20]);
        let mut last = f64::INFINITY;
        let mut iterations = 0;
        minimize(
            |x, g| dense.evaluate(x, g),
            &mut state,
            &l1,
            &precise(),
            |progress| {
                iterations += 1;
                assert_eq!(progress.iteration, iterations);
                assert!(progress.value <= last, "{} after {last}", progress.value);
                let nonzero = progress.state.point.iter().filter(|&&x| x != 0.0).count();
                assert_eq!(progress.num_nonzero, nonzero);
                assert!(progress.step > 0.0 && progress.state.evaluations > iterations);
                last = progress.value;
                Continue(())
            },
        )
        .unwrap();
        assert_eq!(state.value, Some(last));
        let mut gradient = vec![0.0; 20];
        assert_eq!(dense.evaluate(&state.point, &mut gradient) + l1.value(&state.point), last);
    }
}

#[test]
fn a_resumed_run_has_the_same_bits() {
    let dense = Dense::new(150, 40, 0.1, 11);
    for l1 in [L1::none(), L1::blocks([(35, 0.5)]).unwrap()] {
        let whole = {
            let mut state = OptimizerState::new(vec![0.0; 40]);
            minimize(|x, g| dense.evaluate(x, g), &mut state, &l1, &precise(), go_on).unwrap();
            state
        };
        for interval in [1, 2, 7, 13] {
            let mut state = OptimizerState::new(vec![0.0; 40]);
            loop {
                let stop = minimize(
                    |x, g| dense.evaluate(x, g),
                    &mut state,
                    &l1,
                    &precise(),
                    |progress| {
                        if progress.iteration % interval == 0 { Break(()) } else { Continue(()) }
                    },
                );
                let saved = postcard::to_allocvec(&state).unwrap();
                state = postcard::from_bytes(&saved).unwrap();
                if stop.unwrap() != OptimizerStop::Asked {
                    break;
                }
            }
            assert_eq!(state, whole, "stopped every {interval} iterations");
        }
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let bowl = Bowl::new(100_000, 1e3, 2);
    for l1 in [L1::none(), L1::blocks([(70_000, 0.5)]).unwrap()] {
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let settings = OptimizerConfig { max_iterations: 15, ..precise() };
            let mut state = OptimizerState::new(vec![0.5; 100_000]);
            pool.install(|| minimize(|x, g| bowl.evaluate(x, g), &mut state, &l1, &settings, go_on)).unwrap();
            state
        };
        assert_eq!(run(1), run(3));
    }
}

#[test]
fn iterations_are_counted_over_all_runs() {
    let mut state = OptimizerState::new(rosenbrock_start(2));
    let settings = OptimizerConfig { max_iterations: 5, ..OptimizerConfig::default() };
    for _ in 0..2 {
        let stop = minimize(rosenbrock, &mut state, &L1::none(), &settings, go_on).unwrap();
        assert_eq!((stop, state.iteration), (OptimizerStop::Iterations, 5));
    }
}

#[test]
fn a_value_that_hardly_falls_ends_the_run() {
    let dense = Dense::new(100, 20, 0.01, 4);
    let settings = OptimizerConfig {
        gradient_tolerance: 0.0,
        value_tolerance: 1e-3,
        window: 3,
        ..OptimizerConfig::default()
    };
    let mut state = OptimizerState::new(vec![0.0; 20]);
    let stop = minimize(|x, g| dense.evaluate(x, g), &mut state, &L1::none(), &settings, go_on).unwrap();
    assert_eq!(stop, OptimizerStop::FlatValue);
}

#[test]
fn objectives_that_are_not_finite_are_named() {
    for l1 in [L1::none(), L1::uniform(0.1).unwrap()] {
        let mut state = OptimizerState::new(vec![1.0]);
        let error = minimize(|_, _| f64::NAN, &mut state, &l1, &precise(), go_on).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Numeric);
        assert!(error.to_string().contains("at the start"), "{error}");

        let mut calls = 0;
        let breaks_later = |x: &[f64], g: &mut [f64]| {
            calls += 1;
            g[0] = 4.0 * x[0].powi(3);
            if calls > 3 { f64::INFINITY } else { x[0].powi(4) }
        };
        let mut state = OptimizerState::new(vec![3.0]);
        let error = minimize(breaks_later, &mut state, &l1, &precise(), go_on).unwrap_err();
        let iteration = state.iteration + 1;
        assert!(iteration > 1 && error.to_string().contains(&format!("iteration {iteration} ")), "{error}");
    }
}

#[test]
fn a_gradient_of_nan_is_an_error_too() {
    for l1 in [L1::none(), L1::uniform(0.1).unwrap()] {
        let mut calls = 0;
        let objective = |x: &[f64], g: &mut [f64]| {
            calls += 1;
            g.copy_from_slice(&[x[0], if calls > 1 { f64::NAN } else { 1.0 }]);
            x[0] * x[0] / 2.0 + x[1]
        };
        let error =
            minimize(objective, &mut OptimizerState::new(vec![1.0; 2]), &l1, &precise(), go_on).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Numeric);
    }
}

#[test]
fn walls_are_avoided() {
    // x − ln x is not a number left of 0, where the first step leads.
    let barrier = |x: &[f64], g: &mut [f64]| {
        g[0] = 1.0 - 1.0 / x[0];
        x[0] - x[0].ln()
    };
    let mut state = OptimizerState::new(vec![20.0]);
    minimize(barrier, &mut state, &L1::none(), &precise(), go_on).unwrap();
    assert_close(&state.point, &[1.0], 1e-8);
}

#[test]
fn no_parameters_are_soon_minimised() {
    let mut state = OptimizerState::new(Vec::new());
    let stop = minimize(|_, _| 3.0, &mut state, &L1::none(), &precise(), go_on).unwrap();
    assert_eq!((stop, state.value), (OptimizerStop::SmallGradient, Some(3.0)));
}
