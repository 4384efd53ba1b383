//! A forest as bits, for features that come in bundles.
//!
//! With an l1 penalty a tree of a hundred leaves has two or three that are not zero, and most of these ask that none
//! of some thirty features is active. A [`Forest`](super::Forest) goes through all tests of all active features, and
//! nearly all of them only say once more that a tree has nothing to add. Here a tree is the sum of its rules, one for
//! each leaf that is not zero, and a rule is a bit:
//!
//! - A word of 64 bits says which rules are broken, because a feature is active that must not be. Further words say
//!   of which rules the first feature that must be active is, of which the second, and so on; the rules of a
//!   classifier stand in the order of how many they ask for, so that there are few of these words.
//! - What a bundle of features means for all rules is a mask, computed once, and a score starts with the union of
//!   masks.
//! - Rules that are not broken and have all they ask for hold; their values are added up.
//!
//! Sums are exact, as in a forest, so the scores are the same to the bit.

use std::ops::Range;

use super::index::TestIndex;
use super::rules::{LeafRule, rules};
use super::{Forest, from_units};
use crate::error::{Error, ErrorKind, Result};

/// Rules to a word.
const WIDTH: usize = 64;

/// A mask of which fewer than one in so many words are not zero is kept as a list of these.
const SPARSE: usize = 8;

/// Ranges of words are joined if so many words, or fewer, are between them.
const GAP: usize = 8;

/// Bits to be set in a word.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Bits {
    word: u32,
    mask: u64,
}

/// Classifiers frozen for scoring by bundles of features.
#[derive(Debug, Clone)]
pub struct BitForest {
    parts: Vec<ClassifierBits>,
    /// The words before any feature is active.
    untouched: Vec<u64>,
    /// What rules add, in units, in the order of words and bits.
    values: Vec<i64>,
    index: TestIndex<Bits>,
}

/// The rules of one classifier.
#[derive(Debug, Clone, PartialEq)]
struct ClassifierBits {
    /// Its words: first those of broken rules, then those of each plane.
    words: Range<usize>,
    /// The words of broken rules.
    num_broken: usize,
    /// For the first, second, … feature that must be active, the first word of rules that have one.
    planes: Vec<usize>,
    /// Where its values start.
    first_value: usize,
}

/// The words of some classifiers, perhaps with others between them.
#[derive(Debug, Clone, Default)]
pub struct Ranges {
    ranges: Vec<Range<usize>>,
}

/// What features that are always active together mean for all rules, in [`Bundles`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bundle {
    start: u32,
    len: u32,
    is_sparse: bool,
}

/// Bundles of features of one [`BitForest`].
#[derive(Debug, Clone, Default)]
pub struct Bundles {
    sparse: Vec<Bits>,
    /// A word for each word of the forest.
    dense: Vec<u64>,
    room: Vec<u64>,
}

impl Bundle {
    /// Whether the features are in no rule.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

impl Bundles {
    /// Forgets all bundles.
    pub fn clear(&mut self) {
        self.sparse.clear();
        self.dense.clear();
    }

    /// The memory taken, in words of 64 bits.
    pub fn num_words(&self) -> usize {
        2 * self.sparse.len() + self.dense.len()
    }
}

impl BitForest {
    /// The same scores as those of a forest.
    ///
    /// # Errors
    /// If its trees are so deep that their rules have too many conditions.
    pub fn new(forest: &Forest) -> Result<Self> {
        let mut builder = BitForestBuilder::default();
        for classifier in forest.classifiers() {
            builder.add(rules(&classifier.ensemble)?);
        }
        builder.finish()
    }

    /// Finds the words of classifiers, given in increasing order.
    pub fn find_ranges(&self, classifiers: impl Iterator<Item = usize>, ranges: &mut Ranges) {
        ranges.ranges.clear();
        for classifier in classifiers {
            let words = self.parts[classifier].words.clone();
            match ranges.ranges.last_mut() {
                Some(last) if last.end + GAP >= words.start => last.end = words.end,
                _ => ranges.ranges.push(words),
            }
        }
    }

    /// Adds a bundle of features that are always active together.
    pub fn bundle(&self, features: impl IntoIterator<Item = u32>, bundles: &mut Bundles) -> Bundle {
        let Bundles { sparse, dense, room } = bundles;
        room.clear();
        room.resize(self.untouched.len(), 0);
        for bits in features.into_iter().flat_map(|feature| self.index.tests(feature)) {
            room[bits.word as usize] |= bits.mask;
        }
        let num_used = room.iter().filter(|&&mask| mask != 0).count();
        if num_used * SPARSE < room.len() {
            let start = sparse.len() as u32;
            let used = (0..).zip(&*room).filter(|&(_, &mask)| mask != 0);
            sparse.extend(used.map(|(word, &mask)| Bits { word, mask }));
            return Bundle { start, len: num_used as u32, is_sparse: true };
        }
        let start = dense.len() as u32;
        dense.extend_from_slice(room);
        Bundle { start, len: room.len() as u32, is_sparse: false }
    }

