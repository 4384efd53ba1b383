//! Confidences made true: a rising curve from what a parser says to how often it was right.
//!
//! A temperature has one number to bend all confidences by. Development trees tell more: phrases in the order of their
//! confidence are put into groups of equal size, and the share of each that is right is made to rise by pooling
//! neighbours that fall (isotonic regression: Zadrozny & Elkan 2002). Between the groups the curve is straight. Phrases
//! keep their order.

use serde::{Deserialize, Serialize};

/// Groups before any are pooled. Fewer bend the curve less; with more, a group of a small treebank is a few phrases.
const NUM_GROUPS: usize = 40;

/// A rising curve of straight lines from confidences to probabilities.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ConfidenceCurve {
    /// A confidence and its probability, in rising order.
    knots: Vec<(f64, f64)>,
}

/// Phrases of similar confidence.
#[derive(Debug, Clone, Copy, Default)]
struct Group {
    phrases: f64,
    confidence: f64,
    right: f64,
}

impl Group {
    fn join(self, other: Self) -> Self {
        Self {
            phrases: self.phrases + other.phrases,
            confidence: self.confidence + other.confidence,
            right: self.right + other.right,
        }
    }

    fn accuracy(&self) -> f64 {
        self.right / self.phrases
    }
}

impl ConfidenceCurve {
    /// The curve of phrases: the confidence in each, and whether it is right. Nothing without phrases.
    pub fn fit(mut phrases: Vec<(f64, bool)>) -> Option<Self> {
        phrases.retain(|(confidence, _)| confidence.is_finite());
        phrases.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut rising: Vec<Group> = Vec::new();
        for mut group in groups(&phrases) {
            while let Some(last) = rising.pop_if(|last| last.accuracy() >= group.accuracy()) {
                group = last.join(group);
            }
            rising.push(group);
        }
        let knot = |group: &Group| (group.confidence / group.phrases, group.accuracy());
        let knots: Vec<(f64, f64)> = rising.iter().map(knot).collect();
        (!knots.is_empty()).then_some(Self { knots })
    }

    /// The probability of a phrase with this confidence.
    pub fn probability(&self, confidence: f64) -> f64 {
        let above = self.knots.partition_point(|knot| knot.0 <= confidence);
        match (self.knots[..above].last(), self.knots.get(above)) {
            (Some(&(from, low)), Some(&(to, high))) => low + (high - low) * (confidence - from) / (to - from),
            (Some(&(_, end)), None) | (None, Some(&(_, end))) => end,
            (None, None) => confidence,
        }
    }

    /// Whether confidences and probabilities rise, and the latter are some.
    pub(crate) fn is_sound(&self) -> bool {
        let rises = |pair: &[(f64, f64)]| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1;
        let is_one = |&(confidence, probability): &(f64, f64)| {
            confidence.is_finite() && (0.0..=1.0).contains(&probability)
        };
        self.knots.windows(2).all(rises) && self.knots.iter().all(is_one)
    }
}

/// Phrases in order, in groups of equal size; those of equal confidence are not parted.
fn groups(phrases: &[(f64, bool)]) -> Vec<Group> {
    let size = phrases.len().div_ceil(NUM_GROUPS);
    let mut groups: Vec<Group> = Vec::new();
    for alike in phrases.chunk_by(|a, b| a.0 == b.0) {
        let group = Group {
            phrases: alike.len() as f64,
            confidence: alike[0].0 * alike.len() as f64,
            right: alike.iter().filter(|(_, is_right)| *is_right).count() as f64,
        };
        match groups.last_mut().filter(|last| last.phrases < size as f64) {
            Some(last) => *last = last.join(group),
            None => groups.push(group),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    fn repeated(confidence: f64, right: usize, wrong: usize) -> Vec<(f64, bool)> {
        (0..right + wrong).map(|number| (confidence, number < right)).collect()
    }

    #[test]
    fn by_hand() {
        assert_eq!(ConfidenceCurve::fit(Vec::new()), None);
        // The shares are 1/4, 3/4, 1/2 and 1: the second and the third fall, and are pooled to 5/8 at 0.65.
        let phrases =
            [repeated(0.2, 1, 3), repeated(0.6, 3, 1), repeated(0.7, 2, 2), repeated(0.9, 4, 0)].concat();
        let curve = ConfidenceCurve::fit(phrases).expect("phrases");
        for (confidence, expected) in [
            (0.0, 0.25),
            (0.2, 0.25),
            (0.425, 0.4375),
            (0.65, 0.625),
            (0.775, 0.8125),
            (0.9, 1.0),
            (1.0, 1.0),
        ] {
            assert!((curve.probability(confidence) - expected).abs() < 1e-12, "{confidence}");
        }
        assert!(curve.is_sound());
    }

    /// The shares that fit best of all that rise: no others, in steps of an eighth, have less squared error.
    #[test]
    fn no_rising_shares_fit_better() {
        let mut rng = Rng::new(7);
        for _ in 0..50 {
            let counts: Vec<usize> = (0..4).map(|_| rng.below(9) as usize).collect();
            let phrases = counts.iter().enumerate();
            let phrases: Vec<_> =
                phrases.flat_map(|(place, &right)| repeated(place as f64, right, 8 - right)).collect();
            let curve = ConfidenceCurve::fit(phrases).expect("phrases");
            let error = |share: &dyn Fn(usize) -> f64| -> f64 {
                counts
                    .iter()
                    .enumerate()
                    .map(|(place, &right)| (right as f64 / 8.0 - share(place)).powi(2))
                    .sum()
            };
            // Pooled places have the share of their pool; the curve between pools is not a part of the fit.
            let fitted: Vec<f64> = pools(&counts);
            let own = error(&|place| fitted[place]);
            for code in 0..9usize.pow(4) {
                let shares =
                    [code % 9, code / 9 % 9, code / 81 % 9, code / 729].map(|eighth| eighth as f64 / 8.0);
                assert!(!shares.is_sorted() || own <= error(&|place| shares[place]) + 1e-9, "{counts:?}");
            }
            assert!(curve.is_sound());
            assert!((curve.probability(-1.0) - fitted[0]).abs() < 1e-12);
            assert!((curve.probability(9.0) - fitted[3]).abs() < 1e-12);
        }
    }

    /// The fitted share of each place, by the formula of minimum and maximum over all runs around it.
    fn pools(counts: &[usize]) -> Vec<f64> {
        let mean = |from: usize, to: usize| {
            counts[from..=to].iter().sum::<usize>() as f64 / (8 * (to - from + 1)) as f64
        };
        let of = |place: usize| {
            (0..=place)
                .map(|from| (place..counts.len()).map(|to| mean(from, to)).fold(f64::INFINITY, f64::min))
                .fold(0.0, f64::max)
        };
        (0..counts.len()).map(of).collect()
    }

    #[test]
    fn curves_of_damaged_files_are_told() {
        for knots in [
            vec![(0.5, 0.2), (0.4, 0.3)],
            vec![(0.4, 0.3), (0.5, 0.2)],
            vec![(0.5, 1.5)],
            vec![(f64::NAN, 0.5)],
            vec![(0.5, 0.2), (0.5, 0.3)],
        ] {
            assert!(!ConfidenceCurve { knots }.is_sound());
        }
    }
}
