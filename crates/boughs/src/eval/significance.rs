//! Is parser A better than parser B, or was it luck?
//!
//! **Stratified shuffling** (Cohen 1995, section 5.3.2; Yeh 2000), the test of the papers. If the parsers were
//! equally good, it would be as likely that A had returned B's tree for a sentence and B had returned A's. So swap
//! the two trees of each sentence by the toss of a coin and see how often chance alone gives a difference as large as
//! the real one. The naive form tosses n coins and adds up n sentences in each of a million trials. Three things make
//! it fast: sentences on which the parsers agree in all counts are left out; what a swap changes is one small vector,
//! so a trial is a sum of vectors over a random subset; and the sums of all subsets of eight sentences are tabled, so
//! that one random byte pays for eight of them. With so few sentences that all subsets are fewer than the trials
//! asked for, all of them are gone through and the p-value is exact.
//!
//! **Paired bootstrap**: an interval for the difference, by drawing as many sentences as there are, with
//! replacement, many times.
//!
//! Both are deterministic: trials come in numbered blocks, each with its own random stream, whatever the number of
//! threads.

use rayon::prelude::*;

use super::totals::Brackets;
use crate::rng::Rng;

/// Precision, recall and F1, or something about each of them.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Measures<T = f64> {
    /// About precision.
    pub precision: T,
    /// About recall.
    pub recall: T,
    /// About F1.
    pub f1: T,
}

/// What two parsers made of one sentence.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ParserPair {
    /// The brackets of parser A.
    pub a: Brackets,
    /// The brackets of parser B.
    pub b: Brackets,
}

/// The outcome of [`shuffle`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Significance {
    /// The probability, for each measure, of a difference at least as large, either way, if the parsers were equally
    /// good.
    pub p: Measures,
    /// How many ways of swapping were looked at.
    pub trials: u64,
    /// Whether those were all the ways there are.
    pub exact: bool,
}

/// The outcome of [`bootstrap`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The lower end, for each measure, of the difference A − B.
    pub low: Measures,
    /// The upper end.
    pub high: Measures,
}

/// The measures as shares of 1. Where nothing was returned precision is 0, where there is nothing to find recall
/// is 0: so differences are always numbers.
fn measures(brackets: Brackets) -> Measures {
    let share = |percent: Option<f64>| percent.unwrap_or(0.0) / 100.0;
    Measures {
        precision: share(brackets.precision()),
        recall: share(brackets.recall()),
        f1: share(brackets.f1()),
    }
}

impl std::ops::AddAssign for ParserPair {
    fn add_assign(&mut self, other: Self) {
        self.a += other.a;
        self.b += other.b;
    }
}

impl ParserPair {
    /// All sentences together.
    pub fn total<'p>(pairs: impl IntoIterator<Item = &'p Self>) -> Self {
        let mut total = Self::default();
        pairs.into_iter().for_each(|&pair| total += pair);
        total
    }

    /// A − B for each measure.
    pub fn difference(self) -> Measures {
        measures(self.a).zip(measures(self.b), |a, b| a - b)
    }
}

impl<T> Measures<T> {
    /// Applies a function to each measure of two sets.
    pub fn zip<U, V>(self, other: Measures<U>, mut f: impl FnMut(T, U) -> V) -> Measures<V> {
        Measures {
            precision: f(self.precision, other.precision),
            recall: f(self.recall, other.recall),
            f1: f(self.f1, other.f1),
        }
    }

    /// Applies a function to each measure.
    pub fn map<U>(self, mut f: impl FnMut(T) -> U) -> Measures<U> {
        Measures { precision: f(self.precision), recall: f(self.recall), f1: f(self.f1) }
    }
}

/// Two equal differences may come out unequal by rounding; they count as equal below this.
const ROUNDING: f64 = 1e-12;
/// Trials that share a random stream.
const BLOCK: u64 = 4096;
/// Sentences whose subsets are tabled together: as many as a byte has bits.
const GROUP: usize = 8;

/// Tests by stratified shuffling whether A and B differ; two-sided. A sampled p-value counts the real outcome as one
/// of the trials, so it is never 0.
///
/// ```
/// use boughs::eval::Brackets;
/// use boughs::eval::significance::{ParserPair, shuffle};
///
/// let better = ParserPair {
///     a: Brackets { matched: 9, gold: 10, test: 10 },
///     b: Brackets { matched: 7, gold: 10, test: 10 },
/// };
/// let outcome = shuffle(&[better; 3], 1000, 1);
/// assert!(outcome.exact);
/// assert_eq!(outcome.p.f1, 0.25); // all three swapped, or none
/// ```
pub fn shuffle(pairs: &[ParserPair], trials: u64, seed: u64) -> Significance {
    let swaps: Vec<Swap> = pairs.iter().map(swap).filter(|swap| *swap != Swap::default()).collect();
    let test = ShuffleTest {
        total: ParserPair::total(pairs),
        observed: ParserPair::total(pairs).difference().map(f64::abs),
        tables: swaps.chunks(GROUP).map(subset_sums).collect(),
    };
    let exact = swaps.len() < 64 && 1u64 << swaps.len() <= trials;
    if exact {
        let trials = 1 << swaps.len();
        let p = test.count_all(trials).map(|count| count as f64 / trials as f64);
        return Significance { p, trials, exact };
    }
    let p = test.count_sample(trials, seed).map(|count| (count + 1) as f64 / (trials + 1) as f64);
    Significance { p, trials, exact }
}

