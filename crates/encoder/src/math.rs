//! Exponential, error function and hyperbolic tangent by polynomials, in forms that become vectors, and sums in lanes.
//!
//! The functions of the standard library are calls into a C library, one number at a time. Each function here is a few
//! multiplications without a branch. The bounds of their errors are stated, and checked by the tests against f64 over
//! the whole range. None uses fused multiplication and addition, so that they give the same bits on every machine.

use crate::simd::vectorised;

/// Adding it leaves no bits behind the point: the sum's low bits are the nearest whole number, for magnitudes
/// below 2^22.
const ROUND: f32 = 12_582_912.0;

/// Lanes of a sum: each adds up every sixteenth number, and a vector of any width is filled.
const LANES: usize = 16;

/// `x` limited to a range; what is no number stays so.
#[inline(always)]
fn limit(x: f32, low: f32, high: f32) -> f32 {
    let x = if x < low { low } else { x };
    if x > high { high } else { x }
}

/// `e^x` with a relative error below 1.2e-7 for x from -87 to 88; beyond that the value at the nearer end.
///
/// Cephes' way: `e^x = 2^n e^r` with a whole `n` and `|r| <= ln 2 / 2`, the second factor by a polynomial.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    /// ln 2 in two parts, the first with so few bits that its products with `n` are exact.
    const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];
    let x = limit(x, -87.0, 88.0);
    let rounded = x * std::f32::consts::LOG2_E + ROUND;
    let n = rounded - ROUND;
    let r = x - n * LN_2[0] - n * LN_2[1];
    let coefficients = [1.987_569_1e-4, 1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5];
    let power = horner(r, coefficients) * (r * r) + r + 1.0;
    power * f32::from_bits(rounded.to_bits().wrapping_add(127) << 23)
}

/// The error function with an absolute error below 5e-7, as a quotient of polynomials (Eigen's).
#[inline(always)]
pub(crate) fn erf(x: f32) -> f32 {
    let x = limit(x, -4.0, 4.0);
    let square = x * x;
    let above = [
        -2.726_142e-10,
        2.770_681_4e-8,
        -2.101_024e-6,
        -5.692_506_5e-5,
        -7.349_906_3e-4,
        -2.954_6e-3,
        -1.609_603_3e-2,
    ];
    let below = [-1.456_607_1e-5, -2.133_740_6e-4, -1.682_827e-3, -7.373_329e-3, -1.426_473_9e-2];
    x * horner(square, above) / horner(square, below)
}

/// The hyperbolic tangent with an absolute error below 5e-7, as a quotient of polynomials (Eigen's).
#[inline(always)]
pub(crate) fn tanh(x: f32) -> f32 {
    let x = limit(x, -7.9, 7.9);
    let square = x * x;
    let above = [
        -2.760_768_5e-16,
        2.000_188e-13,
        -8.604_672e-11,
        5.122_297_1e-8,
        1.485_722_4e-5,
        6.372_619_3e-4,
        4.893_524_6e-3,
    ];
    let below = [1.198_258_4e-6, 1.185_347e-4, 2.268_434_6e-3, 4.893_525e-3];
    x * horner(square, above) / horner(square, below)
}

/// The polynomial with these coefficients, the highest power first.
#[inline(always)]
fn horner<const N: usize>(x: f32, coefficients: [f32; N]) -> f32 {
    let mut value = coefficients[0];
    for &coefficient in &coefficients[1..] {
        value = value * x + coefficient;
    }
    value
}

/// The nearest whole number, the even one of two. (The standard library's way is a call, where vectors lack it.)
#[inline(always)]
pub(crate) fn nearest(x: f32) -> i32 {
    (x + ROUND).to_bits().wrapping_sub(ROUND.to_bits()) as i32
}

/// The largest magnitude of a row, 0 if there is none.
#[inline(always)]
pub(crate) fn magnitude(values: &[f32]) -> f32 {
    largest(values, 0.0, f32::abs)
}

/// The sum of `term` of every number, in [`LANES`] lanes that are added up in a fixed order.
///
/// With indices in place of slices each lane has a check of its bounds, and no vectors come of it: layer norms took
/// 10% of int8 parsing.
#[inline(always)]
pub(crate) fn sum_of(values: &[f32], term: impl Fn(f32) -> f32) -> f32 {
    let (chunks, rest) = values.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for chunk in chunks {
        for (sum, &value) in lanes.iter_mut().zip(chunk) {
            *sum += term(value);
        }
    }
    for (sum, &value) in lanes.iter_mut().zip(rest) {
        *sum += term(value);
    }
    fold(lanes, |a, b| a + b)
}

/// The sum of the products of two rows of one length, as [`sum_of`] adds up.
#[inline(always)]
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let (a, b) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let mut lanes = [0.0; LANES];
    for (a, b) in a.0.iter().zip(b.0) {
        for ((sum, a), b) in lanes.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    for ((sum, a), b) in lanes.iter_mut().zip(a.1).zip(b.1) {
        *sum += a * b;
    }
    fold(lanes, |a, b| a + b)
}

/// One number from all lanes: the upper half onto the lower, until one is left.
#[inline(always)]
fn fold(mut lanes: [f32; LANES], of: impl Fn(f32, f32) -> f32) -> f32 {
    for width in [8, 4, 2, 1] {
        for lane in 0..width {
            lanes[lane] = of(lanes[lane], lanes[lane + width]);
        }
    }
    lanes[0]
}

