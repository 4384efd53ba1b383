//! The small network on top of an encoder: scores of labelled spans, and of tags.
//!
//! What is known of a place between two words comes from the last piece before it and the first piece behind
//! it (Kitaev & Klein 2018 take half of the vectors of the two words; here a linear map learns what to take).
//! A span is the difference between the places where it ends and starts; layer norm, ReLU and a linear map
//! make a score for each label of it. The naive form maps every span from the vectors of the encoder on. The
//! map is linear, so it is applied to places and not to spans, of which there are half the square: the layers
//! above are all that is computed per span. A word is its first and its last piece, and another such network
//! scores its tags.

mod frozen;
mod input;
mod layout;
mod mlp;
mod network;
mod pass;
#[cfg(test)]
mod tests;

use std::ops::Range;

use boughs_encoder::ops::linear::FloatLinear;

pub(crate) use frozen::{FrozenHead, HeadWorker};
pub(crate) use input::{EncoderSentence, HeadBatch, piece_batches};
use layout::HeadLayout;
pub(crate) use layout::HeadSizes;
use network::Network;
pub(crate) use pass::{EncodedBatch, HeadTask, HeadTrace, PassLoss};

use crate::rng::Rng;

/// The parameters of a head, to be trained.
#[derive(Debug, Clone)]
pub(crate) struct Head {
    sizes: HeadSizes,
    layout: HeadLayout,
    values: Vec<f32>,
}

impl Head {
    /// A head to be trained from nothing: matrices uniform as their widths want it, gains 1, all else 0.
    pub(crate) fn random(sizes: HeadSizes, seed: u64) -> Self {
        let layout = HeadLayout::new(sizes);
        let mut values = vec![0.0; layout.len()];
        let mut rng = Rng::new(seed);
        for part in layout.parts().filter(|part| part.width > 0) {
            let limit = 1.0 / (part.width as f32).sqrt();
            values[part.range.clone()].fill_with(|| limit * (2.0 * rng.unit() as f32 - 1.0));
        }
        for network in [&layout.spans, &layout.words] {
            values[network.gain.range.clone()].fill(1.0);
        }
        Self { sizes, layout, values }
    }

    /// All parameters.
    pub(crate) fn values(&self) -> &[f32] {
        &self.values
    }

    pub(crate) fn values_mut(&mut self) -> &mut [f32] {
        &mut self.values
    }

    /// The places of the parameters, and whether weight decay applies to them.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (Range<usize>, bool)> {
        self.layout.parts().map(|part| (part.range.clone(), part.width > 0))
    }

    fn spans(&self) -> Network<'_, FloatLinear<'_>> {
        Network::of(&self.layout.spans, &self.values)
    }

    fn words(&self) -> Network<'_, FloatLinear<'_>> {
        Network::of(&self.layout.words, &self.values)
    }
}
