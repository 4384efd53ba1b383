//! Layer norm (Ba et al. 2016): each row gets mean 0 and variance 1, then a learned gain and shift per
//! column.
//!
//! A row is read four times, but it stays in the nearest cache, and each pass is a loop over vectors. The
//! normalised row takes the place of the row, since the backward pass needs no more than it and one number
//! per row. Variances are sums of squared differences to the mean, not differences of sums, which lose all
//! digits for large means.

use crate::math::{dot, sum_of};
use crate::simd::vectorised;

/// The gain and the shift of a layer norm, and what keeps its roots away from zero.
#[derive(Debug, Clone, Copy)]
pub struct Norm<'a> {
    /// What each column is multiplied by.
    pub gain: &'a [f32],
    /// What is added to each column.
    pub shift: &'a [f32],
    /// Added to the variance.
    pub epsilon: f32,
}

/// Normalises the rows of `x` in place; `out` has gain and shift applied. `inverse` gets what each row was
/// scaled by.
pub fn forward(norm: Norm<'_>, x: &mut [f32], inverse: &mut [f32], out: &mut [f32]) {
    let width = norm.gain.len();
    vectorised!({
        let rows = x.chunks_exact_mut(width).zip(out.chunks_exact_mut(width)).zip(inverse);
        for ((x, out), inverse) in rows {
            let mean = sum_of(x, |x| x) / width as f32;
            let variance = sum_of(x, |x| (x - mean) * (x - mean)) / width as f32;
            *inverse = 1.0 / (variance + norm.epsilon).sqrt();
            for (((x, out), &gain), &shift) in x.iter_mut().zip(out).zip(norm.gain).zip(norm.shift) {
                *x = (*x - mean) * *inverse;
                *out = *x * gain + shift;
            }
        }
    });
}

/// Turns `d` from the gradient of what came out into that of what went in; adds to those of gain and shift.
///
/// With `g` the gradient of the normalised row `x`, it is `(g - mean(g) - x mean(g x)) / deviation`: moving a
/// row as a whole, or stretching it, changes nothing.
pub fn backward(
    normalised: &[f32],
    inverse: &[f32],
    gain: &[f32],
    d: &mut [f32],
    d_gain: &mut [f32],
    d_shift: &mut [f32],
) {
    let width = gain.len();
    vectorised!({
        for ((x, &inverse), d) in normalised.chunks_exact(width).zip(inverse).zip(d.chunks_exact_mut(width)) {
            for (column, d) in d.iter_mut().enumerate() {
                d_gain[column] += *d * x[column];
                d_shift[column] += *d;
                *d *= gain[column];
            }
            let mean = sum_of(d, |d| d) / width as f32;
            let stretch = dot(d, x) / width as f32;
            for (d, &x) in d.iter_mut().zip(x) {
                *d = (*d - mean - x * stretch) * inverse;
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_gradient, dot, random_values};

    const WIDTH: usize = 19;

    #[test]
    fn rows_get_mean_zero_and_variance_one() {
        let mut x: Vec<f32> = random_values(1, 3 * WIDTH).iter().map(|x| 100.0 + x).collect();
        let (gain, shift) = (vec![2.0; WIDTH], vec![5.0; WIDTH]);
        let norm = Norm { gain: &gain, shift: &shift, epsilon: 1e-12 };
        let (mut out, mut inverse) = (vec![0.0; x.len()], vec![0.0; 3]);
        forward(norm, &mut x, &mut inverse, &mut out);
        for (x, out) in x.chunks(WIDTH).zip(out.chunks(WIDTH)) {
            assert!(x.iter().sum::<f32>().abs() < 1e-3);
            assert!((x.iter().map(|x| x * x).sum::<f32>() / WIDTH as f32 - 1.0).abs() < 1e-3);
            assert!(x.iter().zip(out).all(|(x, out)| (2.0 * x + 5.0 - out).abs() < 1e-5));
        }
    }

    #[test]
    fn gradients() {
        let [x, seen] = [3, 4].map(|seed| random_values(seed, 3 * WIDTH));
        let [gain, shift] = [5, 6].map(|seed| random_values(seed, WIDTH));
        let run = |x: &[f32], gain: &[f32], shift: &[f32]| {
            let (mut x, mut inverse, mut out) = (x.to_vec(), vec![0.0; 3], vec![0.0; x.len()]);
            forward(Norm { gain, shift, epsilon: 1e-5 }, &mut x, &mut inverse, &mut out);
            (x, inverse, out)
        };
        let (normalised, inverse, _) = run(&x, &gain, &shift);
        let (mut d, mut d_gain, mut d_shift) = (seen.clone(), vec![0.0; WIDTH], vec![0.0; WIDTH]);
        backward(&normalised, &inverse, &gain, &mut d, &mut d_gain, &mut d_shift);
        assert_gradient(&x, &d, |x| dot(&run(x, &gain, &shift).2, &seen));
        assert_gradient(&gain, &d_gain, |gain| dot(&run(&x, gain, &shift).2, &seen));
        assert_gradient(&shift, &d_shift, |shift| dot(&run(&x, &gain, shift).2, &seen));
    }
}
