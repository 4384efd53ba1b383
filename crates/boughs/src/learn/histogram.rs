//! For every feature, the sum of the weights of a node's rows in which it is active.
//!
//! The naive form is one table as wide as there are features, zeroed for every node, to which each row adds its weight
//! at each of its active features. Small nodes touch little of it: theirs lists the features touched. A table for
//! every open node would be large with a million features; growth keeps few open (see [`grow`](super::grow)).

use std::ops::Range;

use rayon::prelude::*;

use super::dataset::Dataset;
use super::sums::Sum;

/// Rows go to the threads of the pool only if there are at least this many additions to share.
const MIN_PARALLEL_ENTRIES: usize = 1 << 17;

/// A node touches a table sparsely if it has fewer active features than this part of it.
const SPARSE_PART: usize = 4;

/// Features that one thread looks at when scanning a table.
const SCAN_CHUNK: usize = 1 << 15;

/// The sums of one node.
#[derive(Debug, Clone)]
pub(super) enum Histogram<S> {
    /// By feature.
    Dense(Vec<S>),
    /// The features that occur in the node, in no particular order. One whose sum is 0 stays: below, it may not be.
    Sparse { features: Vec<u32>, sums: Vec<S> },
}

/// A feature and what splitting by it is worth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Candidate<V> {
    pub(super) feature: u32,
    pub(super) value: V,
}

impl<V: PartialOrd> Candidate<V> {
    /// The larger value wins, and the smaller feature among equals.
    pub(super) fn better(self, other: Self) -> Self {
        let is_other =
            other.value > self.value || (other.value == self.value && other.feature < self.feature);
        if is_other { other } else { self }
    }
}

/// Makes histograms and keeps the memory of those that are done with.
#[derive(Debug)]
pub(super) struct Histograms<'a, S> {
    dataset: &'a Dataset,
    parts: Vec<Range<usize>>,
    entries_per_row: f64,
    touched: Vec<S>,
    spare: Vec<Vec<S>>,
}

impl<'a, S: Sum> Histograms<'a, S> {
    pub(super) fn new(dataset: &'a Dataset) -> Self {
        Self {
            dataset,
            parts: dataset.feature_parts(rayon::current_num_threads()),
            entries_per_row: dataset.num_entries() as f64 / dataset.num_rows().max(1) as f64,
            touched: vec![S::UNTOUCHED; dataset.num_features()],
            spare: Vec::new(),
        }
    }

    /// The histogram of these rows, each with its weight. Within a sparse histogram only sparse ones are made.
    pub(super) fn build(&mut self, rows: &[u32], weights: &[S], parent: &Histogram<S>) -> Histogram<S> {
        let is_small = self.num_entries(rows) < self.dataset.num_features() / SPARSE_PART;
        if is_small || matches!(parent, Histogram::Sparse { .. }) {
            self.build_sparse(rows, weights)
        } else {
            self.build_dense(rows, weights)
        }
    }

    /// The histogram of these rows as a table.
    pub(super) fn build_dense(&mut self, rows: &[u32], weights: &[S]) -> Histogram<S> {
        let mut sums = self.spare.pop().unwrap_or_default();
        sums.clear();
        sums.resize(self.dataset.num_features(), S::default());
        self.add(rows, weights, &mut sums);
        Histogram::Dense(sums)
    }

    fn build_sparse(&mut self, rows: &[u32], weights: &[S]) -> Histogram<S> {
        let mut features = Vec::new();
        for (&row, &weight) in rows.iter().zip(weights) {
            for &feature in self.dataset.row(row as usize) {
                let sum = &mut self.touched[feature as usize];
                if *sum == S::UNTOUCHED {
                    *sum = weight;
                    features.push(feature);
                } else {
                    *sum += weight;
                }
            }
        }
        let take = |&feature: &u32| std::mem::replace(&mut self.touched[feature as usize], S::UNTOUCHED);
        let sums = features.iter().map(take).collect();
        Histogram::Sparse { features, sums }
    }

