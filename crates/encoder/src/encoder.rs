//! The encoder: pieces of sentences in, a vector per piece out, and gradients back.

use boughs_learn::Result;
use boughs_learn::error::require;
use boughs_learn::rng::Rng;

use crate::batch::Batch;
use crate::config::Config;
use crate::gradient::Gradient;
use crate::layer::{Layer, LayerDropout, LayerTrace, Normed, Scratch};
use crate::layout::{Layout, TYPES, Tensor};
use crate::ops::dropout::Dropout;
use crate::ops::{embedding, norm};

/// A BERT-type encoder with weights in f32.
#[derive(Debug, Clone)]
pub struct Encoder {
    config: Config,
    layout: Layout,
    /// A row per piece of the vocabulary.
    words: Vec<f32>,
    /// All other parameters; `layout` says where.
    body: Vec<f32>,
}

/// Memory of the forward and backward passes of training, for one batch after the other.
#[derive(Debug, Default)]
pub struct Trace {
    embedded: Normed,
    layers: Vec<LayerTrace>,
    dropout: Option<Dropout>,
    scratch: Scratch,
}

/// The name of the vectors of the vocabulary in files.
pub(crate) const WORDS: &str = "embeddings.word_embeddings.weight";

/// The place of embeddings in the network, for dropout; layers take 0, 1, 2 and so on.
const EMBEDDINGS: u64 = u64::MAX;

impl Encoder {
    /// An encoder whose tensors are filled by a function of their names and shapes: from a file, or at
    /// random.
    ///
    /// # Errors
    /// If the shape is beyond the limits, or the function fails.
    pub fn with(
        config: Config,
        mut fill: impl FnMut(&str, &[usize], &mut [f32]) -> Result<()>,
    ) -> Result<Self> {
        config.check()?;
        let layout = Layout::new(&config);
        let mut words = vec![0.0; config.vocabulary * config.hidden];
        fill(WORDS, &[config.vocabulary, config.hidden], &mut words)?;
        let mut body = vec![0.0; layout.len()];
        for tensor in &layout.tensors {
            fill(&tensor.name, &tensor.shape, &mut body[tensor.range.clone()])?;
        }
        Ok(Self { config, layout, words, body })
    }

    /// An encoder to be trained from nothing: matrices uniform with a deviation of 0.02, gains 1, all else 0.
    ///
    /// # Errors
    /// If the shape is beyond the limits.
    pub fn random(config: Config, seed: u64) -> Result<Self> {
        let mut rng = Rng::new(seed);
        Self::with(config, |name, shape, values| {
            let is_gain = name.ends_with("LayerNorm.weight");
            values.fill_with(|| match shape.len() {
                1 => f32::from(u8::from(is_gain)),
                _ => 0.02 * 3f32.sqrt() * (2.0 * rng.unit() as f32 - 1.0),
            });
            Ok(())
        })
    }

    /// The same encoder with so many types, each of which is as its first one was: a batch of whatever types
    /// becomes what it was before, until they are trained ([`Batch::with_types`]).
    ///
    /// # Errors
    /// If the shape is then beyond the limits.
    pub fn with_types(&self, types: usize) -> Result<Self> {
        Self::with(Config { types, ..self.config.clone() }, |name, _, values| {
            let tensor = self.layout.tensors.iter().find(|tensor| tensor.name == name);
            let before = tensor.map_or(&self.words[..], |tensor| &self.body[tensor.range.clone()]);
            let before = if name == TYPES { &before[..self.config.hidden] } else { before };
            values.chunks_exact_mut(before.len()).for_each(|values| values.copy_from_slice(before));
            Ok(())
        })
    }

    /// The same encoder with some of the vocabulary only, the pieces with these ids, in this order.
    ///
    /// # Errors
    /// If there is no piece with such an id.
    pub fn with_pieces(&self, ids: &[u32]) -> Result<Self> {
        let Config { hidden, vocabulary, .. } = self.config;
        let mut words = Vec::with_capacity(ids.len() * hidden);
        for &id in ids {
            require((id as usize) < vocabulary, format!("ids of pieces below {vocabulary}"), id)?;
            words.extend_from_slice(&self.words[id as usize * hidden..][..hidden]);
        }
        let config = Config { vocabulary: ids.len(), ..self.config.clone() };
        config.check()?;
        Ok(Self { config, words, ..self.clone() })
    }

    /// The shape.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The vectors of the vocabulary, a row per piece.
    pub fn words(&self) -> &[f32] {
        &self.words
    }

