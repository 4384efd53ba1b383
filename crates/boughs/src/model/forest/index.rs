//! From a feature to the tests that ask for it.
//!
//! Of a row's active features most are in no tree, so what counts is how fast that is seen. A table by feature number would
//! be the fastest if it fitted into the cache, but there are a million features and a few thousand of them in the trees.
//! So: an open-addressed hash table at most a quarter full, which one look nearly always decides.

use super::piece::Test;

/// The tests, by feature.
#[derive(Debug, Clone)]
pub(super) struct FeatureIndex {
    /// A power of two.
    slots: Vec<Slot>,
    /// By how much a hash is shifted to the right to give a slot.
    shift: u32,
    /// In the order of features, then of pieces.
    tests: Vec<Test>,
}

/// A feature and its tests; none where the slot is empty.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    feature: u32,
    start: u32,
    end: u32,
}

impl FeatureIndex {
    /// The index of tests that are sorted by feature.
    pub(super) fn new(tests: &[(u32, Test)]) -> Self {
        let num_features = tests.chunk_by(|a, b| a.0 == b.0).count();
        let num_slots = (num_features * 4).next_power_of_two().max(2);
        let mut index = Self {
            slots: vec![Slot::default(); num_slots],
            shift: 64 - num_slots.trailing_zeros(),
            tests: tests.iter().map(|&(_, test)| test).collect(),
        };
        let mut start = 0;
        for same in tests.chunk_by(|a, b| a.0 == b.0) {
            let end = start + same.len() as u32;
            index.insert(Slot { feature: same[0].0, start, end });
            start = end;
        }
        index
    }

    fn insert(&mut self, slot: Slot) {
        let mut place = self.place(slot.feature);
        while !self.slots[place].is_empty() {
            place = (place + 1) & (self.slots.len() - 1);
        }
        self.slots[place] = slot;
    }

    /// The tests of a feature, in the order of pieces.
    #[inline]
    pub(super) fn tests(&self, feature: u32) -> &[Test] {
        let mut place = self.place(feature);
        loop {
            let slot = self.slots[place & (self.slots.len() - 1)];
            if slot.feature == feature || slot.is_empty() {
                return &self.tests[slot.start as usize..slot.end as usize];
            }
            place += 1;
        }
    }

    /// The first slot to look at (Fibonacci hashing).
    #[inline]
    fn place(&self, feature: u32) -> usize {
        (u64::from(feature).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> self.shift) as usize
    }
}

impl Slot {
    fn is_empty(&self) -> bool {
        self.start == self.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_finds_its_tests_and_no_other() {
        let features: Vec<u32> = (0..500).map(|number| number * 37).chain([u32::MAX - 1, u32::MAX]).collect();
        let test = |feature: u32| Test { piece: feature / 2, keep: u64::from(feature) };
        let tests: Vec<(u32, Test)> = features.iter().map(|&feature| (feature, test(feature))).collect();
        let index = FeatureIndex::new(&tests);
        for &feature in &features {
            assert_eq!(index.tests(feature), [test(feature)]);
        }
        assert!((0..500).all(|number| index.tests(number * 37 + 1).is_empty()));
    }

    #[test]
    fn an_empty_index_finds_nothing() {
        assert!(FeatureIndex::new(&[]).tests(0).is_empty());
    }
}
