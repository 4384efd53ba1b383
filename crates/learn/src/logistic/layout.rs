//! Where the weight of a feature and a class is among the parameters.
//!
//! The weights of a feature stand together, features in order.

use super::labels::Labels;
use crate::{Dataset, Error, ErrorKind, Result};
use std::ops::Range;

/// How the weights of a feature meet the classes.
pub(super) trait WeightLayout: Sync {
    /// Where the weights of a feature are. `num_features` gives the empty range after the last.
    fn range(&self, feature: u32) -> Range<usize>;

    /// Adds the weights of some features to the scores of their classes.
    fn add_to_scores(&self, features: impl Iterator<Item = u32>, weights: &[f64], scores: &mut [f64]);

    /// Adds the classes' residuals to the slopes of a feature's weights, which are at this range.
    fn add_to_slopes(&self, range: Range<usize>, residuals: &[f64], slopes: &mut [f64]);

    /// The class of the weight at a place in a range.
    fn class(&self, range: &Range<usize>, place: usize) -> u32;
}

/// Class 1 of two.
#[derive(Debug, Clone)]
pub(super) struct OneClass {
    pub(super) num_features: u32,
}

/// Some pairs, or all. Frequent features meet all classes, and most of the work is theirs: they take the short way.
#[derive(Debug, Clone)]
pub(super) struct ClassPairs {
    /// Where the weights of each feature start, and twice where the last ones end.
    starts: Vec<usize>,
    classes: Vec<u32>,
}

impl WeightLayout for OneClass {
    fn range(&self, feature: u32) -> Range<usize> {
        let start = feature as usize;
        start..start + usize::from(feature < self.num_features)
    }

    fn add_to_scores(&self, features: impl Iterator<Item = u32>, weights: &[f64], scores: &mut [f64]) {
        scores[1] += features.map(|feature| weights[feature as usize]).sum::<f64>();
    }

    fn add_to_slopes(&self, _: Range<usize>, residuals: &[f64], slopes: &mut [f64]) {
        slopes[0] += residuals[1];
    }

    fn class(&self, _: &Range<usize>, _: usize) -> u32 {
        1
    }
}

impl WeightLayout for ClassPairs {
    fn range(&self, feature: u32) -> Range<usize> {
        self.starts[feature as usize]..self.starts[feature as usize + 1]
    }

    fn add_to_scores(&self, features: impl Iterator<Item = u32>, weights: &[f64], scores: &mut [f64]) {
        for feature in features {
            let range = self.range(feature);
            let (classes, weights) = (&self.classes[range.clone()], &weights[range]);
            if classes.len() == scores.len() {
                add(scores, weights);
                continue;
            }
            for (&class, weight) in classes.iter().zip(weights) {
                scores[class as usize] += weight;
            }
        }
    }

    fn add_to_slopes(&self, range: Range<usize>, residuals: &[f64], slopes: &mut [f64]) {
        if slopes.len() == residuals.len() {
            return add(slopes, residuals);
        }
        for (&class, slope) in self.classes[range].iter().zip(slopes) {
            *slope += residuals[class as usize];
        }
    }

    fn class(&self, range: &Range<usize>, place: usize) -> u32 {
        self.classes[range.start + place]
    }
}

fn add(target: &mut [f64], values: &[f64]) {
    target.iter_mut().zip(values).for_each(|(target, value)| *target += value);
}

impl ClassPairs {
    /// All pairs.
    pub(super) fn all(num_features: u32, num_classes: usize) -> Self {
        let num_features = num_features as usize;
        let mut starts: Vec<usize> = (0..=num_features).map(|feature| feature * num_classes).collect();
        starts.push(num_features * num_classes);
        Self { starts, classes: (0..num_classes as u32).cycle().take(num_features * num_classes).collect() }
    }

    /// The pairs seen together in a row that counts.
    pub(super) fn observed(dataset: &Dataset, labels: &Labels) -> Self {
        let words = labels.num_classes().div_ceil(64);
        let mut seen = vec![0u64; dataset.num_features() * words];
        for row in (0..dataset.num_rows()).filter(|&row| labels.weight(row) > 0.0) {
            let class = labels.class(row);
            for feature in dataset.row_places(row) {
                seen[feature as usize * words + class / 64] |= 1 << (class % 64);
            }
        }
        let mut starts = vec![0];
        let mut classes = Vec::new();
        for bits in seen.chunks(words) {
            classes.extend(ones(bits));
            starts.push(classes.len());
        }
        starts.push(classes.len());
        Self { starts, classes }
    }
}

/// The numbers of the bits that are set.
fn ones(words: &[u64]) -> impl Iterator<Item = u32> {
    (0u32..).zip(words).flat_map(|(index, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros())?;
            rest &= rest - 1;
            Some(64 * index + bit)
        })
    })
}

/// The number of features as a feature number, and a refusal of weights beyond what can be addressed.
pub(super) fn check_size(dataset: &Dataset, num_classes: usize) -> Result<u32> {
    let too_large = || {
        let message = format!("{} features times {num_classes} classes", dataset.num_features());
        Error::new(ErrorKind::TooLarge, message).hint("use observed pairs only")
    };
    dataset.num_features().checked_mul(num_classes).ok_or_else(too_large)?;
    u32::try_from(dataset.num_features()).map_err(|_| too_large())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DatasetBuilder;

    #[test]
    fn observed_pairs_come_in_order() {
        let mut builder = DatasetBuilder::with_num_features(4).unwrap();
        for row in [&[0, 2][..], &[0], &[2, 3], &[3]] {
            builder.push_row(row).unwrap();
        }
        let labels = Labels::new(vec![70, 0, 70, 1], 71).unwrap();
        let labels = labels.with_weights(vec![1.0, 1.0, 1.0, 0.0]).unwrap();
        let sparse = ClassPairs::observed(&builder.finish(), &labels);
        assert_eq!(sparse.starts, [0, 2, 2, 3, 4, 4]);
        assert_eq!(sparse.classes, [0, 70, 70, 70]);
        assert_eq!(sparse.range(4), 4..4);
    }
}
