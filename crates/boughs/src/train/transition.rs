//! Training a parser by classification: examples, one classifier per label along the regularisation path, and the point of
//! the path that parses the development trees best.
//!
//! The naive form trains every classifier to the end and then looks for the best penalty. Here the path is walked in
//! stages, each to a lower penalty, and after each stage the parser as it stands parses the development trees. So there is a
//! parser early, training stops once it pays no more, and the end of a stage is a checkpoint.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use crate::error::{Error, ErrorKind, Result};
use crate::eval::{Parameters, Scorer, Totals};
use crate::learn::{Checkpoint, GainForm, Job, L1Config, Method, Progress, Target, ZConfig, train_many};
use crate::model::{Classifier, Ensemble, Forest};
use crate::parse::Request;
use crate::transition::features::{FeatureLayout, Templates};
use crate::transition::{
    Action, Aggregator, Cascade, Examples, ExamplesBuilder, ExamplesSummary, GATE_NAME, MAX_CHILDREN, Scheme,
    Search, Strategy, TransitionModel, TransitionOptions, TransitionParser, TransitionSymbols, action_name,
    actions, prepare,
};
use crate::tree::Tree;
use crate::tree::heads::Language;
use crate::tree::transform::{Pipeline, Step, WordCounts};

/// The trees of the gate: it must be quick rather than right, and with more trees it shuts out little more.
const GATE_TREES: usize = 100;

/// How the classifiers learn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Learner {
    /// l1-regularised boosting (Turian & Melamed 2006).
    L1(L1Config),
    /// Boosting by reductions of Z (Turian & Melamed 2005).
    Z(ZConfig),
}

/// Settings of training.
#[derive(Debug, Clone)]
pub struct TransitionConfig {
    /// The order and size of inferences.
    pub scheme: Scheme,
    /// The features.
    pub templates: Templates,
    /// What is done to trees before training, and to sentences before parsing.
    pub pipeline: Pipeline,
    /// Head rules and tag classes.
    pub language: Language,
    /// How the classifiers learn.
    pub learner: Learner,
    /// The penalty at the end of the first stage.
    pub first_penalty: f64,
    /// By which factor the penalty falls from stage to stage.
    pub stage_factor: f64,
    /// Training stops after so many stages without a better score on the development trees.
    pub patience: usize,
    /// The most memory that classifiers may take while they learn, in bytes, besides the examples.
    pub memory: usize,
    /// Decides paths and samples.
    pub seed: u64,
    /// How the development trees are parsed.
    pub search: TransitionOptions,
}

impl TransitionConfig {
    /// The parser of Turian & Melamed (2006): right-to-left, with the "kitchen sink" of features. The path, which they
    /// walked with λ falling to 0.9 of itself, is walked in fewer steps.
    pub fn tm06() -> Self {
        Self {
            scheme: Scheme { strategy: Strategy::RightToLeft, max_children: 5 },
            templates: named_templates("kitchen-sink"),
            pipeline: named_pipeline("tm06"),
            language: Language::english(),
            // On the short sentences of GUM the clipped gain and the factor of the authors' release were better at every
            // penalty, with a third of the leaves, than the subtracting gain; and a path in steps of 0.8 than one in steps of
            // 0.5, by 0.2 F1 (record/2026-11-16-parsing.md).
            learner: Learner::L1(L1Config {
                gain: GainForm::Clip,
                min_gain_factor: 1.01,
                decay: 0.8,
                final_penalty: 0.05,
                ..L1Config::default()
            }),
            first_penalty: 1.6,
            stage_factor: 0.5,
            patience: 3,
            memory: 2 << 30,
            seed: 0,
            search: TransitionOptions::default(),
        }
    }

