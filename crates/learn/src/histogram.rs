//! For every feature, the sum of the weights of a node's rows in which it is active.
//!
//! The naive form is one table as wide as there are features, zeroed for every node, to which each row adds its weight
//! at each of its active features. Small nodes touch little of it: theirs lists the features touched. A table for
//! every open node would be large with a million features; growth keeps few open (see [`grow`](super::grow)).

use rayon::prelude::*;

use super::sums::WeightSum;
use super::view::DatasetView;

/// A thread takes a share of the rows only if it then has at least so many additions,
const MIN_PARALLEL_ENTRIES: usize = 1 << 16;

/// and so many for every feature: its table must be added to the others.
const MIN_ENTRIES_PER_FEATURE: usize = 4;

/// A node touches a table sparsely if it has fewer active features than this part of it.
const SPARSE_PART: usize = 4;

/// Features whose sums one thread adds up.
const MERGE_CHUNK: usize = 1 << 15;

/// Features that share a bound on their sums.
pub(super) const BLOCK: usize = 1 << 9;

/// The sums of one node.
#[derive(Debug, Clone)]
pub enum Histogram<S> {
    /// By place ([`numbering`](super::numbering)).
    Dense(Vec<S>),
    /// The places of features that occur in the node, in no particular order. One whose sum is 0 stays: below, it may
    /// not be.
    Sparse { places: Vec<u32>, sums: Vec<S> },
}

/// Makes histograms and keeps the memory of those that are done with.
#[derive(Debug)]
pub(super) struct Histograms<S> {
    /// The count of the most frequent feature of each block.
    block_counts: Vec<i64>,
    entries_per_row: f64,
    touched: Vec<S>,
    spare: Vec<Vec<S>>,
}

impl<S: WeightSum> Histograms<S> {
    pub(super) fn new(view: &DatasetView<'_>) -> Self {
        Self {
            block_counts: block_counts(view),
            entries_per_row: view.entries_per_row(),
            touched: vec![S::UNTOUCHED; view.num_features()],
            spare: Vec::new(),
        }
    }

    /// The histogram of these rows, each with its weight. Within a sparse histogram only sparse ones are made.
    pub(super) fn build(
        &mut self,
        view: &DatasetView<'_>,
        rows: &[u32],
        weights: &[S],
        parent: &Histogram<S>,
    ) -> Histogram<S> {
        let is_small = self.num_entries(rows) < view.num_features() / SPARSE_PART;
        if is_small || matches!(parent, Histogram::Sparse { .. }) {
            self.build_sparse(view, rows, weights)
        } else {
            self.build_dense(view, rows, weights)
        }
    }

    /// The histogram of these rows as a table.
    pub(super) fn build_dense(
        &mut self,
        view: &DatasetView<'_>,
        rows: &[u32],
        weights: &[S],
    ) -> Histogram<S> {
        let mut sums = self.spare.pop().unwrap_or_default();
        sums.clear();
        sums.resize(view.num_features(), S::default());
        self.add(view, rows, weights, &mut sums);
        Histogram::Dense(sums)
    }

    fn build_sparse(&mut self, view: &DatasetView<'_>, rows: &[u32], weights: &[S]) -> Histogram<S> {
        let mut places = Vec::new();
        view.for_each_entry(rows, weights, |place, weight| {
            let sum = &mut self.touched[place as usize];
            if *sum == S::UNTOUCHED {
                *sum = weight;
                places.push(place);
            } else {
                *sum += weight;
            }
        });
        let take = |&place: &u32| std::mem::replace(&mut self.touched[place as usize], S::UNTOUCHED);
        let sums = places.iter().map(take).collect();
        Histogram::Sparse { places, sums }
    }

    /// A copy of a table.
    pub(super) fn copy(&mut self, table: &[S]) -> Histogram<S> {
        let mut sums = self.spare.pop().unwrap_or_default();
        sums.clear();
        sums.extend_from_slice(table);
        Histogram::Dense(sums)
    }

