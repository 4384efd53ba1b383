//! `boughs train`: a model from a treebank. Arguments become the settings of a recipe, and the library runs it.

mod boosted;
mod common;
mod crf;
mod curves;
mod grammar;
mod progress;
mod tagger;

use anyhow::Result;
use boughs::train::LatentConfig;
use clap::{Args, Command, Subcommand};

use crate::Outcome;
use common::Common;

/// Learn a parser or a tagger from a treebank
///
/// Every method reads training trees, measures after each step on development trees with the very parser that it will
/// write, keeps the best, and writes one model file. Without a method the recommended one is taken: two
/// latent-variable grammars and a tagger, and if there are no development trees some of the training trees are held
/// out.
///
/// After every step there is a checkpoint beside the model, MODEL.checkpoint; an interrupted run goes on from there
/// with --resume and ends with the same bytes.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_value_name = "METHOD",
    subcommand_help_heading = "Methods"
)]
pub(crate) struct TrainArgs {
    #[command(subcommand)]
    method: Option<Method>,

    #[command(flatten)]
    common: Option<Common>,
}

#[derive(Debug, Subcommand)]
enum Method {
    Boosted(Box<boosted::BoostedArgs>),
    Latent(Box<grammar::LatentArgs>),
    Conditional(Box<grammar::ConditionalArgs>),
    Crf(Box<crf::CrfArgs>),
    Pcfg(Box<grammar::PcfgArgs>),
    Tagger(Box<tagger::TaggerArgs>),
}

/// Flags that `-h` leaves to `--help`, so that it fits on a page.
const RARE: [&str; 30] = [
    "aggregator",
    "attach_discontinuous",
    "batch",
    "beam",
    "clusters",
    "damping",
    "encoding",
    "gain",
    "gap",
    "head_rules",
    "loss",
    "loss_weight",
    "max_depth",
    "max_inferences",
    "memory",
    "min_feature_count",
    "min_gain",
    "model_version",
    "name",
    "note",
    "penalty",
    "phrase_threshold",
    "punctuation_tags",
    "rate",
    "rule_threshold",
    "sample",
    "scoring",
    "tag_classes",
    "tagger_train",
    "word_classes",
];

/// The command with a short `-h` for every method.
pub(crate) fn with_short_help(command: Command) -> Command {
    let shorten = |method: Command| {
        method.mut_args(|arg| match RARE.contains(&arg.get_id().as_str()) {
            true => arg.hide_short_help(true),
            false => arg,
        })
    };
    command.mut_subcommand("train", |train| shorten(train).mut_subcommands(shorten))
}

pub(crate) fn run(args: &TrainArgs) -> Result<Outcome> {
    match (&args.method, &args.common) {
        (Some(Method::Boosted(args)), _) => boosted::train(args),
        (Some(Method::Latent(args)), _) => args.common.train(&args.recipe()?),
        (Some(Method::Conditional(args)), _) => args.common.train(&args.recipe()?),
        (Some(Method::Crf(args)), _) => args.common.train(&args.recipe()?),
        (Some(Method::Pcfg(args)), _) => args.common.train(&args.recipe()?),
        (Some(Method::Tagger(args)), _) => args.common.train(&args.recipe()?),
        (None, Some(common)) => recommended(common),
        (None, None) => anyhow::bail!("expected --train FILE and --out MODEL: see `boughs train -h`"),
    }
}

/// Two latent-variable grammars and a tagger.
fn recommended(common: &Common) -> Result<Outcome> {
    let recipe = LatentConfig {
        grammars: 2,
        with_tagger: true,
        max_words: common.max_words,
        seed: common.seed.unwrap_or(0),
        ..LatentConfig::default()
    };
    crate::output::report(format_args!(
        "method: latent, with two grammars and a tagger (as `boughs train latent --grammars 2 --with-tagger`): \
         accurate, minutes to train, and parses running text"
    ));
    common.holding_out().train(&common.over(recipe)?)
}
