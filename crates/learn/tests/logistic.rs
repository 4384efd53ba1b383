//! Logistic regression on problems whose answers are known.

use boughs_learn::ErrorKind;
use boughs_learn::logistic::{Labels, Logistic, LogisticConfig, WeightPairs};
use boughs_learn::model::{Linear, softmax};
use boughs_learn::optimize::{OptimizerConfig, OptimizerStop};
use boughs_learn::rng::Rng;
use boughs_learn::{Dataset, DatasetBuilder};
use proptest::prelude::*;
use std::ops::ControlFlow::{Break, Continue};

const PAIRS: [WeightPairs; 3] = [WeightPairs::Standard, WeightPairs::All, WeightPairs::Observed];

fn dataset(rows: &[Vec<u32>]) -> Dataset {
    let mut builder = DatasetBuilder::new();
    for row in rows {
        builder.push_row(row).expect("a small row");
    }
    builder.finish()
}

fn precise() -> LogisticConfig {
    let optimizer =
        OptimizerConfig { gradient_tolerance: 1e-9, value_tolerance: 0.0, ..OptimizerConfig::default() };
    LogisticConfig { optimizer, ..LogisticConfig::default() }
}

/// Rows with some 5 of 40 features, and classes that follow from them with some noise.
fn random_problem(num_rows: usize, num_classes: u32, seed: u64) -> (Vec<Vec<u32>>, Vec<u32>) {
    let mut rng = Rng::new(seed);
    let mut rows = Vec::new();
    let mut classes = Vec::new();
    for row in 0..num_rows {
        let features: Vec<u32> = (0..5).map(|_| (40.0 * rng.unit() * rng.unit()) as u32).collect();
        let hidden = features.iter().map(|feature| feature * 7 % 5).sum::<u32>() / 3;
        let noise = rng.below(u64::from(num_classes)) as u32;
        let class = if rng.unit() < 0.7 { hidden % num_classes } else { noise };
        classes.push(if row < num_classes as usize { row as u32 } else { class });
        rows.push(features);
    }
    (rows, classes)
}

fn probabilities(model: &Linear, features: &[u32]) -> Vec<f64> {
    let mut out = vec![0.0; model.num_classes()];
    model.probabilities(features, &mut out);
    out
}

fn assert_same_predictions(a: &Linear, b: &Linear, rows: &[Vec<u32>], tolerance: f64) {
    for row in rows {
        for (p, q) in probabilities(a, row).iter().zip(probabilities(b, row)) {
            assert!((p - q).abs() <= tolerance, "{p} and {q} for {row:?}");
        }
    }
}

/// One feature, no penalty: the counts decide the probabilities.
#[test]
fn counts_are_reproduced() {
    let counts = [(vec![], 0, 30), (vec![], 1, 10), (vec![0], 0, 4), (vec![0], 1, 12)];
    let mut rows = Vec::new();
    let mut classes = Vec::new();
    for (row, class, count) in counts {
        rows.extend(std::iter::repeat_n(row, count));
        classes.extend(std::iter::repeat_n(class, count));
    }
    let data = dataset(&rows);
    let labels = Labels::new(classes, 2).unwrap();
    for pairs in PAIRS {
        let config = LogisticConfig { l2: 0.0, pairs, ..precise() };
        let model = Logistic::fit(&data, &labels, &config).unwrap();
        assert!((probabilities(&model, &[])[1] - 0.25).abs() < 1e-7);
        assert!((probabilities(&model, &[0])[1] - 0.75).abs() < 1e-7);
    }
    let config = LogisticConfig { l2: 0.0, ..precise() };
    let model = Logistic::fit(&data, &labels, &config).unwrap();
    assert!((model.bias()[1] - (1.0f64 / 3.0).ln()).abs() < 1e-6);
    assert!((model.weights(0).next().unwrap().1 - 9f64.ln()).abs() < 1e-6);
}

/// A single feature in every row, no bias: n₁ − n·σ(w) = l1 has a closed solution.
#[test]
fn one_weight_under_l1_has_a_closed_form() {
    let data = dataset(&vec![vec![0]; 20]);
    let labels = Labels::new((0..20).map(|row| u32::from(row < 15)).collect(), 2).unwrap();
    for (l1, expected) in [(0.0, 3f64.ln()), (2.0, (13.0f64 / 7.0).ln()), (5.0, 0.0), (9.0, 0.0)] {
        let config = LogisticConfig { l1, l2: 0.0, bias: false, ..precise() };
        let model = Logistic::fit(&data, &labels, &config).unwrap();
        let weight = model.weights(0).next().map_or(0.0, |(_, weight)| weight);
        assert!((weight - expected).abs() < 1e-7, "{l1}: {weight}, expected {expected}");
        assert_eq!(weight == 0.0, expected == 0.0);
    }
}

