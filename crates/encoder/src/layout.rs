//! Where each parameter of an encoder lies.
//!
//! A network is usually a tree of objects that each own their weights. Here all weights but the word vectors
//! are one flat array, the *body*, and this file says which range of it is what. Gradients and the
//! optimiser's moments are arrays of the same layout: adding two gradients, clipping, a step of AdamW, saving
//! and restoring are loops over arrays that know nothing of layers. Word vectors stay apart because a batch
//! touches few of them.

use std::ops::Range;

use crate::config::Config;
use crate::ops::norm::Norm;

/// A tensor of an encoder's file: its name (without the prefix `bert.`), its shape, and its place in the
/// body.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor {
    /// The name.
    pub name: String,
    /// The size of each dimension; matrices have a row per output.
    pub shape: Vec<usize>,
    /// The place in the body.
    pub range: Range<usize>,
    /// What it is a part of.
    pub part: EncoderPart,
}

/// A part of an encoder, as far as parts may learn at different rates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EncoderPart {
    /// The vectors of the vocabulary.
    Words,
    /// The vectors of types.
    Types,
    /// Positions, and the layer norm behind all embeddings.
    Embeddings,
    /// A layer, counted from 1.
    Layer(usize),
}

impl Tensor {
    /// Whether weight decay applies: to matrices, not to biases and layer norms (Devlin et al. 2019).
    pub fn decays(&self) -> bool {
        self.shape.len() > 1
    }
}

/// A linear map in the body: a weight per output and input, a bias per output.
#[derive(Debug, Clone)]
pub(crate) struct LinearAt {
    pub weight: Range<usize>,
    pub bias: Range<usize>,
}

impl LinearAt {
    /// Weight and bias.
    pub fn of<'a>(&self, body: &'a [f32]) -> (&'a [f32], &'a [f32]) {
        (&body[self.weight.clone()], &body[self.bias.clone()])
    }

    /// Weight and bias, which lie side by side.
    pub fn of_mut<'a>(&self, body: &'a mut [f32]) -> (&'a mut [f32], &'a mut [f32]) {
        body[self.weight.start..self.bias.end].split_at_mut(self.weight.len())
    }
}

/// A layer norm in the body.
#[derive(Debug, Clone)]
pub(crate) struct NormAt {
    pub gain: Range<usize>,
    pub shift: Range<usize>,
}

impl NormAt {
    pub fn of<'a>(&self, body: &'a [f32], epsilon: f32) -> Norm<'a> {
        Norm { gain: &body[self.gain.clone()], shift: &body[self.shift.clone()], epsilon }
    }

    /// Gain and shift, which lie side by side.
    pub fn of_mut<'a>(&self, body: &'a mut [f32]) -> (&'a mut [f32], &'a mut [f32]) {
        body[self.gain.start..self.shift.end].split_at_mut(self.gain.len())
    }
}

/// A layer in the body.
#[derive(Debug, Clone)]
pub(crate) struct LayerAt {
    /// Queries, keys and values of all heads, as one map.
    pub qkv: LinearAt,
    pub attention_output: LinearAt,
    pub attention_norm: NormAt,
    pub up: LinearAt,
    pub down: LinearAt,
    pub output_norm: NormAt,
}

/// The whole body.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    pub positions: Range<usize>,
    pub types: Range<usize>,
    pub norm: NormAt,
    pub layers: Vec<LayerAt>,
    /// All tensors, in the order of the body, which they cover without gaps.
    pub tensors: Vec<Tensor>,
}

impl Layout {
    pub fn new(config: &Config) -> Self {
        let mut planner = Planner { tensors: Vec::new(), part: EncoderPart::Embeddings };
        let hidden = config.hidden;
        let positions = planner.take("embeddings.position_embeddings.weight", &[config.positions, hidden]);
        planner.part = EncoderPart::Types;
        let types = planner.take(TYPES, &[config.types, hidden]);
        planner.part = EncoderPart::Embeddings;
        let norm = planner.norm("embeddings.LayerNorm", hidden);
        let layers = (0..config.layers).map(|number| planner.layer(number, config)).collect();
        Self { positions, types, norm, layers, tensors: planner.tensors }
    }

    /// The length of the body.
    pub fn len(&self) -> usize {
        self.tensors.last().map_or(0, |tensor| tensor.range.end)
    }
}

/// The name of the vectors of types in files.
pub(crate) const TYPES: &str = "embeddings.token_type_embeddings.weight";

/// Hands out ranges of the body, one after the other.
struct Planner {
    tensors: Vec<Tensor>,
    part: EncoderPart,
}

impl Planner {
    fn take(&mut self, name: &str, shape: &[usize]) -> Range<usize> {
        let start = self.tensors.last().map_or(0, |tensor| tensor.range.end);
        let range = start..start + shape.iter().product::<usize>();
        self.tensors.push(Tensor {
            name: name.to_owned(),
            shape: shape.to_vec(),
            range: range.clone(),
            part: self.part,
        });
        range
    }

    fn norm(&mut self, name: &str, width: usize) -> NormAt {
        NormAt {
            gain: self.take(&format!("{name}.weight"), &[width]),
            shift: self.take(&format!("{name}.bias"), &[width]),
        }
    }

    fn linear(&mut self, name: &str, inputs: usize, outputs: usize) -> LinearAt {
        LinearAt {
            weight: self.take(&format!("{name}.weight"), &[outputs, inputs]),
            bias: self.take(&format!("{name}.bias"), &[outputs]),
        }
    }

    /// Three maps of the file that are one here: their weights in a row, then their biases.
    fn joined(&mut self, names: &[String; 3], width: usize) -> LinearAt {
        let weights = names.each_ref().map(|name| self.take(&format!("{name}.weight"), &[width, width]));
        let biases = names.each_ref().map(|name| self.take(&format!("{name}.bias"), &[width]));
        LinearAt { weight: weights[0].start..weights[2].end, bias: biases[0].start..biases[2].end }
    }

    fn layer(&mut self, number: usize, config: &Config) -> LayerAt {
        self.part = EncoderPart::Layer(number + 1);
        let name = |part: &str| format!("encoder.layer.{number}.{part}");
        let Config { hidden, intermediate, .. } = *config;
        let parts = ["query", "key", "value"].map(|part| name(&format!("attention.self.{part}")));
        LayerAt {
            qkv: self.joined(&parts, hidden),
            attention_output: self.linear(&name("attention.output.dense"), hidden, hidden),
            attention_norm: self.norm(&name("attention.output.LayerNorm"), hidden),
            up: self.linear(&name("intermediate.dense"), hidden, intermediate),
            down: self.linear(&name("output.dense"), intermediate, hidden),
            output_norm: self.norm(&name("output.LayerNorm"), hidden),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::tiny_config;

    #[test]
    fn tensors_cover_the_body() {
        let config = tiny_config();
        let layout = Layout::new(&config);
        let mut end = 0;
        for tensor in &layout.tensors {
            assert_eq!(tensor.range.start, end);
            end = tensor.range.end;
        }
        let words = (config.vocabulary * config.hidden) as u64;
        assert_eq!(layout.len() as u64 + words, config.num_parameters());
    }
}
