//! Which feature of a histogram is worth most.
//!
//! The naive form looks at every sum. Where worth grows towards both ends, only the smallest and the largest sum
//! matter, and no sum exceeds the count of its feature times the largest weight, so that most features need no look
//! at all.

use rayon::prelude::*;

use super::histogram::{BLOCK, Histogram};
use super::numbering::Numbering;
use super::sums::WeightSum;

/// Features that one thread looks at.
const CHUNK: usize = 1 << 15;

/// What a search needs to know besides the histogram.
#[derive(Debug, Clone, Copy)]
pub struct Scan<'a> {
    /// What no sum of a block of features exceeds.
    pub(super) bounds: &'a [i64],
    pub(super) numbering: &'a Numbering,
}

/// A feature and what splitting by it is worth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SplitCandidate<V> {
    pub(super) feature: u32,
    pub(super) value: V,
}

impl<V: PartialOrd> SplitCandidate<V> {
    /// The larger value wins, and the smaller feature among equals.
    fn better(self, other: Self) -> Self {
        let is_other =
            other.value > self.value || (other.value == self.value && other.feature < self.feature);
        if is_other { other } else { self }
    }
}

impl<S: WeightSum> Histogram<S> {
    /// The feature of the largest value, the smallest such feature among equals.
    pub(super) fn best<V: PartialOrd + Copy + Send>(
        &self,
        scan: Scan<'_>,
        value: impl Fn(S) -> V + Sync,
    ) -> Option<SplitCandidate<V>> {
        match self {
            Self::Dense(sums) => sums
                .par_chunks(CHUNK)
                .enumerate()
                .filter_map(|(chunk, sums)| {
                    let first = (chunk * CHUNK) as u32;
                    best_of((first..).zip(sums.iter().copied()), scan.numbering, &value)
                })
                .reduce_with(SplitCandidate::better),
            Self::Sparse { places, sums } => {
                best_of(places.iter().copied().zip(sums.iter().copied()), scan.numbering, &value)
            }
        }
    }
}

fn best_of<S, V: PartialOrd + Copy>(
    sums: impl Iterator<Item = (u32, S)>,
    numbering: &Numbering,
    value: impl Fn(S) -> V,
) -> Option<SplitCandidate<V>> {
    let mut best: Option<(u32, V)> = None;
    for (place, sum) in sums {
        let value = value(sum);
        let is_better = best.is_none_or(|(other, largest)| {
            value > largest || (value == largest && numbering.number(place) < numbering.number(other))
        });
        if is_better {
            best = Some((place, value));
        }
    }
    best.map(|(place, value)| SplitCandidate { feature: numbering.number(place), value })
}

impl Histogram<i64> {
    /// The feature of the largest worth, the smallest such feature among equals, where worth grows towards both ends:
    /// no sum within `-b..=b` is worth more than the better of `-b` and `b`.
    pub(super) fn best_extreme(
        &self,
        scan: Scan<'_>,
        worth: impl Fn(i64) -> i64,
    ) -> Option<SplitCandidate<i64>> {
        let (low, high) = self.extremes(scan.bounds, &worth)?;
        let value = worth(low).max(worth(high));
        let ends = [low, high].into_iter().filter(|&end| worth(end) == value);
        let feature = ends.filter_map(|end| self.first_with(end, scan)).min()?;
        Some(SplitCandidate { feature, value })
    }

    /// What the best feature is worth, under the same condition.
    pub(super) fn best_worth(&self, scan: Scan<'_>, worth: impl Fn(i64) -> i64) -> Option<i64> {
        self.extremes(scan.bounds, &worth).map(|(low, high)| worth(low).max(worth(high)))
    }

    /// The smallest and the largest sum, as far as they may decide.
    fn extremes(&self, bounds: &[i64], worth: impl Fn(i64) -> i64) -> Option<(i64, i64)> {
        match self {
            Self::Dense(sums) => dense_extremes(sums, bounds, worth),
            Self::Sparse { sums, .. } => (!sums.is_empty()).then(|| extremes_of(sums)),
        }
    }

