//! `boughs translate train`.

use anyhow::{Result, bail};
use boughs_learn::run::Recipe;
use boughs_learn::{GainForm, Lowering};
use boughs_translate::{
    AlignedPair, CandidateFilter, DiscriminativeConfig, GenerativeConfig, PenaltyCriterion, Transducer,
};
use clap::{Args, ValueEnum};

use super::SearchLimitArgs;
use super::data::{PairArgs, PairParts};
use crate::Outcome;
use crate::choice::{Variants, variant};
use crate::output::report;
use crate::training::{GAINS, LOWERINGS, RunArgs, set};

/// Learn to translate from sentences and their translations
///
/// The source is parsed (or given as trees), and the words are linked as `boughs align` does. Then it is learned what
/// words become and which phrases swap their parts: by a boosted classifier for each word and translation and for each
/// order (Turian, Wellington and Melamed 2006), or by other methods, to compare.
///
/// After every step of learning there is a checkpoint beside the model, MODEL.checkpoint; an interrupted run goes on
/// from there with --resume and ends with the same bytes. Sentences are parsed and linked again, unless there are
/// --trees and --links.
#[derive(Debug, Clone, Args)]
pub(crate) struct TranslateTrainArgs {
    /// How to learn
    #[arg(long, value_enum, default_value_t)]
    method: TranslateMethod,

    /// Whose settings to start from
    #[arg(long, value_enum, value_name = "PAPER")]
    preset: Option<TranslatePreset>,

    #[command(flatten)]
    run: RunArgs,

    #[command(flatten)]
    data: PairArgs,

    #[command(flatten)]
    candidates: Option<CandidateArgs>,

    #[command(flatten)]
    learn: Option<LearnArgs>,

    #[command(flatten)]
    limits: SearchLimitArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TranslatePreset {
    /// Turian, Wellington & Melamed 2006: few translations of a word, all features, gains as printed
    Twm06,
}

/// Which translations a word may have.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Translations of a word")]
pub(super) struct CandidateArgs {
    /// A translation other than a word's most frequent one must have been seen N times [default: 2; generative 1]
    #[arg(long, value_name = "N")]
    min_count: Option<u32>,

    /// And be this share of the word's translations [default: 0.005; generative 0]
    #[arg(long, value_name = "SHARE", hide_short_help = true)]
    min_share: Option<f64>,
}

impl CandidateArgs {
    pub(super) fn change(&self, candidates: &mut CandidateFilter) {
        set(&mut candidates.min_count, self.min_count);
        set(&mut candidates.min_share, self.min_share);
    }
}

/// How classifiers are learned.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Discriminative")]
pub(super) struct LearnArgs {
    /// How the gain of a split is counted [default: clip]
    #[arg(long, value_name = "NAME", value_parser = variant::<GainForm>(GAINS), hide_short_help = true)]
    gain: Option<GainForm>,

    /// By which factor a split must raise the gain [default: 1.01]
    #[arg(long, value_name = "X", hide_short_help = true)]
    min_gain: Option<f64>,

    /// When the penalty falls [default: every-root]
    #[arg(long, value_name = "NAME", value_parser = variant::<Lowering>(LOWERINGS), hide_short_help = true)]
    lowering: Option<Lowering>,

    /// By which factor the penalty falls at most from tree to tree [default: 0.8]
    #[arg(long, value_name = "X", hide_short_help = true)]
    decay: Option<f64>,

    /// In how many examples of a classifier a feature must be [default: 2]
    #[arg(long, value_name = "N", hide_short_help = true)]
    min_feature_count: Option<u32>,

    /// What chooses the penalties, on development pairs [default: log-loss]
    #[arg(long, value_name = "NAME", value_parser = variant::<PenaltyCriterion>(CRITERIA), hide_short_help = true)]
    criterion: Option<PenaltyCriterion>,

    /// Where the path of the penalty ends, for words [default: 4]
    #[arg(long, value_name = "N")]
    final_word_penalty: Option<f64>,

