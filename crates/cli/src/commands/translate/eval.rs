//! `boughs translate eval`.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde::Serialize;

use super::scores::{ScoreArgs, total};
use crate::Outcome;
use crate::output::{report, stdout};
use crate::table::Table;

/// Measure translations against references
///
/// Precision, recall and F1 of Turian, Shen and Melamed (2003): the largest matching of words, none counted twice, in which with an exponent
/// above 1 longer runs weigh more. And BLEU as sacreBLEU counts it, over the same tokens (its `--tokenize none`) and over those of
/// mteval-v13a, which is what papers report for text that is not tokenised.
#[derive(Debug, Clone, Args)]
pub(crate) struct EvalArgs {
    /// The references, one a line
    reference: PathBuf,

    /// The translations, as many lines
    translation: PathBuf,

    #[command(flatten)]
    scores: ScoreArgs,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Figures {
    exponent: f64,
    precision: f64,
    recall: f64,
    f1: f64,
    /// Sentences whose matching may not be the largest.
    inexact: u64,
}

#[derive(Serialize)]
struct Findings {
    sentences: usize,
    figures: Vec<Figures>,
    bleu: f64,
    bleu_13a: f64,
}

pub(crate) fn run(args: &EvalArgs) -> Result<Outcome> {
    let references = args.scores.read_references(&args.reference)?;
    let scores = args.scores.score(&args.translation, &references)?;
    let figures = args.scores.exponents().iter().zip(&scores.matches).map(|(&exponent, matches)| {
        let total = total(matches);
        Figures {
            exponent,
            precision: 100.0 * total.precision(),
            recall: 100.0 * total.recall(),
            f1: 100.0 * total.f1(),
            inexact: total.num_inexact,
        }
    });
    let findings = Findings {
        sentences: scores.matches.first().map_or(0, Vec::len),
        figures: figures.collect(),
        bleu: scores.bleu[0],
        bleu_13a: scores.bleu[1],
    };
    let mut out = stdout();
    match args.json {
        true => writeln!(out, "{}", serde_json::to_string(&findings)?)?,
        false => write_text(&findings, &mut out)?,
    }
    out.flush()?;
    Ok(Outcome::Complete)
}

fn write_text(findings: &Findings, out: &mut impl Write) -> Result<()> {
    let mut table = Table::new(&["exponent", "precision", "recall", "F1"]);
    for figures in &findings.figures {
        let percent = |value: f64| format!("{value:.2}");
        let cells = [figures.precision, figures.recall, figures.f1].map(percent);
        table.row([vec![figures.exponent.to_string()], cells.to_vec()].concat());
        if figures.inexact > 0 {
            report(format_args!(
                "exponent {}: {} sentences repeat words so often that their matching may not be the largest",
                figures.exponent, figures.inexact
            ));
        }
    }
    table.write(out)?;
    writeln!(
        out,
        "\nBLEU {:.2} over these tokens, {:.2} over those of 13a",
        findings.bleu, findings.bleu_13a
    )?;
    writeln!(out, "{} sentences", findings.sentences)?;
    Ok(())
}