#[test]
fn separable_rows_are_separated() {
    let rows: Vec<Vec<u32>> = (0..40).map(|row| vec![row % 4, 4 + row % 3]).collect();
    let classes: Vec<u32> = (0..40).map(|row| row % 4).collect();
    let (data, labels) = (dataset(&rows), Labels::new(classes.clone(), 4).unwrap());
    for pairs in PAIRS {
        let config = LogisticConfig { l2: 1e-3, pairs, ..LogisticConfig::default() };
        let model = Logistic::fit(&data, &labels, &config).unwrap();
        for (row, &class) in rows.iter().zip(&classes) {
            assert!(probabilities(&model, row)[class as usize] > 0.95);
        }
    }
}

#[test]
fn two_classes_are_binary() {
    let (rows, classes) = random_problem(300, 2, 3);
    let (data, labels) = (dataset(&rows), Labels::new(classes, 2).unwrap());
    // Two opposite weights share the work of one: half the L2 penalty together, the same L1 penalty.
    for (l1, l2) in [(0.0, 2.0), (1.5, 0.0)] {
        let both = LogisticConfig { l1, l2, pairs: WeightPairs::All, ..precise() };
        let one = LogisticConfig { l1, l2: l2 / 2.0, ..precise() };
        let both = Logistic::fit(&data, &labels, &both).unwrap();
        let one = Logistic::fit(&data, &labels, &one).unwrap();
        assert_same_predictions(&both, &one, &rows, 1e-6);
    }
}

#[test]
fn weights_are_repeated_rows() {
    let (rows, classes) = random_problem(120, 3, 5);
    let counts: Vec<usize> = (0..120).map(|row| row % 3).collect();
    let repeat = |values: &[Vec<u32>]| -> Vec<Vec<u32>> {
        values.iter().zip(&counts).flat_map(|(value, &count)| vec![value.clone(); count]).collect()
    };
    let repeated_classes: Vec<u32> =
        classes.iter().zip(&counts).flat_map(|(&class, &count)| vec![class; count]).collect();
    let repeated = dataset(&repeat(&rows));
    let weights: Vec<f64> = counts.iter().map(|&count| count as f64).collect();
    for pairs in PAIRS {
        let config = LogisticConfig { pairs, ..precise() };
        let labels = Labels::new(classes.clone(), 3).unwrap().with_weights(weights.clone()).unwrap();
        let weighted = Logistic::fit(&dataset(&rows), &labels, &config).unwrap();
        let labels = Labels::new(repeated_classes.clone(), 3).unwrap();
        let plain = Logistic::fit(&repeated, &labels, &config).unwrap();
        assert_same_predictions(&weighted, &plain, &rows, 1e-7);
    }
}

#[test]
fn a_stronger_penalty_leaves_fewer_weights() {
    let (rows, classes) = random_problem(400, 4, 6);
    let (data, labels) = (dataset(&rows), Labels::new(classes, 4).unwrap());
    let sizes: Vec<usize> = [0.1, 1.0, 4.0, 8.0, 1000.0]
        .map(|l1| {
            let config = LogisticConfig { l1, l2: 0.0, ..LogisticConfig::default() };
            Logistic::fit(&data, &labels, &config).unwrap().num_weights()
        })
        .to_vec();
    assert!(sizes.is_sorted_by(|a, b| a > b), "{sizes:?}");
    assert_eq!(sizes[4], 0);
    assert!(sizes[0] > 100);
}

/// When the penalty holds all weights at 0, the start is the answer.
#[test]
fn biases_start_at_their_best() {
    let (rows, classes) = random_problem(100, 3, 8);
    let (data, labels) = (dataset(&rows), Labels::new(classes, 3).unwrap());
    for pairs in PAIRS {
        let config = LogisticConfig { l1: 1000.0, l2: 0.0, pairs, ..LogisticConfig::default() };
        let problem = Logistic::new(&data, &labels, &config).unwrap();
        let mut state = problem.start();
        assert_eq!(problem.run(&mut state, |_| Continue(())).unwrap(), OptimizerStop::SmallGradient);
        assert_eq!(state.iteration, 0);
    }
}

#[test]
fn threads_and_interruptions_do_not_matter() {
    let (rows, classes) = random_problem(70_000, 5, 9);
    let (data, labels) = (dataset(&rows), Labels::new(classes, 5).unwrap());
    for (pairs, l1) in [(WeightPairs::All, 0.0), (WeightPairs::Observed, 2.0)] {
        let optimizer = OptimizerConfig { max_iterations: 8, ..OptimizerConfig::default() };
        let config = LogisticConfig { l1, pairs, optimizer, ..LogisticConfig::default() };
        let problem = Logistic::new(&data, &labels, &config).unwrap();
        let run = |threads, pause| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut state = problem.start();
            let watch = |iteration| if iteration == pause { Break(()) } else { Continue(()) };
            pool.install(|| {
                while problem.run(&mut state, |progress| watch(progress.iteration)).unwrap()
                    == OptimizerStop::Asked
                {}
            });
            state
        };
        let expected = run(1, 0);
        assert_eq!(run(2, 0), expected);
        assert_eq!(run(3, 4), expected);
    }
}

