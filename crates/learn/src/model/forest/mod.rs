//! Many ensembles frozen into one structure that scores a set of active features for all of them at once.
//!
//! The naive way, [`Ensemble::score`], walks every tree of every classifier and asks at each node whether its feature
//! is active. Nearly all answers are no: of a thousand trees with ten tests on a path, a few hundred tests are true.
//! A `Forest` turns the question round. From each active feature it goes to the nodes that test it, and to no others:
//!
//! - Each tree's leaves are numbered from left to right, the absent side of a split being the left one, and a bit
//!   stands for each. A true test clears the bits below its absent side; whatever the order of the tests, the lowest
//!   bit that is left is the leaf reached (QuickScorer, Lucchese et al. 2015). A tree of more than 63 leaves is cut
//!   into pieces (`piece.rs`), where an exit is a leaf or the way into another piece.
//! - A tree without a true test reaches its leftmost leaf. The sum of these is every classifier's starting point, and
//!   a leaf holds the difference from it, so trees without a true test cost nothing at all.
//! - A split whose two sides come to the same is dropped.
//!
//! **Exact sums.** The order in which trees are met depends on the features, and floating-point sums depend on the
//! order. So confidences are first rounded to multiples of 2⁻³² ([`round_confidence`]) and summed as integers. As
//! long as a sum stays below 2²⁰, which [`Forest::new`] checks, doubles represent all of this exactly: the score is
//! bit for bit (but for the sign of a zero) that of [`Ensemble::score`] on the rounded trees, in any order and on any
//! machine, and differs from the score of the trees as given by at most 2⁻³³ a tree.

mod bits;
mod explain;
mod index;
mod piece;
mod rules;
#[cfg(test)]
mod testing;

use std::ops::Range;

use crate::error::{Error, ErrorKind, Result};
use crate::model::{DecisionTree, Ensemble, TreeNode};

pub use bits::{BitForest, Bundle, Bundles, Ranges};
pub use explain::{Condition, ScoreReason};
use index::TestIndex;
use piece::{Exit, Test, UNTOUCHED};

/// How many units make a confidence of 1.
const UNITS: f64 = (1u64 << 32) as f64;

/// Sums of units that doubles represent exactly.
const MAX_SUM: u64 = 1 << 52;

/// An ensemble and what it decides about.
#[derive(Debug, Clone, PartialEq)]
pub struct Classifier {
    /// What a positive score speaks for.
    pub label: String,
    /// The trees.
    pub ensemble: Ensemble,
}

/// Classifiers frozen for scoring.
///
/// ```
/// use boughs_learn::model::{Classifier, DecisionTree, Ensemble, Forest, TreeNode};
///
/// let mut ensemble = Ensemble::new();
/// let tree = vec![
///     TreeNode::Split { feature: 7, present: 1, absent: 2 },
///     TreeNode::Leaf { confidence: 1.5 },
///     TreeNode::Leaf { confidence: -0.5 },
/// ];
/// ensemble.push(DecisionTree::new(tree), 10.0);
/// let forest = Forest::new(vec![Classifier { label: "NP".to_owned(), ensemble }])?;
///
/// let mut scratch = forest.scratch();
/// assert_eq!(forest.score(&[3, 7, 9], &mut scratch), [1.5]);
/// assert_eq!(forest.score(&[], &mut scratch), [-0.5]);
/// # Ok::<(), boughs_learn::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Forest {
    classifiers: Vec<Classifier>,
    /// Per classifier, the sum of the leaves that its trees reach when no feature is active, in units.
    base: Vec<i64>,
    /// Per classifier, its first piece; and the number of all pieces.
    first_pieces: Vec<u32>,
    /// Per piece, its first exit.
    first_exits: Vec<u32>,
    /// Per piece, the classifier of the tree that it is the top of, or `NOT_TOP`.
    owners: Vec<u32>,
    exits: Vec<Exit>,
    index: TestIndex<Test>,
}

/// The owner of a piece that is not the top of its tree.
const NOT_TOP: u32 = u32::MAX;

/// What scoring writes to; made once and used for any number of scores, by any forest.
#[derive(Debug, Clone, Default)]
pub struct ForestScratch {
    /// Per piece, the exits that are still open. All untouched between two scores.
    open: Vec<u64>,
    /// The pieces touched, in the first places.
    touched: Vec<u32>,
    num_touched: usize,
    sums: Vec<i64>,
    scores: Vec<f64>,
}

/// The nearest confidence that a [`Forest`] can hold: a multiple of 2⁻³².
pub fn round_confidence(confidence: f64) -> f64 {
    (confidence * UNITS).round_ties_even() / UNITS
}

/// The nearest confidence at least as large that a [`Forest`] can hold.
pub(crate) fn round_confidence_up(confidence: f64) -> f64 {
    (confidence * UNITS).ceil() / UNITS
}

