//! `boughs learn predict`: a label and its scores for every row.

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Result;
use boughs::model::{PredictionTally, Predictor, PredictorScratch, best_label};
use boughs_learn::svmlight::SvmlightRow;
use clap::Args;

use super::data::{DataArgs, ModelArgs};
use crate::Outcome;
use crate::output::{report, stdout};

/// Print the predicted label and the score of every label, a line for each row, separated by tabs
///
/// Labels in the data are compared with the predictions; accuracy and log-loss are reported on standard error.
#[derive(Debug, Args)]
pub(crate) struct PredictArgs {
    #[command(flatten)]
    model: ModelArgs,

    /// Rows in svmlight format (plain or .gz); `-` is standard input
    #[arg(value_name = "DATA", default_value = "-")]
    data: PathBuf,

    /// Print probabilities instead of scores
    #[arg(long, short = 'p')]
    probabilities: bool,

    /// Print a first line that names the columns
    #[arg(long)]
    header: bool,

    /// Print nothing but accuracy and log-loss
    #[arg(long, short = 'q')]
    quiet: bool,

    #[command(flatten)]
    read: DataArgs,
}

pub(crate) fn run(args: &PredictArgs) -> Result<Outcome> {
    let predictor = args.model.load()?;
    let mut reader = args.read.open(&args.data)?;
    let mut out = stdout();
    if args.header && !args.quiet {
        writeln!(out, "label\t{}", predictor.labels().join("\t"))?;
    }
    let mut row = SvmlightRow::default();
    let mut scratch = PredictorScratch::default();
    let mut tally = PredictionTally::default();
    let start = Instant::now();
    let mut scoring = Duration::ZERO;
    while reader.read(&mut row)? {
        if !args.quiet {
            write_row(args, &predictor, &row, &mut scratch, &mut out)?;
        }
        let before = Instant::now();
        let probabilities = predictor.probabilities(&row.features, &mut scratch);
        scoring += before.elapsed();
        tally.add(probabilities, predictor.label_number(&row.label), row.weight);
    }
    out.flush()?;
    report_tally(&tally, start.elapsed(), scoring);
    Ok(Outcome::Complete)
}

fn write_row(
    args: &PredictArgs,
    predictor: &Predictor,
    row: &SvmlightRow,
    scratch: &mut PredictorScratch,
    out: &mut impl Write,
) -> Result<()> {
    let numbers = match args.probabilities {
        true => predictor.probabilities(&row.features, scratch),
        false => predictor.scores(&row.features, scratch),
    };
    if let Some(label) = predictor.labels().get(best_label(numbers)) {
        write!(out, "{label}")?;
    }
    for number in numbers {
        write!(out, "\t{number:.6}")?;
    }
    Ok(writeln!(out)?)
}

fn report_tally(tally: &PredictionTally, all: Duration, scoring: Duration) {
    let rate = |time: Duration| tally.num_rows as f64 / time.as_secs_f64().max(1e-9);
    let (all, scoring) = (rate(all), rate(scoring));
    report(format_args!("{} rows, {all:.0} rows/s; {scoring:.0} rows/s for scoring alone", tally.num_rows));
    if tally.num_rows > tally.num_unknown {
        let (accuracy, loss) = (100.0 * tally.accuracy(), tally.log_loss());
        report(format_args!("accuracy {accuracy:.2}%, log-loss {loss:.6}"));
    }
    if tally.num_unknown > 0 {
        report(format_args!("{} rows have labels that the model does not know", tally.num_unknown));
    }
}