    /// Whether a feature is in a rule.
    pub fn asks_for(&self, feature: u32) -> bool {
        !self.index.tests(feature).is_empty()
    }

    /// The words before any feature is active.
    pub fn untouched(&self) -> &[u64] {
        &self.untouched
    }

    /// Starts scores of some classifiers with the features that are active in one of two others, the second
    /// of which may be empty.
    #[inline]
    pub fn start_from(&self, [one, other]: [&[u64]; 2], ranges: &Ranges, words: &mut Vec<u64>) {
        words.resize(self.untouched.len(), 0);
        for range in &ranges.ranges {
            let range = range.clone();
            words[range.clone()].copy_from_slice(&one[range.clone()]);
            if !other.is_empty() {
                words[range.clone()].iter_mut().zip(&other[range]).for_each(|(word, other)| *word |= other);
            }
        }
    }

    /// Makes a bundle of features active for some classifiers, and perhaps for others.
    #[inline]
    pub fn activate(&self, bundle: Bundle, bundles: &Bundles, ranges: &Ranges, words: &mut [u64]) {
        let place = bundle.start as usize..(bundle.start + bundle.len) as usize;
        if bundle.is_sparse {
            for bits in &bundles.sparse[place] {
                words[bits.word as usize] |= bits.mask;
            }
            return;
        }
        let mask = &bundles.dense[place];
        for range in &ranges.ranges {
            for (word, mask) in words[range.clone()].iter_mut().zip(&mask[range.clone()]) {
                *word |= mask;
            }
        }
    }

    /// The score of one of the classifiers that were started. Its words are used up.
    #[inline]
    pub fn finish(&self, classifier: usize, words: &mut [u64]) -> f64 {
        let part = &self.parts[classifier];
        let (holds, mut planes) = words[part.words.clone()].split_at_mut(part.num_broken);
        holds.iter_mut().for_each(|word| *word = !*word);
        for &first in &part.planes {
            let (plane, others) = planes.split_at_mut(part.num_broken - first);
            holds[first..].iter_mut().zip(plane).for_each(|(word, plane)| *word &= *plane);
            planes = others;
        }
        let values = &self.values[part.first_value..][..part.num_broken * WIDTH];
        let sums = holds.iter().zip(values.chunks_exact(WIDTH)).map(|(&word, values)| sum(word, values));
        from_units(sums.sum())
    }
}

/// The sum of the values whose bits are set.
#[inline]
fn sum(mut word: u64, values: &[i64]) -> i64 {
    let mut sum = 0;
    while word != 0 {
        sum += values[word.trailing_zeros() as usize % WIDTH];
        word &= word - 1;
    }
    sum
}

#[derive(Default)]
struct BitForestBuilder {
    parts: Vec<ClassifierBits>,
    untouched: Vec<u64>,
    values: Vec<i64>,
    tests: Vec<(u32, Bits)>,
}

impl BitForestBuilder {
    /// Adds the rules of the next classifier.
    fn add(&mut self, mut rules: Vec<LeafRule>) {
        rules.sort_by_key(|rule| rule.present.len());
        let num_broken = rules.len().div_ceil(WIDTH);
        let num_planes = rules.last().map_or(0, |rule| rule.present.len());
        let first_with = |number| rules.partition_point(|rule: &LeafRule| rule.present.len() <= number);
        let planes: Vec<usize> = (0..num_planes).map(|plane| first_with(plane) / WIDTH).collect();
        let start = self.untouched.len();
        // Rules that are not there are broken.
        let room = num_broken * WIDTH;
        self.push_words(0..room, |rule| rule >= rules.len());
        for (plane, &first) in planes.iter().enumerate() {
            self.push_words(first * WIDTH..room, |rule| rule < first_with(plane));
        }
        let first_value = self.values.len();
        self.values.extend(rules.iter().map(|rule| rule.value));
        self.values.resize(first_value + room, 0);
        let part = ClassifierBits { words: start..self.untouched.len(), num_broken, planes, first_value };
        for (number, rule) in rules.iter().enumerate() {
            self.add_tests(&part, number, rule);
        }
        self.parts.push(part);
    }

