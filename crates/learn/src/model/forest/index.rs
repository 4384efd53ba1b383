//! From a feature to the tests that ask for it.
//!
//! Of a row's active features most are in no tree, so what counts is how fast that is seen. One bit a feature says
//! whether it is in any tree: a million features take 125 kB, which stay in the cache. The tests of a feature are
//! found by counting the bits before its own, for which every word of 64 bits has the count at its start.

/// The tests, by feature.
#[derive(Debug, Clone)]
pub(super) struct TestIndex<T> {
    /// One bit a feature: whether there is a test of it.
    bits: Vec<u64>,
    /// Per word of bits, how many are set before it.
    ranks: Vec<u32>,
    /// Per feature with a test, where its tests start; and the number of all.
    starts: Vec<u32>,
    /// In the order of features.
    tests: Vec<T>,
}

impl<T: Copy> TestIndex<T> {
    /// The index of tests that are sorted by feature.
    pub(super) fn new(tests: &[(u32, T)]) -> Self {
        let num_features = tests.last().map_or(0, |&(feature, _)| feature as usize + 1);
        let mut bits = vec![0u64; num_features.div_ceil(64)];
        let mut starts = vec![0];
        for same in tests.chunk_by(|a, b| a.0 == b.0) {
            let feature = same[0].0;
            bits[feature as usize / 64] |= 1 << (feature % 64);
            starts.push(starts[starts.len() - 1] + same.len() as u32);
        }
        let mut rank = 0;
        let ranks = bits.iter().map(|word| {
            let before = rank;
            rank += word.count_ones();
            before
        });
        Self { ranks: ranks.collect(), bits, starts, tests: tests.iter().map(|&(_, test)| test).collect() }
    }

    /// The tests of a feature, in the order in which they were given.
    #[inline]
    pub(super) fn tests(&self, feature: u32) -> &[T] {
        let (word, bit) = (feature as usize / 64, 1u64 << (feature % 64));
        match self.bits.get(word) {
            Some(bits) if bits & bit != 0 => {
                let rank = (self.ranks[word] + (bits & (bit - 1)).count_ones()) as usize;
                &self.tests[self.starts[rank] as usize..self.starts[rank + 1] as usize]
            }
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::piece::Test;
    use super::*;

    #[test]
    fn every_feature_finds_its_tests_and_no_other() {
        let features: Vec<u32> = (0..500).map(|number| number * 37).chain([1 << 20, (1 << 20) + 1]).collect();
        let test = |feature: u32| Test { piece: feature / 2, keep: u64::from(feature) };
        let tests: Vec<(u32, Test)> = features.iter().map(|&feature| (feature, test(feature))).collect();
        let index = TestIndex::new(&tests);
        for &feature in &features {
            assert_eq!(index.tests(feature), [test(feature)]);
        }
        assert!((0..500).all(|number| index.tests(number * 37 + 1).is_empty()));
        assert!(index.tests(u32::MAX).is_empty());
    }

    #[test]
    fn an_empty_index_finds_nothing() {
        assert!(TestIndex::<Test>::new(&[]).tests(0).is_empty());
    }
}
