//! Layer norm, ReLU and a linear map: from what is known of a span or a word to scores.

use boughs_encoder::ops::linear::{FloatLinear, Linear, backward as linear_backward};
use boughs_encoder::ops::norm::{self, Norm};

/// Added to the variance in layer norms.
pub(super) const EPSILON: f32 = 1e-5;

/// The layers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mlp<'a, L> {
    pub(super) norm: Norm<'a>,
    pub(super) out: L,
}

/// What the forward pass leaves behind.
#[derive(Debug, Default)]
pub(super) struct MlpTrace {
    /// The rows that go in; then the same with mean 0 and variance 1.
    pub(super) rows: Vec<f32>,
    inverse: Vec<f32>,
    /// What is not negative of the rows with gain and shift.
    activated: Vec<f32>,
}

impl<L: Linear> Mlp<'_, L> {
    /// The scores of `trace.rows`, a row each.
    pub(super) fn forward(&self, trace: &mut MlpTrace, scores: &mut [f32]) {
        let MlpTrace { rows, inverse, activated } = trace;
        inverse.resize(rows.len() / self.norm.gain.len(), 0.0);
        activated.resize(rows.len(), 0.0);
        norm::forward(self.norm, rows, inverse, activated);
        activated.iter_mut().for_each(|value| *value = value.max(0.0));
        self.out.apply(activated, scores);
    }
}

/// Where gradients of the layers go.
pub(super) struct MlpGradient<'g> {
    pub(super) gain: &'g mut [f32],
    pub(super) shift: &'g mut [f32],
    pub(super) weight: &'g mut [f32],
    pub(super) bias: &'g mut [f32],
}

impl Mlp<'_, FloatLinear<'_>> {
    /// Fills `d_rows` with the gradient of the rows that went in, given that of the scores; adds to those of
    /// the layers.
    pub(super) fn backward(
        &self,
        trace: &MlpTrace,
        d_scores: &[f32],
        d_rows: &mut Vec<f32>,
        gradient: MlpGradient<'_>,
    ) {
        let MlpTrace { rows, inverse, activated } = trace;
        let MlpGradient { gain, shift, weight, bias } = gradient;
        d_rows.clear();
        d_rows.resize(rows.len(), 0.0);
        linear_backward(activated, self.out.weight, d_scores, d_rows, weight, bias);
        for (d, &value) in d_rows.iter_mut().zip(activated) {
            *d = if value > 0.0 { *d } else { 0.0 };
        }
        norm::backward(rows, inverse, self.norm.gain, d_rows, gain, shift);
    }
}
