//! `boughs learn`: the learner on its own, for rows of binary features from any source.

mod data;
mod explain;
mod names;
mod predict;
mod train;

use anyhow::Result;
use clap::Subcommand;

use crate::Outcome;

/// Train and use classifiers over sparse binary features (svmlight text), without a treebank
#[derive(Subcommand)]
pub(crate) enum LearnCommand {
    Train(Box<train::TrainArgs>),
    Predict(predict::PredictArgs),
    Explain(explain::ExplainArgs),
}

impl LearnCommand {
    pub(crate) fn run(self) -> Result<Outcome> {
        match self {
            Self::Train(args) => train::run(&args),
            Self::Predict(args) => predict::run(&args),
            Self::Explain(args) => explain::run(&args),
        }
    }
}