    /// Where the path of the penalty ends, for the orders of phrases [default: 8]
    #[arg(long, value_name = "N")]
    final_order_penalty: Option<f64>,
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

const CRITERIA: Variants = &[
    ("log-loss", "The least log-loss of all classifiers"),
    ("accuracy", "The most words, or orders, that are right"),
];

impl LearnArgs {
    pub(super) fn change(&self, config: &mut DiscriminativeConfig) {
        for boosting in [&mut config.words, &mut config.orders] {
            set(&mut boosting.gain, self.gain);
            set(&mut boosting.min_gain_factor, self.min_gain);
            set(&mut boosting.lowering, self.lowering);
            set(&mut boosting.decay, self.decay);
        }
        set(&mut config.min_feature_count, self.min_feature_count);
        set(&mut config.criterion, self.criterion);
        set(&mut config.words.final_penalty, self.final_word_penalty);
        set(&mut config.orders.final_penalty, self.final_order_penalty);
    }
}

pub(crate) fn run(args: &TranslateTrainArgs) -> Result<Outcome> {
    if args.learn.is_some() && args.method != TranslateMethod::Discriminative {
        bail!("gains, penalties and --min-feature-count are for --method discriminative: leave them out");
    }
    let has_settings = args.run.config.is_some() || args.preset.is_some() || args.candidates.is_some();
    if has_settings && args.method == TranslateMethod::MostFrequent {
        bail!(
            "--method most-frequent has no settings: leave out --config, --preset, --min-count and --min-share"
        );
    }
    args.run.check()?;
    match args.method {
        TranslateMethod::Discriminative => {
            let preset =
                args.preset.map_or_else(DiscriminativeConfig::default, |_| DiscriminativeConfig::twm06());
            let mut config = args.run.settings(preset, &[])?;
            args.candidates.iter().for_each(|candidates| candidates.change(&mut config.candidates));
            args.learn.iter().for_each(|learn| learn.change(&mut config));
            args.limits.change(&mut config.search);
            args.train(&config)
        }
        TranslateMethod::Generative => {
            let preset = args.preset.map_or_else(GenerativeConfig::default, |_| GenerativeConfig::twm06());
            let mut config = args.run.settings(preset, &[])?;
            args.candidates.iter().for_each(|candidates| candidates.change(&mut config.candidates));
            args.limits.change(&mut config.search);
            args.train(&config)
        }
        TranslateMethod::MostFrequent => {
            let (data, facts) = args.read()?;
            let mut model = Transducer::most_frequent(&data.train)?;
            args.limits.change(&mut model.search);
            args.run.write(&mut model, &facts)?;
            Ok(Outcome::Complete)
        }
    }
}

/// What a model says about its training.
type Facts = [(&'static str, usize); 3];

impl TranslateTrainArgs {
    fn read(&self) -> Result<(PairParts, Facts)> {
        let seed = self.run.seed.unwrap_or(0);
        let data = self.run.threads.pool()?.install(|| self.data.read(0, seed, self.run.quiet))?;
        let facts = [
            ("training-pairs", data.train.len()),
            ("dev-pairs", data.dev.len()),
            ("mixed-phrases", data.counts.mixed as usize),
        ];
        Ok((data, facts))
    }

    fn train<R>(&self, recipe: &R) -> Result<Outcome>
    where
        R: Recipe<Data = [AlignedPair], Model = Transducer> + Sync,
    {
        let (data, facts) = self.read()?;
        let dev = (!data.dev.is_empty()).then_some(&data.dev[..]);
        let Some(trained) = self.run.train(recipe, &data.train, dev, &facts)? else {
            return Ok(Outcome::Interrupted);
        };
        self.run.clean_up()?;
        let lexicon = &trained.model.lexicon;
        report(format_args!("{} words with {} translations", lexicon.num_words(), lexicon.num_pairs()));
        Ok(Outcome::Complete)
    }
}
