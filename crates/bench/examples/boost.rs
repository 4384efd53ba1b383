//! Boosts on synthetic data and says how long it took:
//! `cargo run --release -p boughs-bench --example boost -- ROWS WORDS KEY=VALUE...`, settings of [`L1Config`] as in
//! TOML files, such as `max-trees=100`.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for people to look at")]

use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::Instant;

use boughs::model::{DecisionTree, Ensemble, TreeNode};
use boughs_bench::cpu;
use boughs_bench::spans::spans;
use boughs_learn::run::over_toml;
use boughs_learn::{
    Dataset, DatasetView, HeldOut, L1Booster, L1Config, Target, best_penalty, mean_log_loss, score_rows,
};

/// How often sending rows down trees is measured.
const REPEATS: usize = 7;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number =
        |default: usize| arguments.next().map_or(default, |text| text.parse().expect("a number"));
    let (num_rows, num_words) = (number(200_000), number(16_000));
    let settings: Vec<String> = arguments.collect();
    let config = L1Config { max_trees: 100, ..L1Config::default() };
    let config = over_toml(&config, &settings.join("\n")).expect("settings as TOML");

    let start = Instant::now();
    let rows = |num_rows, seed| spans(num_rows, 1, num_words, false, seed);
    let ((dataset, targets), tested) = (rows(num_rows, 1), rows(num_rows / 10, 2));
    let (dataset, target) = (&dataset, &targets[0]);
    eprintln!(
        "{num_rows} rows, {} features, {:.0} active a row, {:.0} bytes a row, {:.1} s to make",
        dataset.num_features(),
        dataset.num_entries() as f64 / num_rows as f64,
        dataset.bytes_per_row(),
        start.elapsed().as_secs_f64()
    );

    let start = Instant::now();
    let cpu_start = cpu::seconds();
    let mut booster = L1Booster::new(dataset, target, config).expect("sound settings");
    let stop = booster.run(|booster, progress| {
        if progress.num_trees.is_power_of_two() || progress.num_trees % 100 == 0 {
            let nodes = booster.ensemble().trees().last().map_or(0, |tree| tree.nodes().len());
            eprintln!("{:8.2} s  {progress:?}, last tree {nodes} nodes", start.elapsed().as_secs_f64());
        }
        ControlFlow::Continue(())
    });
    let (wall, seconds) = (start.elapsed().as_secs_f64(), cpu::seconds() - cpu_start);
    let progress = booster.progress();
    println!(
        "{wall:.2} s, {seconds:.2} s of CPU, {:.1} ms of CPU a tree, {stop:?}, {} trees, {} active, penalty {:.4}",
        1e3 * seconds / progress.num_trees as f64,
        progress.num_trees,
        progress.num_active,
        progress.penalty,
    );

    report_percolation(dataset, booster.ensemble());
    let view = DatasetView::plain(dataset);
    let scores = score_rows(&view, booster.ensemble());
    println!(
        "log-loss: training {:.5}, {}",
        mean_log_loss(target, &scores),
        best_on_path(&tested, booster.ensemble())
    );
}

/// The postings that splits look at, and once a tree a score for every row.
fn percolated_bytes(dataset: &Dataset, ensemble: &Ensemble) -> usize {
    let split_bytes = |node: &TreeNode| match *node {
        TreeNode::Leaf { .. } => 0,
        TreeNode::Split { feature, .. } => dataset.num_posting_bytes(feature),
    };
    let tree_bytes = |tree: &DecisionTree| tree.nodes().iter().map(split_bytes).sum::<usize>();
    ensemble.trees().iter().map(|tree| tree_bytes(tree) + 8 * dataset.num_rows()).sum()
}

/// How long all rows take down all trees, beside reading the same bytes; both several times, in turns, because what
/// else the machine does slows them down.
fn report_percolation(dataset: &Dataset, ensemble: &Ensemble) {
    let view = DatasetView::plain(dataset);
    let num_bytes = percolated_bytes(dataset, ensemble);
    // Larger than any cache.
    let buffer = vec![1u64; 1 << 27];
    let mut runs: Vec<(f64, f64)> = (0..REPEATS)
        .map(|_| {
            let down = cpu::seconds_of_one(0.5, || drop(black_box(score_rows(&view, ensemble))));
            let read = cpu::seconds_of_one(0.5, || {
                black_box(buffer.iter().sum::<u64>());
            });
            (down, read * num_bytes as f64 / (8 * buffer.len()) as f64)
        })
        .collect();
    runs.sort_by(|a, b| f64::total_cmp(&(a.0 / a.1), &(b.0 / b.1)));
    let ratio = |(down, read): (f64, f64)| down / read;
    let (down, _) = runs[REPEATS / 2];
    let num_trees = ensemble.trees().len().max(1) as f64;
    println!(
        "sending all rows down: {:.3} ms of CPU a tree, {:.0}M rows/s, {:.1} times as long as reading the same {:.0} MB (median of {REPEATS}; {:.1} to {:.1})",
        1e3 * down / num_trees,
        view.num_rows() as f64 * num_trees / down / 1e6,
        ratio(runs[REPEATS / 2]),
        num_bytes as f64 / 1e6,
        ratio(runs[0]),
        ratio(runs[REPEATS - 1]),
    );
}

/// The penalty of the path at which held-out rows are scored best.
fn best_on_path((dataset, targets): &(Dataset, Vec<Target>), ensemble: &Ensemble) -> String {
    let target = &targets[0];
    let last = mean_log_loss(target, &score_rows(&DatasetView::plain(dataset), ensemble));
    let mut held_out = HeldOut::new(target);
    held_out.extend(dataset, target, ensemble).expect("rows of the same problem");
    let (penalty, loss) = best_penalty(&[held_out]);
    let best = ensemble.prefix(ensemble.num_trees_at(penalty));
    let num_active: usize = best.trees().iter().map(DecisionTree::num_active).sum();
    format!(
        "test {last:.5}; best {loss:.5} with {} trees, {num_active} active, penalty {penalty:.3}",
        best.trees().len()
    )
}
