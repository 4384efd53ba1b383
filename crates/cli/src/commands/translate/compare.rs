//! `boughs translate compare`.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use boughs_translate::eval::RunMatch;
use boughs_translate::eval::wilcoxon;
use clap::Args;

use super::scores::{ScoreArgs, Scores, total};
use crate::Outcome;
use crate::output::stdout;
use crate::table::Table;

/// Find out whether translations A are better than translations B
///
/// Precision, recall and F1 as `boughs translate eval` has them, and the p-value of the signed-ranks test of Wilcoxon over sentences,
/// two-sided.
#[derive(Debug, Clone, Args)]
pub(crate) struct CompareArgs {
    /// The references, one a line
    reference: PathBuf,

    /// Translations A, as many lines
    a: PathBuf,

    /// Translations B
    b: PathBuf,

    #[command(flatten)]
    scores: ScoreArgs,
}

/// A measure of a sentence, or of all.
type Measure = fn(&RunMatch) -> f64;

const MEASURES: [(&str, Measure); 3] =
    [("precision", RunMatch::precision), ("recall", RunMatch::recall), ("F1", RunMatch::f1)];

pub(crate) fn run(args: &CompareArgs) -> Result<Outcome> {
    let references = args.scores.read_references(&args.reference)?;
    let scores = [&args.a, &args.b].map(|path| args.scores.score(path, &references));
    let [a, b] = scores;
    let (a, b) = (a?, b?);
    let mut out = stdout();
    table(args, &a, &b).write(&mut out)?;
    writeln!(out, "\nBLEU {:.2} and {:.2}", a.bleu[0], b.bleu[0])?;
    out.flush()?;
    Ok(Outcome::Complete)
}

fn table(args: &CompareArgs, a: &Scores, b: &Scores) -> Table {
    let mut table = Table::new(&["measure", "exponent", "A", "B", "A - B", "p"]);
    for (index, exponent) in args.scores.exponents().iter().enumerate() {
        let (a, b) = (&a.matches[index], &b.matches[index]);
        for (name, measure) in MEASURES {
            let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| measure(a) - measure(b)).collect();
            let [of_a, of_b] = [a, b].map(|matches| 100.0 * measure(&total(matches)));
            table.row(vec![
                name.to_owned(),
                exponent.to_string(),
                format!("{of_a:.2}"),
                format!("{of_b:.2}"),
                format!("{:+.2}", of_a - of_b),
                p_value(wilcoxon(&differences).p),
            ]);
        }
    }
    table
}

/// Small ones in powers of ten.
fn p_value(p: f64) -> String {
    if p < 1e-4 { format!("{p:.1e}") } else { format!("{p:.4}") }
}
