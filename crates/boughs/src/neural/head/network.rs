//! A network over pairs of rows, as training and inference both use it.

use boughs_encoder::ops::linear::{FloatLinear, Linear};
use boughs_encoder::ops::norm::Norm;

use super::layout::{NetworkLayout, Part};
use super::mlp::{EPSILON, Mlp, MlpTrace};
use crate::neural::search::{SpanScores, num_spans, spans};
use crate::span::Span;

/// Spans that go through the layers at a time, so that what is known of them stays in the second cache.
const TILE: usize = 128;

/// The network.
#[derive(Debug, Clone, Copy)]
pub(super) struct Network<'a, L> {
    /// From two rows side by side to what is known of the pair; its bias is `offset`.
    pub(super) pairs: L,
    pub(super) offset: &'a [f32],
    pub(super) mlp: Mlp<'a, L>,
}

impl<'a> Network<'a, FloatLinear<'a>> {
    /// The network whose parameters lie at these places.
    pub(super) fn of(layout: &NetworkLayout, values: &'a [f32]) -> Self {
        let at = |part: &Part| &values[part.range.clone()];
        let offset = at(&layout.offset);
        let norm = Norm { gain: at(&layout.gain), shift: at(&layout.shift), epsilon: EPSILON };
        Self {
            pairs: FloatLinear { weight: at(&layout.pairs), bias: offset },
            offset,
            mlp: Mlp { norm, out: FloatLinear { weight: at(&layout.weight), bias: at(&layout.bias) } },
        }
    }
}

impl<L: Linear> Network<'_, L> {
    fn width(&self) -> usize {
        self.offset.len()
    }

    /// What is known of pairs, given their rows side by side.
    pub(super) fn combine(&self, gathered: &[f32], num_pairs: usize, out: &mut Vec<f32>) {
        out.resize(num_pairs * self.width(), 0.0);
        self.pairs.apply(gathered, out);
    }

    /// What is known of spans: the difference between the places where they end and start.
    pub(super) fn differences(
        &self,
        fenceposts: &[f32],
        spans: impl Iterator<Item = Span>,
        out: &mut Vec<f32>,
    ) {
        let width = self.width();
        let at = |place: u32| &fenceposts[place as usize * width..][..width];
        out.clear();
        for span in spans {
            let ends = at(span.end).iter().zip(at(span.start)).zip(self.offset);
            out.extend(ends.map(|((end, start), offset)| end - start + offset));
        }
    }

    /// The scores of all spans of a sentence, given what is known of its fenceposts.
    pub(super) fn score_spans(&self, fenceposts: &[f32], trace: &mut MlpTrace) -> SpanScores {
        let (num_words, labels) = (fenceposts.len() / self.width() - 1, self.mlp.out.outputs());
        let mut scores = vec![0.0; num_spans(num_words) * labels];
        let mut spans = spans(num_words);
        for scores in scores.chunks_mut(TILE * labels) {
            self.differences(fenceposts, spans.by_ref().take(TILE), &mut trace.rows);
            self.mlp.forward(trace, scores);
        }
        SpanScores::new(num_words, labels, scores)
    }
}
