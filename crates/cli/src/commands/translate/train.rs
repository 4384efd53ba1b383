//! `boughs translate train`.

use std::path::PathBuf;

use anyhow::Result;
use boughs::model::About;
use boughs_translate::{
    CandidateFilter, GenerativeConfig, TrainConfig, TrainReport, Transducer, train, train_generative,
};
use clap::{Args, ValueEnum};

use super::LimitArgs;
use super::data::{PairArgs, PairParts};
use crate::Outcome;
use crate::output::report;
use crate::threads::ThreadArgs;

/// Learn to translate from sentences and their translations
///
/// The source is parsed (or given as trees), and the words are linked as `boughs align` does. Then it is learned what
/// words become and which phrases swap their parts: by a boosted classifier for each word and translation and for each
/// order (Turian, Wellington and Melamed 2006), or by other methods, to compare.
#[derive(Debug, Clone, Args)]
pub(crate) struct TranslateTrainArgs {
    #[command(flatten)]
    data: PairArgs,

    /// Write the model to this file
    #[arg(long, short = 'o', value_name = "MODEL")]
    out: PathBuf,

    /// How to learn
    #[arg(long, value_enum, default_value_t)]
    method: TranslateMethod,

    #[command(flatten)]
    learn: LearnArgs,

    /// Iterations of Viterbi EM
    #[arg(long, value_name = "N", default_value_t = GenerativeConfig::default().iterations, help_heading = "Generative")]
    iterations: u32,

    /// With so many counts, an estimate has half of the weight
    #[arg(long, value_name = "N", default_value_t = GenerativeConfig::default().backoff, help_heading = "Generative")]
    backoff: f64,

    #[command(flatten)]
    limits: LimitArgs,

    #[command(flatten)]
    threads: ThreadArgs,

    /// What the model's users should know: data, licence, attribution
    #[arg(long, value_name = "TEXT", help_heading = "Description")]
    note: Option<String>,
}

/// How classifiers are learned.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Discriminative")]
pub(super) struct LearnArgs {
    /// A translation other than a word's most frequent one must have been seen N times
    #[arg(long, value_name = "N", default_value_t = CandidateFilter::default().min_count)]
    min_count: u32,

    /// And be this share of the word's translations
    #[arg(long, value_name = "SHARE", default_value_t = CandidateFilter::default().min_share)]
    min_share: f64,

    /// Where the path of the penalty ends, for words
    #[arg(long, value_name = "N", default_value_t = TrainConfig::default().words.final_penalty)]
    final_word_penalty: f64,

    /// Where the path of the penalty ends, for the orders of phrases
    #[arg(long, value_name = "N", default_value_t = TrainConfig::default().nodes.final_penalty)]
    final_order_penalty: f64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum TranslateMethod {
    /// Boosted classifiers
    #[default]
    Discriminative,
    /// A lexicalised top-down transducer, by Viterbi EM
    Generative,
    /// Every word becomes its most frequent translation, and the order stays
    MostFrequent,
}

impl LearnArgs {
    pub(super) fn config(&self) -> TrainConfig {
        let mut config = TrainConfig::default();
        config.candidates.min_count = self.min_count;
        config.candidates.min_share = self.min_share;
        config.words.final_penalty = self.final_word_penalty;
        config.nodes.final_penalty = self.final_order_penalty;
        config
    }
}

pub(crate) fn run(args: &TranslateTrainArgs) -> Result<Outcome> {
    let mut about = About::new("");
    about.seed = args.data.seed;
    about.data = args.note.clone().unwrap_or_default();
    let mut set = |name: &str, value: String| _ = about.settings.insert(name.to_owned(), value);
    let transducer = args.threads.pool()?.install(|| -> Result<Transducer> {
        let data = args.data.read(0)?;
        set("training-pairs", data.train.len().to_string());
        set("mixed-phrases", data.counts.mixed.to_string());
        match args.method {
            TranslateMethod::MostFrequent => Ok(Transducer::most_frequent(&data.train)?),
            TranslateMethod::Generative => {
                let config = GenerativeConfig { iterations: args.iterations, backoff: args.backoff };
                Ok(train_generative(&data.train, &config, |iteration, cost| {
                    report(format_args!("iteration {iteration}: a derivation costs {cost:.3} on average"));
                })?)
            }
            TranslateMethod::Discriminative => {
                let (transducer, found) = discriminative(&data, &args.learn.config(), args.data.quiet)?;
                set("word-penalty", found.penalties[0].to_string());
                set("order-penalty", found.penalties[1].to_string());
                Ok(transducer)
            }
        }
    })?;
    let transducer = args.limits.apply(transducer);
    transducer.to_file(about)?.save(&args.out)?;
    let (out, lexicon) = (args.out.display(), transducer.lexicon());
    let (num_words, num_pairs) = (lexicon.num_words(), lexicon.num_pairs());
    report(format_args!("{out}: written, {num_words} words with {num_pairs} translations"));
    Ok(Outcome::Complete)
}

/// Learns classifiers and tells what came of it.
pub(super) fn discriminative(
    data: &PairParts,
    config: &TrainConfig,
    is_quiet: bool,
) -> Result<(Transducer, TrainReport)> {
    let (transducer, found) = train(&data.train, &data.dev, config, |num_done, num_all| {
        if !is_quiet && (num_done % 1000 == 0 || num_done == num_all) {
            report(format_args!("{num_done} of {num_all} datasets learned"));
        }
    })?;
    let TrainReport { num_examples: [words, phrases], num_features, num_classifiers, .. } = found;
    report(format_args!(
        "{words} examples of words, {phrases} of phrases, {num_features} features; {num_classifiers} classifiers of words"
    ));
    for (index, what) in ["words with a choice", "phrases"].into_iter().enumerate() {
        report(format_args!(
            "{what}: penalty {:.2}, {} compound features, {:.2}% right on development pairs",
            found.penalties[index],
            found.num_active[index],
            100.0 * found.accuracies[index]
        ));
    }
    Ok((transducer, found))
}