/// What swapping sentences takes from A and gives to B.
type Swap = Brackets<i64>;

fn swap(pair: &ParserPair) -> Swap {
    pair.a.zip(pair.b, |a, b| a as i64 - b as i64)
}

fn swapped(total: ParserPair, swap: Swap) -> ParserPair {
    ParserPair {
        a: total.a.zip(swap, |count, change| count.wrapping_add_signed(-change)),
        b: total.b.zip(swap, u64::wrapping_add_signed),
    }
}

/// The sum of every subset of up to eight swaps, by the bits of its number.
fn subset_sums(swaps: &[Swap]) -> Vec<Swap> {
    let mut sums = vec![Swap::default()];
    for &swap in swaps {
        for index in 0..sums.len() {
            sums.push(sums[index] + swap);
        }
    }
    // Absent sentences of the last group change nothing, whatever their bits.
    while sums.len() < 1 << GROUP {
        sums.extend_from_within(..);
    }
    sums
}

struct ShuffleTest {
    total: ParserPair,
    observed: Measures,
    tables: Vec<Vec<Swap>>,
}

impl ShuffleTest {
    fn count_all(&self, subsets: u64) -> Measures<u64> {
        count((0..subsets).map(|subset| {
            let bytes = subset.to_le_bytes();
            self.at_least_observed(bytes.into_iter())
        }))
    }

    fn count_sample(&self, trials: u64, seed: u64) -> Measures<u64> {
        let blocks: Vec<Measures<u64>> = (0..trials.div_ceil(BLOCK))
            .into_par_iter()
            .map(|block| {
                let mut rng = Rng::stream(seed, block);
                let in_block = BLOCK.min(trials - block * BLOCK);
                count((0..in_block).map(|_| self.at_least_observed(random_bytes(&mut rng))))
            })
            .collect();
        blocks.into_iter().fold(Measures::default(), |sum, block| sum.zip(block, |a, b| a + b))
    }

    /// Whether each measure's difference is as large as the real one, when a byte says which of each eight
    /// sentences are swapped.
    fn at_least_observed(&self, bytes: impl Iterator<Item = u8>) -> Measures<bool> {
        let moved = self
            .tables
            .iter()
            .zip(bytes)
            .fold(Swap::default(), |sum, (table, byte)| sum + table[usize::from(byte)]);
        let difference = swapped(self.total, moved).difference();
        difference.zip(self.observed, |trial, observed| trial.abs() >= observed - ROUNDING)
    }
}

fn random_bytes(rng: &mut Rng) -> impl Iterator<Item = u8> {
    std::iter::repeat_with(|| rng.bits().to_le_bytes()).flatten()
}

fn count(outcomes: impl Iterator<Item = Measures<bool>>) -> Measures<u64> {
    outcomes.fold(Measures::default(), |sum, outcome| sum.zip(outcome, |count, hit| count + u64::from(hit)))
}

/// An interval that holds the difference A − B with the given confidence (such as 0.95), by the percentiles of a
/// paired bootstrap of `samples` samples.
///
/// # Panics
/// If `confidence` is not within 0 and 1, or `samples` is 0.
pub fn bootstrap(pairs: &[ParserPair], confidence: f64, samples: usize, seed: u64) -> Interval {
    assert!((0.0..=1.0).contains(&confidence) && samples > 0);
    let differences: Vec<Measures> = (0..samples)
        .into_par_iter()
        .map(|sample| {
            let mut rng = Rng::stream(seed, sample as u64);
            let drawn = pairs.iter().map(|_| &pairs[rng.below(pairs.len() as u64) as usize]);
            ParserPair::total(drawn).difference()
        })
        .collect();
    let ends = |of: fn(&Measures) -> f64| percentiles(differences.iter().map(of).collect(), confidence);
    let ends = Measures { precision: ends(|m| m.precision), recall: ends(|m| m.recall), f1: ends(|m| m.f1) };
    Interval { low: ends.map(|(low, _)| low), high: ends.map(|(_, high)| high) }
}

