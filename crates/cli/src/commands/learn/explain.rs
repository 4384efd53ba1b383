//! `boughs learn explain`: why a row has its scores.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use boughs::model::{Predictor, PredictorScratch, best_label};
use boughs_learn::svmlight::SvmlightRow;
use clap::Args;

use super::data::{DataArgs, ModelArgs};
use super::names::Names;
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

    /// Names of features: lines of a number, a blank or tab, and a name; what follows a second tab is ignored
    #[arg(long, value_name = "FILE")]
    names: Option<PathBuf>,

    /// How many conjunctions to show
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,

    #[command(flatten)]
    read: DataArgs,
}

pub(crate) fn run(args: &ExplainArgs) -> Result<Outcome> {
    let predictor = args.model.load()?;
    let label = args.label.as_deref().map(|label| find_label(&predictor, label)).transpose()?;
    let names = args.names.as_deref().map(Names::read).transpose()?.unwrap_or_default();
    let mut reader = args.read.open(&args.data)?;
    let mut out = stdout();
    let mut row = SvmlightRow::default();
    let mut scratch = PredictorScratch::default();
    let mut number = 0;
    while reader.read(&mut row)? {
        number += 1;
        if args.row.is_empty() || args.row.contains(&number) {
            let label = label.unwrap_or_else(|| best_label(predictor.scores(&row.features, &mut scratch)));
            write!(out, "row {number} (label {}): ", row.label)?;
            let explanation = Explanation { predictor: &predictor, names: &names, top: args.top };
            explanation.write(&row.features, label, &mut scratch, &mut out)?;
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

/// How rows are explained.
struct Explanation<'a> {
    predictor: &'a Predictor,
    names: &'a Names,
    top: usize,
}

impl Explanation<'_> {
    fn write(
        &self,
        features: &[u32],
        label: usize,
        scratch: &mut PredictorScratch,
        out: &mut impl Write,
    ) -> Result<()> {
        let Some(name) = self.predictor.labels().get(label) else { bail!("the model has no labels") };
        let score = self.predictor.scores(features, scratch)[label];
        let probability = self.predictor.probabilities(features, scratch)[label];
        writeln!(out, "{name} has score {score:+.4}, probability {probability:.4}")?;
        let reasons = self.predictor.explain(features, label);
        let (shown, rest) = reasons.split_at(self.top.min(reasons.len()));
        for reason in shown {
            writeln!(out, "  {}", reason.describe(|feature| self.names.name(feature)))?;
        }
        if !rest.is_empty() {
            let sum: f64 = rest.iter().map(|reason| reason.confidence).sum();
            writeln!(out, "  {sum:+.4}  {} more", rest.len())?;
        }
        Ok(())
    }
}
