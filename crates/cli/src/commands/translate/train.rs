//! `boughs translate train`.

use std::path::PathBuf;

use anyhow::Result;
use boughs::model::About;
use boughs_translate::{
    CandidateFilter, GenerativeConfig, Report, TrainConfig, Transducer, train, train_generative,
};
use clap::{Args, ValueEnum};

use super::data::{Data, DataArgs};
use crate::Outcome;
use crate::output::report;
use crate::threads::ThreadArgs;

/// Learn to translate from sentences and their translations
///
/// The source is parsed (or given as trees), the words are linked as `boughs align` does, and what words become and which phrases swap
/// their parts is learned: by a boosted classifier for each word and translation and for each order (Turian, Wellington and Melamed
/// 2006), or by its rivals, to compare.
#[derive(Debug, Clone, Args)]
pub(crate) struct TrainArgs {
    #[command(flatten)]
    data: DataArgs,

    /// Write the model to this file
    #[arg(long, short = 'o', value_name = "MODEL")]
    out: PathBuf,

    /// How to learn
    #[arg(long, value_enum, default_value_t)]
    method: Method,

    #[command(flatten)]
    learn: LearnArgs,

    /// Passes of Viterbi EM
    #[arg(long, value_name = "N", default_value_t = GenerativeConfig::default().passes, help_heading = "Generative")]
    passes: u32,

    /// With so many counts, an estimate has half of the weight
    #[arg(long, value_name = "N", default_value_t = GenerativeConfig::default().backoff, help_heading = "Generative")]
    backoff: f64,

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

    /// Where the path of the penalty of words ends
    #[arg(long, value_name = "N", default_value_t = TrainConfig::default().words.final_penalty)]
    word_penalty: f64,

    /// Where the path of the penalty of phrases ends
    #[arg(long, value_name = "N", default_value_t = TrainConfig::default().nodes.final_penalty)]
    node_penalty: f64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Method {
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
        config.words.final_penalty = self.word_penalty;
        config.nodes.final_penalty = self.node_penalty;
        config
    }
}

pub(crate) fn run(args: &TrainArgs) -> Result<Outcome> {
    let pool = args.threads.pool()?;
    let (data, transducer, report_of_training) = pool.install(|| -> Result<_> {
        let data = args.data.read(0)?;
        data.check()?;
        let (transducer, found) = args.learn(&data)?;
        Ok((data, transducer, found))
    })?;
    let mut about = About::new("");
    about.seed = args.data.seed;
    about.data = args.note.clone().unwrap_or_default();
    let mut set = |name: &str, value: String| _ = about.settings.insert(name.to_owned(), value);
    set("training-pairs", data.train.len().to_string());
    set("mixed-phrases", data.counts.mixed.to_string());
    if let Some(found) = &report_of_training {
        set("word-penalty", found.penalties[0].to_string());
        set("node-penalty", found.penalties[1].to_string());
    }
    transducer.to_file(about)?.save(&args.out)?;
    let lexicon = transducer.lexicon();
    report(format_args!(
        "{}: written, {} words with {} translations",
        args.out.display(),
        lexicon.num_words(),
        lexicon.num_pairs()
    ));
    Ok(Outcome::Complete)
}

impl TrainArgs {
    fn learn(&self, data: &Data) -> Result<(Transducer, Option<Report>)> {
        match self.method {
            Method::MostFrequent => Ok((Transducer::most_frequent(&data.train)?, None)),
            Method::Generative => {
                let config = GenerativeConfig { passes: self.passes, backoff: self.backoff };
                let transducer = train_generative(&data.train, &config, |pass, cost| {
                    report(format_args!("pass {pass}: a derivation costs {cost:.3} on average"));
                })?;
                Ok((transducer, None))
            }
            Method::Discriminative => {
                let (transducer, found) = discriminative(data, &self.learn.config(), self.data.quiet)?;
                Ok((transducer, Some(found)))
            }
        }
    }
}

/// Learns classifiers and tells what came of it.
pub(super) fn discriminative(
    data: &Data,
    config: &TrainConfig,
    is_quiet: bool,
) -> Result<(Transducer, Report)> {
    let (transducer, found) = train(&data.train, &data.tune, config, |num_done, num_all| {
        if !is_quiet && (num_done % 1000 == 0 || num_done == num_all) {
            report(format_args!("{num_done} of {num_all} datasets learned"));
        }
    })?;
    report(format_args!(
        "{} examples of words, {} of phrases, {} features; {} classifiers of words",
        found.num_examples[0], found.num_examples[1], found.num_features, found.num_classifiers
    ));
    for (index, what) in ["words with a choice", "phrases"].into_iter().enumerate() {
        report(format_args!(
            "{what}: penalty {:.2}, {} compound features, {:.2}% right on tuning pairs",
            found.penalties[index],
            found.num_active[index],
            100.0 * found.accuracies[index]
        ));
    }
    Ok((transducer, found))
}
