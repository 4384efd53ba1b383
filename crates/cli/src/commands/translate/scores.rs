//! `boughs translate eval` and `boughs translate compare`: translations beside their references.

use std::path::{Path, PathBuf};

use anyhow::Result;
use boughs::tree::read::Encoding;
use boughs_translate::align::Tokenization;
use boughs_translate::eval::{Bleu, GtmMatch, GtmMatcher, wilcoxon};
use clap::Args;
use rayon::prelude::*;
use serde_json::json;

use crate::bitext::{open_lines, read_lines};
use crate::choice::named;
use crate::output::{print, report};
use crate::table::{Table, p_value};
use crate::{Outcome, number};

/// Measure translations against references
///
/// Precision, recall and F1 of the General Text Matcher (Turian, Shen and Melamed 2003): the largest matching of
/// words, none counted twice, in which with an exponent above 1 longer runs weigh more. And BLEU as sacreBLEU counts
/// it, over the same tokens (its `--tokenize none`) and over those of mteval-v13a, which is what papers report for
/// text that is not tokenised.
#[derive(Debug, Clone, Args)]
pub(crate) struct TranslateEvalArgs {
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

/// Find out whether translations A are better than translations B
///
/// Precision, recall and F1 as `boughs translate eval` has them, and the p-value of the signed-ranks test of Wilcoxon
/// over sentences, two-sided.
#[derive(Debug, Clone, Args)]
pub(crate) struct TranslateCompareArgs {
    /// The references, one a line
    reference: PathBuf,

    /// Translations A, as many lines
    a: PathBuf,

    /// Translations B
    b: PathBuf,

    #[command(flatten)]
    scores: ScoreArgs,
}

#[derive(Debug, Clone, Args)]
struct ScoreArgs {
    /// The exponent of F; may be given several times [default: 1 and 2]
    #[arg(long, value_name = "E")]
    exponent: Vec<f64>,

    /// What a token of a translation is: blanks, plain or english
    #[arg(long, value_name = "NAME", default_value = "blanks", value_parser = named::<Tokenization>("what tokens are"))]
    tokens: Tokenization,

    /// What a token of a reference is
    #[arg(long, value_name = "NAME", default_value = "plain", value_parser = named::<Tokenization>("what tokens are"))]
    reference_tokens: Tokenization,

    /// Score only the first N sentences
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..))]
    max_sentences: Option<usize>,
}

/// The figures of one translation.
struct TranslationScores {
    /// By exponent, then by sentence.
    matches: Vec<Vec<GtmMatch>>,
    /// Over the same tokens, and over those of mteval-v13a.
    bleu: [f64; 2],
}

/// A measure of a sentence, or of all.
type Measure = fn(&GtmMatch) -> f64;

const MEASURES: [(&str, Measure); 3] =
    [("precision", GtmMatch::precision), ("recall", GtmMatch::recall), ("F1", GtmMatch::f1)];

impl ScoreArgs {
    fn exponents(&self) -> &[f64] {
        if self.exponent.is_empty() { &[1.0, 2.0] } else { &self.exponent }
    }

    /// Scores translations against the references.
    fn score<const N: usize>(&self, reference: &Path, paths: [&Path; N]) -> Result<[TranslationScores; N]> {
        let mut file = open_lines(reference, Encoding::default())?;
        let (mut lines, mut tokens) = (Vec::new(), Vec::new());
        while let Some(line) = file.next()? {
            tokens.push(self.reference_tokens.split(line));
            lines.push(line.to_owned());
        }
        let scores = paths.map(|path| self.score_one(path, &lines, &tokens));
        let scores: Vec<TranslationScores> = scores.into_iter().collect::<Result<_>>()?;
        scores.try_into().map_err(|_| anyhow::anyhow!("as many scores as files"))
    }

    fn score_one(
        &self,
        path: &Path,
        lines: &[String],
        references: &[Vec<String>],
    ) -> Result<TranslationScores> {
        let mut bleu = [Bleu::default(); 2];
        let max_sentences = self.max_sentences.unwrap_or(usize::MAX);
        let mut candidates = read_lines(path, lines.len(), |index, line| {
            let candidate = self.tokens.split(line);
            if index < max_sentences {
                bleu[0].add(&candidate, &references[index]);
                bleu[1].add_text(line, &lines[index]);
            }
            Ok(candidate)
        })?;
        candidates.truncate(max_sentences);
        let matches = |&exponent: &f64| {
            let matcher = GtmMatcher::new(exponent);
            let pairs = candidates.par_iter().zip(references);
            pairs.map(|(candidate, reference)| matcher.score(candidate, reference)).collect()
        };
        let matches = self.exponents().iter().map(matches).collect();
        Ok(TranslationScores { matches, bleu: bleu.map(|bleu| bleu.score()) })
    }
}

/// All sentences together.
fn total(matches: &[GtmMatch]) -> GtmMatch {
    let mut total = GtmMatch::default();
    matches.iter().for_each(|&one| total += one);
    total
}

pub(crate) fn eval(args: &TranslateEvalArgs) -> Result<Outcome> {
    let [scores] = args.scores.score(&args.reference, [&args.translation])?;
    let ([bleu, bleu_13a], num_sentences) = (scores.bleu, scores.matches[0].len());
    let mut table = Table::new(&["exponent", "precision", "recall", "F1"]);
    let mut figures = Vec::new();
    for (exponent, matches) in args.scores.exponents().iter().zip(&scores.matches) {
        let total = total(matches);
        let [precision, recall, f1] = MEASURES.map(|(_, measure)| 100.0 * measure(&total));
        let inexact = total.num_inexact;
        let shown = [precision, recall, f1].map(|value| format!("{value:.2}"));
        table.row(&[exponent, &shown[0], &shown[1], &shown[2]]);
        figures.push(json!({
            "exponent": exponent, "precision": precision, "recall": recall, "f1": f1, "inexact": inexact,
        }));
        if inexact > 0 && !args.json {
            report(format_args!(
                "exponent {exponent}: {inexact} sentences repeat words so often that their matching may not be the largest"
            ));
        }
    }
    if args.json {
        let found = json!({
            "sentences": num_sentences, "figures": figures, "bleu": bleu, "bleu_13a": bleu_13a,
        });
        return print(format_args!("{found}\n"));
    }
    let bleu = format!("BLEU {bleu:.2} over these tokens, {bleu_13a:.2} over those of 13a");
    print(format_args!("{table}\n{bleu}\n{num_sentences} sentences\n"))
}

pub(crate) fn compare(args: &TranslateCompareArgs) -> Result<Outcome> {
    let [a, b] = args.scores.score(&args.reference, [&args.a, &args.b])?;
    let mut table = Table::new(&["measure", "exponent", "A", "B", "A - B", "p"]);
    for ((exponent, of_a), of_b) in args.scores.exponents().iter().zip(&a.matches).zip(&b.matches) {
        for (name, measure) in MEASURES {
            let differences: Vec<f64> = of_a.iter().zip(of_b).map(|(a, b)| measure(a) - measure(b)).collect();
            let [a, b] = [of_a, of_b].map(|matches| 100.0 * measure(&total(matches)));
            let p = wilcoxon(&differences).p;
            let [shown_a, shown_b] = [a, b].map(|value| format!("{value:.2}"));
            table.row(&[&name, exponent, &shown_a, &shown_b, &format!("{:+.2}", a - b), &p_value(p)]);
        }
    }
    print(format_args!("{table}\nBLEU {:.2} and {:.2}\n", a.bleu[0], b.bleu[0]))
}
