//! The logistic loss of a margin (TM06, equations 6 and 12), safe for margins of any size.

/// ln(1 + exp(-margin)).
#[inline]
pub(super) fn log_loss(margin: f64) -> f64 {
    if margin > 0.0 { (-margin).exp().ln_1p() } else { margin.exp().ln_1p() - margin }
}

/// 1 / (1 + exp(margin)): how fast the loss falls as the margin grows. Times the bias, an example's weight.
#[inline]
pub(super) fn steepness(margin: f64) -> f64 {
    1.0 / (1.0 + margin.exp())
}

/// The margin y·h of a score, given the sign of y.
#[inline]
pub(super) fn margin(signed_bias: f64, score: f64) -> f64 {
    if signed_bias < 0.0 { -score } else { score }
}

/// y·w: the weight of an example with the sign of its label, minus the derivative of its loss by its score.
#[inline]
pub(super) fn signed_weight(signed_bias: f64, score: f64) -> f64 {
    signed_bias * steepness(margin(signed_bias, score))
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
        assert_eq!(log_loss(-1e6), 1e6);
        assert_eq!(log_loss(1e6), 0.0);
        assert_eq!((steepness(-1e6), steepness(1e6)), (1.0, 0.0));
    }

    #[test]
    fn steepness_is_minus_the_derivative() {
        for margin in [-5.0, -1.0, 0.0, 0.5, 4.0] {
            let slope = (log_loss(margin + 1e-6) - log_loss(margin - 1e-6)) / 2e-6;
            assert!((steepness(margin) + slope).abs() < 1e-8);
        }
    }

    #[test]
    fn signed_weight_is_minus_the_derivative_by_the_score() {
        for (signed_bias, score) in [(0.5, 1.0), (-2.0, 1.0), (-2.0, -3.0)] {
            let loss = |score| f64::abs(signed_bias) * log_loss(margin(signed_bias, score));
            let slope = (loss(score + 1e-6) - loss(score - 1e-6)) / 2e-6;
            assert!((signed_weight(signed_bias, score) + slope).abs() < 1e-8);
        }
    }
}
