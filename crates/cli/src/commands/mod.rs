//! The verbs.

mod align;
mod compare;
mod completions;
mod eval;
mod experiment;
mod explain;
mod learn;
mod man;
pub(crate) mod model;
mod parse;
mod tag;
mod tokenize;
mod train;
mod translate;
mod treebank;

use anyhow::Result;
use clap::Subcommand;

use crate::Outcome;
pub(crate) use train::{with_method, with_short_help};

#[derive(Subcommand)]
pub(crate) enum Command {
    Train(Box<train::TrainArgs>),
    Parse(Box<parse::ParseArgs>),
    Explain(Box<explain::ExplainArgs>),
    #[command(subcommand)]
    Model(model::ModelCommand),
    Eval(eval::EvalArgs),
    Compare(compare::CompareArgs),
    Tag(tag::TagArgs),
    #[command(subcommand)]
    Treebank(treebank::TreebankCommand),
    #[command(subcommand)]
    Learn(learn::LearnCommand),
    Align(Box<align::AlignArgs>),
    #[command(subcommand)]
    Translate(translate::TranslateCommand),
    #[command(subcommand)]
    Experiment(experiment::ExperimentCommand),
    Tokenize(tokenize::TokenizeArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
}

impl Command {
    pub(crate) fn run(self) -> Result<Outcome> {
        match self {
            Self::Train(args) => train::run(&args),
            Self::Parse(args) => parse::run(&args),
            Self::Explain(args) => explain::run(&args),
            Self::Model(command) => command.run(),
            Self::Eval(args) => eval::run(&args),
            Self::Compare(args) => compare::run(&args),
            Self::Tag(args) => tag::run(&args),
            Self::Treebank(command) => command.run(),
            Self::Learn(command) => command.run(),
            Self::Align(args) => align::run(&args),
            Self::Translate(command) => command.run(),
            Self::Experiment(command) => command.run(),
            Self::Tokenize(args) => tokenize::run(&args),
            Self::Completions(args) => completions::run(&args),
            Self::Man(args) => man::run(&args),
        }
    }
}
