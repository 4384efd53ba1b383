//! Linear maps with weights of one byte.

use super::TILE;
use super::bytes::to_bytes;
use super::kernel::{Block, Kernel, OUTPUTS, QUAD, ROWS};
use crate::ops::linear::Linear;
use crate::simd::vectorised;

/// A linear map whose weights are bytes with a scale per output.
#[derive(Debug, Clone)]
pub(super) struct Int8Linear {
    kernel: Kernel,
    /// For every 64 outputs, what a kernel reads; outputs and inputs are filled up with zeros.
    weights: Vec<i8>,
    scales: Vec<f32>,
    bias: Vec<f32>,
    /// What sums start from, for kernels that flip rows: -128 times the sum of an output's weights.
    starts: Vec<[i32; OUTPUTS]>,
    inputs: usize,
}

impl Int8Linear {
    /// The map with these bytes, a row per output, and what those of each row are to be multiplied by.
    pub fn new(kernel: Kernel, weight: &[i8], scales: &[f32], bias: &[f32]) -> Self {
        let (outputs, inputs) = (bias.len(), weight.len() / bias.len());
        let quads = inputs.div_ceil(QUAD);
        let blocks = outputs.div_ceil(OUTPUTS);
        let mut weights = vec![0; blocks * quads * QUAD * OUTPUTS];
        let mut starts = vec![[0; OUTPUTS]; blocks];
        for (output, row) in weight.chunks_exact(inputs).enumerate() {
            for (input, &byte) in row.iter().enumerate() {
                weights[place(quads, output, input)] = byte;
                starts[output / OUTPUTS][output % OUTPUTS] -= i32::from(kernel.flip()) * i32::from(byte);
            }
        }
        Self { kernel, weights, scales: scales.to_vec(), bias: bias.to_vec(), starts, inputs }
    }

    /// The bytes, a row per output, and what those of each row are to be multiplied by.
    pub fn weight(&self) -> (Vec<i8>, Vec<f32>) {
        let (quads, inputs) = (self.quads(), 0..self.inputs);
        let row = |output| inputs.clone().map(move |input| self.weights[place(quads, output, input)]);
        ((0..self.bias.len()).flat_map(row).collect(), self.scales.clone())
    }

    pub fn bias(&self) -> Vec<f32> {
        self.bias.clone()
    }

    fn quads(&self) -> usize {
        self.inputs.div_ceil(QUAD)
    }

    /// Maps some rows, which are bytes already. `row_scales` says what theirs are to be multiplied by.
    #[inline(always)]
    fn apply_bytes(&self, rows: &[u8], row_scales: &[f32], out: &mut [f32]) {
        let (quads, outputs) = (self.quads(), self.bias.len());
        let width = QUAD * quads;
        let mut sums = [[0; OUTPUTS]; ROWS];
        for (number, weights) in self.weights.chunks_exact(width * OUTPUTS).enumerate() {
            let first = number * OUTPUTS;
            let columns = first..outputs.min(first + OUTPUTS);
            let rows = rows.chunks(ROWS * width).zip(row_scales.chunks(ROWS));
            for ((rows, row_scales), out) in rows.zip(out.chunks_mut(ROWS * outputs)) {
                self.kernel.sum(Block { rows, weights, start: &self.starts[number], quads }, &mut sums);
                let (scales, bias) = (&self.scales[columns.clone()], &self.bias[columns.clone()]);
                for ((out, &row_scale), sums) in out.chunks_exact_mut(outputs).zip(row_scales).zip(&sums) {
                    finish(sums, row_scale, scales, bias, &mut out[columns.clone()]);
                }
            }
        }
    }
}

/// Where the kernels look for a weight.
fn place(quads: usize, output: usize, input: usize) -> usize {
    let block = output / OUTPUTS * quads * QUAD * OUTPUTS;
    block + (input / QUAD * OUTPUTS + output % OUTPUTS) * QUAD + input % QUAD
}

/// Whole sums become numbers again.
#[inline(always)]
fn finish(sums: &[i32; OUTPUTS], row_scale: f32, scales: &[f32], bias: &[f32], out: &mut [f32]) {
    for (((out, &sum), &scale), &bias) in out.iter_mut().zip(sums).zip(scales).zip(bias) {
        *out = sum as f32 * (row_scale * scale) + bias;
    }
}

impl Linear for Int8Linear {
    fn outputs(&self) -> usize {
        self.bias.len()
    }