    /// The parser of Turian & Melamed (2005): free bottom-up, rare words replaced, trees grown by reductions of Z, beam search
    /// for the path whose worst inference is best.
    pub fn tm05() -> Self {
        Self {
            scheme: Scheme { strategy: Strategy::BottomUp, max_children: 5 },
            templates: named_templates("tm05"),
            pipeline: named_pipeline("tm05"),
            learner: Learner::Z(ZConfig { final_threshold: 0.35, ..ZConfig::default() }),
            first_penalty: 22.4,
            search: TransitionOptions {
                search: Search::BEAM,
                aggregator: Aggregator::MaxMin,
                ..TransitionOptions::default()
            },
            ..Self::tm06()
        }
    }

    /// Checks every setting that the learner does not check itself.
    ///
    /// # Errors
    /// If one is out of its range.
    pub fn check(&self) -> Result<()> {
        let (children, first) = (self.scheme.max_children, self.first_penalty);
        require((1..=MAX_CHILDREN).contains(&children), "1 to 250 children of a phrase", children)?;
        require(first > 0.0 && first.is_finite(), "a first penalty above 0", first)?;
        let factor = self.stage_factor;
        require(factor > 0.0 && factor < 1.0, "a stage factor between 0 and 1", factor)?;
        require(self.patience >= 1, "a patience of at least 1 stage", self.patience)?;
        match self.learner {
            Learner::L1(config) => config.check(),
            Learner::Z(config) => config.check(),
        }
    }

    /// The penalty at the end of the path.
    pub fn final_penalty(&self) -> f64 {
        match self.learner {
            Learner::L1(config) => config.final_penalty,
            Learner::Z(config) => config.final_threshold,
        }
    }

    /// The penalty at the end of a stage, counted from 0.
    pub fn stage_penalty(&self, stage: usize) -> f64 {
        let power = i32::try_from(stage).unwrap_or(i32::MAX);
        (self.first_penalty * self.stage_factor.powi(power)).max(self.final_penalty())
    }
}

fn require(is_met: bool, expected: &str, found: impl std::fmt::Display) -> Result<()> {
    match is_met {
        true => Ok(()),
        false => Err(Error::new(ErrorKind::Argument, format!("expected {expected}, found {found}"))),
    }
}

fn named_templates(name: &str) -> Templates {
    Templates::named(name).expect("a set that ships")
}

fn named_pipeline(name: &str) -> Pipeline {
    Pipeline::named(name).expect("a pipeline that ships")
}

/// The parser at the end of a stage.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// The penalty that every classifier has reached.
    pub penalty: f64,
    /// The trees of all classifiers.
    pub num_trees: usize,
    /// Their leaves that are not zero.
    pub num_active: usize,
    /// The scores on the development trees, if there are any.
    pub scores: Option<DevScores>,
}

/// Scores on the development trees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DevScores {
    /// Labelled precision.
    pub precision: f64,
    /// Labelled recall.
    pub recall: f64,
    /// Labelled F1.
    pub f1: f64,
    /// Sentences, of a hundred, that are parsed without an error.
    pub exact: f64,
}

/// What happens while training goes on.
#[derive(Debug)]
pub enum Event<'e> {
    /// The examples have been made.
    Examples {
        /// What was found.
        summary: ExamplesSummary,
        /// Their rows.
        num_rows: usize,
        /// Their features, seen or not.
        num_features: usize,
        /// The memory they take.
        num_bytes: usize,
    },
    /// A stage begins.
    Stage {
        /// The penalty at its end.
        penalty: f64,
    },
    /// A classifier got a tree.
    Tree {
        /// The name of its label.
        label: &'e str,
        /// Where its training stands.
        progress: Progress,
    },
    /// A stage has ended.
    Point {
        /// The parser as it now stands.
        point: &'e Point,
        /// What it takes to go on from here.
        checkpoint: &'e TransitionCheckpoint,
    },
}

/// The state of training between two stages; everything else follows from trees and settings.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TransitionCheckpoint {
    /// The points so far.
    pub points: Vec<Point>,
    /// Per classifier, where to go on.
    pub classifiers: Vec<Checkpoint>,
}

