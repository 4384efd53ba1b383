//! Encoders for inference with int8.

use super::bytes::to_bytes;
use super::kernel::Kernel;
use super::linear::Int8Linear;
use crate::batch::Batch;
use crate::config::Config;
use crate::encoder::{Encoder, Worker};
use crate::layer::{Layer, LayerDropout};
use crate::layout::{LinearAt, NormAt};
use crate::matrix::multiply_alike;
use crate::ops::embedding;
use crate::ops::norm::Norm;

/// An encoder whose matrices are bytes.
#[derive(Debug, Clone)]
pub struct Int8Encoder {
    config: Config,
    /// A row of bytes per piece of the vocabulary, and what each is to be multiplied by.
    words: Vec<i8>,
    word_scales: Vec<f32>,
    positions: Vec<f32>,
    types: Vec<f32>,
    norm: OwnedNorm,
    layers: Vec<Int8Layer>,
}

#[derive(Debug, Clone)]
struct OwnedNorm {
    gain: Vec<f32>,
    shift: Vec<f32>,
    epsilon: f32,
}

impl OwnedNorm {
    fn new(at: &NormAt, encoder: &Encoder) -> Self {
        let Norm { gain, shift, epsilon } = at.of(encoder.body(), encoder.config().epsilon);
        Self { gain: gain.to_vec(), shift: shift.to_vec(), epsilon }
    }

    fn borrow(&self) -> Norm<'_> {
        Norm { gain: &self.gain, shift: &self.shift, epsilon: self.epsilon }
    }
}

#[derive(Debug, Clone)]
struct Int8Layer {
    qkv: Int8Linear,
    attention_output: Int8Linear,
    attention_norm: OwnedNorm,
    up: Int8Linear,
    down: Int8Linear,
    output_norm: OwnedNorm,
}

impl Int8Encoder {
    /// The nearest to an encoder in f32, for the best kernel of this machine.
    pub fn new(encoder: &Encoder) -> Self {
        Self::for_kernel(encoder, Kernel::best())
    }

    /// The nearest to an encoder in f32, for a kernel; one that the machine lacks is replaced by the portable one.
    pub fn for_kernel(encoder: &Encoder, kernel: Kernel) -> Self {
        let layout = encoder.layout();
        let linear = |at: &LinearAt| {
            let (weight, bias) = at.of(encoder.body());
            Int8Linear::new(kernel, weight, bias)
        };
        let layers = layout.layers.iter().map(|at| Int8Layer {
            qkv: linear(&at.qkv),
            attention_output: linear(&at.attention_output),
            attention_norm: OwnedNorm::new(&at.attention_norm, encoder),
            up: linear(&at.up),
            down: linear(&at.down),
            output_norm: OwnedNorm::new(&at.output_norm, encoder),
        });
        let hidden = encoder.config().hidden;
        let mut bytes = vec![0; hidden];
        let (mut words, mut word_scales) = (Vec::with_capacity(encoder.words().len()), Vec::new());
        for row in encoder.words().chunks_exact(hidden) {
            word_scales.push(to_bytes(row, 0, &mut bytes));
            words.extend(bytes.iter().map(|&byte| byte as i8));
        }
        Self {
            config: encoder.config().clone(),
            words,
            word_scales,
            positions: encoder.body()[layout.positions.clone()].to_vec(),
            types: encoder.body()[layout.types.clone()].to_vec(),
            norm: OwnedNorm::new(&layout.norm, encoder),
            layers: layers.collect(),
        }
    }

    /// The shape.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The vectors of a batch's pieces, a row each; the same on every machine, and in every batch.
    pub fn encode<'w>(&self, batch: &Batch, worker: &'w mut Worker) -> &'w [f32] {
        let Worker { embedded, layer } = worker;
        let hidden = self.config.hidden;
        embedded.resize(batch.num_rows(), hidden);
        let word = |id: u32, out: &mut [f32]| {
            let bytes = &self.words[id as usize * hidden..][..hidden];
            let scale = self.word_scales[id as usize];
            out.iter_mut().zip(bytes).for_each(|(out, &byte)| *out = f32::from(byte) * scale);
        };
        embedding::forward(batch, word, &self.positions, &self.types, &mut embedded.normalised);
        embedded.normalise(self.norm.borrow());
        for weights in &self.layers {
            let none = LayerDropout { dropout: None, layer: 0 };
            self.layer(weights).forward(batch, &embedded.out, none, layer);
            std::mem::swap(&mut embedded.out, &mut layer.output.out);
        }
        &embedded.out
    }

    fn layer<'a>(&self, weights: &'a Int8Layer) -> Layer<'a, &'a Int8Linear> {
        Layer {
            qkv: &weights.qkv,
            attention_output: &weights.attention_output,
            attention_norm: weights.attention_norm.borrow(),
            up: &weights.up,
            down: &weights.down,
            output_norm: weights.output_norm.borrow(),
            heads: self.config.heads,
            activation: self.config.activation,
            product: multiply_alike,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{random_encoder, tiny_config};

    const SENTENCES: [&[u32]; 3] = [&[1, 5, 7, 7, 2], &[3], &[10, 9, 8, 0, 1, 2]];

    fn encode(encoder: &Int8Encoder, sentences: &[&[u32]]) -> Vec<f32> {
        let batch = Batch::new(sentences.iter().copied(), encoder.config()).unwrap();
        encoder.encode(&batch, &mut Worker::default()).to_vec()
    }

    #[test]
    fn near_to_f32() {
        let config = Config { hidden: 96, heads: 3, intermediate: 200, ..tiny_config() };
        let encoder = random_encoder(&config, 1);
        let batch = Batch::new(SENTENCES, &config).unwrap();
        let expected = encoder.encode(&batch, &mut Worker::default()).to_vec();
        let found = encode(&Int8Encoder::new(&encoder), &SENTENCES);
        let square = |values: &mut dyn Iterator<Item = f32>| values.map(|x| f64::from(x * x)).sum::<f64>();
        let error = square(&mut expected.iter().zip(&found).map(|(a, b)| a - b))
            / square(&mut expected.iter().copied());
        assert!(error.sqrt() < 0.05, "{}", error.sqrt());
    }

    #[test]
    fn kernels_and_batches_do_not_change_a_bit() {
        let encoder = random_encoder(&tiny_config(), 1);
        let portable = Int8Encoder::for_kernel(&encoder, Kernel::Portable);
        let expected = encode(&portable, &SENTENCES);
        for kernel in [Kernel::Avx2, Kernel::Vnni] {
            assert_eq!(
                encode(&Int8Encoder::for_kernel(&encoder, kernel), &SENTENCES),
                expected,
                "{kernel:?}"
            );
        }
        let alone: Vec<f32> = SENTENCES.iter().flat_map(|&sentence| encode(&portable, &[sentence])).collect();
        assert_eq!(alone, expected);
    }
}
