//! `boughs train`: a model from a treebank. Arguments become the settings of a recipe, and the library runs it.

mod boosted;
mod common;
mod crf;
mod grammar;
mod neural;
mod tagger;

use std::ffi::OsString;

use anyhow::Result;
use boughs::train::LatentConfig;
use clap::{Args, Command, Subcommand};

use crate::Outcome;
use common::Common;
pub(crate) use neural::WEIGHTS;

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
#[command(subcommand_value_name = "METHOD", subcommand_help_heading = "Methods")]
pub(crate) struct TrainArgs {
    #[command(subcommand)]
    method: Method,
}

#[derive(Debug, Subcommand)]
enum Method {
    Recommended(Box<RecommendedArgs>),
    Boosted(Box<boosted::BoostedArgs>),
    Latent(Box<grammar::LatentArgs>),
    Conditional(Box<grammar::ConditionalArgs>),
    Crf(Box<crf::CrfArgs>),
    Pcfg(Box<grammar::PcfgArgs>),
    Neural(Box<neural::NeuralArgs>),
    Tagger(Box<tagger::TaggerArgs>),
}

/// What is meant without a method: two latent-variable grammars and a tagger
///
/// If there are no development trees, some of the training trees are held out.
#[derive(Debug, Args)]
struct RecommendedArgs {
    #[command(flatten)]
    common: Common,
}

/// Verbs that train, and the method that is meant without one.
const DEFAULTS: [(&[&str], &str); 2] = [(&["train"], "recommended"), (&["learn", "train"], "boosted")];

/// The arguments with a method where a verb that trains has none.
pub(crate) fn with_method(mut args: Vec<OsString>) -> Vec<OsString> {
    for (verbs, method) in DEFAULTS {
        let place = verbs.len() + 1;
        let is_of_verb =
            args.iter().skip(1).zip(verbs).filter(|(arg, verb)| *arg == *verb).count() == verbs.len();
        let next = args.get(place).and_then(|arg| arg.to_str());
        if is_of_verb && next.is_some_and(|arg| arg.starts_with('-') && !["-h", "--help"].contains(&arg)) {
            args.insert(place, method.into());
        }
    }
    args
}

/// Flags of several verbs that `-h` leaves to `--help` where the verb trains, so that it fits on a page.
const RARE: [&str; 15] = [
    "aggregator",
    "attach_discontinuous",
    "beam",
    "encoding",
    "hmm_iterations",
    "keep_case",
    "max_cost_ratio",
    "max_inferences",
    "max_items",
    "max_ratio",
    "min_words",
    "model1_iterations",
    "prior",
    "symmetrize",
    "unlinked",
];

/// The program with a short `-h` for every method.
pub(crate) fn with_short_help(command: Command) -> Command {
    let shorten = |method: Command| {
        method.mut_args(|arg| match RARE.contains(&arg.get_id().as_str()) {
            true => arg.hide_short_help(true),
            false => arg,
        })
    };
    let shorten_all = |train: Command| shorten(train).mut_subcommands(shorten);
    let command = command.mut_subcommand("learn", |learn| learn.mut_subcommand("train", shorten_all));
    let command = command.mut_subcommand("translate", |translate| {
        translate.mut_subcommand("train", shorten).mut_subcommand("words", shorten)
    });
    command.mut_subcommand("train", shorten_all)
}

pub(crate) fn run(args: &TrainArgs) -> Result<Outcome> {
    match &args.method {
        Method::Recommended(args) => recommended(&args.common),
        Method::Boosted(args) => boosted::train(args),
        Method::Latent(args) => args.common.train(&args.recipe()?),
        Method::Conditional(args) => args.common.train(&args.recipe()?),
        Method::Crf(args) => args.common.train(&args.recipe()?),
        Method::Pcfg(args) => args.common.train(&args.recipe()?),
        Method::Neural(args) => args.common.train(&args.recipe()?),
        Method::Tagger(args) => args.common.train(&args.recipe()?),
    }
}

/// Two latent-variable grammars and a tagger.
fn recommended(common: &Common) -> Result<Outcome> {
    let recipe = LatentConfig {
        grammars: 2,
        with_tagger: true,
        seed: common.run.seed.unwrap_or(0),
        ..LatentConfig::default()
    };
    crate::output::report(format_args!(
        "method: latent, with two grammars and a tagger (as `boughs train latent --grammars 2 --with-tagger`): \
         accurate, minutes to train, and parses running text"
    ));
    let common = common.holding_out();
    common.train(&common.settings(recipe, &[])?)
}