/// A trained parser.
#[derive(Debug)]
pub struct Trained {
    /// The parser at the best point.
    pub model: TransitionModel,
    /// All points along the path.
    pub points: Vec<Point>,
    /// The best one.
    pub best: usize,
    /// What was found in the training trees.
    pub summary: ExamplesSummary,
}

/// Trains a parser. Trees are as in the treebank, but for their tags, which should be those of the tagger that the parser
/// will work with. The observer sees what happens and may break off: then the best point so far is taken.
///
/// # Errors
/// If there is nothing to learn from, or a setting is out of its range.
pub fn train(
    trees: &[Tree],
    dev: &[Tree],
    config: &TransitionConfig,
    resume: Option<TransitionCheckpoint>,
    observe: impl Fn(Event<'_>) -> ControlFlow<()> + Sync,
) -> Result<Trained> {
    config.check()?;
    let pipeline = with_vocabulary(&config.pipeline, trees);
    let prepared = prepare(&pipeline, trees);
    let rare_word = pipeline.min_count().map(|_| pipeline.settings.unknown.as_str());
    let symbols = TransitionSymbols::collect(&prepared, rare_word, pipeline.settings.punctuation.clone())
        .in_language(config.language.clone());
    let layout = FeatureLayout::new(config.templates.clone(), &symbols)?;
    let examples = make_examples(&prepared, &symbols, &layout, config)?;
    let dataset = &examples.dataset;
    let mut run = Run {
        config,
        actions: actions(&symbols, config.scheme),
        frame: Frame {
            symbols: &symbols,
            layout: &layout,
            scheme: config.scheme,
            pipeline: &pipeline,
            trees: &prepared,
        },
        observe: &observe,
        checkpoint: resume.unwrap_or_default(),
    };
    let is_broken_off = run.tell(Event::Examples {
        summary: examples.summary,
        num_rows: dataset.num_rows(),
        num_features: dataset.num_features(),
        num_bytes: dataset.num_bytes(),
    });
    if is_broken_off.is_continue() {
        run.stages(&examples, dev)?;
    }
    let (points, best) = (run.checkpoint.points.clone(), run.best());
    let model = run.model(best.map(|best| points[best].penalty))?;
    Ok(Trained { model, best: best.unwrap_or(0), points, summary: examples.summary })
}

/// The pipeline with the vocabulary of these trees, if it replaces rare words.
fn with_vocabulary(pipeline: &Pipeline, trees: &[Tree]) -> Pipeline {
    let mut pipeline = pipeline.clone();
    if let Some(min_count) = pipeline.min_count() {
        let mut counts = WordCounts::new(pipeline.settings.counting);
        trees.iter().for_each(|tree| pipeline.count_words(tree.clone(), &mut counts));
        pipeline.settings.vocabulary = Some(counts.vocabulary(min_count));
    }
    pipeline
}

fn make_examples(
    trees: &[Tree],
    symbols: &TransitionSymbols,
    layout: &FeatureLayout,
    config: &TransitionConfig,
) -> Result<Examples> {
    let mut builder = ExamplesBuilder::new(symbols, layout, config.scheme, config.seed)?;
    for tree in trees {
        builder.push(tree)?;
    }
    let examples = builder.finish();
    if examples.summary.num_states == 0 {
        return Err(Error::new(ErrorKind::Argument, "expected training trees, found none that can be used")
            .hint("check the length limit, and the file with `boughs treebank stats`"));
    }
    Ok(examples)
}

/// The parts of a model that do not change while it learns.
#[derive(Clone, Copy)]
struct Frame<'r> {
    symbols: &'r TransitionSymbols,
    layout: &'r FeatureLayout,
    scheme: Scheme,
    pipeline: &'r Pipeline,
    /// The training trees as the parser sees them.
    trees: &'r [Tree],
}

struct Run<'r, O> {
    config: &'r TransitionConfig,
    actions: Vec<Action>,
    frame: Frame<'r>,
    observe: &'r O,
    checkpoint: TransitionCheckpoint,
}

