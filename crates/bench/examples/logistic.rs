//! Logistic regression on synthetic rows whose features follow Zipf's law, as those of taggers and parsers do.
//!
//! `cargo run --release -p boughs-bench --example logistic -- ROWS FEATURES ACTIVE CLASSES [standard|all|observed]
//! [L1]`
//!
//! Prints the time of one pass (loss and gradient), the time of an iteration, and the peak memory where the system
//! tells it. `RAYON_NUM_THREADS` sets the number of threads; the loss printed must not depend on it.

#![expect(clippy::print_stdout, reason = "a benchmark reports what it measured")]

use boughs_learn::logistic::{Labels, Logistic, LogisticConfig, WeightPairs};
use boughs_learn::optimize::OptimizerConfig;
use boughs_learn::rng::Rng;
use boughs_learn::{Dataset, DatasetBuilder};
use std::fs;
use std::ops::ControlFlow;
use std::time::Instant;

const ITERATIONS: u64 = 20;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize, default: u32| -> u32 {
        arguments.get(index).map_or(default, |text| text.parse().expect("a number"))
    };
    let (num_rows, num_features) = (number(0, 100_000), number(1, 100_000));
    let (num_active, num_classes) = (number(2, 100), number(3, 2));
    let pairs = match arguments.get(4).map_or("standard", String::as_str) {
        "observed" => WeightPairs::Observed,
        "all" => WeightPairs::All,
        _ => WeightPairs::Standard,
    };
    let l1 = arguments.get(5).map_or(0.0, |text| text.parse().expect("a number"));

    let (dataset, labels) = synthetic(num_rows, num_features, num_active, num_classes);
    println!("{} entries, {} MB", dataset.num_entries(), dataset.num_bytes() >> 20);
    let optimizer = OptimizerConfig { max_iterations: ITERATIONS, ..OptimizerConfig::default() };
    let l2 = if l1 > 0.0 { 0.0 } else { 1.0 };
    let config = LogisticConfig { l1, l2, pairs, optimizer, ..LogisticConfig::default() };
    let problem = Logistic::new(&dataset, &labels, &config).expect("a sound problem");
    println!("{} parameters", problem.num_parameters());
    time_pass(&problem, dataset.num_entries());
    train(&problem);
    println!("peak memory: {}", peak_memory());
}

/// Rows of Zipf-distributed features; the class depends on the features that are active.
fn synthetic(num_rows: u32, num_features: u32, num_active: u32, num_classes: u32) -> (Dataset, Labels) {
    let mut rng = Rng::new(1);
    let mut builder = DatasetBuilder::with_num_features(num_features).expect("not too many features");
    let mut classes = Vec::new();
    let mut row = Vec::new();
    let logarithm = f64::from(num_features + 1).ln();
    for _ in 0..num_rows {
        row.clear();
        row.extend((0..num_active).map(|_| ((logarithm * rng.unit()).exp() - 1.0) as u32));
        builder.push_row(&row).expect("not too many rows");
        let vote: f64 = row.iter().map(|&feature| f64::from(feature.wrapping_mul(2_654_435_761)) - 2e9).sum();
        let share = 0.5 + 0.5 * (vote / 3e9).tanh() * rng.unit();
        classes.push(((share * f64::from(num_classes)) as u32).min(num_classes - 1));
    }
    (builder.finish(), Labels::new(classes, num_classes).expect("sound classes"))
}

fn time_pass(problem: &Logistic<'_>, num_entries: usize) {
    let point = problem.start().into_point();
    let mut gradient = vec![0.0; point.len()];
    for _ in 0..3 {
        let start = Instant::now();
        let value = problem.evaluate(&point, &mut gradient);
        let seconds = start.elapsed().as_secs_f64();
        let rate = num_entries as f64 / seconds / 1e6;
        println!("pass: {seconds:.3} s, {rate:.0} M entries/s, loss {value:.17e}");
    }
}

fn train(problem: &Logistic<'_>) {
    let mut state = problem.start();
    let start = Instant::now();
    let stop = problem.run(&mut state, |_| ControlFlow::Continue(())).expect("finite numbers");
    let seconds = start.elapsed().as_secs_f64();
    let (iterations, evaluations) = (state.iteration(), state.evaluations());
    let each = seconds / iterations as f64;
    println!(
        "{iterations} iterations, {evaluations} evaluations: {seconds:.2} s, {each:.3} s each, {stop:?}"
    );
    let model = problem.freeze(&state).expect("a model");
    println!("value {:.17e}, {} weights", state.value().unwrap_or(f64::NAN), model.num_weights());
}

fn peak_memory() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "unknown".to_owned(), |peak| peak.trim().to_owned())
}
