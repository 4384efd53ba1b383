//! The frozen encoder.

use super::linear::FrozenLinear;
use super::stored::{Precision, Storage, StoredMatrix, positions_as};
use crate::batch::Batch;
use crate::config::Config;
use crate::encoder::Encoder;
use crate::half::from_f16;
use crate::layer::{Layer, LayerDropout, LayerTrace, Normed};
use crate::layout::{LayerAt, LinearAt, NormAt};
use crate::matrix::{Product, multiply, multiply_alike};
use crate::ops::embedding;
use crate::ops::norm::Norm;

/// An encoder that only infers.
#[derive(Debug, Clone)]
pub struct FrozenEncoder {
    pub(super) config: Config,
    pub(super) storage: Storage,
    pub(super) words: StoredMatrix,
    pub(super) positions: Vec<f32>,
    pub(super) types: Vec<f32>,
    pub(super) norm: OwnedNorm,
    pub(super) layers: Vec<FrozenLayer>,
    /// The product of queries, keys and values.
    pub(super) product: Product,
}

/// Memory of inference, for one batch after the other.
#[derive(Debug, Default)]
pub struct Worker {
    rows: Normed,
    layer: LayerTrace,
}

impl Encoder {
    /// Makes an encoder for inference.
    pub fn freeze(&self, precision: Precision) -> FrozenEncoder {
        let layout = self.layout();
        FrozenEncoder {
            config: self.config().clone(),
            storage: precision.storage(),
            words: StoredMatrix::new(self.words(), self.config().hidden, precision),
            positions: positions_as(&self.body()[layout.positions.clone()], precision).to_floats(),
            types: self.body()[layout.types.clone()].to_vec(),
            norm: OwnedNorm::new(&layout.norm, self),
            layers: layout.layers.iter().map(|at| FrozenLayer::new(at, self, precision)).collect(),
            product: product(precision.storage()),
        }
    }
}

impl FrozenEncoder {
    /// The shape.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// What its matrices are made of.
    pub fn storage(&self) -> Storage {
        self.storage
    }

    /// The nearest encoder of another precision.
    #[must_use]
    pub fn with_precision(&self, precision: Precision) -> Self {
        Self {
            storage: precision.storage(),
            words: StoredMatrix::new(&self.words.to_floats(), self.config.hidden, precision),
            positions: positions_as(&self.positions, precision).to_floats(),
            layers: self.layers.iter().map(|layer| layer.with_precision(precision)).collect(),
            product: product(precision.storage()),
            ..self.clone()
        }
    }

    /// The vectors of a batch's pieces, a row each; the same in every batch, and with int8 on every machine.
    pub fn encode<'w>(&self, batch: &Batch, worker: &'w mut Worker) -> &'w [f32] {
        let Worker { rows, layer } = worker;
        rows.resize(batch.num_rows(), self.config.hidden);
        let word = |id: u32, out: &mut [f32]| copy_word(&self.words, id, out);
        embedding::forward(batch, word, &self.positions, &self.types, &mut rows.normalised);
        rows.normalise(self.norm.borrow());
        for weights in &self.layers {
            let none = LayerDropout { dropout: None, layer: 0 };
            weights.borrow(&self.config, self.product).forward(batch, &rows.out, none, layer);
            std::mem::swap(&mut rows.out, &mut layer.output.out);
        }
        &rows.out
    }
}

/// With int8, results are the same on every machine.
pub(super) fn product(storage: Storage) -> Product {
    match storage {
        Storage::F32 | Storage::F16 => multiply,
        Storage::Int8 => multiply_alike,
    }
}

