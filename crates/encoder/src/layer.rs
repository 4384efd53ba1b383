//! One layer: attention and a feed-forward network, each with a residual connection and a layer norm behind
//! it.
//!
//! The forward pass is written once, over any kind of linear map: those of training and those of inference.
//! It leaves all that the backward pass needs in a [`LayerTrace`]; inference reuses one trace for all layers.

use crate::batch::Batch;
use crate::config::{Activation, Config};
use crate::layout::LayerAt;
use crate::math::add;
use crate::matrix::{Product, multiply};
use crate::ops::dropout::Dropout;
use crate::ops::linear::{FloatLinear, Linear};
use crate::ops::norm::Norm;
use crate::ops::{attention, gelu, linear, norm};

/// A layer whose linear maps are of some kind.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layer<'a, L> {
    pub qkv: L,
    pub attention_output: L,
    pub attention_norm: Norm<'a>,
    pub up: L,
    pub down: L,
    pub output_norm: Norm<'a>,
    pub heads: usize,
    pub activation: Activation,
    /// The product of queries, keys and values.
    pub product: Product,
}

/// What a layer norm leaves behind.
#[derive(Debug, Default)]
pub(crate) struct Normed {
    /// The rows with mean 0 and variance 1; before that, the rows to be normalised.
    pub normalised: Vec<f32>,
    /// What each row was scaled by.
    pub inverse: Vec<f32>,
    pub out: Vec<f32>,
}

impl Normed {
    pub fn resize(&mut self, rows: usize, width: usize) {
        self.normalised.resize(rows * width, 0.0);
        self.inverse.resize(rows, 0.0);
        self.out.resize(rows * width, 0.0);
    }

    pub fn normalise(&mut self, norm: Norm<'_>) {
        norm::forward(norm, &mut self.normalised, &mut self.inverse, &mut self.out);
    }
}

/// What the forward pass of a layer leaves behind.
#[derive(Debug, Default)]
pub(crate) struct LayerTrace {
    qkv: Vec<f32>,
    probabilities: Vec<f32>,
    context: Vec<f32>,
    attended: Normed,
    raised: Vec<f32>,
    activated: Vec<f32>,
    pub output: Normed,
}

impl LayerTrace {
    fn resize(&mut self, batch: &Batch, heads: usize, hidden: usize, intermediate: usize) {
        let rows = batch.num_rows();
        self.qkv.resize(rows * 3 * hidden, 0.0);
        self.probabilities.resize(batch.num_pairs() * heads, 0.0);
        self.context.resize(rows * hidden, 0.0);
        self.attended.resize(rows, hidden);
        self.raised.resize(rows * intermediate, 0.0);
        self.activated.resize(rows * intermediate, 0.0);
        self.output.resize(rows, hidden);
    }
}

/// What training leaves out in one layer; each of its three places draws for itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LayerDropout<'a> {
    pub dropout: Option<&'a Dropout>,
    pub layer: usize,
}

impl<'a> LayerDropout<'a> {
    fn attention(self) -> attention::DropoutAt<'a> {
        self.dropout.map(|dropout| (dropout, self.place(0)))
    }

    fn apply(self, part: u64, rows: &mut [f32]) {
        if let Some(dropout) = self.dropout {
            dropout.apply(self.place(part), 0, rows);
        }
    }

    fn place(self, part: u64) -> u64 {
        3 * self.layer as u64 + part
    }
}

impl<L: Linear> Layer<'_, L> {
    /// Computes `trace.output.out` from the rows of the layer below.
    pub fn forward(&self, batch: &Batch, input: &[f32], dropout: LayerDropout<'_>, trace: &mut LayerTrace) {
        trace.resize(batch, self.heads, self.down.outputs(), self.up.outputs());
        let LayerTrace { qkv, probabilities, context, attended, raised, activated, output } = trace;

        self.qkv.apply(input, qkv);
        attention::forward(self.product, batch, self.heads, qkv, dropout.attention(), probabilities, context);
        self.attention_output.apply(context, &mut attended.normalised);
        dropout.apply(1, &mut attended.normalised);
        add(&mut attended.normalised, input);
        attended.normalise(self.attention_norm);

        self.up.apply(&attended.out, raised);
        gelu::forward(self.activation, raised, activated);
        self.down.apply(activated, &mut output.normalised);
        dropout.apply(2, &mut output.normalised);
        add(&mut output.normalised, &attended.out);
        output.normalise(self.output_norm);
    }
}