impl Forest {
    /// Freezes classifiers, rounding their confidences.
    ///
    /// # Errors
    /// If the confidences of a classifier could add up to 2²⁰ or more, or there are more than 2³² nodes.
    pub fn new(classifiers: Vec<Classifier>) -> Result<Self> {
        let mut builder = piece::Builder::default();
        let mut frozen = Vec::with_capacity(classifiers.len());
        let mut base = Vec::with_capacity(classifiers.len());
        for classifier in classifiers {
            let classifier = Classifier { ensemble: round_all(&classifier.ensemble)?, ..classifier };
            check_sum(&classifier)?;
            base.push(builder.add_classifier(&classifier.ensemble));
            frozen.push(classifier);
        }
        let parts = builder.finish()?;
        Ok(Self {
            classifiers: frozen,
            base,
            first_pieces: parts.first_pieces,
            first_exits: parts.first_exits,
            owners: parts.owners,
            exits: parts.exits,
            index: TestIndex::new(&parts.tests),
        })
    }

    /// The classifiers, with their confidences rounded.
    pub fn classifiers(&self) -> &[Classifier] {
        &self.classifiers
    }

    /// The number of leaves that are not zero.
    pub fn num_active(&self) -> usize {
        let trees = self.classifiers.iter().flat_map(|classifier| classifier.ensemble.trees());
        trees.map(DecisionTree::num_active).sum()
    }

    /// Every classifier as it stood when its penalty had fallen to `penalty`, and no further.
    ///
    /// # Errors
    /// Never for a finished forest; see [`Forest::new`].
    pub fn at(&self, penalty: f64) -> Result<Self> {
        let earlier = |classifier: &Classifier| Classifier {
            label: classifier.label.clone(),
            ensemble: classifier.ensemble.prefix(classifier.ensemble.num_trees_at(penalty)),
        };
        Self::new(self.classifiers.iter().map(earlier).collect())
    }

    /// The classifiers whose scores are the means of those of several forests with the same labels.
    ///
    /// # Errors
    /// If there is no forest, or labels differ.
    pub fn mean(forests: &[&Self]) -> Result<Self> {
        let labels = |forest: &Self| -> Vec<String> {
            forest.classifiers.iter().map(|classifier| classifier.label.clone()).collect()
        };
        let first = forests.first().map(|forest| labels(forest)).unwrap_or_default();
        if forests.is_empty() || forests.iter().any(|forest| labels(forest) != first) {
            return Err(Error::new(
                ErrorKind::Mismatch,
                "expected classifiers of the same labels, found others",
            ));
        }
        let classifier = |(place, label): (usize, String)| {
            let of_all: Vec<&Ensemble> =
                forests.iter().map(|forest| &forest.classifiers[place].ensemble).collect();
            Classifier { label, ensemble: Ensemble::mean(&of_all) }
        };
        Self::new(first.into_iter().enumerate().map(classifier).collect())
    }

    /// Room to score in.
    pub fn scratch(&self) -> ForestScratch {
        let mut scratch = ForestScratch::default();
        scratch.fit(self.owners.len());
        scratch
    }

    /// The score of every classifier for a set of active features; their order does not matter, nor do repetitions.
    pub fn score<'s>(&self, active: &[u32], scratch: &'s mut ForestScratch) -> &'s [f64] {
        self.start(scratch);
        for &feature in active {
            self.activate(feature, scratch);
        }
        self.finish(scratch)
    }

    #[inline]
    fn start(&self, scratch: &mut ForestScratch) {
        scratch.fit(self.owners.len());
    }

    /// Makes a feature active for every classifier.
    #[inline]
    fn activate(&self, feature: u32, scratch: &mut ForestScratch) {
        for test in self.index.tests(feature) {
            scratch.touch(test);
        }
    }

    /// The score of every classifier for the features activated since [`start`](Self::start).
    fn finish<'s>(&self, scratch: &'s mut ForestScratch) -> &'s [f64] {
        scratch.sums.clear();
        scratch.sums.extend_from_slice(&self.base);
        for place in 0..scratch.num_touched {
            let piece = scratch.touched[place];
            if let Some(sum) = scratch.sums.get_mut(self.owners[piece as usize] as usize) {
                *sum += self.reached(piece, &scratch.open);
            }
        }
        scratch.reset();
        scratch.scores.clear();
        scratch.scores.extend(scratch.sums.iter().map(|&units| from_units(units)));
        &scratch.scores
    }

    /// The score of one classifier, by its own trees only.
    ///
    /// # Panics
    /// If there is no classifier of this number.
    pub fn score_one(&self, active: &[u32], classifier: usize, scratch: &mut ForestScratch) -> f64 {
        self.start(scratch);
        let pieces = self.first_pieces[classifier]..self.first_pieces[classifier + 1];
        for &feature in active {
            scratch.touch_range(self.index.tests(feature), &pieces);
        }
        self.finish_one(classifier, scratch)
    }

    fn finish_one(&self, classifier: usize, scratch: &mut ForestScratch) -> f64 {
        let mut sum = self.base[classifier];
        for &piece in &scratch.touched[..scratch.num_touched] {
            if self.owners[piece as usize] != NOT_TOP {
                sum += self.reached(piece, &scratch.open);
            }
        }
        scratch.reset();
        from_units(sum)
    }

    /// By how much the leaf reached from the top of a tree differs from the leftmost one.
    #[inline]
    fn reached(&self, top: u32, open: &[u64]) -> i64 {
        let mut piece = top as usize;
        loop {
            match self.exits[(self.first_exits[piece] + open[piece].trailing_zeros()) as usize] {
                Exit::Leaf(difference) => return difference,
                Exit::Piece(next) => piece = next as usize,
            }
        }
    }

    /// The leaves that give a classifier its score, as conjunctions: the largest first, equal conjunctions
    /// merged, zero left out. Their confidences add up to the score.
    ///
    /// # Panics
    /// If there is no classifier of this number.
    pub fn explain(&self, active: &[u32], classifier: usize) -> Vec<ScoreReason> {
        explain::reasons(&self.classifiers[classifier].ensemble, active)
    }
}

