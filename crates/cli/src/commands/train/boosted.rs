//! `boughs train boosted`: transition parsers.

use std::path::PathBuf;

use anyhow::{Result, bail};
use boughs::parser::Parser;
use boughs::train::{BoostingLearner, Preset, Step, TagSource, TransitionConfig, margins, tagged_sentences};
use boughs::transition::features::TEMPLATE_SETS;
use boughs::transition::{ExampleWeights, Strategy};
use boughs::tree::heads::{HEAD_RULES, HeadConventions, TAG_CLASSES};
use boughs::tree::transform::TransformStep;
use clap::Args;

use super::common::{Common, Data};
use crate::choice::{Choices, Variants, choice, named, variant};
use crate::output::report;
use crate::search::SearchArgs;
use crate::training::curves::{self, Distribution};
use crate::training::{LearnerArgs, flags, named_or_read, named_or_text, set};
use crate::{Outcome, number};

/// A parser: transitions chosen by boosted decision trees, a classifier for each label
///
/// The penalty falls from step to step (Turian & Melamed 2005, 2006), and the step that parses the development trees
/// best is kept. By default the parser learns from the tags of taggers that did not see the sentence, and a tagger is
/// stored in the model, so that the one file parses running text.
#[derive(Debug, Args)]
pub(super) struct BoostedArgs {
    #[command(flatten)]
    pub(super) common: Common,

    /// The settings of a paper, as printed [default: the best that we know]
    #[arg(long, value_name = "PAPER", value_parser = choice(PRESETS))]
    preset: Option<Preset>,

    /// Order of inferences: r2l, l2r, bottom-up or shift-reduce [default: r2l]
    #[arg(long, value_name = "NAME", value_parser = named::<Strategy>("a strategy"))]
    strategy: Option<Strategy>,

    /// Features: kitchen-sink, baseline, tm05, … or a file (docs/features.md) [default: release-2006]
    #[arg(long, value_name = "NAME|FILE")]
    features: Option<PathBuf>,

    /// The most children that a phrase may have [default: 5]
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..))]
    max_children: Option<usize>,

    /// Replace words that occur fewer than N times in the training trees by one
    #[arg(long, value_name = "N", value_parser = number::within::<u64>(1..))]
    min_word_count: Option<u64>,

    /// Which child is the head: english, any, or a file (docs/train.md) [default: english]
    #[arg(long, value_name = "NAME|FILE", hide_short_help = true)]
    head_rules: Option<PathBuf>,

    /// Which tags are alike: english, none, or a file [default: english]
    #[arg(long, value_name = "NAME|FILE", hide_short_help = true)]
    tag_classes: Option<PathBuf>,

    /// The tags of punctuation, with blanks between them [default: those of the Penn Treebank]
    #[arg(long, value_name = "TAGS", hide_short_help = true)]
    punctuation_tags: Option<String>,

    /// Which tags the parser learns from and is measured with [default: jackknife]
    #[arg(long, value_name = "NAME", value_parser = variant::<TagSource>(TAG_SOURCES))]
    tags: Option<TagSource>,

    /// Folds of the training trees for jack-knifing [default: 10]
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(2..))]
    folds: Option<usize>,

    /// More trees for the tagger alone, none of the training trees among them
    #[arg(long, value_name = "FILE", num_args = 1.., hide_short_help = true)]
    tagger_train: Vec<PathBuf>,

    /// What examples weigh before training [default: per-state]
    #[arg(long, value_name = "NAME", value_parser = variant::<ExampleWeights>(WEIGHTS), hide_short_help = true)]
    weights: Option<ExampleWeights>,

    /// Where the first step ends [default: 1.6; z: 120]
    #[arg(long, value_name = "X", value_parser = number::sound("a number above 0", |it: &f64| *it > 0.0 && it.is_finite()))]
    first_penalty: Option<f64>,

    /// By which factor the penalty falls from step to step [default: 0.5]
    #[arg(long, value_name = "X")]
    step_factor: Option<f64>,

    /// End after so many steps without a better F1 [default: 3]
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..))]
    patience: Option<usize>,

    /// End once all classifiers together have so many active (compound) features
    #[arg(long = "max-features", value_name = "N", value_parser = number::within::<usize>(1..), hide_short_help = true)]
    max_features: Option<usize>,

    /// The most memory for classifiers that learn at the same time [default: 2G]
    #[arg(long, value_name = "BYTES", value_parser = number::parse_bytes, hide_short_help = true)]
    memory: Option<usize>,

    #[command(flatten)]
    learner: LearnerArgs,

    #[command(flatten)]
    search: SearchArgs,
}