/// The largest number of a row, and minus infinity if there is none.
#[inline(always)]
pub(crate) fn maximum(values: &[f32]) -> f32 {
    largest(values, f32::NEG_INFINITY, |value| value)
}

#[inline(always)]
fn largest(values: &[f32], least: f32, of: impl Fn(f32) -> f32) -> f32 {
    let larger = |a: f32, b: f32| if b > a { b } else { a };
    let mut lanes = [least; LANES];
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        for (largest, &value) in lanes.iter_mut().zip(chunk) {
            *largest = larger(*largest, of(value));
        }
    }
    for (largest, &value) in lanes.iter_mut().zip(rest) {
        *largest = larger(*largest, of(value));
    }
    fold(lanes, larger)
}

/// The logarithm of the sum of the exponentials of a row, with an error below 1e-6; minus infinity if there is nothing
/// but that.
pub fn log_sum_exp(values: &[f32]) -> f64 {
    vectorised!({
        let largest = maximum(values);
        match largest == f32::NEG_INFINITY {
            true => f64::NEG_INFINITY,
            false => f64::from(largest) + f64::from(sum_of(values, |value| exp(value - largest))).ln(),
        }
    })
}

/// `to += from`, for slices of one length.
pub(crate) fn add(to: &mut [f32], from: &[f32]) {
    debug_assert_eq!(to.len(), from.len());
    vectorised!({
        for (to, &from) in to.iter_mut().zip(from) {
            *to += from;
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Level;

    /// The error function in f64: its power series.
    fn exact_erf(x: f64) -> f64 {
        let mut term = x;
        let mut sum = 0.0;
        for n in 0..200 {
            sum += term / (2 * n + 1) as f64;
            term *= -x * x / (n + 1) as f64;
        }
        if x.abs() > 5.0 { x.signum() } else { sum * 2.0 / std::f64::consts::PI.sqrt() }
    }

    fn grid(from: f32, to: f32) -> impl Iterator<Item = f32> {
        let steps = 400_000;
        (0..=steps).map(move |step| from + (to - from) * step as f32 / steps as f32)
    }

    #[test]
    fn exp_is_within_its_bound() {
        let error = |x: f32| (f64::from(exp(x)) / f64::from(x).exp() - 1.0).abs();
        let worst = grid(-87.0, 88.0).chain(grid(-1.0, 1.0)).map(error).fold(0.0, f64::max);
        assert!(worst < 1.2e-7, "{worst}");
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(exp(-1e9), exp(-87.0));
        assert!(exp(f32::NAN).is_nan());
    }

    #[test]
    fn erf_and_tanh_are_within_their_bounds() {
        let error = |x: f32| (f64::from(erf(x)) - exact_erf(f64::from(x))).abs();
        let worst = grid(-6.0, 6.0).map(error).fold(0.0, f64::max);
        assert!(worst < 5e-7, "{worst}");
        let error = |x: f32| (f64::from(tanh(x)) - f64::from(x).tanh()).abs();
        let worst = grid(-12.0, 12.0).map(error).fold(0.0, f64::max);
        assert!(worst < 5e-7, "{worst}");
        assert!(erf(f32::NAN).is_nan() && tanh(f32::NAN).is_nan());
    }

    #[test]
    fn sums_and_maxima_of_any_length() {
        for len in 0..70 {
            let values: Vec<f32> = (0..len).map(|index| ((index * 37) % 11) as f32 - 5.0).collect();
            assert_eq!(sum_of(&values, |value| value), values.iter().sum::<f32>());
            assert_eq!(dot(&values, &values), values.iter().map(|value| value * value).sum::<f32>());
            assert_eq!(magnitude(&values), values.iter().fold(0.0, |largest: f32, x| largest.max(x.abs())));
            assert_eq!(maximum(&values), values.iter().copied().fold(f32::NEG_INFINITY, f32::max));
        }
    }

    #[test]
    fn logarithms_of_sums() {
        let infinity = f32::INFINITY;
        for len in 1..70 {
            let values: Vec<f32> = (0..len).map(|index| ((index * 37) % 11) as f32 * 3.0 - 50.0).collect();
            let exact = values.iter().map(|&value| f64::from(value).exp()).sum::<f64>().ln();
            assert!((log_sum_exp(&values) - exact).abs() < 1e-6);
        }
        assert_eq!(log_sum_exp(&[]), f64::NEG_INFINITY);
        assert_eq!(log_sum_exp(&[-infinity; 20]), f64::NEG_INFINITY);
        assert_eq!(log_sum_exp(&[-infinity, 3.0]), 3.0);
    }

    #[test]
    fn nearest_whole_numbers() {
        assert_eq!([-126.6, -0.5, 0.0, 0.49, 1.5, 2.5, 127.0].map(nearest), [-127, 0, 0, 0, 2, 2, 127]);
    }

    #[test]
    fn every_instruction_set_gives_the_same_bits() {
        let inputs: Vec<f32> = grid(-9.0, 9.0).step_by(97).collect();
        let bits = |level: Level| {
            let values: Vec<f32> = level.run(
                #[inline(always)]
                || {
                    let each = inputs.iter().map(|&x| exp(x) + erf(x) * tanh(x));
                    each.chain([sum_of(&inputs, |x| x * 0.3), dot(&inputs, &inputs)]).collect()
                },
            );
            values.into_iter().map(f32::to_bits).collect::<Vec<_>>()
        };
        let levels: Vec<Level> = Level::available().collect();
        for &level in &levels {
            assert_eq!(bits(level), bits(levels[0]), "{level:?}");
        }
    }
}
