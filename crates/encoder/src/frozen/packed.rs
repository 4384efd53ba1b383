//! Linear maps in f32, with weights in the order of the loops.
//!
//! A block of eight rows and 48 outputs is computed at a time, its sums in registers from the first input to
//! the last: a weight that was loaded serves all rows, an input all outputs. Left to plain loops, the
//! compiler did that for some numbers of rows, and for others computed number by number; so x86-64 has
//! kernels of its own, and the plain loops serve other machines.

use super::TILE;
use crate::ops::linear::Linear;

/// Rows of a block: with 48 outputs, their sums fill 24 of the 32 registers of AVX-512.
pub(super) const FLOAT_ROWS: usize = 8;
/// Outputs of a block.
pub(super) const FLOAT_OUTPUTS: usize = 48;

/// The sums of a block.
pub(super) type FloatSums = [[f32; FLOAT_OUTPUTS]; FLOAT_ROWS];

/// Rows, and the weights of 48 outputs.
#[derive(Debug, Clone, Copy)]
pub(super) struct FloatBlock<'a> {
    /// One row of inputs after the other; at most [`FLOAT_ROWS`].
    pub rows: &'a [f32],
    /// For each input, the weights of all outputs.
    pub weights: &'a [[f32; FLOAT_OUTPUTS]],
    /// What sums start from.
    pub bias: &'a [f32; FLOAT_OUTPUTS],
}

impl FloatBlock<'_> {
    pub fn num_rows(&self) -> usize {
        self.rows.len() / self.weights.len()
    }

    fn sum(self, sums: &mut FloatSums) {
        #[cfg(target_arch = "x86_64")]
        if super::x86::sum_floats(self, sums) {
            return;
        }
        self.sum_portable(sums);
    }

    /// The definition.
    fn sum_portable(self, sums: &mut FloatSums) {
        for (row, sums) in self.rows.chunks_exact(self.weights.len()).zip(sums) {
            *sums = *self.bias;
            for (&x, weights) in row.iter().zip(self.weights) {
                for (sum, &weight) in sums.iter_mut().zip(weights) {
                    *sum += x * weight;
                }
            }
        }
    }
}

/// A linear map whose weights lie in blocks of outputs, filled up with zeros.
#[derive(Debug, Clone)]
pub(super) struct PackedLinear {
    /// For each block, as many arrays as there are inputs.
    weights: Vec<[f32; FLOAT_OUTPUTS]>,
    biases: Vec<[f32; FLOAT_OUTPUTS]>,
    inputs: usize,
    outputs: usize,
}

impl PackedLinear {
    pub fn new(weight: &[f32], bias: &[f32]) -> Self {
        let (outputs, inputs) = (bias.len(), weight.len() / bias.len());
        let num_blocks = outputs.div_ceil(FLOAT_OUTPUTS);
        let mut weights = vec![[0.0; FLOAT_OUTPUTS]; num_blocks * inputs];
        let mut biases = vec![[0.0; FLOAT_OUTPUTS]; num_blocks];
        for (output, (row, &bias)) in weight.chunks_exact(inputs).zip(bias).enumerate() {
            let (block, output) = (output / FLOAT_OUTPUTS, output % FLOAT_OUTPUTS);
            biases[block][output] = bias;
            for (weights, &weight) in weights[block * inputs..].iter_mut().zip(row) {
                weights[output] = weight;
            }
        }
        Self { weights, biases, inputs, outputs }
    }

    /// The weights, a row per output.
    pub fn weight(&self) -> Vec<f32> {
        let block = |output: usize| &self.weights[output / FLOAT_OUTPUTS * self.inputs..][..self.inputs];
        let row = |output| block(output).iter().map(move |weights| weights[output % FLOAT_OUTPUTS]);
        (0..self.outputs).flat_map(row).collect()
    }

    pub fn bias(&self) -> Vec<f32> {
        self.biases.as_flattened()[..self.outputs].to_vec()
    }
}

impl Linear for PackedLinear {
    fn outputs(&self) -> usize {
        self.outputs
    }

