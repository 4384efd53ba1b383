//! `boughs eval`: score parses against gold trees.

mod calibration;
mod evalb;
mod json;
mod sentences;
mod source;
mod text;

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use boughs::eval::{Calibration, Mismatch, Parameters, Scorer, SentenceScore, Totals, Verdict};
use boughs::tree::profile::Profile;
use clap::Args;

use crate::input::{ReadArgs, is_stdin};
use crate::output::{ForceArg, report, stdout};
use crate::pairs::Pair;
use crate::profile::ProfileArgs;
use crate::threads::ThreadArgs;
use crate::{Outcome, number};
use source::{Scored, Source};

/// Score parses against gold trees
///
/// The two files must have the same sentences in the same order; layout and root do not matter. Traces,
/// function tags and roots are left out, punctuation too (by the gold tags, so that a mistagged comma is no
/// error). A sentence that cannot be compared, because its words differ or it has no tree, keeps its gold
/// brackets in the denominator of recall; the figures without such sentences, as EVALB prints them, are
/// in a table of their own. EVALB also drops sentences with mistagged punctuation; their number is given.
///
/// Exit codes: 0 all sentences were compared, 1 some were not (or there is other text between trees), 2 nothing was
/// scored; with --evalb, EVALB's.
#[derive(Args)]
pub(crate) struct EvalArgs {
    /// The gold trees: a treebank file (plain or .gz) or directory, `-` for standard input
    gold: PathBuf,

    /// The trees to score, likewise; one for each gold tree, `()` for a sentence without one
    #[arg(required_unless_present = "model")]
    test: Option<PathBuf>,

    /// Parse the words of the gold trees with this parser, or with `@english`, and score what it finds
    #[arg(long, short, value_name = "MODEL", conflicts_with_all = ["test", "evalb", "empty_lines"])]
    model: Option<PathBuf>,

    /// Tell whether the parser's confidences mean something: how often phrases are right, by confidence, and the
    /// expected calibration error
    #[arg(long, requires = "model")]
    calibration: bool,

    /// Draw that as an SVG file (reliability diagram)
    #[arg(long, value_name = "FILE", requires = "calibration")]
    diagram: Option<PathBuf>,

    #[command(flatten)]
    force: ForceArg,

    /// Which labels to leave out or take as equal: COLLINS (as most papers), new, or a .prm file of EVALB
    /// [default: COLLINS, or for other profiles without their punctuation; with --evalb nothing]
    #[arg(long, short = 'p', value_name = "NAME|FILE")]
    settings: Option<String>,

    /// Also score the sentences of at most N words, punctuation included; may be repeated
    /// [default: CUTOFF_LEN of the settings, 40]
    #[arg(long, value_name = "N", conflicts_with = "evalb", value_parser = number::within::<u32>(0..))]
    max_length: Vec<u32>,

    /// Print one JSON object, with `precision`, `recall`, `f1` and `exact` in percent, and all the rest
    #[arg(long, conflicts_with = "evalb")]
    json: bool,

    /// Print a table of tab-separated counts instead, one sentence a line; with --json add them to the object
    #[arg(long, conflicts_with = "evalb")]
    per_sentence: bool,

    /// Take a blank line in TEST as a sentence without a tree
    #[arg(long, conflicts_with = "evalb", help_heading = "Input")]
    empty_lines: bool,

    #[command(flatten)]
    profile: ProfileArgs,

    #[command(flatten)]
    read: ReadArgs,

    #[command(flatten)]
    threads: ThreadArgs,

    #[command(flatten)]
    evalb: evalb::EvalbArgs,
}

/// Everything there is to report.
struct Evaluation {
    settings: String,
    gold: String,
    test: String,
    scorer: Scorer,
    totals: Totals,
    /// If it was asked for.
    calibration: Option<Calibration>,
}

