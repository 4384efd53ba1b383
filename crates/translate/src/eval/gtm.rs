//! Precision, recall and F over maximum matchings (Turian, Shen and Melamed 2003, "Evaluation of Machine Translation
//! and its Evaluation").
//!
//! A matching pairs words of the candidate with equal words of the reference, none twice. Neighbours paired with
//! neighbours form runs. The size of a matching is (Σ length^e)^(1/e) over its runs, and the measure is the largest
//! size of any matching, as a share of the candidate (precision) or of the reference (recall). With exponent 1 it is
//! the number of shared words; above, longer runs weigh more.
//!
//! The naive form tries all matchings. Words that stand once in both sentences have no choice, and pairing them never
//! hurts; for the others the choices are gone through from left to right, and of those that leave the same words of
//! the reference, and the same run open, only the best is followed. Where repeated words leave too many choices (the
//! problem contains minimum common string partition, which is NP-hard), the longest runs are taken first, as the
//! authors' program does, and the match says that it may not be the largest.

use rustc_hash::FxHashMap;

/// Choices followed at the same time; beyond, the longest runs are taken first.
const MAX_STATES: usize = 20_000;

/// No word of the reference.
const NONE: u32 = u32::MAX;

/// The match of a candidate with a reference, or of many.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct GtmMatch {
    /// The size of the largest matching.
    pub size: f64,
    /// The words of the candidate.
    pub candidate: u64,
    /// The words of the reference.
    pub reference: u64,
    /// Sentences for which the matching may not be the largest.
    pub num_inexact: u64,
}

impl GtmMatch {
    /// The size as a share of the candidate; 0 if that is empty.
    pub fn precision(&self) -> f64 {
        if self.candidate == 0 { 0.0 } else { self.size / self.candidate as f64 }
    }

    /// The size as a share of the reference; 0 if that is empty.
    pub fn recall(&self) -> f64 {
        if self.reference == 0 { 0.0 } else { self.size / self.reference as f64 }
    }

    /// The harmonic mean of precision and recall.
    pub fn f1(&self) -> f64 {
        let words = (self.candidate + self.reference) as f64;
        if words == 0.0 { 0.0 } else { 2.0 * self.size / words }
    }
}

impl std::ops::AddAssign for GtmMatch {
    fn add_assign(&mut self, other: Self) {
        self.size += other.size;
        self.candidate += other.candidate;
        self.reference += other.reference;
        self.num_inexact += other.num_inexact;
    }
}

/// Matches sentences with an exponent.
///
/// ```
/// use boughs_translate::eval::GtmMatcher;
///
/// let (candidate, reference) = (["the", "cat", "sat"], ["sat", "the", "cat"]);
/// assert_eq!(GtmMatcher::new(1.0).score(&candidate, &reference).size, 3.0);
/// assert_eq!(GtmMatcher::new(2.0).score(&candidate, &reference).size, 5f64.sqrt());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GtmMatcher {
    exponent: f64,
}

/// What is left of the past: which ambiguous words of the reference are taken (by bit), the word paired last, and how
/// long its run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct GtmState {
    taken: u64,
    last: u32,
    length: u32,
}

/// The choices of the words of a candidate.
struct Choices {
    /// By candidate word: the equal words of the reference.
    options: Vec<Vec<u32>>,
    /// By candidate word: whether there are fewer of them than of equal words in the candidate, so that it may go
    /// without.
    may_skip: Vec<bool>,
    /// By word of the reference: its bit, if more than one candidate word could have it, or there are more such words.
    bits: Vec<Option<u32>>,
}

impl GtmMatcher {
    /// A matcher with an exponent, which is taken as 1 if it is less.
    pub fn new(exponent: f64) -> Self {
        Self { exponent: if exponent > 1.0 { exponent } else { 1.0 } }
    }

    /// The largest matching of a candidate with a reference.
    pub fn score<W: AsRef<str>>(&self, candidate: &[W], reference: &[W]) -> GtmMatch {
        let choices = Choices::new(candidate, reference);
        let (sum, is_exact) = match choices.best(self.exponent) {
            Some(sum) => (sum, true),
            None => (choices.greedy(self.exponent), false),
        };
        GtmMatch {
            size: sum.powf(1.0 / self.exponent),
            candidate: candidate.len() as u64,
            reference: reference.len() as u64,
            num_inexact: u64::from(!is_exact),
        }
    }
}

impl Choices {
    fn new<W: AsRef<str>>(candidate: &[W], reference: &[W]) -> Self {
        let mut places: FxHashMap<&str, (Vec<u32>, usize)> = FxHashMap::default();
        for (index, word) in (0u32..).zip(reference) {
            places.entry(word.as_ref()).or_default().0.push(index);
        }
        for word in candidate {
            places.entry(word.as_ref()).or_default().1 += 1;
        }
        let of = |word: &W| &places[word.as_ref()];
        let mut bits = 0u32..;
        let mut bit = |word: &W| {
            let (options, num_candidates) = of(word);
            let is_ambiguous = *num_candidates > 0 && options.len().max(*num_candidates) > 1;
            is_ambiguous.then(|| bits.next()).flatten()
        };
        Self {
            bits: reference.iter().map(&mut bit).collect(),
            options: candidate.iter().map(|word| of(word).0.clone()).collect(),
            may_skip: candidate.iter().map(|word| of(word).0.len() < of(word).1).collect(),
        }
    }

