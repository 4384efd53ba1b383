//! GELU (Hendrycks and Gimpel 2016): `x Φ(x)`, where `Φ` is the normal distribution's function.
//!
//! It is what a layer computes most often outside of products, four times as often as anything else: calls into the C
//! library's error function, one number at a time, would show. So it is a quotient of polynomials
//! ([`math`](crate::math)).

use std::f32::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

use crate::config::Activation;
use crate::math::{erf, exp, tanh};
use crate::simd::vectorised;

/// The factor of the cubic term of the approximation by a hyperbolic tangent.
const CUBIC: f32 = 0.044_715;
/// `sqrt(2 / π)`, the slope of its argument at zero.
const SLOPE: f32 = FRAC_2_SQRT_PI * FRAC_1_SQRT_2;

/// GELU of each number.
pub(crate) fn forward(activation: Activation, x: &[f32], out: &mut [f32]) {
    match activation {
        Activation::Gelu => map(x, out, by_erf),
        Activation::GeluTanh => map(x, out, by_tanh),
    }
}

/// Multiplies `d` by the derivative at each number.
pub(crate) fn backward(activation: Activation, x: &[f32], d: &mut [f32]) {
    match activation {
        Activation::Gelu => scale(x, d, slope_by_erf),
        Activation::GeluTanh => scale(x, d, slope_by_tanh),
    }
}

fn map(x: &[f32], out: &mut [f32], function: impl Fn(f32) -> f32) {
    vectorised!(out.iter_mut().zip(x).for_each(|(out, &x)| *out = function(x)));
}

fn scale(x: &[f32], d: &mut [f32], slope: impl Fn(f32) -> f32) {
    vectorised!(d.iter_mut().zip(x).for_each(|(d, &x)| *d *= slope(x)));
}

#[inline(always)]
fn by_erf(x: f32) -> f32 {
    0.5 * x * (1.0 + erf(x * FRAC_1_SQRT_2))
}

#[inline(always)]
fn slope_by_erf(x: f32) -> f32 {
    let density = 0.5 * SLOPE * exp(-0.5 * x * x);
    0.5 * (1.0 + erf(x * FRAC_1_SQRT_2)) + x * density
}

#[inline(always)]
fn by_tanh(x: f32) -> f32 {
    0.5 * x * (1.0 + tanh(SLOPE * (x + CUBIC * x * x * x)))
}

#[inline(always)]
fn slope_by_tanh(x: f32) -> f32 {
    let t = tanh(SLOPE * (x + CUBIC * x * x * x));
    0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * SLOPE * (1.0 + 3.0 * CUBIC * x * x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_gradient, dot, random_values};

    const BOTH: [Activation; 2] = [Activation::Gelu, Activation::GeluTanh];

    #[test]
    fn known_values() {
        // Of PyTorch, `gelu(x)` and `gelu(x, approximate="tanh")`.
        let expected = [[-0.158_655_26, 0.841_344_7, 2.995_950_2], [-0.158_808_01, 0.841_192, 2.996_362_7]];
        for (activation, expected) in BOTH.into_iter().zip(expected) {
            let mut out = [0.0; 3];
            forward(activation, &[-1.0, 1.0, 3.0], &mut out);
            assert!(out.iter().zip(expected).all(|(out, expected)| (out - expected).abs() < 2e-6), "{out:?}");
        }
    }

    #[test]
    fn gradients() {
        let x: Vec<f32> = random_values(1, 60).iter().map(|x| 3.0 * x).collect();
        let seen = random_values(2, x.len());
        for activation in BOTH {
            let mut d = seen.clone();
            backward(activation, &x, &mut d);
            assert_gradient(&x, &d, |x| {
                let mut out = vec![0.0; x.len()];
                forward(activation, x, &mut out);
                dot(&out, &seen)
            });
        }
    }
}