pub(crate) fn run(args: &EvalArgs) -> Result<Outcome> {
    if let Some(test) = &args.test {
        if is_stdin(&args.gold) && is_stdin(test) {
            bail!("GOLD and TEST cannot both be standard input");
        }
        if args.evalb.evalb {
            return evalb::run(&args.evalb, args.settings.as_deref(), &args.gold, test);
        }
    }
    args.diagram.as_deref().map_or(Ok(()), |file| args.force.check(file))?;
    let mut out = stdout();
    // Rows are written at once, so that none is held in memory.
    let (mut is_first, mut kept) = (true, Vec::new());
    let (evaluation, read) = evaluate(args, |number, score| {
        match (args.per_sentence, args.json) {
            (false, _) => {}
            (true, true) => kept.push(boughs::eval::json::sentence(number, score)),
            (true, false) => {
                sentences::write_row(&mut out, std::mem::take(&mut is_first), number, score)?;
            }
        }
        Ok(())
    })?;
    let text = match (args.json, args.per_sentence) {
        (true, _) => json::json(&evaluation, args.per_sentence.then_some(kept)),
        (false, true) => String::new(),
        (false, false) => text::text(&evaluation),
    };
    out.write_all(text.as_bytes())?;
    out.flush()?;
    if let (Some(file), Some(calibration)) = (&args.diagram, &evaluation.calibration) {
        fs::write(file, calibration::diagram(calibration)).with_context(|| file.display().to_string())?;
    }
    let num_errors = evaluation.totals.all.lost.sentences;
    Ok(if num_errors > 0 { Outcome::Partial } else { read })
}

/// Scores all sentences; also says whether everything else could be read.
fn evaluate(
    args: &EvalArgs,
    mut see: impl FnMut(u64, &SentenceScore) -> Result<()>,
) -> Result<(Evaluation, Outcome)> {
    let (mut source, profile) = Source::open(args)?;
    let (settings, parameters) = settings_of(args.settings.as_deref(), &profile)?;
    let mut totals = Totals::new(&cutoffs(&args.max_length, &parameters));
    let mut scorer = Scorer::new(parameters);
    let mut complaints = Complaints::default();
    let mut calibration = args.calibration.then(Calibration::default);
    while let Some(Scored { pair, confidences }) = source.next()? {
        let Pair { number, gold, test } = pair;
        let score = match test {
            Ok(test) => scorer.score(&gold, &test),
            Err(why) => scorer.score_missing(&gold, why),
        };
        if let Verdict::Error(why) = &score.verdict {
            complaints.add(|| complaint(number, why, &source));
        }
        if let Some(calibration) = &mut calibration {
            for (phrase, is_right) in scorer.phrases() {
                confidences[phrase].into_iter().for_each(|confidence| calibration.add(confidence, is_right));
            }
        }
        totals.add(&score);
        see(number, &score)?;
    }
    complaints.report();
    if calibration.as_ref().is_some_and(|calibration| calibration.expected_error().is_none()) {
        bail!("no phrase that the parser found has a confidence: leave out --calibration");
    }
    let tested = args.model.as_ref().or(args.test.as_ref());
    let [gold, test] = [Some(&args.gold), tested]
        .map(|path| path.map_or_else(String::new, |path| path.display().to_string()));
    Ok((Evaluation { settings, gold, test, scorer, totals, calibration }, source.finish()))
}

/// The settings that were asked for, or those of a profile, and their name.
pub(crate) fn settings_of(asked: Option<&str>, profile: &Profile) -> Result<(String, Parameters)> {
    match asked {
        Some(name) => Ok((name.to_owned(), Parameters::load(name)?)),
        None if profile.is_default() => Ok(("COLLINS".to_owned(), Parameters::of_profile(profile))),
        None => Ok((format!("of profile {}", profile.name()), Parameters::of_profile(profile))),
    }
}

/// What is wrong with a sentence, and where; what cannot be read says itself where it is.
fn complaint(number: u64, why: &Mismatch, source: &Source) -> String {
    match why {
        Mismatch::Unreadable(_) => format!("sentence {number}: {why}"),
        _ => format!("sentence {number} ({}): {why}", source.place()),
    }
}

/// The lengths asked for in order, or that of the settings.
fn cutoffs(asked: &[u32], parameters: &Parameters) -> Vec<u32> {
    if asked.is_empty() {
        return vec![parameters.cutoff_length.clamp(0, u32::MAX.into()) as u32];
    }
    let mut lengths = asked.to_vec();
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

/// The first sentences that err, and how many there are. They are reported at the end, since all are
/// wrong if one file lacks a tree.
#[derive(Default)]
struct Complaints {
    first: Vec<String>,
    number: usize,
}

impl Complaints {
    const SHOWN: usize = 10;

    fn add(&mut self, complaint: impl FnOnce() -> String) {
        self.number += 1;
        if self.number <= Self::SHOWN {
            self.first.push(complaint());
        }
    }

    fn report(&self) {
        for complaint in &self.first {
            report(format_args!("{complaint}"));
        }
        match self.number - self.first.len() {
            0 => {}
            1 => report(format_args!("1 more sentence errs (--per-sentence shows all)")),
            more => report(format_args!("{more} more sentences err (--per-sentence shows all)")),
        }
    }
}
