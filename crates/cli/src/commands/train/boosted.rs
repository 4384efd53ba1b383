//! `boughs train boosted`: transition parsers.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use boughs::parser::Parser;
use boughs::train::{BoostingLearner, Step, TagSource, TransitionConfig, margins, tagged_sentences};
use boughs::transition::Strategy;
use boughs::transition::features::{TEMPLATE_SETS, Templates};
use boughs::tree::heads::Language;
use boughs::tree::transform::TransformStep;
use boughs_learn::{L1Config, ZConfig};
use clap::{Args, ValueEnum};

use super::common::{Common, Data, read_text, set};
use super::curves::{self, Distribution};
use crate::Outcome;
use crate::gain::GainName;
use crate::number;
use crate::output::report;
use crate::search::SearchArgs;

/// A parser: transitions chosen by boosted decision trees, a classifier for each label
///
/// The penalty falls from step to step (Turian & Melamed 2005, 2006), and the step that parses the development trees
/// best is kept. By default the parser learns from the tags of taggers that did not see the sentence, and a tagger is
/// stored in the model, so that the one file parses running text.
#[derive(Debug, Args)]
pub(super) struct BoostedArgs {
    #[command(flatten)]
    pub(super) common: Common,

    /// Whose settings to start from [default: tm06]
    #[arg(long, value_enum, value_name = "PAPER")]
    preset: Option<Preset>,

    /// Order of inferences: r2l, l2r, bottom-up or shift-reduce [default: r2l]
    #[arg(long, value_name = "NAME", value_parser = |name: &str| name.parse::<Strategy>())]
    strategy: Option<Strategy>,

    /// Features: kitchen-sink, baseline, tm05, … or a file (docs/features.md) [default: kitchen-sink]
    #[arg(long, value_name = "NAME|FILE")]
    features: Option<PathBuf>,