/// The vectors of the vocabulary: a row is made numbers when it is asked for.
fn copy_word(words: &StoredMatrix, id: u32, out: &mut [f32]) {
    let start = id as usize * out.len();
    match words {
        StoredMatrix::F32(words) => out.copy_from_slice(&words[start..][..out.len()]),
        StoredMatrix::F16(words) => {
            out.iter_mut().zip(&words[start..]).for_each(|(out, &bits)| *out = from_f16(bits));
        }
        StoredMatrix::Int8(bytes, scales) => {
            let scale = scales[id as usize];
            out.iter_mut().zip(&bytes[start..]).for_each(|(out, &byte)| *out = f32::from(byte) * scale);
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct OwnedNorm {
    pub gain: Vec<f32>,
    pub shift: Vec<f32>,
    pub epsilon: f32,
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
pub(super) struct FrozenLayer {
    pub qkv: FrozenLinear,
    pub attention_output: FrozenLinear,
    pub attention_norm: OwnedNorm,
    pub up: FrozenLinear,
    pub down: FrozenLinear,
    pub output_norm: OwnedNorm,
}

impl FrozenLayer {
    fn new(at: &LayerAt, encoder: &Encoder, precision: Precision) -> Self {
        let linear = |at: &LinearAt| {
            let (weight, bias) = at.of(encoder.body());
            FrozenLinear::new(weight, bias, precision)
        };
        Self {
            qkv: linear(&at.qkv),
            attention_output: linear(&at.attention_output),
            attention_norm: OwnedNorm::new(&at.attention_norm, encoder),
            up: linear(&at.up),
            down: linear(&at.down),
            output_norm: OwnedNorm::new(&at.output_norm, encoder),
        }
    }

    fn with_precision(&self, precision: Precision) -> Self {
        let Self { qkv, attention_output, up, down, .. } = self;
        Self {
            qkv: qkv.with_precision(precision),
            attention_output: attention_output.with_precision(precision),
            up: up.with_precision(precision),
            down: down.with_precision(precision),
            ..self.clone()
        }
    }

    fn borrow(&self, config: &Config, product: Product) -> Layer<'_, &FrozenLinear> {
        Layer {
            qkv: &self.qkv,
            attention_output: &self.attention_output,
            attention_norm: self.attention_norm.borrow(),
            up: &self.up,
            down: &self.down,
            output_norm: self.output_norm.borrow(),
            heads: config.heads,
            activation: config.activation,
            product,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoder::Trace;
    use crate::frozen::Kernel;
    use crate::testing::{random_encoder, tiny_config};

    const SENTENCES: [&[u32]; 3] = [&[1, 5, 7, 7, 2], &[3], &[10, 9, 8, 0, 1, 2]];

    fn encode(encoder: &FrozenEncoder, sentences: &[&[u32]]) -> Vec<f32> {
        let batch = Batch::new(sentences.iter().copied(), encoder.config()).unwrap();
        encoder.encode(&batch, &mut Worker::default()).to_vec()
    }

    /// The length of the difference to what training computes, relative to that.
    fn error(encoder: &Encoder, precision: Precision) -> f64 {
        let batch = Batch::new(SENTENCES, encoder.config()).unwrap();
        let mut trace = Trace::default();
        let expected = encoder.forward(&batch, None, &mut trace);
        let found = encode(&encoder.freeze(precision), &SENTENCES);
        let square = |values: &mut dyn Iterator<Item = f32>| values.map(|x| f64::from(x * x)).sum::<f64>();
        let difference = square(&mut expected.iter().zip(&found).map(|(a, b)| a - b));
        (difference / square(&mut expected.iter().copied())).sqrt()
    }

    #[test]
    fn near_to_what_training_computes() {
        let config = Config { hidden: 96, heads: 3, intermediate: 200, ..tiny_config() };
        let encoder = random_encoder(&config, 1);
        assert!(error(&encoder, Precision::F32) < 1e-5, "{}", error(&encoder, Precision::F32));
        let int8 = error(&encoder, Precision::Int8(Kernel::best()));
        assert!(int8 > 0.0 && int8 < 0.05, "{int8}");
    }

    #[test]
    fn batches_do_not_change_a_bit() {
        let encoder = random_encoder(&tiny_config(), 1);
        for precision in [Precision::F32, Precision::Int8(Kernel::best())] {
            let frozen = encoder.freeze(precision);
            let alone: Vec<f32> =
                SENTENCES.iter().flat_map(|&sentence| encode(&frozen, &[sentence])).collect();
            assert_eq!(alone, encode(&frozen, &SENTENCES));
            assert!(encode(&frozen, &[]).is_empty());
        }
    }

    #[test]
    fn kernels_do_not_change_a_bit() {
        let encoder = random_encoder(&tiny_config(), 1);
        let expected = encode(&encoder.freeze(Precision::Int8(Kernel::Portable)), &SENTENCES);
        for kernel in [Kernel::Avx2, Kernel::Vnni] {
            assert_eq!(encode(&encoder.freeze(Precision::Int8(kernel)), &SENTENCES), expected, "{kernel:?}");
        }
    }

    #[test]
    fn a_worker_may_serve_batches_of_any_size() {
        let frozen = random_encoder(&tiny_config(), 1).freeze(Precision::F32);
        let mut worker = Worker::default();
        for sentences in [&SENTENCES[..], &SENTENCES[1..2], &SENTENCES[1..]] {
            let batch = Batch::new(sentences.iter().copied(), frozen.config()).unwrap();
            assert_eq!(frozen.encode(&batch, &mut worker), encode(&frozen, sentences));
        }
    }
}
