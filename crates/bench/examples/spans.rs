//! Boosts the classifiers of many labels over rows with variants and says what it took:
//! `cargo run --release -p boughs-bench --example spans -- ROWS LABELS TREES WORDS`.

#![expect(clippy::print_stdout, reason = "a program for people to look at")]

use std::ops::ControlFlow;
use std::time::Instant;

use boughs_bench::cpu;
use boughs_bench::spans::spans;
use boughs_learn::{Job, L1Config, train_many};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number =
        |default: usize| arguments.next().map_or(default, |text| text.parse().expect("a number"));
    let (num_rows, num_labels, max_trees) = (number(574_165), number(24), number(20));
    let num_words = number(5000);
    let start = Instant::now();
    let (dataset, targets) = spans(num_rows, num_labels, num_words, true, 1);
    println!(
        "{num_rows} rows, {} variants, {} features, {} entries, {:.0} bytes a row, {:.0} MB, {:.1} s to make",
        dataset.num_variants(),
        dataset.num_features(),
        dataset.num_entries(),
        dataset.bytes_per_row(),
        dataset.num_bytes() as f64 / 1e6,
        start.elapsed().as_secs_f64()
    );

    let start = (Instant::now(), cpu::seconds());
    let config = L1Config { max_trees, ..L1Config::default() };
    let jobs: Vec<_> = targets.iter().map(|target| Job { target, config, checkpoint: None }).collect();
    let ensembles = train_many(&dataset, &jobs, usize::MAX, |_, _, _| ControlFlow::Continue(()))
        .expect("sound settings and targets");
    let num_trees: usize = ensembles.iter().map(|checkpoint| checkpoint.ensemble.trees().len()).sum();
    let num_nodes: usize = ensembles
        .iter()
        .flat_map(|checkpoint| checkpoint.ensemble.trees())
        .map(|tree| tree.nodes().len())
        .sum();
    let (wall, cpu) = (start.0.elapsed().as_secs_f64(), cpu::seconds() - start.1);
    println!(
        "{num_trees} trees of {:.1} nodes in {wall:.1} s, {cpu:.1} s of CPU: {:.1} ms of CPU a tree; peak {:.0} MB",
        num_nodes as f64 / num_trees as f64,
        1e3 * cpu / num_trees as f64,
        cpu::peak_megabytes()
    );
}
