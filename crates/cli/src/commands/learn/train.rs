//! `boughs learn train`: a model from rows. Arguments become the settings of a recipe, and the library runs it.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, bail};
use boughs_learn::logistic::LogisticConfig;
use boughs_learn::recipes::BoostingConfig;
use boughs_learn::run::Recipe;
use boughs_learn::svmlight::LabelledRows;
use boughs_learn::{L1Config, ZConfig};
use clap::{Args, Subcommand};

use super::data::DataArgs;
use crate::output::report;
use crate::training::{LearnerArgs, RunArgs, flags, set};
use crate::{Outcome, number};

/// Learn classifiers from rows in svmlight format
///
/// A method reads the rows, measures after each step on development rows and writes one model file. Without a method
/// classifiers are boosted.
///
/// After every step there is a checkpoint beside the model, MODEL.checkpoint; an interrupted run goes on from there
/// with --resume and ends with the same bytes.
#[derive(Debug, Args)]
#[command(subcommand_value_name = "METHOD", subcommand_help_heading = "Methods")]
pub(crate) struct TrainArgs {
    #[command(subcommand)]
    method: RowMethod,
}

#[derive(Debug, Subcommand)]
enum RowMethod {
    Boosted(Box<BoostedRowsArgs>),
    Logistic(Box<LogisticArgs>),
}

/// What all methods have in common.
#[derive(Debug, Args)]
struct RowArgs {
    /// Rows in svmlight format (plain or .gz); `-` is standard input
    #[arg(long, value_name = "FILE")]
    train: PathBuf,

    /// Rows to measure on; a boosted model is cut where its log-loss on them is least
    #[arg(long, value_name = "FILE")]
    dev: Option<PathBuf>,

    #[command(flatten)]
    run: RunArgs,

    /// Keep MODEL.checkpoint at the end: --resume then goes further, to a lower penalty or to more trees
    #[arg(long, hide_short_help = true)]
    keep_checkpoint: bool,

    #[command(flatten)]
    read: DataArgs,
}

/// Decision trees, boosted: one classifier for two labels, else one for each, against all others
///
/// Boosting goes down the path of penalties in steps, and the model keeps all of it, or with --dev what is best on the
/// development rows. The loss is a sum over rows, so larger data bear a larger penalty.
#[derive(Debug, Args)]
struct BoostedRowsArgs {
    #[command(flatten)]
    rows: RowArgs,

    #[command(flatten)]
    learner: LearnerArgs,

    /// By which factor the penalty falls from step to step [default: 0.1]
    #[arg(long, value_name = "X")]
    step_factor: Option<f64>,

    /// End after so many steps without a lower loss [default: never]
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..))]
    patience: Option<usize>,

    /// Train as many classifiers at a time as fit into this much memory, rows included, such as 8G or 500M [default:
    /// one for each thread]
    #[arg(long, value_name = "BYTES", value_parser = number::parse_bytes, hide_short_help = true)]
    memory: Option<usize>,
}

/// Logistic regression: a weight for each feature and label
#[derive(Debug, Args)]
struct LogisticArgs {
    #[command(flatten)]
    rows: RowArgs,

    /// Weights cost this factor times their sizes, so that most are zero
    #[arg(long, value_name = "X", conflicts_with = "l2")]
    l1: Option<f64>,

    /// Weights cost this factor times half their squares [default: 1, without --l1]
    #[arg(long, value_name = "X")]
    l2: Option<f64>,

    /// The most iterations of L-BFGS or OWL-QN [default: 1000]
    #[arg(long, value_name = "N", value_parser = number::within::<u64>(1..))]
    max_iterations: Option<u64>,
}

pub(crate) fn run(args: &TrainArgs) -> Result<Outcome> {
    match &args.method {
        RowMethod::Boosted(args) => args.rows.train(&args.recipe()?, true),
        RowMethod::Logistic(args) => args.rows.train(&args.recipe()?, false),
    }
}

impl BoostedRowsArgs {
    fn recipe(&self) -> Result<BoostingConfig> {
        let mut config =
            self.rows.run.settings(BoostingConfig::default(), flags!(self; step_factor, patience, memory))?;
        config.learner = self.learner.change(config.learner, L1Config::default(), ZConfig::default())?;
        set(&mut config.seed, self.rows.run.seed);
        Ok(config)
    }
}

impl LogisticArgs {
    fn recipe(&self) -> Result<LogisticConfig> {
        let mut config = self.rows.run.settings(LogisticConfig::default(), &[])?;
        if self.l1.is_some() || self.l2.is_some() {
            (config.l1, config.l2) = (self.l1.unwrap_or(0.0), self.l2.unwrap_or(0.0));
        }
        set(&mut config.optimizer.max_iterations, self.max_iterations);
        Ok(config)
    }
}

impl RowArgs {
    fn train<R>(&self, recipe: &R, is_boosting: bool) -> Result<Outcome>
    where
        R: Recipe<Data = LabelledRows, Model: Send> + Sync,
    {
        self.run.check()?;
        let rows = self.rows(is_boosting)?;
        let dev = self.dev.as_deref().map(|path| self.dev_rows(path, is_boosting)).transpose()?;
        let num_dev = dev.as_ref().map_or(0, |dev| dev.dataset.num_rows());
        let facts = [("training-rows", rows.dataset.num_rows()), ("dev-rows", num_dev)];
        if self.run.train(recipe, &rows, dev.as_ref(), &facts)?.is_none() {
            return Ok(Outcome::Interrupted);
        }
        if !self.keep_checkpoint {
            self.run.clean_up()?;
        }
        Ok(Outcome::Complete)
    }

    fn rows(&self, is_boosting: bool) -> Result<LabelledRows> {
        let start = Instant::now();
        let rows = self.read.read_for(&self.train, is_boosting)?;
        let (dataset, labels) = (&rows.dataset, &rows.labels);
        report(format_args!(
            "{} rows, {} features, {} labels, {:.0} bytes a row, read in {:.1} s",
            dataset.num_rows(),
            dataset.num_features(),
            labels.len(),
            dataset.bytes_per_row(),
            start.elapsed().as_secs_f64()
        ));
        if labels.len() < 2 {
            bail!("{}: expected two labels or more, found {}", self.train.display(), labels.len());
        }
        Ok(rows)
    }

    fn dev_rows(&self, path: &Path, is_boosting: bool) -> Result<LabelledRows> {
        let rows = self.read.read_for(path, is_boosting)?;
        if rows.weights.iter().all(|&weight| weight == 0.0) {
            bail!("{}: there are no rows to measure on", path.display());
        }
        Ok(rows)
    }
}