#[test]
fn the_frozen_model_scores_as_the_trainer() {
    let (rows, classes) = random_problem(50, 3, 10);
    let (data, labels) = (dataset(&rows), Labels::new(classes.clone(), 3).unwrap());
    for pairs in PAIRS {
        let config = LogisticConfig { l2: 0.0, l1: 0.5, pairs, ..LogisticConfig::default() };
        let problem = Logistic::new(&data, &labels, &config).unwrap();
        let mut state = problem.start();
        problem.run(&mut state, |_| Continue(())).unwrap();
        let model = problem.freeze(&state).unwrap();
        let loss: f64 = rows
            .iter()
            .zip(&classes)
            .map(|(row, &class)| {
                let row: std::collections::BTreeSet<u32> = row.iter().copied().collect();
                let mut scores = vec![0.0; 3];
                model.scores(&row.into_iter().collect::<Vec<_>>(), &mut scores);
                let score = scores[class as usize];
                softmax(&mut scores) - score
            })
            .sum();
        let mut gradient = vec![0.0; problem.num_parameters()];
        assert!((loss - problem.evaluate(&state.point, &mut gradient)).abs() < 1e-9);
    }
}

#[test]
fn bad_problems_are_refused() {
    let data = dataset(&[vec![0], vec![1]]);
    let config = LogisticConfig::default();
    let labels = |classes: &[u32]| Labels::new(classes.to_vec(), 3).unwrap();
    let refusal =
        |labels: &Labels, config: &LogisticConfig| Logistic::new(&data, labels, config).unwrap_err();
    assert_eq!(refusal(&labels(&[0, 1, 2]), &config).kind(), ErrorKind::Mismatch);
    let error = refusal(&labels(&[0, 2]), &config);
    assert!(error.to_string().contains("none of class 1"), "{error}");
    let negative = LogisticConfig { l2: -1.0, ..LogisticConfig::default() };
    assert_eq!(refusal(&labels(&[0, 2]), &negative).kind(), ErrorKind::Argument);

    let unbiased = LogisticConfig { bias: false, ..config };
    let (found, other) = (labels(&[0, 2]), labels(&[0, 1]));
    let problem = Logistic::new(&data, &found, &unbiased).unwrap();
    let sparse = LogisticConfig { pairs: WeightPairs::Observed, ..unbiased };
    let mut state = Logistic::new(&data, &other, &sparse).unwrap().start();
    assert_eq!(problem.run(&mut state, |_| Continue(())).unwrap_err().kind(), ErrorKind::Mismatch);
}

#[test]
fn no_rows_and_no_features_are_no_problem() {
    let unbiased = LogisticConfig { bias: false, ..LogisticConfig::default() };
    for pairs in PAIRS {
        let labels = Labels::new(Vec::new(), 2).unwrap();
        let config = LogisticConfig { pairs, ..unbiased.clone() };
        let model = Logistic::fit(&dataset(&[]), &labels, &config).unwrap();
        assert_eq!(probabilities(&model, &[5]), [0.5, 0.5]);
        let labels = Labels::new(vec![0, 1, 1, 1], 2).unwrap();
        let config = LogisticConfig { pairs, ..LogisticConfig::default() };
        let model = Logistic::fit(&dataset(&vec![Vec::new(); 4]), &labels, &config).unwrap();
        assert!((probabilities(&model, &[])[1] - 0.75).abs() < 1e-12);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn gradients_are_finite_differences(
        seed in 0u64..1000,
        num_classes in 2u32..5,
        pairs in prop::sample::select(PAIRS.to_vec()),
        bias in any::<bool>(),
    ) {
        let (rows, classes) = random_problem(30, num_classes, seed);
        let data = dataset(&rows);
        let mut rng = Rng::new(seed);
        let weights = (0..30).map(|_| 2.0 * rng.unit()).collect();
        let labels = Labels::new(classes, num_classes).unwrap().with_weights(weights).unwrap();
        let config = LogisticConfig { l2: 0.3, pairs, bias, ..LogisticConfig::default() };
        let problem = Logistic::new(&data, &labels, &config).unwrap();
        let mut point: Vec<f64> = (0..problem.num_parameters()).map(|_| rng.unit() - 0.5).collect();
        let mut gradient = vec![0.0; point.len()];
        problem.evaluate(&point, &mut gradient);
        let mut unused = gradient.clone();
        for i in 0..point.len() {
            let x = point[i];
            point[i] = x + 1e-5;
            let above = problem.evaluate(&point, &mut unused);
            point[i] = x - 1e-5;
            let below = problem.evaluate(&point, &mut unused);
            point[i] = x;
            prop_assert!(((above - below) / 2e-5 - gradient[i]).abs() < 1e-6);
        }
    }
}

#[test]
fn rows_with_variants_are_refused() {
    let mut builder = DatasetBuilder::new();
    builder.push_row(&[0]).unwrap();
    builder.push_row(&[0]).unwrap();
    builder.push_variant(&[1]).unwrap();
    let (data, labels) = (builder.finish(), Labels::new(vec![0, 1], 2).unwrap());
    let error = Logistic::new(&data, &labels, &LogisticConfig::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Argument);
    assert!(error.to_string().starts_with("expected rows without variants, found 1 variants"), "{error}");
}
