//! Softmax: each row becomes probabilities in proportion to the exponentials of its numbers.

use crate::math::{dot, exp, maximum, sum_of};
use crate::simd::vectorised;

/// Turns rows of `width` numbers into probabilities, in place. The largest number of a row is subtracted
/// first, which changes nothing but keeps the exponentials finite. These are one loop over all rows, as a row
/// of twenty numbers is too short for vectors to pay.
pub fn forward(rows: &mut [f32], width: usize) {
    vectorised!({
        for row in rows.chunks_exact_mut(width) {
            let largest = maximum(row);
            for value in row.iter_mut() {
                *value -= largest;
            }
        }
        for value in rows.iter_mut() {
            *value = exp(*value);
        }
        for row in rows.chunks_exact_mut(width) {
            let scale = 1.0 / sum_of(row, |value| value);
            for value in row.iter_mut() {
                *value *= scale;
            }
        }
    });
}

/// Turns `d` from the gradient of the probabilities `p` into that of the numbers: `p (d - Σ p d)`.
pub fn backward(probabilities: &[f32], d: &mut [f32], width: usize) {
    vectorised!({
        for (p, d) in probabilities.chunks_exact(width).zip(d.chunks_exact_mut(width)) {
            let mean = dot(p, d);
            for (d, &p) in d.iter_mut().zip(p) {
                *d = p * (*d - mean);
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_gradient, dot, random_values};

    #[test]
    fn rows_sum_to_one() {
        let mut rows = [1000.0, 1000.0, -1e30, 0.0, 0.0, 0.0];
        forward(&mut rows, 3);
        assert!((rows[0] - 0.5).abs() < 1e-6 && (rows[3] - 1.0 / 3.0).abs() < 1e-6, "{rows:?}");
    }

    #[test]
    fn gradients() {
        let (x, seen) = (random_values(1, 40), random_values(2, 40));
        let run = |x: &[f32]| {
            let mut rows = x.to_vec();
            forward(&mut rows, 20);
            rows
        };
        let mut d = seen.clone();
        backward(&run(&x), &mut d, 20);
        assert_gradient(&x, &d, |x| dot(&run(x), &seen));
    }
}
