//! Priority sampling (Duffield, Lund and Thorup 2007): few rows that stand for all.
//!
//! Each row of weight w draws u from (0, 1] and gets the priority w/u. The k rows of highest priority are the sample;
//! with t the highest priority left out, each counts max(w, t). The sampled weight of any set of rows then equals its
//! true weight in expectation, and no scheme of k rows with that property has a smaller total variance (Szegedy 2006).

use rayon::prelude::*;

use crate::rng::Rng;

/// Rows that share a stream of random numbers, whatever the number of threads.
const CHUNK: usize = 1 << 15;

/// A sample and its weights.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Sample {
    /// The rows in increasing order.
    pub(super) rows: Vec<u32>,
    /// What each counts: y·w, in the units given.
    pub(super) weights: Vec<i64>,
}

/// Samples `size` rows by the size of their signed weights. `draw` numbers the sample: other numbers, other samples.
/// Rows of weight 0 are never sampled; if no more than `size` are left, the sample is all of them.
pub(super) fn priority_sample(signed_weights: &[i64], size: usize, seed: u64, draw: u64) -> Sample {
    let mut priorities: Vec<(f64, u32)> = signed_weights
        .par_chunks(CHUNK)
        .enumerate()
        .flat_map_iter(|(chunk, weights)| {
            let rng = Rng::stream(seed, draw << 24 | chunk as u64);
            chunk_priorities(weights, (chunk * CHUNK) as u32, rng)
        })
        .collect();
    let threshold = keep_highest(&mut priorities, size);
    let mut rows: Vec<u32> = priorities.into_iter().map(|(_, row)| row).collect();
    rows.par_sort_unstable();
    let weights = rows.iter().map(|&row| at_least(signed_weights[row as usize], threshold)).collect();
    Sample { rows, weights }
}

fn chunk_priorities(weights: &[i64], first: u32, mut rng: Rng) -> impl Iterator<Item = (f64, u32)> + '_ {
    weights.iter().zip(first..).filter_map(move |(&weight, row)| {
        let uniform = 1.0 - rng.unit();
        (weight != 0).then(|| (weight.abs() as f64 / uniform, row))
    })
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

    fn weights() -> Vec<i64> {
        (1..=300i64).map(|row| if row % 3 == 0 { -row * row } else { 40 * row }).collect()
    }

    #[test]
    fn a_large_enough_sample_is_everything() {
        let sample = priority_sample(&[5, 0, -7], 2, 1, 0);
        assert_eq!(sample, Sample { rows: vec![0, 2], weights: vec![5, -7] });
    }

    #[test]
    fn the_sum_over_any_set_is_unbiased() {
        let weights = weights();
        let in_set = |row: &u32| row % 5 < 2;
        let truth: i64 = (0..300u32).filter(in_set).map(|row| weights[row as usize]).sum();
        let num_draws = 4000;
        let estimates: Vec<f64> = (0..num_draws)
            .map(|draw| {
                let sample = priority_sample(&weights, 100, 3, draw);
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
    fn draws_differ_and_repeat() {
        let weights = weights();
        assert_eq!(priority_sample(&weights, 10, 3, 1), priority_sample(&weights, 10, 3, 1));
        assert_ne!(priority_sample(&weights, 10, 3, 1), priority_sample(&weights, 10, 3, 2));
        assert_ne!(priority_sample(&weights, 10, 3, 1), priority_sample(&weights, 10, 4, 1));
    }
}
