//! Features as places in a list of weights: the first is that of the base score, the others follow in the order in
//! which they were first seen.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::model::FeatureWeights;

/// The place of the weight of the base score.
pub(super) const BASE: usize = 0;

/// Counts the sentences that features occur in.
#[derive(Debug, Default)]
pub(super) struct FeatureCounts {
    /// For each feature its first sentence, and in how many it was seen.
    seen: HashMap<u64, (u32, u32), FxBuildHasher>,
    order: Vec<u64>,
}

impl FeatureCounts {
    pub(super) fn see(&mut self, sentence: u32, feature: u64) {
        let order = &mut self.order;
        let (last, count) = self.seen.entry(feature).or_insert_with(|| {
            order.push(feature);
            (sentence, 1)
        });
        if *last != sentence {
            (*last, *count) = (sentence, *count + 1);
        }
    }

    /// The features that occur in at least so many sentences.
    pub(super) fn index(self, min_count: u32) -> FeatureIndex {
        let Self { seen, order } = self;
        let features: Vec<u64> = order.into_iter().filter(|feature| seen[feature].1 >= min_count).collect();
        drop(seen);
        FeatureIndex::new(features)
    }
}

/// The places of features.
#[derive(Debug, Default)]
pub(super) struct FeatureIndex {
    places: HashMap<u64, u32, FxBuildHasher>,
    /// The features, in the order of their places from 1 on.
    pub(super) features: Vec<u64>,
}

impl FeatureIndex {
    fn new(features: Vec<u64>) -> Self {
        let places = (BASE as u32 + 1..).zip(&features).map(|(place, feature)| (*feature, place)).collect();
        Self { places, features }
    }

    /// The place of a feature.
    pub(super) fn get(&self, feature: u64) -> Option<u32> {
        self.places.get(&feature).copied()
    }

    /// How many weights there are, that of the base score included.
    pub(super) fn num_weights(&self) -> usize {
        self.features.len() + 1
    }
}

/// Weights as a model file has them.
pub(super) fn rounded(weights: &[f32]) -> Vec<f32> {
    let step = FeatureWeights::step(weights[1..].iter().copied());
    let round = |&weight: &f32| (weight / step).round() * step;
    std::iter::once(weights[0]).chain(weights[1..].iter().map(round)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_counted_once_a_sentence() {
        let mut counts = FeatureCounts::default();
        for (sentence, feature) in [(0, 7), (0, 9), (0, 9), (1, 7), (2, 5), (3, 5)] {
            counts.see(sentence, feature);
        }
        let index = counts.index(2);
        assert_eq!((&index.features[..], index.num_weights()), (&[7, 5][..], 3));
        assert_eq!((index.get(7), index.get(9), index.get(5)), (Some(1), None, Some(2)));
    }
}