    /// A copy of a table.
    pub(super) fn copy(&mut self, table: &[S]) -> Histogram<S> {
        let mut sums = self.spare.pop().unwrap_or_default();
        sums.clear();
        sums.extend_from_slice(table);
        Histogram::Dense(sums)
    }

    /// Adds the weight of each row to a table, at each of its active features. With several threads each takes a range
    /// of features, so that none needs a table of its own.
    pub(super) fn add(&self, rows: &[u32], weights: &[S], sums: &mut [S]) {
        if self.parts.len() < 2 || self.num_entries(rows) < MIN_PARALLEL_ENTRIES {
            return add_all(self.dataset, rows, weights, sums);
        }
        let mut rest = sums;
        let mut parts = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            let (mine, others) = rest.split_at_mut(part.len());
            parts.push((part.clone(), mine));
            rest = others;
        }
        parts.into_par_iter().for_each(|(part, sums)| add_part(self.dataset, rows, weights, &part, sums));
    }

    fn num_entries(&self, rows: &[u32]) -> usize {
        (rows.len() as f64 * self.entries_per_row) as usize
    }

    /// What is left of a parent without one of its children.
    pub(super) fn subtract(&mut self, parent: Histogram<S>, child: &Histogram<S>) -> Histogram<S> {
        match (parent, child) {
            (Histogram::Dense(mut sums), Histogram::Dense(taken)) => {
                for (sum, &taken) in sums.iter_mut().zip(taken) {
                    *sum -= taken;
                }
                Histogram::Dense(sums)
            }
            (Histogram::Dense(mut sums), Histogram::Sparse { features, sums: taken }) => {
                for (&feature, &taken) in features.iter().zip(taken) {
                    sums[feature as usize] -= taken;
                }
                Histogram::Dense(sums)
            }
            (Histogram::Sparse { features, sums }, child) => self.subtract_sparse(features, sums, child),
        }
    }

    fn subtract_sparse(
        &mut self,
        features: Vec<u32>,
        mut sums: Vec<S>,
        child: &Histogram<S>,
    ) -> Histogram<S> {
        let Histogram::Sparse { features: taken_features, sums: taken } = child else {
            unreachable!("within a sparse histogram only sparse ones are made");
        };
        for (&feature, &taken) in taken_features.iter().zip(taken) {
            self.touched[feature as usize] = taken;
        }
        for (&feature, sum) in features.iter().zip(&mut sums) {
            let taken = std::mem::replace(&mut self.touched[feature as usize], S::UNTOUCHED);
            if taken != S::UNTOUCHED {
                *sum -= taken;
            }
        }
        Histogram::Sparse { features, sums }
    }

    /// Takes back the memory of a histogram.
    pub(super) fn recycle(&mut self, histogram: Histogram<S>) {
        if let Histogram::Dense(sums) = histogram {
            self.spare.push(sums);
        }
    }
}

impl<S: Sum> Histogram<S> {
    /// The feature of the largest value, the smallest such feature among equals.
    pub(super) fn best<V: PartialOrd + Copy + Send>(
        &self,
        value: impl Fn(S) -> V + Sync,
    ) -> Option<Candidate<V>> {
        match self {
            Self::Dense(sums) => sums
                .par_chunks(SCAN_CHUNK)
                .enumerate()
                .filter_map(|(chunk, sums)| {
                    let first = (chunk * SCAN_CHUNK) as u32;
                    best_of((first..).zip(sums.iter().copied()), &value)
                })
                .reduce_with(Candidate::better),
            Self::Sparse { features, sums } => {
                best_of(features.iter().copied().zip(sums.iter().copied()), &value)
            }
        }
    }
}