    /// All other parameters; [`Self::tensors`] says where.
    pub fn body(&self) -> &[f32] {
        &self.body
    }

    /// Words and body, to be changed.
    pub fn parameters_mut(&mut self) -> (&mut [f32], &mut [f32]) {
        (&mut self.words, &mut self.body)
    }

    /// What lies where in the body.
    pub fn tensors(&self) -> &[Tensor] {
        &self.layout.tensors
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The vectors of a batch's pieces, a row each; leaves behind what [`Self::backward`] needs.
    pub fn forward<'t>(&self, batch: &Batch, dropout: Option<Dropout>, trace: &'t mut Trace) -> &'t [f32] {
        trace.dropout = dropout;
        trace.layers.resize_with(self.config.layers, LayerTrace::default);
        self.embed(batch, &mut trace.embedded);
        if let Some(dropout) = dropout {
            dropout.apply(EMBEDDINGS, 0, &mut trace.embedded.out);
        }
        for (number, at) in self.layout.layers.iter().enumerate() {
            let (below, from_here) = trace.layers.split_at_mut(number);
            let input = below.last().map_or(&trace.embedded, |layer| &layer.output);
            let dropout = LayerDropout { dropout: dropout.as_ref(), layer: number };
            let layer = Layer::of(&self.config, at, &self.body);
            layer.forward(batch, &input.out, dropout, &mut from_here[0]);
        }
        trace.layers.last().map_or(&trace.embedded.out, |layer| &layer.output.out)
    }

    /// Adds to the gradient of all parameters, given that of what [`Self::forward`] returned. `d` is used up.
    pub fn backward(&self, batch: &Batch, trace: &mut Trace, d: &mut [f32], gradient: &mut Gradient) {
        let Trace { embedded, layers, dropout, scratch } = trace;
        let (words, body) = gradient.parts_mut();
        for (number, at) in self.layout.layers.iter().enumerate().rev() {
            let (below, from_here) = layers.split_at(number);
            let input = below.last().map_or(&*embedded, |layer| &layer.output);
            let dropout = LayerDropout { dropout: dropout.as_ref(), layer: number };
            let layer = Layer::of(&self.config, at, &self.body);
            layer.backward(batch, &input.out, dropout, &from_here[0], d, at, body, scratch);
        }
        if let Some(dropout) = dropout {
            dropout.apply(EMBEDDINGS, 0, d);
        }
        let gain = &self.body[self.layout.norm.gain.clone()];
        let (d_gain, d_shift) = self.layout.norm.of_mut(body);
        norm::backward(&embedded.normalised, &embedded.inverse, gain, d, d_gain, d_shift);
        // Positions come before types.
        let (positions, types) = body[self.layout.positions.start..self.layout.types.end]
            .split_at_mut(self.layout.positions.len());
        embedding::backward(batch, d, words, positions, types);
    }

    fn embed(&self, batch: &Batch, embedded: &mut Normed) {
        let Layout { positions, types, norm, .. } = &self.layout;
        embedded.resize(batch.num_rows(), self.config.hidden);
        let [positions, types] = [positions, types].map(|range| &self.body[range.clone()]);
        let hidden = self.config.hidden;
        let word =
            |id: u32, out: &mut [f32]| out.copy_from_slice(&self.words[id as usize * hidden..][..hidden]);
        embedding::forward(batch, word, positions, types, &mut embedded.normalised);
        embedded.normalise(norm.of(&self.body, self.config.epsilon));
    }
}

#[cfg(test)]
mod tests {
    use boughs_learn::shards::{Chunks, reduce};

    use super::*;
    use crate::config::Activation;
    use crate::testing::{assert_derivative, dot, random_encoder, random_values, tiny_config};

    const SENTENCES: [&[u32]; 4] = [&[1, 5, 7, 7, 2], &[3], &[1, 4, 2], &[10, 9, 8, 0, 1, 2]];

    fn batch() -> Batch {
        let batch = Batch::new(SENTENCES, &tiny_config()).unwrap();
        let types = (0..batch.num_rows()).map(|row| u32::from(row % 3 == 1)).collect();
        batch.with_types(types, &tiny_config()).unwrap()
    }

    fn gradient_of(encoder: &Encoder, dropout: Option<Dropout>, seen: &[f32]) -> Gradient {
        let (mut trace, mut gradient) = (Trace::default(), Gradient::new(encoder));
        encoder.forward(&batch(), dropout, &mut trace);
        encoder.backward(&batch(), &mut trace, &mut seen.to_vec(), &mut gradient);
        gradient
    }