    fn apply(&self, x: &[f32], out: &mut [f32]) {
        let (inputs, outputs) = (self.inputs, self.outputs);
        let mut sums = [[0.0; FLOAT_OUTPUTS]; FLOAT_ROWS];
        for (x, out) in x.chunks(TILE * inputs).zip(out.chunks_mut(TILE * outputs)) {
            let blocks = self.weights.chunks_exact(inputs).zip(&self.biases);
            for (number, (weights, bias)) in blocks.enumerate() {
                let columns = number * FLOAT_OUTPUTS..outputs.min((number + 1) * FLOAT_OUTPUTS);
                for (rows, out) in x.chunks(FLOAT_ROWS * inputs).zip(out.chunks_mut(FLOAT_ROWS * outputs)) {
                    FloatBlock { rows, weights, bias }.sum(&mut sums);
                    for (sums, out) in sums.iter().zip(out.chunks_exact_mut(outputs)) {
                        out[columns.clone()].copy_from_slice(&sums[..columns.len()]);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::linear;
    use crate::testing::random_values;

    /// Rows, inputs and outputs: all numbers of rows, and blocks that are full or not.
    const SHAPES: [(usize, usize, usize); 10] = [
        (0, 3, 2),
        (1, 1, 1),
        (2, 7, 48),
        (3, 5, 49),
        (4, 2, 96),
        (5, 31, 7),
        (6, 9, 47),
        (7, 20, 15),
        (8, 1, 97),
        (100, 300, 70),
    ];

    #[test]
    fn as_the_map_of_training() {
        for (rows, inputs, outputs) in SHAPES {
            let [x, weight, bias] =
                [rows * inputs, inputs * outputs, outputs].map(|len| random_values(len as u64, len));
            let (mut expected, mut found) = (vec![0.0; rows * outputs], vec![f32::NAN; rows * outputs]);
            linear::forward(&x, &weight, &bias, &mut expected);
            let packed = PackedLinear::new(&weight, &bias);
            packed.apply(&x, &mut found);
            assert_eq!((packed.weight(), packed.bias()), (weight, bias));
            assert!(
                found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-4),
                "{rows} {inputs} {outputs}"
            );
            // No row depends on those beside it.
            for (x, expected) in x.chunks(inputs).zip(found.chunks(outputs)) {
                let mut alone = vec![f32::NAN; outputs];
                packed.apply(x, &mut alone);
                assert_eq!(alone, expected);
            }
        }
    }

    #[test]
    fn every_kernel_gives_the_sums() {
        for rows in 1..=FLOAT_ROWS {
            let (inputs, seed) = (37, rows as u64);
            let x = random_values(seed, rows * inputs);
            let values = random_values(seed + 50, (inputs + 1) * FLOAT_OUTPUTS);
            let (bias, weights) = values.as_chunks().0.split_first().unwrap();
            let block = FloatBlock { rows: &x, weights, bias };
            let mut expected = [[0.0; FLOAT_OUTPUTS]; FLOAT_ROWS];
            block.sum_portable(&mut expected);
            for kernel in kernels() {
                let mut found = [[0.0; FLOAT_OUTPUTS]; FLOAT_ROWS];
                kernel(block, &mut found);
                let pairs = found.as_flattened().iter().zip(expected.as_flattened());
                assert!(pairs.clone().all(|(a, b)| (a - b).abs() < 1e-4), "{rows} rows");
            }
        }
    }

    type FloatKernel = fn(FloatBlock<'_>, &mut FloatSums);

    #[cfg(target_arch = "x86_64")]
    fn kernels() -> impl Iterator<Item = FloatKernel> {
        use super::super::x86;
        let all = [
            (x86::has_fma(), x86::sum_floats_avx2 as FloatKernel),
            (x86::has_avx512(), x86::sum_floats_avx512 as FloatKernel),
        ];
        all.into_iter().filter(|(is_there, _)| *is_there).map(|(_, kernel)| kernel)
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn kernels() -> impl Iterator<Item = FloatKernel> {
        std::iter::empty()
    }
}