    /// The most children that a phrase may have [default: 5]
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..))]
    max_children: Option<usize>,

    /// Replace words that occur fewer than N times in the training trees by one
    #[arg(long, value_name = "N", value_parser = number::within::<u64>(1..))]
    min_word_count: Option<u64>,

    /// Which child is the head: english, any, or a file (docs/train.md) [default: english]
    #[arg(long, value_name = "NAME|FILE")]
    head_rules: Option<PathBuf>,

    /// Which tags are alike: english, none, or a file [default: english]
    #[arg(long, value_name = "NAME|FILE")]
    tag_classes: Option<PathBuf>,

    /// The tags of punctuation, with blanks between them [default: those of the Penn Treebank]
    #[arg(long, value_name = "TAGS")]
    punctuation_tags: Option<String>,

    /// Which tags the parser learns from and is measured with [default: jackknife]
    #[arg(long, value_enum, value_name = "NAME")]
    tags: Option<TagSourceName>,

    /// Folds of the training trees for jack-knifing [default: 10]
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(2..))]
    folds: Option<usize>,

    /// More trees for the tagger alone, none of the training trees among them
    #[arg(long, value_name = "FILE", num_args = 1..)]
    tagger_train: Vec<PathBuf>,

    /// How trees are grown [default: l1]
    #[arg(long, value_enum, value_name = "NAME")]
    learner: Option<LearnerName>,

    /// Where the path ends: λ, or Θ for the z learner [default: 0.05; z: 0.35]
    #[arg(long, value_name = "X", value_parser = number::parse_penalty)]
    final_penalty: Option<f64>,

    /// Where the first step ends [default: 1.6; z: 22.4]
    #[arg(long, value_name = "X", value_parser = number::parse_penalty)]
    first_penalty: Option<f64>,

    /// By which factor the penalty falls from step to step [default: 0.5]
    #[arg(long, value_name = "X")]
    step_factor: Option<f64>,

    /// End after so many steps without a better F1 [default: 3]
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..))]
    patience: Option<usize>,

    /// Factor of the steepest gradient that is the next penalty [default: 0.8; z: 1]
    #[arg(long, value_name = "X")]
    decay: Option<f64>,

    /// By which factor a split must raise the gain (l1) [default: 1.01]
    #[arg(long, value_name = "X", value_parser = number::parse_gain)]
    min_gain: Option<f64>,

    /// How gains are computed (l1) [default: clip]
    #[arg(long, value_enum, value_name = "NAME")]
    gain: Option<GainName>,

    /// Search for splits on a sample of so many examples; 0 for all [default: 20000; z: 0]
    #[arg(long, value_name = "N", value_parser = number::parse_sample)]
    sample: Option<usize>,

    /// Let decision trees grow no deeper; 1 makes stumps
    #[arg(long, value_name = "N", value_parser = number::within::<u32>(1..))]
    max_depth: Option<u32>,

    /// The most memory for classifiers that learn at the same time [default: 2G]
    #[arg(long, value_name = "BYTES", value_parser = number::parse_bytes)]
    memory: Option<usize>,

    #[command(flatten)]
    search: SearchArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Preset {
    /// Right-to-left, l1-regularised boosting, kitchen-sink features, agenda
    Tm06,
    /// Free bottom-up, boosting by reductions of Z, rare words replaced, beam search
    Tm05,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LearnerName {
    /// l1-regularised boosting (2006)
    L1,
    /// Boosting by reductions of Z (2005)
    Z,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TagSourceName {
    /// Those of the treebank. The model will need tagged input
    Gold,
    /// Those of taggers that did not see the sentence; a tagger trained on all is stored in the model
    Jackknife,
}

pub(super) fn train(args: &BoostedArgs) -> Result<Outcome> {
    let recipe = args.recipe()?;
    let Some((trained, data, progress)) = args.common.run(&recipe)? else { return Ok(Outcome::Interrupted) };
    let (steps, best, parser) = (trained.steps.clone(), trained.best, trained.model.clone());
    // Margins of many examples take long: whoever breaks them off has the model.
    let outcome = args.common.write(trained, &data)?;
    if let Some(directory) = &args.common.curves {
        curves::write(directory, &args.common.out, &steps, &progress)?;
        report(format_args!("counting the margins of all examples"));
        let distributions = distributions(&parser, &data, &[steps.first(), steps.get(best)], &recipe)?;
        curves::write_margins(directory, &args.common.out, &distributions)?;
    }
    Ok(outcome)
}

/// Early and late, over the training trees and the development trees.
fn distributions(
    parser: &Parser,
    data: &Data,
    steps: &[Option<&Step>],
    recipe: &TransitionConfig,
) -> Result<Vec<Distribution>> {
    let mut penalties: Vec<f64> = steps.iter().flatten().filter_map(|step| step.get("penalty")).collect();
    penalties.dedup();
    let mut distributions = Vec::new();
    for penalty in penalties {
        for (trees, of_data) in [("training", &data.train), ("development", &data.dev)] {
            let margins = margins(of_data, parser, penalty, recipe)?;
            distributions.push(Distribution { trees, penalty, margins });
        }
    }
    Ok(distributions)
}

impl BoostedArgs {
    fn recipe(&self) -> Result<TransitionConfig> {
        let preset = match self.preset {
            Some(Preset::Tm05) => TransitionConfig::tm05(),
            _ => TransitionConfig::tm06(),
        };
        let mut config = self.common.over(preset)?;
        self.set_learner(&mut config)?;
        set(&mut config.scheme.strategy, self.strategy);
        set(&mut config.scheme.max_children, self.max_children);
        set(&mut config.features, templates(self.features.as_deref())?);
        set(&mut config.first_penalty, self.first_penalty);
        set(&mut config.step_factor, self.step_factor);
        set(&mut config.patience, self.patience);
        set(&mut config.memory, self.memory);
        set(&mut config.seed, self.common.seed);
        set(&mut config.tagger.seed, self.common.seed);
        set(&mut config.max_words, self.common.max_words.map(Some));
        set(&mut config.punctuation_tags, self.punctuation_tags.clone().map(Some));
        set(&mut config.folds, self.folds);
        set(&mut config.tags, self.tags.map(tag_source));
        if let Some(count) = self.min_word_count {
            config.pipeline.insert(TransformStep::ReplaceRare(count));
        }
        if !self.tagger_train.is_empty() {
            config.tagger_sentences = tagged_sentences(&self.common.trees(&self.tagger_train)?.0);
        }
        self.set_language(&mut config.language)?;
        config.options = self.search.options(config.options)?;
        config.check()?;
        Ok(config)
    }

    fn set_language(&self, language: &mut Language) -> Result<()> {
        let heads = named_text(self.head_rules.as_deref(), Language::named_heads, "`english` and `any`")?;
        let classes =
            named_text(self.tag_classes.as_deref(), Language::named_classes, "`english` and `none`")?;
        for (heads, classes, path) in [(heads, None, &self.head_rules), (None, classes, &self.tag_classes)] {
            let Some(path) = path else { continue };
            let heads = heads.unwrap_or_else(|| language.head_text.clone());
            let classes = classes.unwrap_or_else(|| language.class_text.clone());
            *language = Language::new(&heads, &classes).map_err(|error| error.in_file(path))?;
        }
        Ok(())
    }

    /// A learner of the other paper brings its own path.
    fn set_learner(&self, config: &mut TransitionConfig) -> Result<()> {
        let other = match (self.learner, config.learner) {
            (Some(LearnerName::Z), BoostingLearner::L1(_)) => Some(TransitionConfig::tm05()),
            (Some(LearnerName::L1), BoostingLearner::Z(_)) => Some(TransitionConfig::tm06()),
            _ => None,
        };
        if let Some(other) = other {
            (config.learner, config.first_penalty) = (other.learner, other.first_penalty);
        }
        match &mut config.learner {
            BoostingLearner::L1(L1Config {
                final_penalty,
                decay,
                min_gain_factor,
                sample_size,
                max_depth,
                gain,
                ..
            }) => {
                set(final_penalty, self.final_penalty);
                set(decay, self.decay);
                set(min_gain_factor, self.min_gain);
                set(sample_size, self.sample);
                set(max_depth, self.max_depth);
                set(gain, self.gain.map(GainName::form));
            }
            BoostingLearner::Z(_) if self.min_gain.is_some() || self.gain.is_some() => {
                bail!("--min-gain and --gain are for `--learner l1`: leave them out")
            }
            BoostingLearner::Z(ZConfig { final_threshold, decay, sample_size, max_depth, .. }) => {
                set(final_threshold, self.final_penalty);
                set(decay, self.decay);
                set(sample_size, self.sample);
                set(max_depth, self.max_depth);
            }
        }
        Ok(())
    }
}

fn tag_source(name: TagSourceName) -> TagSource {
    match name {
        TagSourceName::Gold => TagSource::Gold,
        TagSourceName::Jackknife => TagSource::Jackknife,
    }
}

fn templates(path: Option<&Path>) -> Result<Option<Templates>> {
    let Some(path) = path else { return Ok(None) };
    if let Some(named) = path.to_str().and_then(Templates::named) {
        return Ok(Some(named));
    }
    let text = read_text(path).with_context(|| {
        let names: Vec<&str> = TEMPLATE_SETS.iter().map(|(name, _)| *name).collect();
        format!("expected a file of templates, or one of {}", names.join(", "))
    })?;
    Ok(Some(text.parse::<Templates>().map_err(|error| error.in_file(path))?))
}

/// The text that a name stands for, or that of a file; a file of such a name is `./any`.
fn named_text(
    name: Option<&Path>,
    named: impl Fn(&str) -> Option<&'static str>,
    built_in: &str,
) -> Result<Option<String>> {
    let Some(path) = name else { return Ok(None) };
    match path.to_str().and_then(named) {
        Some(text) => Ok(Some(text.to_owned())),
        None => Ok(Some(read_text(path).with_context(|| format!("built in are {built_in}"))?)),
    }
}