const PRESETS: Choices<Preset> = &[
    ("tm06", "Right-to-left, l1-regularised boosting, kitchen-sink features, agenda", Preset::Tm06),
    ("tm05", "Free bottom-up, boosting by reductions of Z, rare words replaced, beam search", Preset::Tm05),
];

const WEIGHTS: Variants = &[
    ("per-state", "Every state the same, half for its correct inferences (2006)"),
    ("uniform", "Every inference the same (2005)"),
];

const TAG_SOURCES: Variants = &[
    ("gold", "Those of the treebank. The model will need tagged input"),
    (
        "jackknife",
        "Those of taggers that did not see the sentence; a tagger trained on all is stored in the model",
    ),
    ("tagger", "Those of the tagger in the model, which has seen the sentences (the papers)"),
];

pub(super) fn train(args: &BoostedArgs) -> Result<Outcome> {
    let recipe = args.recipe()?;
    let Some((trained, data)) = args.common.train_on_data(&recipe)? else { return Ok(Outcome::Interrupted) };
    // Margins of many examples take long: whoever breaks them off has the model.
    if let Some(directory) = &args.common.run.curves {
        report(format_args!("counting the margins of all examples"));
        let steps = [trained.steps.first(), trained.steps.get(trained.best)];
        let distributions = distributions(&trained.model, &data, &steps, &recipe)?;
        curves::write_margins(directory, &args.common.run.out, &distributions)?;
    }
    Ok(data.outcome)
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
        let preset = self.preset.map_or_else(TransitionConfig::default, TransitionConfig::of);
        let mut config = self.common.settings(
            preset,
            flags!(self; punctuation_tags, tags, folds, weights, step_factor, patience, memory),
        )?;
        self.set_learner(&mut config)?;
        set(&mut config.first_penalty, self.first_penalty);
        config.max_active = self.max_features.or(config.max_active);
        set(&mut config.scheme.strategy, self.strategy);
        set(&mut config.scheme.max_children, self.max_children);
        set(&mut config.features, named_or_read(self.features.as_deref(), &TEMPLATE_SETS)?);
        set(&mut config.seed, self.common.run.seed);
        set(&mut config.tagger.seed, self.common.run.seed);
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

    fn set_language(&self, language: &mut HeadConventions) -> Result<()> {
        if let Some(path) = &self.head_rules {
            let heads = named_or_text(path, &HEAD_RULES)?;
            *language =
                HeadConventions::new(&heads, &language.class_text).map_err(|error| error.in_file(path))?;
        }
        if let Some(path) = &self.tag_classes {
            let classes = named_or_text(path, &TAG_CLASSES)?;
            *language =
                HeadConventions::new(&language.head_text, &classes).map_err(|error| error.in_file(path))?;
        }
        Ok(())
    }

    /// A learner of the other paper brings its own path.
    fn set_learner(&self, config: &mut TransitionConfig) -> Result<()> {
        let [own, tm05] = [TransitionConfig::default(), TransitionConfig::tm05()];
        let (BoostingLearner::L1(l1), BoostingLearner::Z(z)) = (own.learner, tm05.learner) else {
            bail!("expected the learners of the papers, found others")
        };
        let before = config.learner;
        config.learner = self.learner.change(before, l1, z)?;
        match (before, config.learner) {
            (BoostingLearner::L1(_), BoostingLearner::Z(_)) => config.first_penalty = tm05.first_penalty,
            (BoostingLearner::Z(_), BoostingLearner::L1(_)) => config.first_penalty = own.first_penalty,
            _ => {}
        }
        Ok(())
    }
}
