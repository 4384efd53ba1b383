//! `boughs compare`: is one parser better than another, or was it luck?

mod summary;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread;

use anyhow::{Context, Result, anyhow, bail};
use boughs::eval::significance::{Interval, ParserPair, Significance, bootstrap, holm, shuffle};
use boughs::eval::{LabelId, Scorer, SentenceScore, Verdict};
use clap::{Args, ValueEnum};

use crate::commands::eval::settings_of;
use crate::input::{ReadArgs, require_rereadable};
use crate::output::{print, report};
use crate::pairs::{self, Pairs};
use crate::profile::ProfileArgs;
use crate::{Outcome, number};

const MOST_TRIALS: i64 = 10_000_000_000;
const MOST_SAMPLES: i64 = 10_000_000;

/// Find out whether parser A is better than parser B
///
/// Both are scored as `boughs eval` does, so that no sentence is lost. The p-value is that of stratified shuffling
/// (Cohen 1995): how often a difference this large turns up when the two trees of each sentence are swapped by the
/// toss of a coin. It is two-sided, and exact if there are fewer ways to swap than trials. The interval is that of a
/// paired bootstrap.
///
/// Exit codes: 0 all sentences were compared, 1 some were not (they count as lost) or there is other text between
/// trees, 2 nothing was compared.
#[derive(Args)]
pub(crate) struct CompareArgs {
    /// The gold trees: a treebank file (plain or .gz) or directory, but not standard input
    gold: PathBuf,

    /// The trees of parser A, likewise; `-` is standard input
    a: PathBuf,

    /// The trees of parser B, likewise
    b: PathBuf,

    /// Which labels to leave out or take as equal: COLLINS (as most papers), new, or a .prm file of EVALB
    /// [default: COLLINS, or for other profiles without their punctuation]
    #[arg(long, short = 'p', value_name = "NAME|FILE")]
    settings: Option<String>,

    /// How many random ways of swapping to try, at most 10 billion
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = number::within::<u64>(1..=MOST_TRIALS))]
    trials: u64,

    /// How many bootstrap samples to draw, at most 10 million, since all are kept in memory
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = number::within::<u32>(1..=MOST_SAMPLES))]
    samples: u32,

    /// The confidence of the interval, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 95, value_parser = clap::value_parser!(u8).range(1..100))]
    confidence: u8,

    /// What is swapped and drawn as one: use `file` if the sentences of a file are not independent
    #[arg(long, value_enum, value_name = "UNIT", default_value_t)]
    by: Unit,

    /// Also compare each label by itself
    #[arg(long)]
    per_label: bool,

    /// The random seed: the same seed gives the same figures, for any number of threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = number::within::<u64>(0..))]
    seed: u64,

    /// How many threads to use, at most four for each core; 0 is one for each core
    #[arg(long, short = 'j', value_name = "N", default_value_t = 0, value_parser = number::within::<usize>(0..))]
    threads: usize,

    /// Print one JSON object, with all figures in percent but the p-values
    #[arg(long)]
    json: bool,

    /// Take a blank line in A and B as a sentence without a tree
    #[arg(long, help_heading = "Input")]
    empty_lines: bool,

    #[command(flatten)]
    profile: ProfileArgs,

    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, ValueEnum)]
enum Unit {
    /// Sentences
    #[default]
    Sentence,
    /// Files of the gold treebank
    File,
}

/// The counts of both parsers, by unit.
struct Scores {
    /// The name of the settings.
    settings: String,
    scorer: Scorer,
    pairs: Vec<ParserPair>,
    /// By label and then by unit, if asked for; units without the label are left out.
    labels: BTreeMap<LabelId, BTreeMap<usize, ParserPair>>,
    num_sentences: u64,
    num_errors: [u64; 2],
}

/// The figures for all brackets, or for those of one label.
struct Comparison {
    total: ParserPair,
    significance: Significance,
    interval: Interval,
}

/// Everything there is to report.
struct Findings<'a> {
    args: &'a CompareArgs,
    scores: &'a Scores,
    all: Comparison,
    /// With the p-value of F1 corrected for the number of labels.
    labels: Vec<(String, Comparison, f64)>,
}

pub(crate) fn run(args: &CompareArgs) -> Result<Outcome> {
    require_rereadable(&args.gold).context("GOLD is read for A and for B")?;
    let (scores, outcome) = score(args)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(num_threads(args.threads)).build();
    let pool = pool.map_err(|error| anyhow!("cannot start threads: {error}"))?;
    let findings = pool.install(|| Findings {
        args,
        scores: &scores,
        all: compare(args, &scores.pairs),
        labels: if args.per_label { compare_labels(args, &scores) } else { Vec::new() },
    });
    print(if args.json { summary::json(&findings) } else { summary::text(&findings) })?;
    Ok(if scores.num_errors == [0, 0] { outcome } else { Outcome::Partial })
}

