//! A pass of training: scores, loss, and gradients back to what the encoder gave.

use boughs_encoder::Dropout;
use boughs_encoder::ops::linear::{FloatLinear, backward as linear_backward};
use boughs_encoder::ops::softmax;
use serde::{Deserialize, Serialize};

use super::Head;
use super::input::{HeadBatch, gather, scatter};
use super::layout::NetworkLayout;
use super::mlp::MlpTrace;
use super::network::Network;
use crate::neural::labels::GoldTree;
use crate::neural::objective::{NeuralObjective, SpanGradient};
use crate::span::Span;

/// What a pass is to do.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HeadTask {
    pub(crate) objective: NeuralObjective,
    /// How much the loss of tags counts beside that of spans.
    pub(crate) tag_weight: f32,
    pub(crate) dropout: Option<Dropout>,
}

/// Sentences to learn from, as the encoder sees them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EncodedBatch<'a> {
    pub(crate) batch: &'a HeadBatch,
    /// For each sentence.
    pub(crate) gold: &'a [&'a GoldTree],
    /// What the encoder gave.
    pub(crate) rows: &'a [f32],
}

/// The losses of sentences, summed up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct PassLoss {
    pub(crate) spans: f64,
    /// The negative logarithms of the probabilities of the gold tags.
    pub(crate) tags: f64,
}

/// Memory of passes.
#[derive(Debug, Default)]
pub(crate) struct HeadTrace {
    fenceposts: PairTrace,
    words: PairTrace,
    mlp: MlpTrace,
    scores: Vec<f32>,
    d_hidden: Vec<f32>,
    d_fenceposts: Vec<f32>,
}

/// Pairs of rows, and what is known of them.
#[derive(Debug, Default)]
struct PairTrace {
    gathered: Vec<f32>,
    combined: Vec<f32>,
    d_gathered: Vec<f32>,
}

/// Where dropout leaves something out.
const FENCEPOSTS: u64 = 0;
const WORDS: u64 = 1;

/// Dropout, if there is some, and its place.
type DropoutAt = Option<(Dropout, u64)>;

impl HeadTask {
    fn dropout_at(&self, place: u64) -> DropoutAt {
        self.dropout.map(|dropout| (dropout, place))
    }
}

impl Head {
    /// The losses of sentences. Adds to the gradients of the encoder's rows and of the parameters.
    pub(crate) fn pass(
        &self,
        task: HeadTask,
        encoded: EncodedBatch<'_>,
        d_rows: &mut [f32],
        gradient: &mut [f32],
        trace: &mut HeadTrace,
    ) -> PassLoss {
        let spans = self.span_pass(task, encoded, d_rows, gradient, trace);
        let tags = self.tag_pass(task, encoded, d_rows, gradient, trace);
        PassLoss { spans, tags }
    }

    fn span_pass(
        &self,
        task: HeadTask,
        EncodedBatch { batch, gold, rows }: EncodedBatch<'_>,
        d_rows: &mut [f32],
        gradient: &mut [f32],
        trace: &mut HeadTrace,
    ) -> f64 {
        let (network, layout, width) = (self.spans(), &self.layout.spans, self.sizes.hidden);
        let HeadTrace { fenceposts, mlp, scores, d_hidden, d_fenceposts, .. } = trace;
        let dropout = task.dropout_at(FENCEPOSTS);
        forward_pairs(&network, &batch.fenceposts, rows, dropout, fenceposts);
        d_fenceposts.clear();
        d_fenceposts.resize(fenceposts.combined.len(), 0.0);
        let mut total = 0.0;
        for (places, gold) in batch.fenceposts().zip(gold) {
            let places = places.start * width..places.end * width;
            let known = &fenceposts.combined[places.clone()];
            let (loss, d_scores) = task.objective.loss(&network.score_spans(known, mlp), &gold.phrases);
            total += loss;
            // Few spans have a gradient, so those are computed a second time, and the others not kept.
            let SpanGradient { spans, rows: d_scores } = d_scores;
            network.differences(known, spans.iter().copied(), &mut mlp.rows);
            scores.resize(d_scores.len(), 0.0);
            network.mlp.forward(mlp, scores);
            network.mlp.backward(mlp, &d_scores, d_hidden, layout.mlp_gradient(gradient));
            let d_offset = &mut gradient[layout.offset.range.clone()];
            backward_differences(&spans, d_hidden, &mut d_fenceposts[places], d_offset);
        }
        backward_pairs(&network, layout, d_fenceposts, dropout, fenceposts, gradient);
        scatter(&batch.fenceposts, &fenceposts.d_gathered, self.sizes.encoder, d_rows);
        total
    }

