//! The confidence of a leaf (TM06, listing 1, step 12): the θ that minimises
//!
//! > Σ b(i) ln(1 + exp(-y(i) (h(i) + θ))) + λ |θ|
//!
//! over all examples i of the leaf. The naive form is bisection on the derivative, which has one zero because the
//! objective is convex. Newton's steps get there in about five passes; bisection takes over when one leaves the
//! bracket.
//!
//! The gradient left behind is at most λ, exactly: otherwise a leaf that stops a hair short asks for the same tree
//! again for ever. So the confidence is rounded away from 0, to a number that a [`Forest`](crate::model::Forest) can
//! hold: what is learnt here and what is scored there are the same bits.

use rayon::prelude::*;

use super::fixed::FixedPoint;
use super::loss;
use crate::model::round_confidence_up;

/// A confidence is found to this relative precision.
const TOLERANCE: f64 = 1e-8;

/// Bisection alone ends sooner; this only bounds what no one foresaw.
const MAX_PASSES: usize = 200;

/// Examples that one thread sums at a time.
const CHUNK: usize = 1 << 13;

/// An example of a leaf: y(i)·b(i) and h(i).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LeafExample {
    pub(super) signed_bias: f64,
    pub(super) score: f64,
}

/// The θ that minimises the objective; 0 unless the gradient at 0 exceeds the penalty.
pub(super) fn confidence(examples: &[LeafExample], penalty: i64, fixed: FixedPoint) -> f64 {
    let leaf = LeafProblem { examples, penalty, fixed };
    let gradient = leaf.slopes(0.0).gradient;
    if gradient.abs() <= penalty {
        return 0.0;
    }
    let sign = if gradient > 0 { 1.0 } else { -1.0 };
    sign * round_confidence_up(leaf.zero_of_excess(sign))
}

struct LeafProblem<'a> {
    examples: &'a [LeafExample],
    penalty: i64,
    fixed: FixedPoint,
}

/// Minus the first and the second derivative of the loss.
#[derive(Clone, Copy, Default)]
struct Slopes {
    gradient: i64,
    curvature: i64,
}

impl LeafProblem<'_> {
    /// The smallest size of θ, for θ of this sign, at which the gradient does not exceed the penalty.
    fn zero_of_excess(&self, sign: f64) -> f64 {
        let (mut low, mut high) = (0.0, f64::INFINITY);
        let mut size = 0.0;
        for _ in 0..MAX_PASSES {
            let slopes = self.slopes(sign * size);
            let excess = (slopes.gradient as f64).mul_add(sign, -(self.penalty as f64));
            let step = excess / slopes.curvature as f64;
            if self.is_excessive(slopes.gradient, sign) {
                low = size;
            } else {
                high = size;
                if -step <= TOLERANCE * size {
                    break;
                }
            }
            if high.is_finite() && high - low <= TOLERANCE * high {
                break;
            }
            // Steps aim a little beyond the zero, because it is approached from below and must be passed.
            size = inside(low, high, (size + step) * (1.0 + TOLERANCE / 2.0));
        }
        high
    }

    fn is_excessive(&self, gradient: i64, sign: f64) -> bool {
        (if sign > 0.0 { gradient } else { -gradient }) > self.penalty
    }

    fn slopes(&self, theta: f64) -> Slopes {
        self.examples
            .par_chunks(CHUNK)
            .map(|chunk| chunk_slopes(chunk, theta, self.fixed))
            .reduce(Slopes::default, Slopes::plus)
    }
}

impl Slopes {
    fn plus(self, other: Self) -> Self {
        Self { gradient: self.gradient + other.gradient, curvature: self.curvature + other.curvature }
    }
}

fn chunk_slopes(examples: &[LeafExample], theta: f64, fixed: FixedPoint) -> Slopes {
    let mut sums = Slopes::default();
    for example in examples {
        let weight = loss::signed_weight(example.signed_bias, example.score + theta);
        sums.gradient += fixed.weight(weight);
        sums.curvature += fixed.weight(weight.abs() * (1.0 - weight / example.signed_bias));
    }
    sums
}

/// The step if it stays in the bracket; otherwise its middle, or a doubling while it is open.
fn inside(low: f64, high: f64, step: f64) -> f64 {
    if low < step && step < high {
        step
    } else if high.is_finite() {
        0.5 * (low + high)
    } else {
        2.0 * low + 1.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn objective(examples: &[LeafExample], penalty: f64, theta: f64) -> f64 {
        let loss_of = |example: &LeafExample| loss::weighted_loss(example.signed_bias, example.score + theta);
        examples.iter().map(loss_of).sum::<f64>() + penalty * theta.abs()
    }

    /// Golden-section search (Kiefer 1953).
    fn minimum(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
        let ratio = 0.5 * (5f64.sqrt() - 1.0);
        for _ in 0..200 {
            let (left, right) = (high - ratio * (high - low), low + ratio * (high - low));
            if f(left) <= f(right) { high = right } else { low = left }
        }
        0.5 * (low + high)
    }

    fn examples(raw: &[(f64, bool, f64)]) -> Vec<LeafExample> {
        let signed = |bias: f64, is_positive: bool| if is_positive { bias } else { -bias };
        raw.iter()
            .map(|&(bias, is_positive, score)| LeafExample { signed_bias: signed(bias, is_positive), score })
            .collect()
    }

    fn fixed_for(examples: &[LeafExample]) -> FixedPoint {
        FixedPoint::for_total(examples.iter().map(|example| example.signed_bias.abs()).sum())
    }

    #[test]
    fn one_example_in_closed_form() {
        // b / (1 + exp(θ)) = λ
        let examples = examples(&[(1.0, true, 0.0)]);
        let fixed = fixed_for(&examples);
        let theta = confidence(&examples, fixed.penalty(0.2), fixed);
        assert!((theta - 4f64.ln()).abs() < 1e-7);
        assert_eq!(confidence(&examples, fixed.penalty(0.5), fixed), 0.0);
    }

    #[test]
    fn scores_far_out_are_brought_back() {
        let examples = examples(&[(1.0, true, -900.0), (1.0, false, 900.0), (1.0, true, -800.0)]);
        let fixed = fixed_for(&examples);
        let theta = confidence(&examples, fixed.penalty(0.1), fixed);
        assert!((theta - 800.0).abs() < 10.0, "{theta}");
    }

    proptest! {
        #[test]
        fn is_the_minimum(
            raw in prop::collection::vec((0.01..3.0f64, any::<bool>(), -6.0..6.0f64), 1..30),
            penalty in 0.01..4.0f64,
        ) {
            let examples = examples(&raw);
            let fixed = fixed_for(&examples);
            let units = fixed.penalty(penalty);
            let theta = confidence(&examples, units, fixed);
            let golden = minimum(|theta| objective(&examples, penalty, theta), -30.0, 30.0);
            prop_assert!((theta - golden).abs() < 1e-5, "{theta} {golden}");
            prop_assert!(objective(&examples, penalty, theta) <= objective(&examples, penalty, 0.0) + 1e-12);
            let left = LeafProblem { examples: &examples, penalty: units, fixed }.slopes(theta).gradient;
            prop_assert!(left.abs() <= units);
        }
    }
}
