//! `boughs train neural`: an encoder with a chart on top.

use std::path::PathBuf;

use anyhow::Result;
use boughs::neural::{NeuralObjective, WeightStorage};
use boughs::train::NeuralConfig;
use clap::Args;

use super::common::Common;
use crate::choice::{Variants, variant};
use crate::number;
use crate::training::{flags, set};

/// A parser: a pre-trained encoder scores labelled spans, and a chart finds the best tree (most accurate)
///
/// It starts from the directory of a BERT-type encoder, such as MiniLM, and trains encoder and scores
/// together, to tell the gold tree from all others by a margin (Taskar et al. 2004, Kitaev & Klein 2018). It
/// is the most accurate method, on text unlike the training trees most of all, and tags by itself. See
/// docs/neural.md.
#[derive(Debug, Args)]
pub(super) struct NeuralArgs {
    #[command(flatten)]
    pub(super) common: Common,

    /// The encoder: a directory with config.json, vocab.txt or tokenizer.json, and model.safetensors
    #[arg(long, value_name = "DIR")]
    encoder: Option<PathBuf>,

    /// Keep only the first N layers of the encoder: faster, and less accurate [default: all]
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..))]
    layers: Option<usize>,

    /// Keep only the N pieces of the encoder's vocabulary that are most frequent in the training trees: a smaller file
    /// [default: all]
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..))]
    vocabulary: Option<usize>,

    /// Leave the vectors of the encoder's vocabulary as they are: less memory and time
    #[arg(long)]
    freeze_embeddings: bool,

    /// What to aim at [default: margin]
    #[arg(long, value_name = "NAME", value_parser = variant::<NeuralObjective>(OBJECTIVES))]
    objective: Option<NeuralObjective>,

    /// How often to go through all trees; learning rates fall to zero over all of them [default: 8]
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..))]
    epochs: Option<usize>,

    /// End after so many epochs without a better F1 [default: 8]
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..))]
    patience: Option<usize>,

    /// How many sentences make a step [default: 16]
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..))]
    batch: Option<usize>,

    /// How far the encoder moves in a step [default: 2.5e-4]
    #[arg(long, value_name = "X")]
    encoder_rate: Option<f32>,

    /// How far the network on top of the encoder moves in a step [default: 1e-3]
    #[arg(long, value_name = "X")]
    head_rate: Option<f32>,

    /// The share of the numbers that training leaves out [default: 0.1]
    #[arg(long, value_name = "X", hide_short_help = true)]
    dropout: Option<f32>,

    /// The share of sentences that an epoch shows in lower case, in Title Case or in CAPITALS [default: 0]
    #[arg(long, value_name = "X")]
    recase: Option<f32>,

    /// How much the loss of tags counts beside that of spans [default: 1]
    #[arg(long, value_name = "X", hide_short_help = true)]
    tag_weight: Option<f32>,

    /// What the weights in the model file are made of [default: f32]
    #[arg(long, value_name = "NAME", value_parser = variant::<WeightStorage>(WEIGHTS))]
    weights: Option<WeightStorage>,
}

const OBJECTIVES: Variants = &[
    (
        "margin",
        "The gold tree is better than every other by a margin that grows with the errors of the other",
    ),
    ("likelihood", "The gold tree is likely given its words"),
];

pub(crate) const WEIGHTS: Variants = &[
    ("f32", "Numbers of 32 bits, as they were trained"),
    ("f16", "Numbers of 16 bits in the file: half the size"),
    ("int8", "Bytes: a quarter of the size, and faster; a little less accurate"),
];

impl NeuralArgs {
    pub(super) fn recipe(&self) -> Result<NeuralConfig> {
        let mut config = self.common.settings(NeuralConfig::default(), flags!(self; encoder, layers, vocabulary, objective, epochs, patience, batch, encoder_rate, head_rate, dropout, recase, tag_weight, weights))?;
        config.freeze_embeddings |= self.freeze_embeddings;
        set(&mut config.seed, self.common.run.seed);
        Ok(config)
    }
}
