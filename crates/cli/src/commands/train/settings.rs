//! The options of boosted parsers, and the settings that they make.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use boughs::train::transition::{Learner, TransitionConfig};
use boughs::transition::Strategy;
use boughs::transition::features::{TEMPLATE_SETS, Templates};
use boughs::tree::heads::Language;
use boughs::tree::transform::{Step, TagSet};
use boughs_learn::{L1Config, ZConfig};
use clap::{Args, ValueEnum};

use super::TrainArgs;
use super::tags::TagArgs;
use crate::gain::GainName;
use crate::number;
use crate::search::SearchArgs;

#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = "Boosted parser")]
pub(super) struct BoostedArgs {
    /// Whose settings to start from: those of Turian & Melamed's paper of 2006 or of 2005 [default: tm06]
    #[arg(long, value_enum, value_name = "PAPER")]
    preset: Option<Preset>,

    /// In which order phrases are inferred: r2l, l2r, bottom-up or shift-reduce [default: r2l]
    #[arg(long, value_name = "NAME", value_parser = |name: &str| name.parse::<Strategy>())]
    strategy: Option<Strategy>,

    /// The most children that a phrase may have [default: 5]
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..))]
    max_children: Option<usize>,

    /// Replace words that occur fewer than N times in the training trees by one
    #[arg(long, value_name = "N", value_parser = number::within::<u64>(1..))]
    min_word_count: Option<u64>,

    /// Which child is the head of a phrase: english, any, or a file of head rules (see docs/train.md) [default: english]
    #[arg(long, value_name = "NAME|FILE")]
    head_rules: Option<PathBuf>,

    /// Which tags are alike: english, none, or a file with a class and its tags on each line [default: english]
    #[arg(long, value_name = "NAME|FILE")]
    tag_classes: Option<PathBuf>,

    /// The tags of punctuation, with blanks between them; it moves up from the edges of phrases [default: those of the Penn Treebank]
    #[arg(long, value_name = "TAGS")]
    punctuation_tags: Option<String>,

    /// How trees are grown [default: l1]
    #[arg(long, value_enum, value_name = "NAME")]
    learner: Option<LearnerName>,

    /// Where the path ends: λ, or Θ for the z learner [default: 0.05; z: 0.35]
    #[arg(long, value_name = "X", value_parser = number::parse_penalty)]
    final_penalty: Option<f64>,

    /// Where the first stage ends [default: 1.6; z: 22.4]
    #[arg(long, value_name = "X", value_parser = number::parse_penalty)]
    first_penalty: Option<f64>,

    /// By which factor the penalty falls from stage to stage [default: 0.5]
    #[arg(long, value_name = "X")]
    stage_factor: Option<f64>,

    /// By which factor of the steepest gradient the penalty falls below it for the next tree [default: 0.8; z: 1]
    #[arg(long, value_name = "X")]
    decay: Option<f64>,

    /// By which factor a split must raise the gain (l1) [default: 1.01]
    #[arg(long, value_name = "X", value_parser = number::parse_gain)]
    min_gain: Option<f64>,

    /// How gains are computed (l1) [default: clip]
    #[arg(long, value_enum, value_name = "NAME")]
    gain: Option<GainName>,

    /// Search for splits on a sample of so many examples; 0 for all of them [default: 20000; z: 0]
    #[arg(long, value_name = "N", value_parser = number::parse_sample)]
    sample: Option<usize>,

    /// Let decision trees grow no deeper; 1 makes stumps
    #[arg(long, value_name = "N", value_parser = number::within::<u32>(1..))]
    max_depth: Option<u32>,

    /// The most memory for classifiers that learn at the same time, besides the examples [default: 2G]
    #[arg(long, value_name = "BYTES", value_parser = number::parse_bytes)]
    memory: Option<usize>,

    #[command(flatten)]
    pub(super) tags: TagArgs,

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

impl BoostedArgs {
    /// The settings of training.
    pub(super) fn config(&self, args: &TrainArgs) -> Result<TransitionConfig> {
        let mut config = match self.preset {
            Some(Preset::Tm05) => TransitionConfig::tm05(),
            _ => TransitionConfig::tm06(),
        };
        self.set_learner(&mut config, args.seed)?;
        set(&mut config.scheme.strategy, self.strategy);
        set(&mut config.scheme.max_children, self.max_children);
        set(&mut config.templates, templates(args.features.as_deref())?);
        set(&mut config.first_penalty, self.first_penalty);
        set(&mut config.stage_factor, self.stage_factor);
        set(&mut config.patience, args.patience);
        set(&mut config.memory, self.memory);
        config.seed = args.seed;
        if let Some(count) = self.min_word_count {
            config.pipeline.insert(Step::ReplaceRare(count));
        }
        config.language = self.language()?;
        set(&mut config.pipeline.settings.punctuation, self.punctuation_tags.as_deref().map(TagSet::parse));
        config.search = self.search.options(config.search)?;
        config.check()?;
        Ok(config)
    }

