//! Inferences a CPU second of a frozen forest: `cargo run --release -p boughs-bench --example forest_throughput`.
//!
//! An inference is the score of one label for one row. The 2006 release made 65,000 a second with a forest of this
//! size.
#![expect(clippy::print_stdout, reason = "a measurement is printed")]

use boughs_bench::cpu;
use boughs_bench::forest::{NUM_LABELS, forest, rows, share_touched};
use boughs_learn::rng::Rng;

const REPEATS: usize = 9;

fn main() {
    let mut rng = Rng::new(1);
    let forest = forest(&mut rng);
    let rows = rows(&mut rng, 10_000);
    let mut scratch = forest.scratch();
    let mut score_all = || {
        let sum: f64 = rows.iter().map(|row| forest.score(row, &mut scratch)[0]).sum();
        assert!(sum.is_finite());
    };
    let mut seconds: Vec<f64> = (0..REPEATS).map(|_| cpu::seconds_of_one(0.3, &mut score_all)).collect();
    seconds.sort_by(f64::total_cmp);
    let report = |name: &str, seconds: f64| {
        let rows_per_second = rows.len() as f64 / seconds;
        let inferences = rows_per_second * NUM_LABELS as f64;
        println!(
            "{name}\t{rows_per_second:.0} rows/s\t{inferences:.0} inferences/s\t{:.1} x 65000",
            inferences / 65e3
        );
    };
    println!("non-zero leaves\t{}", forest.num_active());
    println!("trees touched\t{:.1}%", 100.0 * share_touched(&forest, &rows[..200]));
    report("best", seconds[0]);
    report("median", seconds[REPEATS / 2]);
}