    fn push_words(&mut self, bits: Range<usize>, is_set: impl Fn(usize) -> bool) {
        self.untouched.extend(
            bits.step_by(WIDTH).map(|first| {
                (0..WIDTH).filter(|bit| is_set(first + bit)).fold(0, |word, bit| word | 1 << bit)
            }),
        );
    }

    fn add_tests(&mut self, part: &ClassifierBits, number: usize, rule: &LeafRule) {
        let (word, mask) = (number / WIDTH, 1 << (number % WIDTH));
        let mut add = |feature, word| self.tests.push((feature, Bits { word: word as u32, mask }));
        rule.absent.iter().for_each(|&feature| add(feature, part.words.start + word));
        let mut plane = part.words.start + part.num_broken;
        for (&feature, &first) in rule.present.iter().zip(&part.planes) {
            add(feature, plane + word - first);
            plane += part.num_broken - first;
        }
    }

    fn finish(mut self) -> Result<BitForest> {
        let too_large = || Error::new(ErrorKind::TooLarge, "a forest holds at most 2^32 conditions");
        u32::try_from(self.tests.len().max(self.untouched.len())).map_err(|_| too_large())?;
        self.tests.sort_unstable_by_key(|&(feature, bits)| (feature, bits.word));
        self.tests.dedup_by(|(feature, bits), (kept_feature, kept)| {
            let is_same = feature == kept_feature && bits.word == kept.word;
            if is_same {
                kept.mask |= bits.mask;
            }
            is_same
        });
        let Self { parts, untouched, values, tests } = self;
        Ok(BitForest { parts, untouched, values, index: TestIndex::new(&tests) })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{random_active, random_classifiers};
    use super::*;
    use crate::rng::Rng;

    /// Activates features in bundles of random sizes.
    fn activate(forest: &BitForest, active: &[u32], ranges: &Ranges, rng: &mut Rng, words: &mut [u64]) {
        let mut bundles = Bundles::default();
        let mut left = active;
        while !left.is_empty() {
            let (these, others) = left.split_at(1 + rng.below(left.len() as u64) as usize);
            let bundle = forest.bundle(these.iter().copied(), &mut bundles);
            assert_eq!(bundle.is_empty(), !these.iter().any(|&feature| forest.asks_for(feature)));
            forest.activate(bundle, &bundles, ranges, words);
            left = others;
        }
    }

    #[test]
    fn scores_are_those_of_the_forest_bit_for_bit() {
        let (mut ranges, mut words) = (Ranges::default(), Vec::new());
        for seed in 0..300 {
            let mut rng = Rng::new(seed);
            let num_features = 1 + rng.below(80);
            let forest = Forest::new(random_classifiers(&mut rng, num_features)).unwrap();
            let bits = BitForest::new(&forest).unwrap();
            let num_classifiers = forest.classifiers().len();
            for _ in 0..10 {
                let active = random_active(&mut rng, num_features);
                let expected = forest.score(&active, &mut forest.scratch()).to_vec();
                let asked: Vec<usize> = (0..num_classifiers).filter(|_| rng.below(2) == 0).collect();
                bits.find_ranges(asked.iter().copied(), &mut ranges);
                bits.start_from([bits.untouched(), &[]], &ranges, &mut words);
                activate(&bits, &active, &ranges, &mut rng, &mut words);
                for &classifier in &asked {
                    assert_eq!(bits.finish(classifier, &mut words), expected[classifier], "seed {seed}");
                }
            }
        }
    }

    #[test]
    fn a_score_can_go_on_from_two_others() {
        let mut rng = Rng::new(3);
        let forest = Forest::new(random_classifiers(&mut rng, 40)).unwrap();
        let bits = BitForest::new(&forest).unwrap();
        let active = random_active(&mut rng, 40);
        let parts: Vec<&[u32]> = active.chunks(active.len().div_ceil(3)).collect();
        let mut ranges = Ranges::default();
        bits.find_ranges(0..forest.classifiers().len(), &mut ranges);
        let [mut one, mut other] = [bits.untouched().to_vec(), bits.untouched().to_vec()];
        activate(&bits, parts[0], &ranges, &mut rng, &mut one);
        activate(&bits, parts[1], &ranges, &mut rng, &mut other);
        let mut words = Vec::new();
        bits.start_from([&one, &other], &ranges, &mut words);
        activate(&bits, parts[2], &ranges, &mut rng, &mut words);
        for (classifier, score) in forest.score(&active, &mut forest.scratch()).iter().enumerate() {
            assert_eq!(bits.finish(classifier, &mut words), *score);
        }
    }
}