fn percentiles(mut values: Vec<f64>, confidence: f64) -> (f64, f64) {
    values.sort_by(f64::total_cmp);
    let last = values.len() - 1;
    let outside = ((1.0 - confidence) / 2.0 * values.len() as f64) as usize;
    let low = outside.min(last);
    (values[low.min(last - low)], values[last - low.min(last - low)])
}

/// Holm's correction for testing several hypotheses at once: the probability that a difference this clear turns up
/// in any of them.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut corrected = vec![0.0; p_values.len()];
    let mut largest: f64 = 0.0;
    for (rank, &index) in order.iter().enumerate() {
        largest = largest.max(p_values[index] * (p_values.len() - rank) as f64).min(1.0);
        corrected[index] = largest;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random_pairs(rng: &mut Rng, num: usize) -> Vec<ParserPair> {
        let mut counts = |gold| {
            let test = 1 + rng.below(12);
            Brackets { matched: rng.below(test.min(gold) + 1), gold, test }
        };
        (0..num)
            .map(|index| ParserPair { a: counts(8 + index as u64 % 3), b: counts(8 + index as u64 % 3) })
            .collect()
    }

    /// Every way of swapping, spelled out.
    fn p_by_enumeration(pairs: &[ParserPair]) -> Measures {
        let observed = ParserPair::total(pairs).difference();
        let mut hits: Measures<u64> = Measures::default();
        for subset in 0..1u32 << pairs.len() {
            let swapped: Vec<ParserPair> = pairs
                .iter()
                .enumerate()
                .map(
                    |(i, pair)| {
                        if subset >> i & 1 == 1 { ParserPair { a: pair.b, b: pair.a } } else { *pair }
                    },
                )
                .collect();
            let difference = ParserPair::total(&swapped).difference();
            let hit = difference.zip(observed, |d, o| d.abs() >= o.abs() - ROUNDING);
            hits = hits.zip(hit, |count, hit| count + u64::from(hit));
        }
        hits.map(|count| count as f64 / f64::from(1u32 << pairs.len()))
    }

    #[test]
    fn exact_is_enumeration() {
        let mut rng = Rng::new(3);
        for num in [0, 1, 5, 8, 9, 11] {
            let pairs = random_pairs(&mut rng, num);
            let outcome = shuffle(&pairs, 1 << 12, 1);
            assert!(outcome.exact);
            assert_eq!(outcome.p, p_by_enumeration(&pairs));
        }
    }

    #[test]
    fn sampling_comes_close_to_enumeration() {
        let pairs = random_pairs(&mut Rng::new(5), 18);
        let exact = p_by_enumeration(&pairs);
        let sampled = shuffle(&pairs, 20_000, 9);
        assert!(!sampled.exact);
        let error = sampled.p.zip(exact, |a, b| (a - b).abs());
        assert!(error.precision < 0.02 && error.recall < 0.02 && error.f1 < 0.02, "{error:?}");
    }

    #[test]
    fn equal_parsers_differ_by_nothing() {
        let same = Brackets { matched: 3, gold: 5, test: 4 };
        let outcome = shuffle(&[ParserPair { a: same, b: same }; 50], 1000, 1);
        assert_eq!(outcome.p, Measures { precision: 1.0, recall: 1.0, f1: 1.0 });
        let interval = bootstrap(&[ParserPair { a: same, b: same }; 50], 0.95, 100, 1);
        assert_eq!((interval.low.f1, interval.high.f1), (0.0, 0.0));
    }

    #[test]
    fn any_number_of_threads_gives_the_same_numbers() {
        let pairs = random_pairs(&mut Rng::new(8), 100);
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            pool.install(|| (shuffle(&pairs, 10_000, 4), bootstrap(&pairs, 0.9, 500, 4)))
        };
        assert_eq!(on(1), on(3));
    }

    #[test]
    fn bootstrap_brackets_the_difference() {
        let pairs = random_pairs(&mut Rng::new(13), 200);
        let difference = ParserPair::total(&pairs).difference();
        let interval = bootstrap(&pairs, 0.95, 2000, 7);
        assert!(interval.low.f1 < difference.f1 && difference.f1 < interval.high.f1);
        let wider = bootstrap(&pairs, 0.99, 2000, 7);
        assert!(wider.low.f1 <= interval.low.f1 && interval.high.f1 <= wider.high.f1);
    }

    #[test]
    fn no_sentences_at_all() {
        assert_eq!(shuffle(&[], 100, 1).p.f1, 1.0);
        assert_eq!(bootstrap(&[], 0.95, 10, 1).low.f1, 0.0);
    }

    #[test]
    fn holm_by_hand() {
        let corrected = holm(&[0.01, 0.04, 0.03]);
        let expected = [0.03, 0.06, 0.06];
        assert!(corrected.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{corrected:?}");
    }
}
