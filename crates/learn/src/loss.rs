//! The logistic loss and its derivative, finite for every finite margin.
//!
//! The naive forms overflow: `ln(1 + exp(-margin))` is infinite from a margin of -710 on. Everything in boughs that
//! has a logistic loss or a probability from a score calls the functions of this module.

use serde::{Deserialize, Serialize};

/// The loss of a margin z = y·h that a booster lowers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LossForm {
    /// ln(1 + exp(-z)): an example weighs 1/(1 + exp(z)).
    #[default]
    Logistic,
    /// exp(-z), which is also what an example weighs: AdaBoost (TM05, footnote 2).
    Exponential,
}

impl LossForm {
    /// The loss of an example, times its bias.
    #[inline]
    pub(crate) fn loss(self, signed_bias: f64, score: f64) -> f64 {
        match self {
            Self::Logistic => weighted_loss(signed_bias, score),
            Self::Exponential => self.signed_weight(signed_bias, score).abs(),
        }
    }

    /// y·w: the weight of an example with the sign of its label.
    #[inline]
    pub(crate) fn signed_weight(self, signed_bias: f64, score: f64) -> f64 {
        match self {
            Self::Logistic => signed_weight(signed_bias, score),
            Self::Exponential => signed_bias * (-margin(signed_bias, score)).exp(),
        }
    }
}

/// The logistic loss `ln(1 + exp(-margin))`.
///
/// ```
/// use boughs_learn::loss::log_loss;
/// assert_eq!(log_loss(0.0), 2f64.ln());
/// assert_eq!(log_loss(-1e300), 1e300);
/// ```
#[inline]
pub fn log_loss(margin: f64) -> f64 {
    if margin > 0.0 { (-margin).exp().ln_1p() } else { margin.exp().ln_1p() - margin }
}

/// The probability `1 / (1 + exp(-score))` of a positive label. `sigmoid(-margin)` is how fast the loss falls as the
/// margin grows.
///
/// ```
/// use boughs_learn::loss::sigmoid;
/// assert_eq!([-1e300, 0.0, 1e300].map(sigmoid), [0.0, 0.5, 1.0]);
/// ```
#[inline]
pub fn sigmoid(score: f64) -> f64 {
    // An exponential that overflows to infinity gives 0, which is right.
    1.0 / (1.0 + (-score).exp())
}

/// The margin y·h of a score, given the sign of y.
#[inline]
pub(crate) fn margin(signed_bias: f64, score: f64) -> f64 {
    if signed_bias < 0.0 { -score } else { score }
}

/// The loss of an example, times its bias.
#[inline]
pub(crate) fn weighted_loss(signed_bias: f64, score: f64) -> f64 {
    signed_bias.abs() * log_loss(margin(signed_bias, score))
}

/// y·w: the weight of an example with the sign of its label, minus the derivative of its loss by its score.
#[inline]
pub(crate) fn signed_weight(signed_bias: f64, score: f64) -> f64 {
    signed_bias * sigmoid(-margin(signed_bias, score))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_naive_formula() {
        for margin in [-30.0, -3.0, -0.1, 0.0, 0.1, 3.0, 30.0] {
            let naive = (1.0 + f64::exp(-margin)).ln();
            assert!((log_loss(margin) - naive).abs() < 1e-12 * (1.0 + naive));
        }
    }

    #[test]
    fn extreme_margins_are_finite() {
        for size in [710.0, 746.0, 1e6, 1e300, 1e308, f64::MAX] {
            assert_eq!(log_loss(-size), size);
            assert!((0.0..1e-300).contains(&log_loss(size)));
            assert!((0.0..1e-300).contains(&sigmoid(-size)));
            assert_eq!(sigmoid(size), 1.0);
            assert_eq!(weighted_loss(-0.5, size), 0.5 * size);
            assert_eq!((signed_weight(-2.0, size), signed_weight(2.0, -size)), (-2.0, 2.0));
        }
        assert_eq!((log_loss(f64::INFINITY), log_loss(f64::NEG_INFINITY)), (0.0, f64::INFINITY));
    }

    #[test]
    fn losses_of_small_probabilities_are_exact() {
        assert!((log_loss(50.0) / (-50.0f64).exp() - 1.0).abs() < 1e-15);
        assert!((log_loss(700.0) / (-700.0f64).exp() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn the_sigmoid_is_minus_the_derivative() {
        for margin in [-5.0, -1.0, 0.0, 0.5, 4.0] {
            let slope = (log_loss(margin + 1e-6) - log_loss(margin - 1e-6)) / 2e-6;
            assert!((sigmoid(-margin) + slope).abs() < 1e-8);
        }
    }

    #[test]
    fn signed_weight_is_minus_the_derivative_by_the_score() {
        for (signed_bias, score) in [(0.5, 1.0), (-2.0, 1.0), (-2.0, -3.0)] {
            let loss = |score| weighted_loss(signed_bias, score);
            let slope = (loss(score + 1e-6) - loss(score - 1e-6)) / 2e-6;
            assert!((signed_weight(signed_bias, score) + slope).abs() < 1e-8);
        }
    }
}