/// More threads than this only wait for each other.
fn num_threads(asked: usize) -> usize {
    let most = 4 * thread::available_parallelism().map_or(1, NonZeroUsize::get);
    if asked > most {
        report(format_args!("--threads {asked} is more than four for each core: {most} are used"));
    }
    asked.min(most)
}

fn compare(args: &CompareArgs, pairs: &[ParserPair]) -> Comparison {
    let confidence = f64::from(args.confidence) / 100.0;
    Comparison {
        total: ParserPair::total(pairs),
        significance: shuffle(pairs, args.trials, args.seed),
        interval: bootstrap(pairs, confidence, args.samples as usize, args.seed),
    }
}

/// Labels by the number of gold brackets, then by name.
fn compare_labels(args: &CompareArgs, scores: &Scores) -> Vec<(String, Comparison, f64)> {
    let compared = scores.labels.iter().map(|(&label, units)| {
        let mut pairs: Vec<ParserPair> = units.values().copied().collect();
        // Units without the label still can be drawn.
        pairs.resize(scores.pairs.len(), ParserPair::default());
        (scores.scorer.label_name(label), compare(args, &pairs))
    });
    let mut compared: Vec<(String, Comparison)> = compared.collect();
    compared.sort_by(|(name, one), (other_name, other)| {
        other.total.a.gold.cmp(&one.total.a.gold).then_with(|| name.cmp(other_name))
    });
    let p_values: Vec<f64> = compared.iter().map(|(_, comparison)| comparison.significance.p.f1).collect();
    let corrected = holm(&p_values);
    compared.into_iter().zip(corrected).map(|((name, comparison), p)| (name, comparison, p)).collect()
}

fn score(args: &CompareArgs) -> Result<(Scores, Outcome)> {
    let mut a = Pairs::open(&args.read, &args.gold, &args.a, args.empty_lines)?;
    let mut b = Pairs::open(&args.read, &args.gold, &args.b, args.empty_lines)?.quietly();
    let profile = a.normalize(&args.profile)?;
    b.normalize_by(&profile);
    let (settings, parameters) = settings_of(args.settings.as_deref(), &profile)?;
    let mut scores = Scores {
        settings,
        scorer: Scorer::new(parameters),
        pairs: Vec::new(),
        labels: BTreeMap::new(),
        num_sentences: 0,
        num_errors: [0, 0],
    };
    let mut last_file = None;
    loop {
        let (of_a, of_b) = match (a.next()?, b.next()?) {
            (Some(of_a), Some(of_b)) => (of_a, of_b),
            (None, None) => break,
            _ => bail!("{} changed while it was read", args.gold.display()),
        };
        if args.by == Unit::Sentence || last_file.as_deref() != Some(a.gold_file()) {
            last_file = Some(a.gold_file().to_owned());
            scores.pairs.push(ParserPair::default());
        }
        scores.add(of_a, of_b, args.per_label);
    }
    if args.by == Unit::File && scores.pairs.len() < 2 {
        bail!("--by file needs at least two gold files: one by itself cannot be tested");
    }
    Ok((scores, a.finish().max(b.finish())))
}

impl Scores {
    /// Adds a sentence to the last unit, and to those of each label if they are wanted.
    fn add(&mut self, a: pairs::Pair, b: pairs::Pair, per_label: bool) {
        self.num_sentences += 1;
        let of_a = self.score(a, 0);
        let of_b = self.score(b, 1);
        let unit = self.pairs.len() - 1;
        self.pairs[unit] += ParserPair { a: of_a.counts, b: of_b.counts };
        if !per_label {
            return;
        }
        for (label, counts) in of_a.labels {
            *self.label(label, unit) += ParserPair { a: counts, ..ParserPair::default() };
        }
        for (label, counts) in of_b.labels {
            *self.label(label, unit) += ParserPair { b: counts, ..ParserPair::default() };
        }
    }

    fn label(&mut self, label: LabelId, unit: usize) -> &mut ParserPair {
        self.labels.entry(label).or_default().entry(unit).or_default()
    }

    fn score(&mut self, pair: pairs::Pair, parser: usize) -> SentenceScore {
        let score = match pair.test {
            Ok(test) => self.scorer.score(&pair.gold, &test),
            Err(why) => self.scorer.score_missing(&pair.gold, why),
        };
        self.num_errors[parser] += u64::from(matches!(score.verdict, Verdict::Error(_)));
        score
    }
}
