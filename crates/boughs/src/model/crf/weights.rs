//! Weights of features, by their numbers.
//!
//! The naive form is a hash table. But the numbers are hashes already, and a file has them in order: so they are cut
//! into buckets by their first bits, a few features in each, and a table that is ready to be read is made in one pass.

/// Weights by the upper 40 bits of the numbers of features. With a million weights, a feature that has none is taken
/// for one that has in one of a million cases; and of a million features that have, one pair in two such models is
/// taken for one.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureWeights {
    /// The bits of a number behind those that say its bucket.
    rest_bits: u32,
    /// Where each bucket starts, and the end.
    starts: Vec<u32>,
    /// The rest of each number, and the weight; in the order of numbers.
    entries: Vec<(u32, f32)>,
}

/// The bits of a feature's number that are looked at, and that are not.
const SEEN_BITS: u32 = 40;
pub(super) const UNSEEN_BITS: u32 = u64::BITS - SEEN_BITS;

/// The fewest bits of a bucket that leave a rest of 32.
const MIN_BUCKET_BITS: u32 = SEEN_BITS - u32::BITS;

/// The logarithm of how many features a bucket has at least, on average; as many as are read from memory at a time.
const FEATURE_BITS: u32 = 2;

impl FeatureWeights {
    /// The weight of a feature.
    #[inline]
    pub fn get(&self, feature: u64) -> f32 {
        let bits = feature >> UNSEEN_BITS;
        let (bucket, rest) = ((bits >> self.rest_bits) as usize, self.rest(bits));
        let entries = &self.entries[self.starts[bucket] as usize..self.starts[bucket + 1] as usize];
        entries.iter().find(|entry| entry.0 == rest).map_or(0.0, |entry| entry.1)
    }

    #[inline]
    fn rest(&self, bits: u64) -> u32 {
        (bits & ((1 << self.rest_bits) - 1)) as u32
    }

    /// How many features have a weight.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The upper bits of features, and their weights, in the order of features.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, f32)> + '_ {
        let buckets = self.starts.windows(2).zip(0u64..);
        buckets.flat_map(move |(range, bucket)| {
            let entries = &self.entries[range[0] as usize..range[1] as usize];
            entries.iter().map(move |&(rest, weight)| (bucket << self.rest_bits | u64::from(rest), weight))
        })
    }

    /// Weights whose numbers rise.
    fn from_sorted(sorted: &[(u64, f32)]) -> Self {
        let bucket_bits = sorted.len().max(1).ilog2().saturating_sub(FEATURE_BITS);
        let bucket_bits = bucket_bits.clamp(MIN_BUCKET_BITS, u32::BITS);
        let rest_bits = SEEN_BITS - bucket_bits;
        let mut weights = Self { rest_bits, starts: Vec::new(), entries: Vec::with_capacity(sorted.len()) };
        weights.starts.reserve_exact((1 << bucket_bits) + 1);
        for &(bits, weight) in sorted {
            let bucket = (bits >> rest_bits) as usize;
            while weights.starts.len() <= bucket {
                weights.starts.push(weights.entries.len() as u32);
            }
            weights.entries.push((weights.rest(bits), weight));
        }
        weights.starts.resize((1 << bucket_bits) + 1, weights.entries.len() as u32);
        weights
    }
}

impl Default for FeatureWeights {
    fn default() -> Self {
        Self::from_sorted(&[])
    }
}

/// Of features that are taken for one, the first counts.
impl FromIterator<(u64, f32)> for FeatureWeights {
    fn from_iter<I: IntoIterator<Item = (u64, f32)>>(weights: I) -> Self {
        let weights = weights.into_iter().map(|(feature, weight)| (feature >> UNSEEN_BITS, weight));
        let mut weights: Vec<(u64, f32)> = weights.collect();
        if !weights.is_sorted_by(|a, b| a.0 < b.0) {
            weights.sort_by_key(|(bits, _)| *bits);
            weights.dedup_by_key(|(bits, _)| *bits);
        }
        Self::from_sorted(&weights)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_first_of_two_counts() {
        let (low, high) = (7 << UNSEEN_BITS, u64::MAX);
        let weights: FeatureWeights = [(high, 1.0), (low, 2.0), (low + 1, 3.0)].into_iter().collect();
        assert_eq!(
            (weights.len(), weights.get(low), weights.get(low + 5), weights.get(high)),
            (2, 2.0, 2.0, 1.0)
        );
        assert_eq!(weights.get(8 << UNSEEN_BITS), 0.0);
        assert!(FeatureWeights::default().is_empty() && FeatureWeights::default().get(low) == 0.0);
    }

    proptest! {
        #[test]
        fn a_table_is_a_map(numbers in prop::collection::vec((any::<u64>(), 0u32..60, -9f32..9.0), 0..600)) {
            let list = numbers.iter().map(|&(number, shift, weight)| (number >> shift << shift, weight));
            let weights: FeatureWeights = list.clone().collect();
            let mut map = BTreeMap::new();
            list.clone().for_each(|(number, weight)| _ = map.entry(number >> UNSEEN_BITS).or_insert(weight));
            prop_assert_eq!(weights.iter().collect::<Vec<_>>(), map.clone().into_iter().collect::<Vec<_>>());
            for (number, ..) in numbers {
                prop_assert_eq!(weights.get(number), map.get(&(number >> UNSEEN_BITS)).copied().unwrap_or(0.0));
            }
        }
    }
}