    fn language(&self) -> Result<Language> {
        let english = Language::english();
        let heads = read_text(self.head_rules.as_deref(), Language::named_heads, "`english` and `any`")?;
        let classes =
            read_text(self.tag_classes.as_deref(), Language::named_classes, "`english` and `none`")?;
        let heads = heads.as_deref().unwrap_or(english.head_text());
        let language = Language::new(heads, english.class_text());
        language.map_err(|error| in_file(error, self.head_rules.as_deref()))?;
        let classes = classes.as_deref().unwrap_or(english.class_text());
        Ok(Language::new(heads, classes).map_err(|error| in_file(error, self.tag_classes.as_deref()))?)
    }

    /// The name of the features, for the description of the model.
    pub(super) fn feature_set(&self, config: &TransitionConfig) -> String {
        let is_it = |(_, text): &&(&str, &str)| *text == config.templates.text();
        let name = TEMPLATE_SETS.iter().find(is_it).map(|(name, _)| (*name).to_owned());
        name.unwrap_or_else(|| "own".to_owned())
    }

    /// A learner of the other paper brings its own path.
    fn set_learner(&self, config: &mut TransitionConfig, seed: u64) -> Result<()> {
        let other = match (self.learner, config.learner) {
            (Some(LearnerName::Z), Learner::L1(_)) => Some(TransitionConfig::tm05()),
            (Some(LearnerName::L1), Learner::Z(_)) => Some(TransitionConfig::tm06()),
            _ => None,
        };
        if let Some(other) = other {
            (config.learner, config.first_penalty) = (other.learner, other.first_penalty);
        }
        match &mut config.learner {
            Learner::L1(l1) => self.change_l1(l1, seed),
            Learner::Z(_) if self.min_gain.is_some() || self.gain.is_some() => {
                bail!("--min-gain and --gain are for `--learner l1`: leave them out")
            }
            Learner::Z(z) => self.change_z(z, seed),
        }
        Ok(())
    }

    fn change_l1(&self, l1: &mut L1Config, seed: u64) {
        l1.seed = seed;
        set(&mut l1.final_penalty, self.final_penalty);
        set(&mut l1.decay, self.decay);
        set(&mut l1.min_gain_factor, self.min_gain);
        set(&mut l1.sample_size, self.sample);
        set(&mut l1.max_depth, self.max_depth);
        set(&mut l1.gain, self.gain.map(GainName::form));
    }

    fn change_z(&self, z: &mut ZConfig, seed: u64) {
        z.seed = seed;
        set(&mut z.final_threshold, self.final_penalty);
        set(&mut z.decay, self.decay);
        set(&mut z.sample_size, self.sample);
        set(&mut z.max_depth, self.max_depth);
    }
}

fn templates(path: Option<&Path>) -> Result<Option<Templates>> {
    let Some(path) = path else { return Ok(None) };
    if let Some(named) = path.to_str().and_then(Templates::named) {
        return Ok(Some(named));
    }
    let text = fs::read_to_string(path).with_context(|| {
        let names: Vec<&str> = TEMPLATE_SETS.iter().map(|(name, _)| *name).collect();
        format!("{}: expected a file of templates, or one of {}", path.display(), names.join(", "))
    })?;
    Ok(Some(text.parse::<Templates>().map_err(|error| error.in_file(path))?))
}

/// Changes a setting if the user said so.
pub(super) fn set<T>(setting: &mut T, wanted: Option<T>) {
    if let Some(wanted) = wanted {
        *setting = wanted;
    }
}

/// The text that a name stands for, or that of a file; a file of such a name is `./any`.
fn read_text(
    name: Option<&Path>,
    named: impl Fn(&str) -> Option<&'static str>,
    built_in: &str,
) -> Result<Option<String>> {
    let Some(path) = name else { return Ok(None) };
    if let Some(text) = path.to_str().and_then(named) {
        return Ok(Some(text.to_owned()));
    }
    let text = fs::read_to_string(path);
    Ok(Some(text.with_context(|| format!("cannot read {} (built in are {built_in})", path.display()))?))
}

fn in_file(error: boughs::Error, path: Option<&Path>) -> boughs::Error {
    match path {
        Some(path) => error.in_file(path),
        None => error,
    }
}