    fn tag_pass(
        &self,
        task: HeadTask,
        EncodedBatch { batch, gold, rows }: EncodedBatch<'_>,
        d_rows: &mut [f32],
        gradient: &mut [f32],
        trace: &mut HeadTrace,
    ) -> f64 {
        let (network, layout, num_tags) = (self.words(), &self.layout.words, self.sizes.tags);
        let HeadTrace { words, mlp, scores, d_hidden, .. } = trace;
        let dropout = task.dropout_at(WORDS);
        forward_pairs(&network, &batch.words, rows, dropout, words);
        mlp.rows.clone_from(&words.combined);
        scores.resize(batch.words.len() * num_tags, 0.0);
        network.mlp.forward(mlp, scores);
        softmax::forward(scores, num_tags);
        let mut total = 0.0;
        let tags = gold.iter().flat_map(|gold| &gold.tags);
        for (row, &tag) in scores.chunks_exact_mut(num_tags).zip(tags) {
            total -= f64::from(row[usize::from(tag)].max(f32::MIN_POSITIVE)).ln();
            row[usize::from(tag)] -= 1.0;
            row.iter_mut().for_each(|d| *d *= task.tag_weight);
        }
        network.mlp.backward(mlp, scores, d_hidden, layout.mlp_gradient(gradient));
        backward_pairs(&network, layout, d_hidden, dropout, words, gradient);
        scatter(&batch.words, &words.d_gathered, self.sizes.encoder, d_rows);
        total
    }
}

fn forward_pairs(
    network: &Network<'_, FloatLinear<'_>>,
    pairs: &[[usize; 2]],
    rows: &[f32],
    dropout: DropoutAt,
    trace: &mut PairTrace,
) {
    let PairTrace { gathered, combined, .. } = trace;
    gather(pairs, rows, network.pairs.weight.len() / network.offset.len() / 2, gathered);
    if let Some((dropout, place)) = dropout {
        dropout.apply(place, 0, gathered);
    }
    network.combine(gathered, pairs.len(), combined);
}

/// Fills in the gradient of the pairs' rows, given that of what is known of them; adds to those of
/// parameters.
fn backward_pairs(
    network: &Network<'_, FloatLinear<'_>>,
    layout: &NetworkLayout,
    d_combined: &[f32],
    dropout: DropoutAt,
    trace: &mut PairTrace,
    gradient: &mut [f32],
) {
    let PairTrace { gathered, d_gathered, .. } = trace;
    d_gathered.clear();
    d_gathered.resize(gathered.len(), 0.0);
    // The bias lies behind the weights.
    let linear = &mut gradient[layout.pairs.range.start..layout.offset.range.end];
    let (d_weight, d_bias) = linear.split_at_mut(layout.pairs.range.len());
    linear_backward(gathered, network.pairs.weight, d_combined, d_gathered, d_weight, d_bias);
    if let Some((dropout, place)) = dropout {
        dropout.apply(place, 0, d_gathered);
    }
}

/// A span is where it ends, less where it starts, and an offset.
fn backward_differences(spans: &[Span], d: &[f32], d_fenceposts: &mut [f32], d_offset: &mut [f32]) {
    let width = d_offset.len();
    for (span, d) in spans.iter().zip(d.chunks_exact(width)) {
        for (column, &d) in d.iter().enumerate() {
            d_fenceposts[span.end as usize * width + column] += d;
            d_fenceposts[span.start as usize * width + column] -= d;
            d_offset[column] += d;
        }
    }
}