    /// The largest Σ length^e, unless there are too many choices.
    fn best(&self, exponent: f64) -> Option<f64> {
        if exponent == 1.0 {
            return Some(self.greedy(1.0));
        }
        if self.bits.iter().flatten().count() > 64 {
            return None;
        }
        let start = GtmState { taken: 0, last: NONE, length: 0 };
        let mut states = FxHashMap::from_iter([(start, 0.0)]);
        for (options, &may_skip) in self.options.iter().zip(&self.may_skip) {
            let mut next: FxHashMap<GtmState, f64> = FxHashMap::default();
            let mut follow = |state: GtmState, sum: f64| {
                let best = next.entry(state).or_insert(sum);
                *best = best.max(sum);
            };
            #[expect(clippy::iter_over_hash_type, reason = "a maximum does not depend on the order")]
            for (&state, &sum) in &states {
                let closed = sum + power(state.length, exponent);
                if may_skip || options.is_empty() {
                    follow(GtmState { last: NONE, length: 0, ..state }, closed);
                }
                for &option in options {
                    let bit = self.bits[option as usize].map_or(0, |bit| 1 << bit);
                    let goes_on = state.last != NONE && state.last + 1 == option;
                    let (length, sum) = if goes_on { (state.length + 1, sum) } else { (1, closed) };
                    if state.taken & bit == 0 {
                        follow(GtmState { taken: state.taken | bit, last: option, length }, sum);
                    }
                }
            }
            if next.len() > MAX_STATES {
                return None;
            }
            states = next;
        }
        states.iter().map(|(state, sum)| sum + power(state.length, exponent)).reduce(f64::max)
    }

    /// Σ length^e of the longest runs, one after the other; of equals the one that comes first.
    fn greedy(&self, exponent: f64) -> f64 {
        let mut is_free = [vec![true; self.options.len()], vec![true; self.bits.len()]];
        let mut sum = 0.0;
        while let Some((starts, length)) = self.longest(&is_free) {
            for (is_free, start) in is_free.iter_mut().zip(starts) {
                is_free[start..start + length].fill(false);
            }
            sum += power(length as u32, exponent);
        }
        sum
    }

    /// Where the longest run of free words starts on both sides, and its length.
    fn longest(&self, [candidate, reference]: &[Vec<bool>; 2]) -> Option<([usize; 2], usize)> {
        let mut best = None;
        for (start, options) in self.options.iter().enumerate() {
            for option in options.iter().map(|&option| option as usize) {
                let is_pair = |length: &usize| {
                    let (one, other) = (start + length, option + length);
                    candidate.get(one) == Some(&true)
                        && reference.get(other) == Some(&true)
                        && self.options[one].contains(&(other as u32))
                };
                let length = (0..).take_while(is_pair).count();
                if length > best.map_or(0, |(_, length)| length) {
                    best = Some(([start, option], length));
                }
            }
        }
        best
    }
}

fn power(length: u32, exponent: f64) -> f64 {
    f64::from(length).powf(exponent)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The largest Σ length^e of all matchings, one by one.
    fn slow(candidate: &[String], reference: &[String], exponent: f64) -> f64 {
        fn all(
            candidate: &[String],
            reference: &[String],
            pairs: &mut Vec<Option<usize>>,
            exponent: f64,
        ) -> f64 {
            let index = pairs.len();
            if index == candidate.len() {
                return sum(pairs, exponent);
            }
            let mut best: f64 = 0.0;
            let options =
                (0..reference.len()).filter(|&other| reference[other] == candidate[index]).map(Some);
            for option in options.chain([None]) {
                if option.is_none() || !pairs.contains(&option) {
                    pairs.push(option);
                    best = best.max(all(candidate, reference, pairs, exponent));
                    pairs.pop();
                }
            }
            best
        }
        fn sum(pairs: &[Option<usize>], exponent: f64) -> f64 {
            let (mut sum, mut length) = (0.0, 0);
            for (index, pair) in pairs.iter().enumerate() {
                let before = index.checked_sub(1).and_then(|before| pairs[before]);
                let goes_on = pair.is_some() && before.map(|before| before + 1) == *pair;
                if !goes_on {
                    sum += power(length, exponent);
                    length = 0;
                }
                length += u32::from(pair.is_some());
            }
            sum + power(length, exponent)
        }
        all(candidate, reference, &mut Vec::new(), exponent)
    }

    #[test]
    fn an_empty_sentence_matches_nothing() {
        let score = GtmMatcher::new(2.0).score(&[], &["a"]);
        assert_eq!((score.precision(), score.recall(), score.f1()), (0.0, 0.0, 0.0));
        assert_eq!(GtmMatcher::new(1.0).score::<&str>(&[], &[]).f1(), 0.0);
    }

    #[test]
    fn too_many_choices_are_not_followed() {
        let words = vec!["a"; 70];
        let score = GtmMatcher::new(2.0).score(&words, &words);
        assert_eq!((score.size, score.num_inexact), (70.0, 1));
    }

    #[test]
    fn the_longest_run_first_is_not_always_best() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let (candidate, reference) = (words("a b c x y a b"), words("a b x y a b c"));
        let score = GtmMatcher::new(2.0).score(&candidate, &reference);
        assert_eq!(score.num_inexact, 0);
        assert!((score.size.powi(2) - slow(&candidate, &reference, 2.0)).abs() < 1e-9);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn the_best_matching_is_that_of_all(
            candidate in prop::collection::vec("[abcd]", 0..7),
            reference in prop::collection::vec("[abcd]", 0..7),
            exponent in prop::sample::select(vec![1.0, 1.5, 2.0]),
        ) {
            let score = GtmMatcher::new(exponent).score(&candidate, &reference);
            let expected = slow(&candidate, &reference, exponent).powf(1.0 / exponent);
            prop_assert!((score.size - expected).abs() < 1e-9, "{} {expected}", score.size);
        }
    }
}