impl ForestScratch {
    /// Makes room for a forest; between two scores every piece is untouched, so no more is needed.
    fn fit(&mut self, num_pieces: usize) {
        if self.open.len() != num_pieces {
            self.open.resize(num_pieces, UNTOUCHED);
            self.touched.resize(num_pieces + 1, 0);
        }
    }

    /// Notes a true test. The place after the last is written in any case: a branch here would be a coin toss.
    #[inline]
    fn touch(&mut self, test: &Test) {
        let open = &mut self.open[test.piece as usize];
        self.touched[self.num_touched] = test.piece;
        self.num_touched += usize::from(*open == UNTOUCHED);
        *open &= test.keep;
    }

    /// Notes those of the true tests, which are in the order of pieces, that are of certain pieces.
    #[inline]
    fn touch_range(&mut self, tests: &[Test], pieces: &Range<u32>) {
        let start = tests.partition_point(|test| test.piece < pieces.start);
        for test in tests[start..].iter().take_while(|test| test.piece < pieces.end) {
            self.touch(test);
        }
    }

    fn reset(&mut self) {
        for &piece in &self.touched[..self.num_touched] {
            self.open[piece as usize] = UNTOUCHED;
        }
        self.num_touched = 0;
    }
}

/// A rounded confidence in units; nothing is lost.
fn to_units(confidence: f64) -> i64 {
    (confidence * UNITS) as i64
}

fn from_units(units: i64) -> f64 {
    units as f64 / UNITS
}

fn round_all(ensemble: &Ensemble) -> Result<Ensemble> {
    let mut rounded = Ensemble::new();
    for (tree, &penalty) in ensemble.trees().iter().zip(ensemble.penalties()) {
        let nodes = tree.nodes().iter().map(|&node| match node {
            TreeNode::Leaf { confidence } => TreeNode::Leaf { confidence: round_confidence(confidence) },
            split @ TreeNode::Split { .. } => split,
        });
        rounded.push(DecisionTree::try_new(nodes.collect())?, penalty);
    }
    Ok(rounded)
}

/// Adds up the largest leaf of each tree.
fn check_sum(classifier: &Classifier) -> Result<()> {
    let mut sum = 0.0;
    for tree in classifier.ensemble.trees() {
        let sizes = tree.nodes().iter().map(|node| match *node {
            TreeNode::Leaf { confidence } => confidence.abs(),
            TreeNode::Split { .. } => 0.0,
        });
        sum += sizes.fold(0.0, f64::max);
    }
    if sum * UNITS < MAX_SUM as f64 {
        return Ok(());
    }
    let limit = MAX_SUM as f64 / UNITS;
    Err(Error::new(
        ErrorKind::TooLarge,
        format!(
            "the scores of classifier `{}` may reach {sum}, expected less than {limit}",
            classifier.label
        ),
    )
    .hint("retrain it: confidences are logarithms of odds, and sane ones are below 100"))
}

#[cfg(test)]
mod tests {
    use super::testing::{random_active, random_classifiers};
    use super::*;
    use crate::rng::Rng;

    fn leaf(confidence: f64) -> TreeNode {
        TreeNode::Leaf { confidence }
    }

    fn naive(classifier: &Classifier, active: &[u32]) -> f64 {
        classifier.ensemble.score(|feature| active.binary_search(&feature).is_ok())
    }