    /// The smallest number of a feature with this sum.
    fn first_with(&self, wanted: i64, scan: Scan<'_>) -> Option<u32> {
        let number_of = |(place, _)| scan.numbering.number(place);
        match self {
            Self::Dense(sums) => {
                let blocks = (0u32..).step_by(BLOCK).zip(sums.chunks(BLOCK)).zip(scan.bounds);
                let blocks =
                    blocks.filter(|&((_, sums), &bound)| bound >= wanted.abs() && sums.contains(&wanted));
                let places = blocks.flat_map(|((first, sums), _)| (first..).zip(sums));
                places.filter(|&(_, &sum)| sum == wanted).map(number_of).min()
            }
            Self::Sparse { places, sums } => {
                let places = places.iter().copied().zip(sums);
                places.filter(|&(_, &sum)| sum == wanted).map(number_of).min()
            }
        }
    }
}

fn dense_extremes(sums: &[i64], bounds: &[i64], worth: impl Fn(i64) -> i64) -> Option<(i64, i64)> {
    let better_of = |(low, high): (i64, i64)| worth(low).max(worth(high));
    let mut found = None;
    for (sums, &bound) in sums.chunks(BLOCK).zip(bounds) {
        found = match found {
            None => Some(extremes_of(sums)),
            Some(found) if better_of((-bound, bound)) < better_of(found) => Some(found),
            Some((lowest, highest)) => {
                let (low, high) = extremes_of(sums);
                Some((lowest.min(low), highest.max(high)))
            }
        };
    }
    found
}

fn extremes_of(sums: &[i64]) -> (i64, i64) {
    sums.iter().fold((i64::MAX, i64::MIN), |(low, high), &sum| (low.min(sum), high.max(sum)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn ties_go_to_the_smaller_number() {
        let identity = Numbering::default();
        let scan = Scan { bounds: &[], numbering: &identity };
        let dense = Histogram::Dense(vec![1i64, 5, 2, 5]);
        assert_eq!(dense.best(scan, |sum| sum), Some(SplitCandidate { feature: 1, value: 5 }));
        let sparse = Histogram::Sparse { places: vec![9, 4, 6], sums: vec![5i64, 5, 1] };
        assert_eq!(sparse.best(scan, |sum| sum), Some(SplitCandidate { feature: 4, value: 5 }));
        assert_eq!(Histogram::<i64>::Dense(Vec::new()).best(scan, |sum| sum), None);
        // Places 0 to 3 are the numbers 3, 2, 1 and 0.
        let reversed = Numbering::by_count(&[1, 2, 3, 4]);
        let scan = Scan { bounds: &[], numbering: &reversed };
        assert_eq!(dense.best(scan, |sum| sum), Some(SplitCandidate { feature: 0, value: 5 }));
    }

    #[test]
    fn the_best_extreme_is_the_best_of_all() {
        let mut rng = Rng::new(2);
        for round in 0..200 {
            let len = 1 + rng.below(5 * BLOCK as u64) as usize;
            let size = 1 + rng.below(1000);
            let sums: Vec<i64> = (0..len)
                .map(|place| (rng.below(2 * size + 1) as i64 - size as i64) / (1 + place as i64 / 300))
                .collect();
            let bounds: Vec<i64> = sums
                .chunks(BLOCK)
                .map(|block| block.iter().map(|sum| sum.abs()).max().unwrap() + round % 3)
                .collect();
            let counts: Vec<u32> = (0..len).map(|_| rng.below(50) as u32).collect();
            let numbering = if round % 2 == 0 { Numbering::by_count(&counts) } else { Numbering::default() };
            let scan = Scan { bounds: &bounds, numbering: &numbering };
            let total = rng.below(400) as i64 - 200;
            let worth = |sum: i64| sum.abs().max((total - sum).abs());
            let dense = Histogram::Dense(sums.clone());
            let best = dense.best(scan, worth);
            assert_eq!(dense.best_extreme(scan, worth), best);
            assert_eq!(dense.best_worth(scan, worth), best.map(|best| best.value));
            let sparse = Histogram::Sparse {
                places: (0..len as u32).rev().collect(),
                sums: sums.into_iter().rev().collect(),
            };
            assert_eq!(sparse.best_extreme(scan, worth), best);
        }
        let scan = Scan { bounds: &[], numbering: &Numbering::default() };
        assert_eq!(Histogram::Dense(Vec::new()).best_extreme(scan, |sum| sum), None);
        assert_eq!(
            Histogram::Sparse { places: Vec::new(), sums: Vec::new() }.best_worth(scan, |sum| sum),
            None
        );
    }
}
