//! The verbs.

/// Verbs, each with its arguments and the function that runs it; `@[feature = "…"]` before one that a build may lack.
macro_rules! verbs {
    ($(#[$meta:meta])* $name:ident { $($(@[$if:meta])? $(#[$of_verb:meta])* $verb:ident($args:ty) => $run:path,)* }) => {
        $(#[$meta])*
        #[derive(clap::Subcommand)]
        pub(crate) enum $name {
            $($(#[cfg($if)])? $(#[$of_verb])* $verb($args),)*
        }

        impl $name {
            pub(crate) fn run(&self) -> anyhow::Result<crate::Outcome> {
                match self {
                    $($(#[cfg($if)])? Self::$verb(args) => $run(args),)*
                }
            }
        }
    };
}

mod align;
mod compare;
mod completions;
mod eval;
mod experiment;
mod explain;
mod learn;
mod man;
mod merge;
pub(crate) mod model;
mod parse;
#[cfg(feature = "serve")]
mod serve;
mod tag;
mod tokenize;
mod train;
mod translate;
mod treebank;

pub(crate) use train::{with_method, with_short_help};

verbs! {
    Command {
        Train(Box<train::TrainArgs>) => train::run,
        Parse(Box<parse::ParseArgs>) => parse::run,
        Merge(merge::MergeArgs) => merge::run,
        Explain(Box<explain::ExplainArgs>) => explain::run,
        @[feature = "serve"]
        Serve(Box<serve::ServeArgs>) => serve::run,
        #[command(subcommand)]
        Model(model::ModelCommand) => model::ModelCommand::run,
        Eval(eval::EvalArgs) => eval::run,
        Compare(compare::CompareArgs) => compare::run,
        Tag(tag::TagArgs) => tag::run,
        #[command(subcommand)]
        Treebank(treebank::TreebankCommand) => treebank::TreebankCommand::run,
        #[command(subcommand)]
        Learn(learn::LearnCommand) => learn::LearnCommand::run,
        Align(Box<align::AlignArgs>) => align::run,
        #[command(subcommand)]
        Translate(translate::TranslateCommand) => translate::TranslateCommand::run,
        #[command(subcommand)]
        Experiment(experiment::ExperimentCommand) => experiment::ExperimentCommand::run,
        Tokenize(tokenize::TokenizeArgs) => tokenize::run,
        Completions(completions::CompletionsArgs) => completions::run,
        Man(man::ManArgs) => man::run,
    }
}
