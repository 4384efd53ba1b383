//! `boughs learn train`: a model from rows.

mod boost;
mod checkpoint;
mod logistic;
mod monitor;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use boughs::model::{About, PredictionTally, Predictor, PredictorScratch};
use boughs_learn::svmlight::LabelledRows;
use boughs_learn::{Dataset, working_bytes};
use clap::{Args, ValueEnum};

use super::data::DataArgs;
use crate::Outcome;
use crate::gain::GainName;
use crate::interrupt;
use crate::number;
use crate::output::report;
use crate::threads::ThreadArgs;
use monitor::Monitor;

/// Train classifiers on rows in svmlight format and write a model
///
/// Two labels need one boosted classifier, more labels one for each, against all others. Boosting goes down the path
/// of penalties and the model keeps all of it, or with --dev what is best on the development rows.
#[derive(Debug, Args)]
pub(crate) struct TrainArgs {
    /// Rows in svmlight format (plain or .gz); `-` is standard input
    #[arg(value_name = "DATA")]
    data: PathBuf,

    /// Write the model to this file
    #[arg(long, short = 'o', value_name = "MODEL")]
    out: PathBuf,

    /// Rows to measure on; a boosted model is cut where its log-loss on them is least
    #[arg(long, value_name = "FILE")]
    dev: Option<PathBuf>,

    /// How to learn
    #[arg(long, value_enum, default_value_t)]
    method: Method,

    /// The penalty: where boosting ends (λ, or Θ for zboost), or the weight of the L1 or L2 penalty. The data's loss
    /// is a sum over rows, so larger data bear a larger penalty. Default 0.1 for boosting, 1 for logistic regression
    #[arg(long, value_name = "X")]
    lambda: Option<f64>,

    /// End boosting after so many trees for a label
    #[arg(long, value_name = "N")]
    trees: Option<usize>,

    /// End boosting at so many active (compound) features for a label
    #[arg(long, value_name = "N")]
    features: Option<usize>,

    /// Let trees grow no deeper; 1 makes stumps
    #[arg(long, value_name = "N")]
    depth: Option<u32>,

    /// Search for splits on a sample of so many rows; 0 for all of them. Default 20000, for zboost 0
    #[arg(long, value_name = "K")]
    sample: Option<usize>,

    /// By which factor of the steepest gradient the penalty falls below it for the next tree. Nearer to 1 takes longer
    /// and ends a little better. Default 0.5, for zboost 1
    #[arg(long, value_name = "C")]
    decay: Option<f64>,

    /// How `boost` computes gains. Default clip
    #[arg(long, value_enum, value_name = "NAME")]
    gain: Option<GainName>,

    /// By which factor a split below the root must raise the gain (`boost`). With many features that say much the
    /// same, try 1.01. Default 1.1
    #[arg(long, value_name = "X")]
    min_gain: Option<f64>,

    /// Seed of the samples
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    #[command(flatten)]
    threads: ThreadArgs,

    /// Train as many classifiers at a time as fit into this much memory, rows included, such as 8G or 500M. Default:
    /// one for each thread
    #[arg(long, value_name = "SIZE", value_parser = number::parse_bytes)]
    memory: Option<usize>,

    /// Save the state of the run to this file now and then, and when it is interrupted. It is also a model, as it
    /// stands
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,

    /// Seconds between two checkpoints of a classifier
    #[arg(long, value_name = "SECONDS", default_value = "60", requires = "checkpoint", value_parser = number::parse_seconds)]
    checkpoint_every: Duration,

    /// Go on from the checkpoint, if there is one, as if the run had never stopped. Rows and settings must be the same,
    /// except --lambda, --trees and --features of boosting, which may go further
    #[arg(long, requires = "checkpoint")]
    resume: bool,

    /// Write a line for each tree or iteration to this file, separated by tabs
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,

    /// Name of the model
    #[arg(long, default_value = "", hide_default_value = true)]
    name: String,

    /// What the model's users should know: data, licence
    #[arg(long, default_value = "", hide_default_value = true)]
    note: String,

    #[command(flatten)]
    read: DataArgs,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Method {
    /// Decision trees boosted under an l1 penalty
    #[default]
    Boost,
    /// Decision trees boosted by the Z criterion
    Zboost,
    /// Logistic regression with an L1 penalty: few weights
    LogisticL1,
    /// Logistic regression with an L2 penalty
    LogisticL2,
}

impl Method {
    fn is_boosting(self) -> bool {
        matches!(self, Self::Boost | Self::Zboost)
    }

    fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

pub(crate) fn run(args: &TrainArgs) -> Result<Outcome> {
    let pool = args.threads.pool()?;
    let rows = read_rows(args)?;
    let dev = args.dev.as_deref().map(|path| read_dev(args, path)).transpose()?;
    let monitor = Monitor::new(args.log.as_deref(), rows.labels.len())?;
    let mut about = describe(args, &rows);
    if args.checkpoint.is_some() {
        interrupt::note()?;
    }
    let file = pool.install(|| match args.method {
        Method::Boost | Method::Zboost => boost::train(args, &rows, dev.as_ref(), &mut about, &monitor),
        Method::LogisticL1 | Method::LogisticL2 => {
            logistic::train(args, &rows, dev.as_ref(), &mut about, &monitor)
        }
    })?;
    monitor.finish();
    let Some(file) = file else {
        report(format_args!("interrupted; the checkpoint is kept: go on with --resume"));
        return Ok(Outcome::Interrupted);
    };
    if let Some(dev) = &dev {
        measure(&Predictor::from_file(&file)?, dev, &mut about);
    }
    file.with_about(about).save(&args.out)?;
    report(format_args!("{}: written after {:.1} s of training", args.out.display(), monitor.seconds()));
    Ok(Outcome::Complete)
}

fn read_rows(args: &TrainArgs) -> Result<LabelledRows> {
    let start = Instant::now();
    let rows = args.read.read_for(&args.data, args.method.is_boosting())?;
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
        bail!("{}: expected two labels or more, found {}", args.data.display(), labels.len());
    }
    Ok(rows)
}

fn read_dev(args: &TrainArgs, path: &Path) -> Result<LabelledRows> {
    let rows = args.read.read_for(path, args.method.is_boosting())?;
    if rows.weights.iter().all(|&weight| weight == 0.0) {
        bail!("{}: there are no rows to measure on", path.display());
    }
    Ok(rows)
}

fn describe(args: &TrainArgs, rows: &LabelledRows) -> About {
    let mut about = About::new("");
    about.name.clone_from(&args.name);
    about.data.clone_from(&args.note);
    about.labels.clone_from(&rows.labels);
    about.seed = args.seed;
    let mut set = |name: &str, value: String| about.settings.insert(name.to_owned(), value);
    set("method", args.method.name());
    set("rows", rows.dataset.num_rows().to_string());
    about
}

fn measure(predictor: &Predictor, dev: &LabelledRows, about: &mut About) {
    let tally = tally(predictor, dev);
    let (accuracy, loss) = (100.0 * tally.accuracy(), tally.log_loss());
    report(format_args!("development rows: accuracy {accuracy:.2}%, log-loss {loss:.6}"));
    about.settings.insert("dev_accuracy".to_owned(), format!("{accuracy:.4}"));
    about.settings.insert("dev_log_loss".to_owned(), format!("{loss:.6}"));
}

/// How good the predictions for labelled rows are.
fn tally(predictor: &Predictor, rows: &LabelledRows) -> PredictionTally {
    let known: Vec<_> = rows.labels.iter().map(|label| predictor.label_number(label)).collect();
    let mut scratch = PredictorScratch::default();
    let mut tally = PredictionTally::default();
    let mut features = Vec::new();
    for (row, (&class, &weight)) in rows.classes.iter().zip(&rows.weights).enumerate() {
        features.clear();
        features.extend(rows.dataset.row(row));
        let probabilities = predictor.probabilities(&features, &mut scratch);
        tally.add(probabilities, known[class as usize], weight);
    }
    tally
}

impl TrainArgs {
    /// What the rows leave of the memory that the user allowed.
    fn memory_for_training(&self, dataset: &Dataset) -> Result<usize> {
        let Some(memory) = self.memory else { return Ok(usize::MAX) };
        let needed = dataset.num_bytes() + working_bytes(dataset);
        if memory < needed {
            bail!(
                "expected --memory of at least {} MB for these rows and one classifier at a time, found {} MB",
                needed.div_ceil(1 << 20),
                memory >> 20
            );
        }
        Ok(memory - dataset.num_bytes())
    }
}
