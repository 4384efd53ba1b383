//! Settings of training a neural parser.

use std::path::PathBuf;

use boughs_encoder::Storage;
use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind, Result, require};
use crate::neural::{NeuralObjective, NeuralOptions};
use crate::train::settings::as_text;
use crate::tree::profile::Profile;

/// Settings of training a neural parser.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct NeuralConfig {
    /// The conventions of the treebank: a name, or the text of a profile. Default: the Penn Treebank's.
    #[serde(with = "as_text", skip_serializing_if = "Profile::is_default")]
    pub profile: Profile,
    /// The directory of the encoder to start from: `config.json`, `vocab.txt` or `tokenizer.json`,
    /// `model.safetensors`.
    pub encoder: PathBuf,
    /// How many of its layers are kept, the first ones. Default: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layers: Option<usize>,
    /// How many pieces of the encoder's vocabulary are kept, those that are most frequent in the training trees: a
    /// smaller file, and words that are rare are cut into more pieces. Default: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vocabulary: Option<usize>,
    /// Whether the vectors of the encoder's vocabulary stay as they are. Default: no.
    pub freeze_embeddings: bool,
    /// Numbers in what is known of a span, and of a word. Default: 256.
    pub hidden: usize,
    /// What to aim at. Default: the margin.
    pub objective: NeuralObjective,
    /// How often all trees are gone through. The learning rate falls over all of them, so another number is
    /// another course. Default: 8.
    pub epochs: usize,
    /// End after so many epochs without a better F1. Default: 8.
    pub patience: usize,
    /// How many sentences make a step. Default: 16; with 32, wsj has 80.4 F1 after an epoch and not 82.3.
    pub batch: usize,
    /// How far the encoder moves in a step. Default: 2.5e-4; with 1e-4, wsj has 82.3 F1 after an epoch and not 83.8.
    pub encoder_rate: f32,
    /// How far the head moves in a step. Default: 1e-3.
    pub head_rate: f32,
    /// The share of all steps in which rates rise; then they fall to zero. Default: 0.05.
    pub warm_up: f32,
    /// How much of their learning rate weights shrink by in a step. Default: 0.01.
    pub weight_decay: f32,
    /// Gradients longer than this are made shorter. Default: 5.
    pub clip: f32,
    /// The share of numbers that is left out in training, in encoder and head. Default: 0.1.
    pub dropout: f32,
    /// The share of sentences that an epoch shows in lower case, in Title Case or in CAPITALS, as many in each.
    /// Default: 0.
    pub recase: f32,
    /// How much the loss of tags counts beside that of spans. Default: 1.
    pub tag_weight: f32,
    /// What the weights of the parser are made of. Default: f32.
    pub weights: Storage,
    /// Longer sentences are left out. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_words: Option<usize>,
    /// How the parser parses.
    pub options: NeuralOptions,
    /// The seed of everything random. Default: 0.
    pub seed: u64,
}

impl Default for NeuralConfig {
    fn default() -> Self {
        Self {
            profile: Profile::default(),
            encoder: PathBuf::new(),
            layers: None,
            vocabulary: None,
            freeze_embeddings: false,
            hidden: 256,
            objective: NeuralObjective::default(),
            epochs: 8,
            patience: 8,
            batch: 16,
            encoder_rate: 2.5e-4,
            head_rate: 1e-3,
            warm_up: 0.05,
            weight_decay: 0.01,
            clip: 5.0,
            dropout: 0.1,
            recase: 0.0,
            tag_weight: 1.0,
            weights: Storage::F32,
            max_words: None,
            options: NeuralOptions::default(),
            seed: 0,
        }
    }
}

impl NeuralConfig {
    pub(super) fn check(&self) -> Result<()> {
        if self.encoder.as_os_str().is_empty() {
            let message = "expected the directory of an encoder, found none";
            return Err(Error::new(ErrorKind::Argument, message).hint("name one with --encoder"));
        }
        require((1..=1 << 13).contains(&self.hidden), "hidden from 1 to 8192", self.hidden)?;
        require(self.epochs > 0, "at least one epoch", self.epochs)?;
        require(self.batch > 0, "at least one sentence in a batch", self.batch)?;
        require((0.0..1.0).contains(&self.dropout), "dropout in [0, 1)", self.dropout)?;
        require((0.0..=1.0).contains(&self.recase), "a share of other cases from 0 to 1", self.recase)?;
        require((0.0..=1.0).contains(&self.warm_up), "a warm-up from 0 to 1", self.warm_up)?;
        require(self.clip > 0.0, "a clip above 0", self.clip)?;
        let is_rate = |rate: f32| rate >= 0.0 && rate.is_finite();
        require(is_rate(self.encoder_rate), "an encoder rate from 0 on", self.encoder_rate)?;
        require(is_rate(self.head_rate), "a head rate from 0 on", self.head_rate)?;
        require(is_rate(self.weight_decay), "a weight decay from 0 on", self.weight_decay)?;
        require(is_rate(self.tag_weight), "a weight of tags from 0 on", self.tag_weight)
    }
}
