//! `boughs learn explain`: why a row has its scores.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use boughs::learn::svmlight::Row;
use boughs::model::{Predictor, PredictorScratch, best_label};
use clap::Args;

use super::data::{DataArgs, ModelArgs};
use crate::Outcome;
use crate::output::stdout;

/// Show what a score is made of: the conjunctions of features that hold, and what each adds
///
/// A feature that must not be active is marked by `!`. What does not fit into `--top` is summed up in one line.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    model: ModelArgs,

    /// Rows in svmlight format (plain or .gz); `-` is standard input
    #[arg(value_name = "DATA", default_value = "-")]
    data: PathBuf,

    /// Explain only this row, counted from 1; may be given several times
    #[arg(long, value_name = "N")]
    row: Vec<u64>,

    /// Explain the score of this label instead of the predicted one
    #[arg(long, value_name = "LABEL")]
    label: Option<String>,

    /// How many conjunctions to show
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,

    #[command(flatten)]
    read: DataArgs,
}

pub(crate) fn run(args: &ExplainArgs) -> Result<Outcome> {
    let predictor = args.model.load()?;
    let label = args.label.as_deref().map(|label| find_label(&predictor, label)).transpose()?;
    let mut reader = args.read.open(&args.data)?;
    let mut out = stdout();
    let mut row = Row::default();
    let mut scratch = PredictorScratch::default();
    let mut number = 0;
    while reader.read(&mut row)? {
        number += 1;
        if args.row.is_empty() || args.row.contains(&number) {
            let label = label.unwrap_or_else(|| best_label(predictor.scores(&row.features, &mut scratch)));
            write!(out, "row {number} (label {}): ", row.label)?;
            explain_row(&predictor, &row.features, label, args.top, &mut scratch, &mut out)?;
        }
    }
    out.flush()?;
    if let Some(missing) = args.row.iter().find(|&&wanted| wanted == 0 || wanted > number) {
        bail!("there is no row {missing}: the data have {number} rows, counted from 1");
    }
    Ok(Outcome::Complete)
}

fn find_label(predictor: &Predictor, label: &str) -> Result<usize> {
    match predictor.label_number(label) {
        Some(number) => Ok(number),
        None => {
            bail!("the model does not know the label `{label}`; it has {}", predictor.labels().join(", "))
        }
    }
}

fn explain_row(
    predictor: &Predictor,
    features: &[u32],
    label: usize,
    top: usize,
    scratch: &mut PredictorScratch,
    out: &mut impl Write,
) -> Result<()> {
    let Some(name) = predictor.labels().get(label) else { bail!("the model has no labels") };
    let score = predictor.scores(features, scratch)[label];
    let probability = predictor.probabilities(features, scratch)[label];
    writeln!(out, "{name} has score {score:+.4}, probability {probability:.4}")?;
    let reasons = predictor.explain(features, label);
    let (shown, rest) = reasons.split_at(top.min(reasons.len()));
    for reason in shown {
        writeln!(out, "  {reason}")?;
    }
    if !rest.is_empty() {
        let sum: f64 = rest.iter().map(|reason| reason.confidence).sum();
        writeln!(out, "  {sum:+.4}  {} more", rest.len())?;
    }
    Ok(())
}