    #[test]
    fn scores_are_those_of_the_naive_walk_bit_for_bit() {
        let mut scratch = ForestScratch::default();
        for seed in 0..300 {
            let mut rng = Rng::new(seed);
            let num_features = 1 + rng.below(80);
            let given = random_classifiers(&mut rng, num_features);
            let forest = Forest::new(given.clone()).unwrap();
            for _ in 0..10 {
                let active = random_active(&mut rng, num_features);
                let scores = forest.score(&active, &mut scratch).to_vec();
                assert_eq!(scores.len(), given.len());
                for (number, classifier) in forest.classifiers().iter().enumerate() {
                    assert_eq!(scores[number], naive(classifier, &active), "seed {seed}");
                    assert_eq!(
                        scores[number],
                        forest.score_one(&active, number, &mut scratch),
                        "seed {seed}"
                    );
                    assert!((scores[number] - naive(&given[number], &active)).abs() < 1e-8);
                }
            }
        }
    }

    #[test]
    fn reasons_add_up_to_the_score_and_hold() {
        for seed in 0..100 {
            let mut rng = Rng::new(seed);
            let forest = Forest::new(random_classifiers(&mut rng, 20)).unwrap();
            let active = random_active(&mut rng, 20);
            let scores = forest.score(&active, &mut forest.scratch()).to_vec();
            for (number, &score) in scores.iter().enumerate() {
                let reasons = forest.explain(&active, number);
                assert_eq!(reasons.iter().map(|reason| reason.confidence).sum::<f64>(), score);
                for condition in reasons.iter().flat_map(|reason| &reason.conditions) {
                    assert_eq!(active.binary_search(&condition.feature).is_ok(), condition.is_active);
                }
            }
        }
    }

    #[test]
    fn an_earlier_penalty_is_a_prefix() {
        let mut rng = Rng::new(1);
        let forest = Forest::new(random_classifiers(&mut rng, 20)).unwrap();
        let earlier = forest.at(97.0).unwrap();
        let active = random_active(&mut rng, 20);
        let scores = earlier.score(&active, &mut earlier.scratch()).to_vec();
        for (classifier, score) in forest.classifiers().iter().zip(scores) {
            let trees = classifier.ensemble.trees().iter().take(4);
            let expected: f64 = trees.map(|tree| tree.score(|f| active.binary_search(&f).is_ok())).sum();
            assert_eq!(score, expected);
        }
    }

    #[test]
    fn order_and_repetition_do_not_matter() {
        let mut rng = Rng::new(5);
        let forest = Forest::new(random_classifiers(&mut rng, 30)).unwrap();
        let active = random_active(&mut rng, 30);
        let mut twice = [active.clone(), active.clone()].concat();
        rng.shuffle(&mut twice);
        let mut scratch = forest.scratch();
        let once = forest.score(&active, &mut scratch).to_vec();
        assert_eq!(forest.score(&twice, &mut scratch), once);
    }

    #[test]
    fn no_classifiers_no_scores() {
        let forest = Forest::new(Vec::new()).unwrap();
        assert!(forest.score(&[1, 2], &mut forest.scratch()).is_empty());
    }

    #[test]
    fn sums_that_would_not_be_exact_are_refused() {
        let mut ensemble = Ensemble::new();
        ensemble.push(DecisionTree::new(vec![leaf(2e6)]), 1.0);
        let error = Forest::new(vec![Classifier { label: "X".to_owned(), ensemble }]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TooLarge);
    }
    #[test]
    fn the_mean_of_forests_scores_their_means() {
        for seed in 0..30 {
            let mut rng = Rng::new(seed);
            let one = Forest::new(random_classifiers(&mut rng, 20)).unwrap();
            let empty = one.classifiers().iter();
            let empty = empty.map(|it| Classifier { label: it.label.clone(), ensemble: Ensemble::new() });
            let empty = Forest::new(empty.collect()).unwrap();
            let mean = Forest::mean(&[&one, &empty, &one]).unwrap();
            let active = random_active(&mut rng, 20);
            let mut scratches = [one.scratch(), mean.scratch()];
            let [of_one, of_mean] = &mut scratches;
            for (one, mean) in one.score(&active, of_one).iter().zip(mean.score(&active, of_mean)) {
                assert!((one * 2.0 / 3.0 - mean).abs() < 1e-6, "{one} {mean}");
            }
        }
        let [one, other] =
            [1, 2].map(|seed| Forest::new(random_classifiers(&mut Rng::new(seed), 9)).unwrap());
        assert!(Forest::mean(&[]).is_err());
        assert_eq!(
            Forest::mean(&[&one, &other]).is_ok(),
            one.classifiers().len() == other.classifiers().len()
        );
    }
}
