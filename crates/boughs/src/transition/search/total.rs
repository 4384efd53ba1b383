//! What a path is worth so far: the order in which an agenda is worked off.
//!
//! Search relies on two properties. A path only gets worse as it grows, so a partial parse that is no better than a
//! complete one can be left; and what is better stays better when both grow by the same steps, so of several paths to
//! the same state only the best counts.

use std::cmp::Ordering;

use crate::transition::guide::cost;

/// The worth of a path; the lesser is the better. The default is that of the path without a step.
pub(super) trait Total: PartialOrd + Clone + Default {
    /// That of a path of which only the sum of costs is known, if that is enough.
    fn of_cost(cost: f64) -> Option<Self>;

    /// That of the path with one more step.
    fn plus(&self, score: f64) -> Self;

    /// A score so low that with it, or less, the path is no better than `bound`. It spares most steps the exact answer.
    fn hopeless_score(&self, bound: &Self) -> f64;
}

/// Which of two is better. No total is NaN.
pub(super) fn compare<T: Total>(one: &T, other: &T) -> Ordering {
    one.partial_cmp(other).unwrap_or(Ordering::Equal)
}

/// The sum of the costs. It is never NaN: no cost is negative.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd)]
pub(super) struct AdditiveTotal(f64);

/// Relative slack for rounding: a score within it of hopeless gets the exact answer.
const SLACK: f64 = 1e-9;

impl Total for AdditiveTotal {
    fn of_cost(cost: f64) -> Option<Self> {
        Some(Self(cost))
    }

    fn plus(&self, score: f64) -> Self {
        Self(self.0 + cost(score))
    }

    /// ln(1 + exp(-score)) = left, solved for the score.
    fn hopeless_score(&self, bound: &Self) -> f64 {
        let left = (bound.0 - self.0).max(0.0);
        let score = -left.exp_m1().ln();
        score - SLACK * (1.0 + score.abs().min(f64::MAX))
    }
}

/// The negative scores, the worst first. A path is better than any that goes on from it.
#[derive(Debug, Clone, Default, PartialEq, PartialOrd)]
pub(super) struct MaxMinTotal(Box<[f64]>);

impl Total for MaxMinTotal {
    fn of_cost(_cost: f64) -> Option<Self> {
        None
    }

    /// A step that is infinitely good makes no path worse.
    fn plus(&self, score: f64) -> Self {
        if score == f64::INFINITY {
            return self.clone();
        }
        let (worse, better) = self.0.split_at(self.0.partition_point(|&other| other >= -score));
        Self([worse, &[-score], better].concat().into())
    }

    fn hopeless_score(&self, bound: &Self) -> f64 {
        bound.0.first().map_or(f64::NEG_INFINITY, |worst| (-worst).next_down())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn total<T: Total>(scores: &[f64]) -> T {
        scores.iter().fold(T::default(), |total, &score| total.plus(score))
    }

    #[test]
    fn the_highest_lowest_score_wins() {
        let better = |one: &[f64], other: &[f64]| total::<MaxMinTotal>(one) < total::<MaxMinTotal>(other);
        assert!(better(&[3.0, 1.0], &[0.5, 9.0]));
        assert!(better(&[1.0, 3.0], &[2.0, 1.0]), "the second lowest decides");
        assert!(better(&[2.0, 1.0], &[1.0, 2.0, 5.0]), "nothing is better than any score");
        assert!(total::<MaxMinTotal>(&[1.0, 2.0]) == total(&[2.0, 1.0]), "the order does not matter");
        assert!(total::<MaxMinTotal>(&[1.0, f64::INFINITY]) == total(&[1.0]));
    }

    #[test]
    fn the_lowest_sum_of_costs_wins() {
        assert!(total::<AdditiveTotal>(&[0.1, 5.0]) < total::<AdditiveTotal>(&[0.0, 5.0]));
        assert!(total::<AdditiveTotal>(&[-1.0]) < total::<AdditiveTotal>(&[0.0, 0.0]), "1.31 < 1.39");
        assert!(total::<AdditiveTotal>(&[f64::INFINITY; 3]) == AdditiveTotal::default());
    }

    #[test]
    fn every_score_is_hopeless_once_the_bound_is_reached() {
        for score in [0.0, f64::NEG_INFINITY, f64::INFINITY] {
            let reached = total::<AdditiveTotal>(&[score]);
            assert_eq!(reached.hopeless_score(&reached), f64::INFINITY);
        }
        let hopeless = AdditiveTotal::default().hopeless_score(&total::<AdditiveTotal>(&[f64::NEG_INFINITY]));
        assert_eq!(hopeless, f64::NEG_INFINITY);
    }

    fn check_laws<T: Total + std::fmt::Debug>(a: &[f64], b: &[f64], score: f64) {
        let (a, b): (T, T) = (total(a), total(b));
        assert!(a <= a.plus(score), "paths only get worse");
        if a < b {
            assert!(a.plus(score) <= b.plus(score), "better stays better");
        }
        if score <= a.hopeless_score(&b) {
            assert!(a.plus(score) >= b, "hopeless is hopeless");
        }
    }

    proptest! {
        #[test]
        fn search_can_rely_on_totals(
            a in prop::collection::vec(-5.0..5.0f64, 0..5),
            b in prop::collection::vec(-5.0..5.0f64, 1..5),
            score in -10.0..10.0f64,
        ) {
            check_laws::<AdditiveTotal>(&a, &b, score);
            check_laws::<MaxMinTotal>(&a, &b, score);
        }
    }
}
