//! Where each parameter of a head lies: all are one array, as those of an encoder are.

use std::ops::Range;

use super::mlp::MlpGradient;

/// The sizes that decide about the shape of a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HeadSizes {
    /// Numbers in a vector of the encoder.
    pub(crate) encoder: usize,
    /// Numbers in what is known of a span, and of a word.
    pub(crate) hidden: usize,
    pub(crate) labels: usize,
    pub(crate) tags: usize,
}

/// A part of the parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) range: Range<usize>,
    /// Numbers in a row; 0 for what is no matrix.
    pub(super) width: usize,
}

/// The places of the parameters of a network over pairs of rows: a linear map, and another one of what layer norm
/// and ReLU make of it.
#[derive(Debug, Clone)]
pub(super) struct NetworkLayout {
    pub(super) pairs: Part,
    /// Added to what the map gives; for spans, to the difference of two.
    pub(super) offset: Part,
    pub(super) gain: Part,
    pub(super) shift: Part,
    pub(super) weight: Part,
    pub(super) bias: Part,
}

impl NetworkLayout {
    pub(super) fn parts(&self) -> [&Part; 6] {
        [&self.pairs, &self.offset, &self.gain, &self.shift, &self.weight, &self.bias]
    }

    /// Where the gradients of the layers behind the hidden one go.
    pub(super) fn mlp_gradient<'g>(&self, values: &'g mut [f32]) -> MlpGradient<'g> {
        let values = &mut values[self.gain.range.start..self.bias.range.end];
        let (gain, values) = values.split_at_mut(self.gain.range.len());
        let (shift, values) = values.split_at_mut(self.shift.range.len());
        let (weight, bias) = values.split_at_mut(self.weight.range.len());
        MlpGradient { gain, shift, weight, bias }
    }
}

/// The places of all parameters.
#[derive(Debug, Clone)]
pub(super) struct HeadLayout {
    pub(super) spans: NetworkLayout,
    pub(super) words: NetworkLayout,
}

impl HeadLayout {
    pub(super) fn new(sizes: HeadSizes) -> Self {
        let mut end = 0;
        let spans = network(&mut end, sizes, sizes.labels);
        Self { spans, words: network(&mut end, sizes, sizes.tags) }
    }

    pub(super) fn len(&self) -> usize {
        self.words.bias.range.end
    }

    pub(super) fn parts(&self) -> impl Iterator<Item = &Part> {
        self.spans.parts().into_iter().chain(self.words.parts())
    }
}

fn network(end: &mut usize, sizes: HeadSizes, outputs: usize) -> NetworkLayout {
    let hidden = sizes.hidden;
    let mut take = |rows: usize, width: usize| {
        let range = *end..*end + rows * width.max(1);
        *end = range.end;
        Part { range, width }
    };
    NetworkLayout {
        pairs: take(hidden, 2 * sizes.encoder),
        offset: take(hidden, 0),
        gain: take(hidden, 0),
        shift: take(hidden, 0),
        weight: take(outputs, hidden),
        bias: take(outputs, 0),
    }
}