    /// For each block of features, what no sum of theirs exceeds if no row weighs more than `max_weight`.
    pub(super) fn bounds(&self, max_weight: i64) -> Vec<i64> {
        // A quarter of the range, so that bound, bound and total can be added up.
        let bound = |count: &i64| count.saturating_mul(max_weight).min(i64::MAX / 4);
        self.block_counts.iter().map(bound).collect()
    }

    /// Adds the weight of each row to a table, at each of its active features. Several threads share the rows, each
    /// with a table of its own. Sharing the features instead needs one table only, but then every thread reads every
    /// row, and two took as long as one.
    pub(super) fn add(&self, view: &DatasetView<'_>, rows: &[u32], weights: &[S], sums: &mut [S]) {
        let num_parts = self.num_parts(view, rows);
        let (part, rest) = rows.split_at(rows.len().div_ceil(num_parts));
        let (part_weights, rest_weights) = weights.split_at(part.len());
        if rest.is_empty() {
            return add_all(view, part, part_weights, sums);
        }
        let add_rest = || -> Vec<Vec<S>> {
            let shares = rest.par_chunks(part.len()).zip(rest_weights.par_chunks(part.len()));
            shares.map(|(rows, weights)| table_of(view, rows, weights)).collect()
        };
        let ((), tables) = rayon::join(|| add_all(view, part, part_weights, sums), add_rest);
        add_tables(&tables, sums);
    }

    fn num_parts(&self, view: &DatasetView<'_>, rows: &[u32]) -> usize {
        let min_entries = MIN_PARALLEL_ENTRIES.max(MIN_ENTRIES_PER_FEATURE * view.num_features());
        (self.num_entries(rows) / min_entries).clamp(1, rayon::current_num_threads())
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
            (Histogram::Dense(mut sums), Histogram::Sparse { places, sums: taken }) => {
                for (&place, &taken) in places.iter().zip(taken) {
                    sums[place as usize] -= taken;
                }
                Histogram::Dense(sums)
            }
            (Histogram::Sparse { places, sums }, child) => self.subtract_sparse(places, sums, child),
        }
    }

    fn subtract_sparse(&mut self, places: Vec<u32>, mut sums: Vec<S>, child: &Histogram<S>) -> Histogram<S> {
        let Histogram::Sparse { places: taken_places, sums: taken } = child else {
            unreachable!("within a sparse histogram only sparse ones are made");
        };
        for (&place, &taken) in taken_places.iter().zip(taken) {
            self.touched[place as usize] = taken;
        }
        for (&place, sum) in places.iter().zip(&mut sums) {
            let taken = std::mem::replace(&mut self.touched[place as usize], S::UNTOUCHED);
            if taken != S::UNTOUCHED {
                *sum -= taken;
            }
        }
        Histogram::Sparse { places, sums }
    }

    /// Takes back the memory of a histogram.
    pub(super) fn recycle(&mut self, histogram: Histogram<S>) {
        if let Histogram::Dense(sums) = histogram {
            self.spare.push(sums);
        }
    }
}

fn block_counts(view: &DatasetView<'_>) -> Vec<i64> {
    let num_features = view.num_features() as u32;
    (0..num_features)
        .step_by(BLOCK)
        .map(|start| {
            let block = start..num_features.min(start + BLOCK as u32);
            block.map(|place| view.max_count(place) as i64).max().unwrap_or(0)
        })
        .collect()
}

fn add_all<S: WeightSum>(view: &DatasetView<'_>, rows: &[u32], weights: &[S], sums: &mut [S]) {
    view.for_each_entry(rows, weights, |place, weight| sums[place as usize] += weight);
}

fn table_of<S: WeightSum>(view: &DatasetView<'_>, rows: &[u32], weights: &[S]) -> Vec<S> {
    let mut table = vec![S::default(); view.num_features()];
    add_all(view, rows, weights, &mut table);
    table
}

