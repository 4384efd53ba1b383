//! Frozen weights: for each feature the tags that it speaks for or against.
//!
//! The naive form is a map from a feature's name to a number for each tag. Nearly all of these numbers are 0, so each
//! feature keeps a short list of pairs instead, and all lists stand in one array. The map is an open hash table whose
//! keys are hashes already; a small filter before it, which stays in the cache, turns most unknown features away.
//! Weights are whole numbers times one scale, so that sums are exact in any order and a pair takes four bytes.

use super::TagId;
use crate::error::{Error, ErrorKind, Result};

/// A tag and its weight, in units of the scale.
pub(super) type Weight = (TagId, i16);

const _: () = assert!(size_of::<Weight>() == 4);

/// How many bits of the filter there are for a slot; one in sixteen unknown features passes.
const FILTER_BITS: usize = 8;

/// The weights of all features.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TaggerWeights {
    /// A power of two of them, at least half of them empty.
    slots: Vec<Slot>,
    /// Some bits for each slot; those of known keys are set.
    filter: Vec<u64>,
    /// The lists of all features, by name.
    weights: Vec<Weight>,
    /// How much a unit of a weight is.
    pub(super) scale: f32,
}

/// The place of a feature's list; an empty list means an empty slot.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Slot {
    key: u64,
    start: u32,
    len: u32,
}

impl TaggerWeights {
    /// Rounds weights given feature by feature in the order of their names, each feature's by tag. Those nearer to 0
    /// than `smallest` are left out.
    ///
    /// # Errors
    /// If there are 2³² weights or more, or one is not finite.
    pub(super) fn round<L>(features: &[(u64, L)], smallest: f32) -> Result<Self>
    where
        L: AsRef<[(TagId, f32)]>,
    {
        let all = || features.iter().flat_map(|(_, list)| list.as_ref());
        if let Some((_, found)) = all().find(|(_, weight)| !weight.is_finite()) {
            let message = format!("the weights of a tagger must be finite, found {found}");
            return Err(Error::new(ErrorKind::Numeric, message).hint("try a smaller rate"));
        }
        let largest = all().fold(0f32, |largest, (_, weight)| largest.max(weight.abs()));
        let scale = (largest / f32::from(i16::MAX)).max(f32::MIN_POSITIVE);
        let (mut keys, mut lengths, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        for (key, list) in features {
            let start = weights.len();
            let kept = list.as_ref().iter().filter(|(_, weight)| weight.abs() >= smallest);
            let rounded = kept.map(|&(tag, weight)| (tag, (weight / scale).round() as i16));
            weights.extend(rounded.filter(|&(_, weight)| weight != 0));
            if weights.len() > start {
                keys.push(*key);
                lengths.push(weights.len() - start);
            }
        }
        Self::new(&keys, lengths, weights, scale)
    }

    /// The table of lists that stand one after the other; keys in order, lengths not 0, and their sum that of the list.
    ///
    /// # Errors
    /// If there are 2³² weights or more.
    pub(super) fn new(
        keys: &[u64],
        lengths: impl IntoIterator<Item = usize>,
        weights: Vec<Weight>,
        scale: f32,
    ) -> Result<Self> {
        if u32::try_from(weights.len()).is_err() {
            let message = format!("a tagger has at most 2^32 - 1 weights, found {}", weights.len());
            return Err(Error::new(ErrorKind::TooLarge, message));
        }
        let num_slots = (2 * keys.len()).next_power_of_two().max(2);
        let filter = vec![0; num_slots.div_ceil(64 / FILTER_BITS)];
        let mut table = Self { slots: vec![Slot::default(); num_slots], filter, weights, scale };
        let mut start = 0;
        for (&key, len) in keys.iter().zip(lengths) {
            let place = table.place(key);
            table.slots[place] = Slot { key, start: start as u32, len: len as u32 };
            let (word, bit) = table.filter_bit(key);
            table.filter[word] |= bit;
            start += len;
        }
        debug_assert_eq!(start, table.weights.len());
        Ok(table)
    }

    /// The slot of a key, or the empty one where it belongs.
    #[inline]
    fn place(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut place = key as usize & mask;
        while self.slots[place].len != 0 && self.slots[place].key != key {
            place = (place + 1) & mask;
        }
        place
    }

    /// The word and the bit of the filter that a key sets. The slot is chosen by the low bits of the key.
    #[inline]
    fn filter_bit(&self, key: u64) -> (usize, u64) {
        ((key >> 16) as usize & (self.filter.len() - 1), 1 << (key >> 58))
    }

    /// The weights of a feature; none if it is unknown.
    #[inline]
    pub(super) fn get(&self, key: u64) -> &[Weight] {
        let (word, bit) = self.filter_bit(key);
        if self.filter[word] & bit == 0 {
            return &[];
        }
        self.list(self.slots[self.place(key)])
    }

    #[inline]
    fn list(&self, slot: Slot) -> &[Weight] {
        &self.weights[slot.start as usize..][..slot.len as usize]
    }

    /// Adds the weights of features to the scores of their tags.
    pub(super) fn add_to(&self, keys: &[u64], scores: &mut [i32]) {
        for &key in keys {
            for &(tag, weight) in self.get(key) {
                scores[tag.index()] += i32::from(weight);
            }
        }
    }

    /// The features by name, with their weights.
    pub(super) fn sorted(&self) -> Vec<(u64, &[Weight])> {
        let used = self.slots.iter().filter(|slot| slot.len != 0);
        let mut features: Vec<_> = used.map(|&slot| (slot.key, self.list(slot))).collect();
        features.sort_unstable_by_key(|&(key, _)| key);
        features
    }

    /// The number of features.
    pub(super) fn num_features(&self) -> usize {
        self.slots.iter().filter(|slot| slot.len != 0).count()
    }

    /// The number of weights.
    pub(super) fn num_weights(&self) -> usize {
        self.weights.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn weights_are_rounded_and_small_ones_left_out() {
        let features = [(3, vec![(TagId(0), 2.0), (TagId(1), -0.001)]), (7, vec![(TagId(0), 0.0)])];
        let weights = TaggerWeights::round(&features, 0.01).unwrap();
        assert_eq!((weights.num_features(), weights.num_weights()), (1, 1));
        assert_eq!(weights.get(3), [(TagId(0), i16::MAX)]);
        assert_eq!(weights.get(7), []);
        assert!((f32::from(i16::MAX) * weights.scale - 2.0).abs() < 1e-6);
        TaggerWeights::round(&[(1, vec![(TagId(0), f32::NAN)])], 0.0).unwrap_err();
        TaggerWeights::round(&[(0, vec![])], 0.0).unwrap();
    }

    proptest! {
        /// Keys as near to each other as can be: the worst for an open table.
        #[test]
        fn the_table_is_a_map(map in proptest::collection::btree_map(0u64..40, 1usize..4, 0..30)) {
            let map: BTreeMap<u64, usize> = map;
            let keys: Vec<u64> = map.keys().copied().collect();
            let weights = (0..map.values().sum::<usize>()).map(|i| (TagId(i as u16), 1)).collect();
            let table = TaggerWeights::new(&keys, map.values().copied(), weights, 1.0).unwrap();
            for key in 0..60 {
                prop_assert_eq!(table.get(key).len(), map.get(&key).copied().unwrap_or(0));
            }
            prop_assert!(table.sorted().iter().flat_map(|(_, list)| *list).map(|(tag, _)| tag).is_sorted());
        }
    }
}
