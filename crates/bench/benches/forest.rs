//! Scoring a row for all labels at once, against walking every tree; an element is a score of one label for one row.

use std::hint::black_box;

use boughs_bench::forest::{NUM_LABELS, forest, rows};
use boughs_learn::rng::Rng;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn score(criterion: &mut Criterion) {
    let mut rng = Rng::new(1);
    let forest = forest(&mut rng);
    let rows = rows(&mut rng, 2000);
    let mut scratch = forest.scratch();
    let mut group = criterion.benchmark_group("forest");
    group.sample_size(20);
    group.throughput(Throughput::Elements((rows.len() * NUM_LABELS) as u64));
    group.bench_function("score", |bencher| {
        bencher.iter(|| rows.iter().map(|row| forest.score(black_box(row), &mut scratch)[0]).sum::<f64>());
    });
    group.bench_function("score_one", |bencher| {
        let mut score =
            |row| (0..NUM_LABELS).map(|label| forest.score_one(row, label, &mut scratch)).sum::<f64>();
        bencher.iter(|| rows.iter().map(|row| score(black_box(row))).sum::<f64>());
    });
    group.bench_function("naive", |bencher| {
        let naive = |row: &[u32]| {
            let ensembles = forest.classifiers().iter().map(|classifier| &classifier.ensemble);
            ensembles
                .map(|ensemble| ensemble.score(|feature| row.binary_search(&feature).is_ok()))
                .sum::<f64>()
        };
        bencher.iter(|| rows.iter().map(|row| naive(black_box(row))).sum::<f64>());
    });
    group.finish();
}

criterion_group!(benches, score);
criterion_main!(benches);
