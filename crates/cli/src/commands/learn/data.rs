//! How the verbs of `learn` take rows and models.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use boughs::model::Predictor;
use boughs_learn::DatasetBuilder;
use boughs_learn::recipes::model_of_checkpoint;
use boughs_learn::run::CHECKPOINT_KIND;
use boughs_learn::svmlight::{LabelledRows, Options, SvmlightReader};
use clap::Args;

use crate::model::load_file;

/// How rows are read.
#[derive(Debug, Clone, Args)]
pub(crate) struct DataArgs {
    /// Count features of a value above X as active; by default values must be 0 or 1
    #[arg(long, value_name = "X", help_heading = "Input", allow_negative_numbers = true)]
    threshold: Option<f64>,
}

/// A trained model, perhaps as it stood earlier on its path.
#[derive(Debug, Clone, Args)]
pub(crate) struct ModelArgs {
    /// Model written by `boughs learn train`, or its checkpoint
    #[arg(long, short, value_name = "MODEL")]
    model: PathBuf,

    /// Use a boosted model as it stood when its penalty had fallen to X
    #[arg(long, value_name = "X")]
    at: Option<f64>,
}

impl DataArgs {
    pub(crate) fn open(&self, path: &Path) -> Result<SvmlightReader> {
        Ok(SvmlightReader::open(path, Options { threshold: self.threshold })?)
    }

    /// Reads all rows, in the form that is best for boosting or for logistic regression.
    pub(crate) fn read_for(&self, path: &Path, is_boosting: bool) -> Result<LabelledRows> {
        let finish = if is_boosting { DatasetBuilder::finish_by_frequency } else { DatasetBuilder::finish };
        Ok(LabelledRows::read_with(&mut self.open(path)?, finish)?)
    }
}

/// The kinds of models that `boughs train` writes.
const PARSERS: [&str; 5] = ["chart", "transition", "neural", "combined", "tagger"];

impl ModelArgs {
    pub(crate) fn load(&self) -> Result<Predictor> {
        let file = load_file(&self.model)?;
        let kind = file.about().kind.as_str();
        if PARSERS.contains(&kind) {
            bail!(
                "{0}: expected a model of `boughs learn train`, found one of kind `{kind}` (`boughs parse -m {0}` parses with a parser, `boughs tag -m {0}` tags)",
                self.model.display()
            );
        }
        let model = match file.about().kind == CHECKPOINT_KIND {
            true => model_of_checkpoint(&file),
            false => Ok(file),
        };
        let predictor = model
            .and_then(|model| Predictor::from_file(&model))
            .map_err(|error| error.in_file(&self.model))?;
        match self.at {
            Some(penalty) => Ok(predictor.at(penalty)?),
            None => Ok(predictor),
        }
    }
}
