//! Linear maps: `out = x Wᵀ + b`, with a row of `W` per output, as encoders' files have it.

use crate::matrix::{View, ViewMut, multiply};
use crate::simd::vectorised;

/// A linear map that rows can go through.
pub trait Linear {
    /// How many numbers a row becomes.
    fn outputs(&self) -> usize;

    /// Maps each row of `x`.
    fn apply(&self, x: &[f32], out: &mut [f32]);
}

/// A linear map with weights in f32, for training.
#[derive(Debug, Clone, Copy)]
pub struct FloatLinear<'a> {
    /// A row per output.
    pub weight: &'a [f32],
    /// A number per output.
    pub bias: &'a [f32],
}

impl Linear for FloatLinear<'_> {
    fn outputs(&self) -> usize {
        self.bias.len()
    }

    fn apply(&self, x: &[f32], out: &mut [f32]) {
        forward(x, self.weight, self.bias, out);
    }
}

/// Maps each row of `x`. The bias is where the product starts to add up, so it costs no pass of its own.
pub fn forward(x: &[f32], weight: &[f32], bias: &[f32], out: &mut [f32]) {
    let (outputs, inputs) = (bias.len(), weight.len() / bias.len());
    let rows = x.len() / inputs;
    for row in out.chunks_exact_mut(outputs) {
        row.copy_from_slice(bias);
    }
    let weight = View::new(weight, outputs, inputs, inputs);
    let x = View::new(x, rows, inputs, inputs);
    multiply(1.0, x, weight.transposed(), 1.0, ViewMut::new(out, rows, outputs, outputs));
}

/// Adds to the gradients of `x`, weight and bias. (`x` often feeds a residual connection, too: its gradient
/// is a sum.)
pub fn backward(
    x: &[f32],
    weight: &[f32],
    d_out: &[f32],
    d_x: &mut [f32],
    d_weight: &mut [f32],
    d_bias: &mut [f32],
) {
    let (outputs, inputs) = (d_bias.len(), weight.len() / d_bias.len());
    let rows = x.len() / inputs;
    let d_rows = View::new(d_out, rows, outputs, outputs);
    let weight = View::new(weight, outputs, inputs, inputs);
    multiply(1.0, d_rows, weight, 1.0, ViewMut::new(d_x, rows, inputs, inputs));
    let x = View::new(x, rows, inputs, inputs);
    multiply(1.0, d_rows.transposed(), x, 1.0, ViewMut::new(d_weight, outputs, inputs, inputs));
    vectorised!({
        for row in d_out.chunks_exact(outputs) {
            for (d_bias, &d) in d_bias.iter_mut().zip(row) {
                *d_bias += d;
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_gradient, dot, random_values};

    #[test]
    fn gradients() {
        let (rows, inputs, outputs) = (3, 5, 4);
        let [x, weight, bias, seen] = [rows * inputs, inputs * outputs, outputs, rows * outputs]
            .map(|len| random_values(len as u64, len));
        let loss = |x: &[f32], weight: &[f32], bias: &[f32]| {
            let mut out = vec![0.0; rows * outputs];
            forward(x, weight, bias, &mut out);
            dot(&out, &seen)
        };
        let (mut d_x, mut d_weight, mut d_bias) =
            (vec![1.0; x.len()], vec![1.0; weight.len()], vec![1.0; outputs]);
        backward(&x, &weight, &seen, &mut d_x, &mut d_weight, &mut d_bias);
        // They are added to what was there.
        [&mut d_x, &mut d_weight, &mut d_bias].into_iter().flatten().for_each(|d| *d -= 1.0);
        assert_gradient(&x, &d_x, |x| loss(x, &weight, &bias));
        assert_gradient(&weight, &d_weight, |weight| loss(&x, weight, &bias));
        assert_gradient(&bias, &d_bias, |bias| loss(&x, &weight, bias));
    }
}
