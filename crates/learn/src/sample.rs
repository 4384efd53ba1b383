//! Priority sampling (Duffield, Lund and Thorup 2007): few rows that stand for all.
//!
//! Each row of weight w draws u from (0, 1] and gets the priority w/u. The k rows of highest priority are the sample;
//! with t the highest priority left out, each counts max(w, t). The sampled weight of any set of rows then equals its
//! true weight in expectation, and no scheme of k rows with that property has a smaller total variance (Szegedy 2006).

use rayon::prelude::*;

use crate::rng::Rng;

/// Rows that share a stream of random numbers, whatever the number of threads.
const CHUNK: usize = 1 << 15;

/// Priorities are positive, so a bit of their 64 is not used, and 48 are not looked at.
const NUM_BUCKETS: usize = 1 << 15;

/// A sample and its weights.
#[derive(Debug, Default, PartialEq)]
pub(super) struct RowSample {
    /// The rows in increasing order.
    pub(super) rows: Vec<u32>,
    /// What each counts: y·w, in the units given.
    pub(super) weights: Vec<i64>,
}

/// Draws samples; keeps its memory from one to the next.
#[derive(Debug, Default)]
pub(super) struct Sampler {
    priorities: Vec<f64>,
    bucket_sizes: Vec<u32>,
}

impl Sampler {
    /// Samples `size` rows by the size of their signed weights. `draw` numbers the sample: other numbers, other
    /// samples. Rows of weight 0 are never sampled; if no more than `size` are left, the sample is all of them.
    pub(super) fn draw(&mut self, signed_weights: &[i64], size: usize, seed: u64, draw: u64) -> RowSample {
        self.priorities.resize(signed_weights.len(), 0.0);
        let chunks = self.priorities.par_chunks_mut(CHUNK).zip(signed_weights.par_chunks(CHUNK));
        chunks.enumerate().for_each(|(chunk, (priorities, weights))| {
            set_priorities(priorities, weights, Rng::stream(seed, draw << 24 | chunk as u64));
        });
        let mut candidates = self.candidates(size);
        let threshold = keep_highest(&mut candidates, size);
        let mut rows: Vec<u32> = candidates.into_iter().map(|(_, row)| row).collect();
        rows.sort_unstable();
        let weights = rows.iter().map(|&row| at_least(signed_weights[row as usize], threshold)).collect();
        RowSample { rows, weights }
    }

    /// The highest priorities and their rows: more than `size`, if there are, but not many more. Buckets of priorities
    /// say how far down to go.
    fn candidates(&mut self, size: usize) -> Vec<(f64, u32)> {
        self.bucket_sizes.clear();
        self.bucket_sizes.resize(NUM_BUCKETS, 0);
        self.priorities.iter().for_each(|&priority| self.bucket_sizes[bucket(priority)] += 1);
        let mut num_above = 0;
        let is_enough = |&bucket: &usize| {
            num_above += self.bucket_sizes[bucket] as usize;
            num_above > size
        };
        let lowest = (1..NUM_BUCKETS).rev().find(is_enough).unwrap_or(1);
        let rows = self.priorities.iter().copied().zip(0u32..);
        rows.filter(|&(priority, _)| bucket(priority) >= lowest).collect()
    }
}

/// The bucket of a priority: its exponent and four bits more. That of 0 is the first and has no other.
fn bucket(priority: f64) -> usize {
    (priority.to_bits() >> 48) as usize % NUM_BUCKETS
}

fn set_priorities(priorities: &mut [f64], weights: &[i64], mut rng: Rng) {
    for (priority, &weight) in priorities.iter_mut().zip(weights) {
        let uniform = 1.0 - rng.unit();
        *priority = weight.abs() as f64 / uniform;
    }
}

/// Cuts the list to the `size` highest; gives the highest that was cut.
fn keep_highest(priorities: &mut Vec<(f64, u32)>, size: usize) -> i64 {
    if priorities.len() <= size {
        return 0;
    }
    let (_, threshold, _) =
        priorities.select_nth_unstable_by(size, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let threshold = threshold.0 as i64;
    priorities.truncate(size);
    threshold
}

fn at_least(signed_weight: i64, threshold: i64) -> i64 {
    signed_weight.signum() * signed_weight.abs().max(threshold)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn priority_sample(weights: &[i64], size: usize, seed: u64, draw: u64) -> RowSample {
        Sampler::default().draw(weights, size, seed, draw)
    }

    fn weights() -> Vec<i64> {
        (1..=300i64).map(|row| if row % 3 == 0 { -row * row } else { 40 * row }).collect()
    }

    #[test]
    fn a_large_enough_sample_is_everything() {
        let sample = priority_sample(&[5, 0, -7], 2, 1, 0);
        assert_eq!(sample, RowSample { rows: vec![0, 2], weights: vec![5, -7] });
    }

    #[test]
    fn the_sum_over_any_set_is_unbiased() {
        let weights = weights();
        let in_set = |row: &u32| row % 5 < 2;
        let truth: i64 = (0..300u32).filter(in_set).map(|row| weights[row as usize]).sum();
        let num_draws = 4000;
        let mut sampler = Sampler::default();
        let estimates: Vec<f64> = (0..num_draws)
            .map(|draw| {
                let sample = sampler.draw(&weights, 100, 3, draw);
                assert_eq!(sample.rows.len(), 100);
                let set = sample.rows.iter().zip(&sample.weights).filter(|(row, _)| in_set(row));
                set.map(|(_, &weight)| weight as f64).sum()
            })
            .collect();
        let mean = estimates.iter().sum::<f64>() / num_draws as f64;
        let variance = estimates.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / num_draws as f64;
        let error = (variance / num_draws as f64).sqrt();
        assert!((mean - truth as f64).abs() < 4.0 * error, "{mean} {truth} {error}");
    }

    #[test]
    fn a_sample_is_the_rows_of_highest_priority() {
        let weights = weights();
        let mut priorities = vec![0.0; weights.len()];
        set_priorities(&mut priorities, &weights, Rng::stream(3, 1 << 24));
        let mut order: Vec<u32> = (0..300).collect();
        order.sort_by(|&a, &b| priorities[b as usize].total_cmp(&priorities[a as usize]));
        for size in [1, 10, 150, 299] {
            let mut rows = order[..size].to_vec();
            rows.sort_unstable();
            let sample = priority_sample(&weights, size, 3, 1);
            assert_eq!(sample.rows, rows);
            let threshold = priorities[order[size] as usize] as i64;
            assert_eq!(sample.weights[0], at_least(weights[rows[0] as usize], threshold));
        }
    }

    #[test]
    fn draws_differ_and_repeat() {
        let weights = weights();
        assert_eq!(priority_sample(&weights, 10, 3, 1), priority_sample(&weights, 10, 3, 1));
        assert_ne!(priority_sample(&weights, 10, 3, 1), priority_sample(&weights, 10, 3, 2));
        assert_ne!(priority_sample(&weights, 10, 3, 1), priority_sample(&weights, 10, 4, 1));
    }
}