impl Histogram<i64> {
    /// The features of the smallest and of the largest sum, the smaller feature among equals; values are the sums.
    pub(super) fn extremes(&self) -> Option<[Candidate<i64>; 2]> {
        match self {
            Self::Dense(sums) => dense_extremes(sums),
            Self::Sparse { features, sums } => {
                let candidates =
                    || features.iter().zip(sums).map(|(&feature, &value)| Candidate { feature, value });
                let lower = |a: Candidate<i64>, b: Candidate<i64>| {
                    if (b.value, b.feature) < (a.value, a.feature) { b } else { a }
                };
                Some([candidates().reduce(lower)?, candidates().reduce(Candidate::better)?])
            }
        }
    }
}

/// First the values, chunk by chunk and without branches; then where they stand, in one chunk only.
fn dense_extremes(sums: &[i64]) -> Option<[Candidate<i64>; 2]> {
    let chunks: Vec<(i64, i64)> = sums.par_chunks(SCAN_CHUNK).map(chunk_extremes).collect();
    let lowest = chunks.iter().map(|chunk| chunk.0).min()?;
    let highest = chunks.iter().map(|chunk| chunk.1).max()?;
    let first = |value: i64, chunk: Option<usize>| {
        let start = chunk? * SCAN_CHUNK;
        let offset = sums[start..].iter().position(|&sum| sum == value)?;
        Some(Candidate { feature: (start + offset) as u32, value })
    };
    Some([
        first(lowest, chunks.iter().position(|chunk| chunk.0 == lowest))?,
        first(highest, chunks.iter().position(|chunk| chunk.1 == highest))?,
    ])
}

fn chunk_extremes(sums: &[i64]) -> (i64, i64) {
    sums.iter().fold((i64::MAX, i64::MIN), |(low, high), &sum| (low.min(sum), high.max(sum)))
}

fn best_of<S, V: PartialOrd + Copy>(
    sums: impl Iterator<Item = (u32, S)>,
    value: impl Fn(S) -> V,
) -> Option<Candidate<V>> {
    sums.map(|(feature, sum)| Candidate { feature, value: value(sum) }).reduce(Candidate::better)
}

fn add_all<S: Sum>(dataset: &Dataset, rows: &[u32], weights: &[S], sums: &mut [S]) {
    for (&row, &weight) in rows.iter().zip(weights) {
        for &feature in dataset.row(row as usize) {
            sums[feature as usize] += weight;
        }
    }
}