fn add_tables<S: WeightSum>(tables: &[Vec<S>], sums: &mut [S]) {
    sums.par_chunks_mut(MERGE_CHUNK).enumerate().for_each(|(chunk, sums)| {
        for table in tables {
            let more = &table[chunk * MERGE_CHUNK..];
            sums.iter_mut().zip(more).for_each(|(sum, &more)| *sum += more);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use crate::{Dataset, DatasetBuilder};

    fn random_dataset(num_rows: usize, num_features: u64, per_row: usize) -> Dataset {
        let mut rng = Rng::new(5);
        let mut builder = DatasetBuilder::with_num_features(num_features as u32).unwrap();
        for _ in 0..num_rows {
            let row: Vec<u32> = (0..per_row).map(|_| rng.below(num_features) as u32).collect();
            builder.push_row(&row).unwrap();
        }
        builder.finish()
    }

    fn naive(view: &DatasetView<'_>, rows: &[u32], weights: &[i64]) -> Vec<i64> {
        let sum = |feature| {
            let is_active = |row: u32| view.is_active(row as usize, feature);
            rows.iter().zip(weights).filter(|&(&row, _)| is_active(row)).map(|(_, &weight)| weight).sum()
        };
        (0..view.num_features() as u32).map(sum).collect()
    }

    fn table(histogram: &Histogram<i64>, num_features: usize) -> Vec<i64> {
        let mut table = vec![0; num_features];
        match histogram {
            Histogram::Dense(sums) => table.copy_from_slice(sums),
            Histogram::Sparse { places, sums } => {
                places.iter().zip(sums).for_each(|(&place, &sum)| table[place as usize] = sum);
            }
        }
        table
    }

    #[test]
    fn children_of_every_size_agree_with_the_naive_sums() {
        let dataset = random_dataset(40, 400, 20);
        let view = DatasetView::plain(&dataset);
        let mut histograms = Histograms::new(&view);
        let rows: Vec<u32> = (0..40).collect();
        let weights: Vec<i64> = rows.iter().map(|&row| i64::from(row % 7) - 3).collect();
        for size in [0, 1, 3, 8, 30, 40] {
            let parent = histograms.build_dense(&view, &rows, &weights);
            let child = histograms.build(&view, &rows[..size], &weights[..size], &parent);
            assert_eq!(table(&child, 400), naive(&view, &rows[..size], &weights[..size]));
            let rest = histograms.subtract(parent, &child);
            assert_eq!(table(&rest, 400), naive(&view, &rows[size..], &weights[size..]));
            histograms.recycle(rest);
            histograms.recycle(child);
        }
    }

    #[test]
    fn sparse_less_sparse() {
        let dataset = random_dataset(40, 4000, 20);
        let view = DatasetView::plain(&dataset);
        let mut histograms = Histograms::new(&view);
        let rows: Vec<u32> = (0..30).collect();
        let weights: Vec<i64> = rows.iter().map(|&row| i64::from(row) - 11).collect();
        let parent = histograms.build_sparse(&view, &rows, &weights);
        let child = histograms.build(&view, &rows[..9], &weights[..9], &parent);
        let rest = histograms.subtract(parent, &child);
        assert_eq!(table(&rest, 4000), naive(&view, &rows[9..], &weights[9..]));
    }

    #[test]
    fn threads_share_the_rows() {
        let dataset = random_dataset(9000, 300, 40);
        let view = DatasetView::plain(&dataset);
        let rows: Vec<u32> = (0..9000).collect();
        let weights: Vec<i64> = rows.iter().map(|&row| i64::from(row % 101) - 50).collect();
        let expected = naive(&view, &rows, &weights);
        for num_threads in [1, 2, 3, 7] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(num_threads).build().unwrap();
            let sums = pool.install(|| Histograms::new(&view).build_dense(&view, &rows, &weights));
            assert_eq!(table(&sums, 300), expected);
        }
    }
}