    fn apply(&self, x: &[f32], out: &mut [f32]) {
        let width = QUAD * self.quads();
        let num_rows = (x.len() / self.inputs).min(TILE);
        let (mut bytes, mut scales) = (vec![0; num_rows * width], vec![0.0; num_rows]);
        vectorised!({
            for (x, out) in x.chunks(TILE * self.inputs).zip(out.chunks_mut(TILE * self.bias.len())) {
                let num_rows = x.len() / self.inputs;
                let rows = x.chunks_exact(self.inputs).zip(bytes.chunks_exact_mut(width)).zip(&mut scales);
                for ((row, bytes), scale) in rows {
                    *scale = to_bytes(row, self.kernel.flip(), bytes);
                }
                self.apply_bytes(&bytes[..num_rows * width], &scales[..num_rows], out);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frozen::stored::{Precision, StoredMatrix};
    use crate::matrix::{View, ViewMut, multiply_alike};
    use crate::testing::random_values;

    /// Rows, inputs and outputs: all remainders of the kernels' rows, of four inputs, of 64 outputs.
    const SHAPES: [(usize, usize, usize); 9] = [
        (1, 1, 1),
        (2, 3, 65),
        (3, 64, 64),
        (4, 9, 130),
        (5, 128, 1),
        (6, 31, 63),
        (7, 4, 64),
        (100, 40, 70),
        (0, 5, 5),
    ];

    /// Some numbers far larger than the others, as encoders have them.
    fn numbers(seed: u64, len: usize) -> Vec<f32> {
        let values = random_values(seed, len);
        values.iter().enumerate().map(|(index, x)| if index % 29 == 3 { 20.0 * x } else { *x }).collect()
    }

    fn example((rows, inputs, outputs): (usize, usize, usize)) -> [Vec<f32>; 3] {
        [numbers(1, rows * inputs), numbers(2, inputs * outputs), numbers(3, outputs)]
    }

    fn apply(kernel: Kernel, [x, weight, bias]: &[Vec<f32>; 3], rows: usize) -> Vec<f32> {
        let mut out = vec![f32::NAN; rows * bias.len()];
        let width = weight.len() / bias.len();
        let StoredMatrix::Int8(bytes, scales) = StoredMatrix::new(weight, width, Precision::Int8(kernel))
        else {
            panic!("bytes")
        };
        let linear = Int8Linear::new(kernel, &bytes, &scales, bias);
        assert_eq!(linear.weight(), (bytes, scales));
        linear.apply(x, &mut out);
        out
    }

    #[test]
    fn every_kernel_gives_the_same_bits() {
        assert_eq!(Kernel::available().next(), Some(Kernel::Portable));
        for shape in SHAPES {
            let example = example(shape);
            let expected = apply(Kernel::Portable, &example, shape.0);
            for kernel in [Kernel::Avx2, Kernel::Vnni] {
                // One that the machine lacks is replaced by the portable one, flips included.
                assert_eq!(apply(kernel, &example, shape.0), expected, "{kernel:?} {shape:?}");
            }
        }
    }

    /// The largest sums there are: nothing saturates on the way.
    #[test]
    fn extreme_bytes() {
        for (input, weight) in [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)] {
            let example = [vec![input; 4096 * 2], vec![weight; 4096 * 64], vec![0.0; 64]];
            for kernel in Kernel::available() {
                let out = apply(kernel, &example, 2);
                assert!(
                    out.iter().all(|out| (out - input * weight * 4096.0).abs() < 1e-2),
                    "{kernel:?} {out:?}"
                );
            }
        }
    }

    #[test]
    fn errors_are_within_the_bound() {
        for (rows, inputs, outputs) in SHAPES {
            let example = example((rows, inputs, outputs));
            let [x, weight, bias] = &example;
            let mut exact = bias.repeat(rows);
            let (a, b) = (View::new(x, rows, inputs, inputs), View::new(weight, outputs, inputs, inputs));
            multiply_alike(1.0, a, b.transposed(), 1.0, ViewMut::new(&mut exact, rows, outputs, outputs));
            let found = apply(Kernel::best(), &example, rows);
            let largest = |row: &[f32]| row.iter().fold(0.0, |largest: f32, x| largest.max(x.abs()));
            for (index, (found, exact)) in found.iter().zip(&exact).enumerate() {
                let x = &x[index / outputs * inputs..][..inputs];
                let weight = &weight[index % outputs * inputs..][..inputs];
                let [x_step, weight_step] = [x, weight].map(|row| largest(row) / 127.0);
                // Of `Σ a (w - ŵ) + Σ ŵ (a - â)`; ŵ is at most half a step larger than w.
                let bound: f32 = x
                    .iter()
                    .zip(weight)
                    .map(|(a, w)| a.abs() * weight_step / 2.0 + (w.abs() + weight_step / 2.0) * x_step / 2.0)
                    .sum();
                assert!((found - exact).abs() <= bound * 1.0001 + 1e-5, "{found} {exact} {bound}");
            }
        }
    }
}