fn add_part<S: Sum>(dataset: &Dataset, rows: &[u32], weights: &[S], part: &Range<usize>, sums: &mut [S]) {
    for (&row, &weight) in rows.iter().zip(weights) {
        let features = dataset.row(row as usize);
        let start = features.partition_point(|&feature| (feature as usize) < part.start);
        let end = start + features[start..].partition_point(|&feature| (feature as usize) < part.end);
        for &feature in &features[start..end] {
            sums[feature as usize - part.start] += weight;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::DatasetBuilder;
    use crate::rng::Rng;

    fn random_dataset(num_rows: usize, num_features: u64, per_row: usize) -> Dataset {
        let mut rng = Rng::new(5);
        let mut builder = DatasetBuilder::with_num_features(num_features as u32).unwrap();
        for _ in 0..num_rows {
            let row: Vec<u32> = (0..per_row).map(|_| rng.below(num_features) as u32).collect();
            builder.push_row(&row).unwrap();
        }
        builder.finish()
    }

    fn naive(dataset: &Dataset, rows: &[u32], weights: &[i64]) -> Vec<i64> {
        let sum = |feature| {
            let is_active = |row: u32| dataset.is_active(row as usize, feature);
            rows.iter().zip(weights).filter(|&(&row, _)| is_active(row)).map(|(_, &weight)| weight).sum()
        };
        (0..dataset.num_features() as u32).map(sum).collect()
    }

    fn table(histogram: &Histogram<i64>, num_features: usize) -> Vec<i64> {
        let mut table = vec![0; num_features];
        match histogram {
            Histogram::Dense(sums) => table.copy_from_slice(sums),
            Histogram::Sparse { features, sums } => {
                features.iter().zip(sums).for_each(|(&feature, &sum)| table[feature as usize] = sum);
            }
        }
        table
    }

    #[test]
    fn children_of_every_size_agree_with_the_naive_sums() {
        let dataset = random_dataset(40, 400, 20);
        let mut histograms = Histograms::new(&dataset);
        let rows: Vec<u32> = (0..40).collect();
        let weights: Vec<i64> = rows.iter().map(|&row| i64::from(row % 7) - 3).collect();
        for size in [0, 1, 3, 8, 30, 40] {
            let parent = histograms.build_dense(&rows, &weights);
            let child = histograms.build(&rows[..size], &weights[..size], &parent);
            assert_eq!(table(&child, 400), naive(&dataset, &rows[..size], &weights[..size]));
            let rest = histograms.subtract(parent, &child);
            assert_eq!(table(&rest, 400), naive(&dataset, &rows[size..], &weights[size..]));
            histograms.recycle(rest);
            histograms.recycle(child);
        }
    }

    #[test]
    fn sparse_less_sparse() {
        let dataset = random_dataset(40, 4000, 20);
        let mut histograms = Histograms::new(&dataset);
        let rows: Vec<u32> = (0..30).collect();
        let weights: Vec<i64> = rows.iter().map(|&row| i64::from(row) - 11).collect();
        let parent = histograms.build_sparse(&rows, &weights);
        let child = histograms.build(&rows[..9], &weights[..9], &parent);
        let rest = histograms.subtract(parent, &child);
        assert_eq!(table(&rest, 4000), naive(&dataset, &rows[9..], &weights[9..]));
    }

    #[test]
    fn threads_share_the_features() {
        let dataset = random_dataset(9000, 300, 20);
        let rows: Vec<u32> = (0..9000).collect();
        let weights: Vec<i64> = rows.iter().map(|&row| i64::from(row % 101) - 50).collect();
        let expected = naive(&dataset, &rows, &weights);
        for num_threads in [1, 2, 3, 7] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(num_threads).build().unwrap();
            let sums = pool.install(|| Histograms::new(&dataset).build_dense(&rows, &weights));
            assert_eq!(table(&sums, 300), expected);
        }
    }

    #[test]
    fn ties_go_to_the_smaller_feature() {
        let dense = Histogram::Dense(vec![1i64, 5, 2, 5]);
        assert_eq!(dense.best(|sum| sum), Some(Candidate { feature: 1, value: 5 }));
        let sparse = Histogram::Sparse { features: vec![9, 4, 6], sums: vec![5i64, 5, 1] };
        assert_eq!(sparse.best(|sum| sum), Some(Candidate { feature: 4, value: 5 }));
        assert_eq!(Histogram::<i64>::Dense(Vec::new()).best(|sum| sum), None);
    }

    #[test]
    fn extremes_of_both_kinds() {
        let mut sums = vec![0i64; 3 * SCAN_CHUNK + 5];
        for (feature, sum) in [(SCAN_CHUNK + 3, -4), (2 * SCAN_CHUNK, -4), (7, 9), (3 * SCAN_CHUNK, 9)] {
            sums[feature] = sum;
        }
        let lowest = Candidate { feature: SCAN_CHUNK as u32 + 3, value: -4 };
        let highest = Candidate { feature: 7, value: 9 };
        assert_eq!(Histogram::Dense(sums).extremes(), Some([lowest, highest]));
        let sparse = Histogram::Sparse { features: vec![9, 4, 6, 2], sums: vec![5i64, 5, 1, 1] };
        let [lowest, highest] = [(2, 1), (4, 5)].map(|(feature, value)| Candidate { feature, value });
        assert_eq!(sparse.extremes(), Some([lowest, highest]));
        assert_eq!(Histogram::Dense(Vec::new()).extremes(), None);
    }
}
