//! From the settings of a row to a recipe.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::method::{Method, Slot};
use crate::spec::{Experiment, Row};
use boughs::train::{
    ConditionalConfig, CrfConfig, LatentConfig, NeuralConfig, PcfgConfig, TransitionConfig, over_toml,
    to_toml,
};
use boughs_learn::error::Result;
use boughs_learn::logistic::LogisticConfig;
use boughs_learn::recipes::BoostingConfig;
use boughs_translate::{DiscriminativeConfig, GenerativeConfig};

/// The recipe of a row, with all its settings.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub(crate) enum RowRecipe {
    Boosted(Box<TransitionConfig>),
    Latent(Box<LatentConfig>),
    Conditional(Box<ConditionalConfig>),
    Crf(Box<CrfConfig>),
    Pcfg(Box<PcfgConfig>),
    Neural(Box<NeuralConfig>),
    Discriminative(Box<DiscriminativeConfig>),
    Generative(GenerativeConfig),
    BoostedRows(BoostingConfig),
    LogisticRows(Box<LogisticConfig>),
    Words(WordsConfig),
    External(ExternalConfig),
    /// There is nothing to set.
    Plain {},
}

/// Settings of the comparison of learners on words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct WordsConfig {
    /// The weight of the l2 penalty. Default: the best on the development pairs.
    pub(crate) l2: Option<f64>,
}

/// Settings of boosters of others.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ExternalConfig {
    /// The most trees. Default: 2000.
    pub(crate) trees: usize,
    /// Training ends after so many trees without a lower loss. Default: 30.
    pub(crate) patience: usize,
    /// The learning rate. Default: 0.3.
    pub(crate) rate: f64,
}

impl Default for ExternalConfig {
    fn default() -> Self {
        Self { trees: 2000, patience: 30, rate: 0.3 }
    }
}

impl RowRecipe {
    /// All settings as TOML.
    pub(crate) fn settings(&self) -> Result<String> {
        to_toml(self)
    }
}

impl Experiment {
    /// The recipe of a row that is trained, at toy size or in full.
    pub(crate) fn recipe(&self, row: &Row, is_quick: bool) -> Result<RowRecipe> {
        let method = self.method(row);
        let layers = self.layers(row, method, is_quick);
        let recipe = match method {
            Method::Boosted => {
                let preset = self.base.preset.map_or_else(TransitionConfig::default, TransitionConfig::of);
                RowRecipe::Boosted(Box::new(over(preset, &layers)?))
            }
            Method::Latent => RowRecipe::Latent(layered(&layers)?),
            Method::Conditional => RowRecipe::Conditional(layered(&layers)?),
            Method::Crf => RowRecipe::Crf(layered(&layers)?),
            Method::Pcfg => RowRecipe::Pcfg(layered(&layers)?),
            Method::Neural => RowRecipe::Neural(layered(&layers)?),
            Method::Discriminative => RowRecipe::Discriminative(layered(&layers)?),
            Method::Generative => RowRecipe::Generative(over(GenerativeConfig::default(), &layers)?),
            Method::BoostedRows => RowRecipe::BoostedRows(over(BoostingConfig::default(), &layers)?),
            Method::LogisticRows => RowRecipe::LogisticRows(layered(&layers)?),
            Method::Words => RowRecipe::Words(over(WordsConfig::default(), &layers)?),
            Method::Xgboost | Method::Lightgbm => {
                RowRecipe::External(over(ExternalConfig::default(), &layers)?)
            }
            Method::Model | Method::MostFrequent => {
                over(Nothing::default(), &layers)?;
                RowRecipe::Plain {}
            }
        };
        Ok(recipe)
    }

    /// What is put in place of the defaults of a method, the last one last.
    fn layers<'e>(&'e self, row: &'e Row, method: Method, is_quick: bool) -> Vec<toml::Table> {
        let mut layers = Vec::new();
        if method == self.base.method {
            layers.push(self.base.settings.clone());
        }
        if let Some(most) = self.max_words(is_quick)
            && method.slot() == Slot::Trees
            && method != Method::Model
        {
            layers.push([("max-words".to_owned(), toml::Value::Integer(most as i64))].into_iter().collect());
        }
        layers.push(row.settings.clone());
        if is_quick {
            layers.extend(self.quick.settings.get(&method).cloned());
        }
        layers
    }

    /// The most words of a sentence that is learned from, and measured on.
    pub fn max_words(&self, is_quick: bool) -> Option<usize> {
        self.quick.max_words.filter(|_| is_quick).or(self.data.max_words)
    }
}

/// A method without settings.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

fn layered<T: Default + Serialize + DeserializeOwned>(layers: &[toml::Table]) -> Result<Box<T>> {
    over(T::default(), layers).map(Box::new)
}

fn over<T: Serialize + DeserializeOwned>(default: T, layers: &[toml::Table]) -> Result<T> {
    layers.iter().try_fold(default, |settings, layer| over_toml(&settings, &to_toml(layer)?))
}