    /// Every parameter of the whole network, with and without dropout.
    #[test]
    fn gradients() {
        let seen = random_values(5, batch().num_rows() * tiny_config().hidden);
        for (dropout, activation) in
            [(None, Activation::Gelu), (Some(Dropout { rate: 0.2, seed: 3 }), Activation::GeluTanh)]
        {
            let mut encoder = random_encoder(&Config { activation, ..tiny_config() }, 2);
            let gradient = gradient_of(&encoder, dropout, &seen);
            let [d_words, d_body] = [gradient.dense_words(&encoder), gradient.body().to_vec()];
            let mut trace = Trace::default();
            for (index, &derivative) in d_words.iter().enumerate() {
                assert_derivative(derivative, |shift| {
                    let before = encoder.words[index];
                    encoder.words[index] += shift;
                    let loss = dot(encoder.forward(&batch(), dropout, &mut trace), &seen);
                    encoder.words[index] = before;
                    loss
                });
            }
            for (index, &derivative) in d_body.iter().enumerate() {
                assert_derivative(derivative, |shift| {
                    let before = encoder.body[index];
                    encoder.body[index] += shift;
                    let loss = dot(encoder.forward(&batch(), dropout, &mut trace), &seen);
                    encoder.body[index] = before;
                    loss
                });
            }
        }
    }

    #[test]
    fn frozen_words_get_no_gradient_and_all_else_the_same() {
        let encoder = random_encoder(&tiny_config(), 2);
        let seen = random_values(5, batch().num_rows() * tiny_config().hidden);
        let all = gradient_of(&encoder, None, &seen);
        let (mut trace, mut others) = (Trace::default(), Gradient::without_words(&encoder));
        encoder.forward(&batch(), None, &mut trace);
        encoder.backward(&batch(), &mut trace, &mut seen.clone(), &mut others);
        assert_eq!(others.body(), all.body());
        assert!(others.words().next().is_none() && all.words().next().is_some());
    }

    #[test]
    fn more_types_change_nothing_at_first() {
        let encoder = random_encoder(&tiny_config(), 2);
        let more = encoder.with_types(5).unwrap();
        let plain = Batch::new(SENTENCES, encoder.config()).unwrap();
        let types = (0..plain.num_rows() as u32).map(|row| row % 5).collect();
        let typed = plain.clone().with_types(types, more.config()).unwrap();
        let (mut one, mut other) = (Trace::default(), Trace::default());
        assert_eq!(encoder.forward(&plain, None, &mut one), more.forward(&typed, None, &mut other));
    }

    #[test]
    fn an_empty_batch_is_nothing() {
        let encoder = random_encoder(&tiny_config(), 2);
        let empty = Batch::default();
        let (mut trace, mut gradient) = (Trace::default(), Gradient::new(&encoder));
        assert!(encoder.forward(&empty, None, &mut trace).is_empty());
        encoder.backward(&empty, &mut trace, &mut [], &mut gradient);
        assert_eq!(gradient.norm(), 0.0);
    }

    /// The gradient of a sentence, with dropout that its first piece decides.
    fn shard(encoder: &Encoder, sentence: &[u32]) -> Gradient {
        let batch = Batch::new([sentence], encoder.config()).unwrap();
        let (mut trace, mut gradient) = (Trace::default(), Gradient::new(encoder));
        let dropout = Dropout { rate: 0.1, seed: u64::from(sentence[0]) };
        let mut d = encoder.forward(&batch, Some(dropout), &mut trace).to_vec();
        encoder.backward(&batch, &mut trace, &mut d, &mut gradient);
        gradient
    }

    #[test]
    fn threads_do_not_change_a_bit() {
        let encoder = random_encoder(&tiny_config(), 2);
        let total = |num_threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(num_threads).build().unwrap();
            let mut total = Gradient::new(&encoder);
            let compute = |sentences: &[&[u32]]| shard(&encoder, sentences[0]);
            let shards = Chunks { items: &SENTENCES[..], size: 1, compute };
            pool.install(|| reduce(&shards, &(), |partial| total.add(&partial)));
            let values = [total.body(), &total.dense_words(&encoder)].concat();
            values.into_iter().map(f32::to_bits).collect::<Vec<_>>()
        };
        assert_eq!(total(1), total(2));
        assert_eq!(total(1), total(3));
    }
}