impl<O: Fn(Event<'_>) -> ControlFlow<()> + Sync> Run<'_, O> {
    fn tell(&self, event: Event<'_>) -> ControlFlow<()> {
        (self.observe)(event)
    }

    /// Stage after stage, until one of the reasons to stop.
    fn stages(&mut self, examples: &Examples, dev: &[Tree]) -> Result<()> {
        let target = |&action: &Action| examples.target(action, self.frame.symbols);
        let mut targets = self.actions.iter().map(target).collect::<Result<Vec<Target>>>()?;
        targets.push(examples.gate_target()?);
        while !self.is_done() {
            let penalty = self.config.stage_penalty(self.checkpoint.points.len());
            if self.tell(Event::Stage { penalty }).is_break() {
                break;
            }
            let (classifiers, is_broken_off) = match self.config.learner {
                Learner::L1(config) => {
                    let config = L1Config { final_penalty: penalty, ..config };
                    self.stage(examples, &targets, config, L1Config { max_trees: GATE_TREES, ..config })?
                }
                Learner::Z(config) => {
                    let config = ZConfig { final_threshold: penalty, ..config };
                    self.stage(examples, &targets, config, ZConfig { max_trees: GATE_TREES, ..config })?
                }
            };
            if is_broken_off {
                break;
            }
            self.checkpoint.classifiers = classifiers;
            let model = self.model(None)?;
            let point = Point {
                penalty,
                num_trees: self.checkpoint.classifiers.iter().map(|c| c.ensemble.trees().len()).sum(),
                num_active: model.forest.num_active(),
                scores: (!dev.is_empty()).then(|| evaluate(&model, dev, &self.config.search)),
            };
            self.checkpoint.points.push(point.clone());
            if self.tell(Event::Point { point: &point, checkpoint: &self.checkpoint }).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Trains every classifier to a penalty; whether the observer broke off.
    fn stage<M: Method + Send + Sync>(
        &self,
        examples: &Examples,
        targets: &[Target],
        config: M,
        of_gate: M,
    ) -> Result<(Vec<Checkpoint>, bool)> {
        let job = |(index, target)| {
            let checkpoint = self.checkpoint.classifiers.get(index).cloned();
            let config = if index < self.actions.len() { config } else { of_gate };
            Job { target, config, checkpoint }
        };
        let jobs: Vec<Job<'_, M>> = targets.iter().enumerate().map(job).collect();
        let is_broken_off = AtomicBool::new(false);
        let classifiers = train_many(&examples.dataset, &jobs, self.config.memory, |job, _, progress| {
            let action = self.actions.get(job);
            let label = action.map_or(GATE_NAME, |&action| action_name(self.frame.symbols, action));
            let flow = self.tell(Event::Tree { label, progress: *progress });
            is_broken_off.fetch_or(flow.is_break(), Ordering::Relaxed);
            flow
        })?;
        Ok((classifiers, is_broken_off.into_inner()))
    }

    /// Whether the path is at its end, or the last stages brought nothing.
    fn is_done(&self) -> bool {
        let points = &self.checkpoint.points;
        let is_at_end = points.last().is_some_and(|last| last.penalty <= self.config.final_penalty());
        let has_dev = points.iter().any(|point| point.scores.is_some());
        let num_since_best = self.best().map_or(0, |best| points.len() - 1 - best);
        is_at_end || (has_dev && num_since_best >= self.config.patience)
    }

    /// The point with the best F1, the first among equals; the last point if there are no development trees.
    fn best(&self) -> Option<usize> {
        let points = &self.checkpoint.points;
        let f1 = |point: &Point| point.scores.map_or(0.0, |scores| scores.f1);
        let has_dev = points.iter().any(|point| point.scores.is_some());
        let best = (0..points.len()).rev().max_by(|&a, &b| f1(&points[a]).total_cmp(&f1(&points[b])));
        if has_dev { best } else { points.len().checked_sub(1) }
    }

    /// The parser as it stood at a penalty, or as it stands.
    fn model(&self, penalty: Option<f64>) -> Result<TransitionModel> {
        let Frame { symbols, layout, scheme, pipeline, trees } = self.frame;
        let ensemble = |index: usize| {
            let ensemble = self.checkpoint.classifiers.get(index).map(|checkpoint| &checkpoint.ensemble);
            ensemble.map_or_else(Ensemble::new, |ensemble| match penalty {
                Some(penalty) => ensemble.prefix(ensemble.num_trees_at(penalty)),
                None => ensemble.clone(),
            })
        };
        let classifier = |(index, &action): (usize, &Action)| {
            let label = action_name(symbols, action).to_owned();
            Classifier { label, ensemble: ensemble(index) }
        };
        let forest = Forest::new(self.actions.iter().enumerate().map(classifier).collect())?;
        let mut model = TransitionModel {
            symbols: symbols.clone(),
            scheme,
            layout: layout.clone(),
            cascade: Cascade::whole(&forest)?,
            forest,
            pipeline: for_parsing(pipeline),
        };
        model.cascade = Cascade::learn(&model, ensemble(self.actions.len()), trees)?;
        Ok(model)
    }
}

/// The pipeline without what only training needs.
fn for_parsing(pipeline: &Pipeline) -> Pipeline {
    let is_for_parsing = |step: &&Step| !matches!(step, Step::MaxLength(_) | Step::ReplaceRare(_));
    let mut kept = Pipeline::new(pipeline.steps().iter().filter(is_for_parsing).cloned());
    kept.settings.punctuation = pipeline.settings.punctuation.clone();
    kept.settings.quotes = pipeline.settings.quotes.clone();
    kept
}

/// Parses trees again and scores the result as EVALB does.
pub fn evaluate(model: &TransitionModel, trees: &[Tree], search: &TransitionOptions) -> DevScores {
    let parse = |parser: &mut TransitionParser<'_>, gold: &Tree| {
        parser.parse(Request::new(gold.sentence())).parses.swap_remove(0).tree
    };
    let parsed: Vec<Tree> =
        trees.par_iter().map_init(|| TransitionParser::new(model, search), parse).collect();
    score_trees(trees, parsed)
}

/// Scores parses as EVALB does, every sentence counted.
pub fn score_trees(gold: &[Tree], parsed: impl IntoIterator<Item = Tree>) -> DevScores {
    let mut scorer = Scorer::new(Parameters::named("COLLINS").unwrap_or_default());
    let mut totals = Totals::default();
    for (gold, parsed) in gold.iter().zip(parsed) {
        totals.add(&scorer.score(gold, &parsed));
    }
    let figures = totals.all.strict();
    DevScores {
        precision: figures.precision().unwrap_or(0.0),
        recall: figures.recall().unwrap_or(0.0),
        f1: figures.f1().unwrap_or(0.0),
        exact: figures.exact_match().unwrap_or(0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_settings_are_in_range() {
        for config in [TransitionConfig::tm05(), TransitionConfig::tm06()] {
            config.check().unwrap();
            assert_eq!(config.stage_penalty(0), config.first_penalty);
            assert_eq!(config.stage_penalty(usize::MAX), config.final_penalty());
        }
    }

    #[test]
    fn settings_out_of_range_are_named() {
        let check = |change: fn(&mut TransitionConfig)| {
            let mut config = TransitionConfig::tm06();
            change(&mut config);
            config.check().unwrap_err().to_string()
        };
        assert_eq!(
            check(|config| config.scheme.max_children = 0),
            "expected 1 to 250 children of a phrase, found 0"
        );
        assert!(check(|config| config.first_penalty = f64::NAN).contains("first penalty"));
        assert!(check(|config| config.stage_factor = 1.0).contains("stage factor"));
        assert!(check(|config| config.patience = 0).contains("patience"));
    }
}