impl<'a> Layer<'a, FloatLinear<'a>> {
    /// The layer at a place of a body of parameters.
    pub fn of(config: &Config, at: &LayerAt, body: &'a [f32]) -> Self {
        let linear = |at: &crate::layout::LinearAt| {
            let (weight, bias) = at.of(body);
            FloatLinear { weight, bias }
        };
        Self {
            qkv: linear(&at.qkv),
            attention_output: linear(&at.attention_output),
            attention_norm: at.attention_norm.of(body, config.epsilon),
            up: linear(&at.up),
            down: linear(&at.down),
            output_norm: at.output_norm.of(body, config.epsilon),
            heads: config.heads,
            activation: config.activation,
            product: multiply,
        }
    }

    /// Turns `d` from the gradient of what came out into that of `input`; adds to the gradient of the
    /// parameters, which lie in `body` at `at`.
    #[expect(
        clippy::too_many_arguments,
        reason = "what went in, what it left behind, and where gradients go"
    )]
    pub fn backward(
        &self,
        batch: &Batch,
        input: &[f32],
        dropout: LayerDropout<'_>,
        trace: &LayerTrace,
        d: &mut [f32],
        at: &LayerAt,
        body: &mut [f32],
        scratch: &mut Scratch,
    ) {
        let Scratch { branch, wide, context, qkv } = scratch;
        let LayerTrace { attended, output, .. } = trace;

        let (d_gain, d_shift) = at.output_norm.of_mut(body);
        norm::backward(&output.normalised, &output.inverse, self.output_norm.gain, d, d_gain, d_shift);
        copy(branch, d);
        dropout.apply(2, branch);
        zeros(wide, trace.activated.len());
        let (d_weight, d_bias) = at.down.of_mut(body);
        linear::backward(&trace.activated, self.down.weight, branch, wide, d_weight, d_bias);
        gelu::backward(self.activation, &trace.raised, wide);
        // `d` holds the gradient of the residual connection, to which that of the branch is added.
        let (d_weight, d_bias) = at.up.of_mut(body);
        linear::backward(&attended.out, self.up.weight, wide, d, d_weight, d_bias);

        let (d_gain, d_shift) = at.attention_norm.of_mut(body);
        norm::backward(&attended.normalised, &attended.inverse, self.attention_norm.gain, d, d_gain, d_shift);
        copy(branch, d);
        dropout.apply(1, branch);
        zeros(context, trace.context.len());
        let (d_weight, d_bias) = at.attention_output.of_mut(body);
        linear::backward(&trace.context, self.attention_output.weight, branch, context, d_weight, d_bias);
        zeros(qkv, trace.qkv.len());
        let probabilities = &trace.probabilities;
        attention::backward(batch, self.heads, &trace.qkv, dropout.attention(), probabilities, context, qkv);
        let (d_weight, d_bias) = at.qkv.of_mut(body);
        linear::backward(input, self.qkv.weight, qkv, d, d_weight, d_bias);
    }
}

/// Memory of the backward pass, used for layer after layer.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    branch: Vec<f32>,
    wide: Vec<f32>,
    context: Vec<f32>,
    qkv: Vec<f32>,
}

fn copy(to: &mut Vec<f32>, from: &[f32]) {
    to.clear();
    to.extend_from_slice(from);
}

fn zeros(values: &mut Vec<f32>, len: usize) {
    values.clear();
    values.resize(len, 0.0);
}
