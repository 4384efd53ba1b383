//! The ways to make a row.

use serde::{Deserialize, Serialize};

/// A way to make a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// A transition parser (`boughs train boosted`).
    Boosted,
    /// A grammar with latent subcategories (`boughs train latent`).
    Latent,
    /// A log-linear grammar (`boughs train conditional`).
    Conditional,
    /// A chart parser with features (`boughs train crf`).
    Crf,
    /// A plain grammar (`boughs train pcfg`).
    Pcfg,
    /// A parser with an encoder (`boughs train neural`).
    Neural,
    /// A parser that is there already: nothing is trained.
    Model,
    /// A transducer of boosted classifiers (`boughs translate train`).
    Discriminative,
    /// A generative transducer (`boughs translate train --method generative`).
    Generative,
    /// Every word becomes its most frequent translation (`boughs translate train --method most-frequent`).
    MostFrequent,
    /// Learners compared on the choice of words alone (`boughs translate words`).
    Words,
    /// Boosted classifiers of rows (`boughs learn train boosted`).
    BoostedRows,
    /// Logistic regression (`boughs learn train logistic`).
    LogisticRows,
    /// XGBoost, where it is installed.
    Xgboost,
    /// LightGBM, where it is installed.
    Lightgbm,
}

/// What a row learns from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Slot {
    /// A treebank.
    Trees,
    /// Sentences and their translations.
    Pairs,
    /// Labelled rows of binary features.
    Rows,
}

impl Slot {
    /// All slots.
    pub const ALL: [Self; 3] = [Self::Trees, Self::Pairs, Self::Rows];

    /// What it holds, in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Trees => "trees",
            Self::Pairs => "sentence pairs",
            Self::Rows => "rows",
        }
    }
}

impl Method {
    /// What it learns from.
    pub fn slot(self) -> Slot {
        match self {
            Self::Boosted
            | Self::Latent
            | Self::Conditional
            | Self::Crf
            | Self::Pcfg
            | Self::Neural
            | Self::Model => Slot::Trees,
            Self::Discriminative | Self::Generative | Self::MostFrequent | Self::Words => Slot::Pairs,
            Self::BoostedRows | Self::LogisticRows | Self::Xgboost | Self::Lightgbm => Slot::Rows,
        }
    }

    /// The command that trains as such a row does; none if there is none.
    pub fn command(self) -> Option<&'static str> {
        match self {
            Self::Boosted => Some("boughs train boosted"),
            Self::Latent => Some("boughs train latent"),
            Self::Conditional => Some("boughs train conditional"),
            Self::Crf => Some("boughs train crf"),
            Self::Pcfg => Some("boughs train pcfg"),
            Self::Neural => Some("boughs train neural"),
            Self::Discriminative => Some("boughs translate train --method discriminative"),
            Self::Generative => Some("boughs translate train --method generative"),
            Self::MostFrequent => Some("boughs translate train --method most-frequent"),
            Self::BoostedRows => Some("boughs learn train boosted"),
            Self::LogisticRows => Some("boughs learn train logistic"),
            Self::Words | Self::Model | Self::Xgboost | Self::Lightgbm => None,
        }
    }

    /// The results of a row of this method are those of its parts: their names behind the row's name and a
    /// `/`.
    pub fn parts(self) -> &'static [&'static str] {
        match self {
            Self::Words => &boughs_translate::WORD_LEARNERS,
            _ => &[],
        }
    }

    /// About how many bytes of memory training takes for each word, or active feature, of the training data.
    pub(crate) fn bytes_per_token(self) -> usize {
        match self {
            Self::Boosted => 48_000,
            Self::Latent | Self::Conditional => 6_000,
            Self::Crf => 24_000,
            // Gradients and moments of the encoder; the words themselves take little.
            Self::Neural => 20_000,
            Self::Pcfg | Self::Model | Self::Generative | Self::MostFrequent => 1_000,
            Self::Discriminative | Self::Words => 3_000,
            Self::BoostedRows | Self::LogisticRows => 40,
            Self::Xgboost | Self::Lightgbm => 200,
        }
    }
}
