//! `boughs model combine`: several parsers in one model.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use boughs::model::{About, ChartModel, GrammarModel};
use boughs::parser::combined::{CombinationRule, CombinedModel, CombinedOptions, tune};
use boughs::parser::{EngineOptions, Model, Parser};
use boughs::train::SPLITS_BY_ROUND;
use boughs::transition::TransitionModel;
use clap::Args;

use crate::input::ReadArgs;
use crate::model::load_parser;
use crate::output::{ForceArg, report};
use crate::threads::ThreadArgs;
use crate::training::set;
use crate::{Outcome, number};

/// Put parsers together that parse better than each of them
///
/// With --dev, parsers of any kind: each says how likely phrases are, and the tree is taken that all together
/// like best. How much each counts is tuned on the trees named, which none of them should have learned from.
/// Parsers that are as different as possible gain most, such as a neural one and a crf.
///
/// Without --dev, grammars that were trained on the same trees with another --seed, which err differently.
/// Together they take a rule for as likely as the product of what each thinks of it; what the first finds
/// impossible is in no tree. Two of them bring most, and take one and a half times as long as one. Or boosted
/// parsers, which score each inference by the mean of their scores.
#[derive(Debug, Args)]
pub(crate) struct CombineArgs {
    /// Files of parsers; without --dev, those written by `boughs train latent`, `pcfg` or `boosted` from the
    /// same trees, or by this command, and the tagger of the first that has one is kept
    #[arg(value_name = "MODEL", num_args = 2.., required = true)]
    models: Vec<PathBuf>,

    /// Development trees: weights are tuned on them
    #[arg(long, value_name = "FILE", num_args = 1..)]
    dev: Vec<PathBuf>,

    /// How many trees are asked of parsers that are not neural [default: 20]
    #[arg(long, value_name = "N", requires = "dev", value_parser = number::within::<usize>(1..))]
    num_trees: Option<usize>,

    /// Write the model to this file
    #[arg(long, short, value_name = "MODEL")]
    out: PathBuf,

    #[command(flatten)]
    force: ForceArg,

    #[command(flatten)]
    threads: ThreadArgs,

    #[command(flatten)]
    read: ReadArgs,
}

pub(super) fn run(args: &CombineArgs) -> Result<Outcome> {
    if args.models.contains(&args.out) {
        bail!("{}: would be written over one of the models to read: name another file", args.out.display())
    }
    args.force.check(&args.out)?;
    match args.dev.is_empty() {
        true => combine_alike(args),
        false => args.threads.pool()?.install(|| combine_parsers(args)),
    }
}

fn combine_parsers(args: &CombineArgs) -> Result<Outcome> {
    let mut reader = args.read.open(&args.dev)?;
    let dev = reader.rest()?;
    let parser = |path: &PathBuf| Ok(load_parser(path)?.with_own_temperature(&dev)?);
    let parsers: Vec<Parser> = args.models.iter().map(parser).collect::<Result<_>>()?;
    let mut about = about_all(parsers.iter().map(|parser| parser.about().clone()).collect());
    let model = CombinedModel::new(parsers, &dev)?;
    let mut options = CombinedOptions::new(args.models.len());
    set(&mut options.num_trees, args.num_trees);
    let (options, scores) = tune(&model, &options, &dev, |options, scores| {
        report(format_args!("{}: F1 {:.2}", in_words(options), scores.criterion));
    })?;
    report(format_args!("best: {}, F1 {:.2}", in_words(&options), scores.criterion));
    let names = args.models.iter().map(|path| path.display().to_string()).collect::<Vec<_>>();
    about.settings.insert("parsers".to_owned(), names.join("; "));
    about.settings.insert("dev-trees".to_owned(), dev.len().to_string());
    scores.describe(&mut about);
    let parser = Parser::new(about, model, None);
    parser.with_engine(EngineOptions::Combined(options))?.calibrated(&dev)?.save(&args.out)?;
    report(format_args!("{}: written", args.out.display()));
    Ok(reader.finish())
}

/// The rule and the weights, which come to 1.
fn in_words(options: &CombinedOptions) -> String {
    let rule = match options.rule {
        CombinationRule::Product => "product",
        CombinationRule::Mixture => "mixture",
    };
    let total: f32 = options.weights.iter().sum();
    let weights: Vec<String> =
        options.weights.iter().map(|weight| format!("{:.2}", weight / total)).collect();
    format!("{rule}, weights {}", weights.join(" "))
}

/// Parsers of one kind.
fn combine_alike(args: &CombineArgs) -> Result<Outcome> {
    let parsers = args.models.iter().map(|path| load_parser(path)).collect::<Result<Vec<Parser>>>()?;
    let tagger = parsers.iter().find_map(|parser| parser.tagger().cloned());
    let mut about = about_all(parsers.iter().map(|parser| parser.about().clone()).collect());
    let options = parsers[0].options().clone();
    let boosted: Vec<&TransitionModel> =
        parsers.iter().filter_map(|parser| transition(parser.model())).collect();
    if boosted.len() == parsers.len() {
        about.settings.insert("parsers".to_owned(), parsers.len().to_string());
        let mean = TransitionModel::mean(&boosted)?;
        Parser::new(about, mean, tagger).with_options(options)?.save(&args.out)?;
    } else {
        let mut grammars = Vec::new();
        for (path, parser) in args.models.iter().zip(&parsers) {
            let first = grammars.len() + 1;
            grammars.extend(grammars_of(parser, path)?);
            if first < grammars.len() {
                report(format_args!("{}: grammars {first} to {}", path.display(), grammars.len()));
            } else {
                report(format_args!("{}: grammar {first}", path.display()));
            }
        }
        about.settings.insert("grammars".to_owned(), grammars.len().to_string());
        Parser::new(about, ChartModel::new(grammars, None)?, tagger).save(&args.out)?;
    }
    report(format_args!("{}: written", args.out.display()));
    Ok(Outcome::Complete)
}

fn transition(model: &Model) -> Option<&TransitionModel> {
    match model {
        Model::Transition(model) => Some(model),
        _ => None,
    }
}

fn grammars_of(parser: &Parser, path: &Path) -> Result<Vec<GrammarModel>> {
    match parser.model() {
        Model::Chart(model) if model.features().is_none() => Ok(model.grammars().to_vec()),
        _ => bail!(
            "{}: expected a grammar without features, found a parser of another kind: name files of `boughs train latent` or `pcfg`, or of `boosted` alone; with --dev, all kinds can be put together",
            path.display()
        ),
    }
}

/// What is to be known of models that are put together: the settings of each, where they differ, but not how good each
/// was alone nor how its symbols were split.
fn about_all(abouts: Vec<About>) -> About {
    let settings_of_all: Vec<_> = abouts.iter().map(|about| about.settings.clone()).collect();
    let seeds: Vec<String> = abouts.iter().map(|about| about.seed.to_string()).collect();
    let Some(mut about) = abouts.into_iter().next() else { return About::new("") };
    if settings_of_all.len() == 1 {
        return about;
    }
    about.settings.retain(|name, _| !name.starts_with("dev-") && name != SPLITS_BY_ROUND);
    for (name, value) in &mut about.settings {
        let of_each = |settings: &BTreeMap<String, String>| settings.get(name).cloned().unwrap_or_default();
        let mut values: Vec<String> = settings_of_all.iter().map(of_each).collect();
        if values.iter().all(|other| other == value) {
            values.truncate(1);
        }
        *value = values.join("; ");
    }
    about.settings.insert("seeds".to_owned(), seeds.join("; "));
    about
}
