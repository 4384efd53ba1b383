//! Training a transition parser: examples, one boosted classifier per label along the regularisation path, and the
//! penalty at which the parser is best on the development trees.
//!
//! The naive form trains every classifier to the end and then looks for the best penalty. Here the path is walked in
//! steps, each to a lower penalty, and after each step the parser as it stands is measured. So there is a parser
//! early, and training stops once it pays no more.

use serde::{Deserialize, Serialize};

use super::about;
use super::settings::{as_text, identity, language, preset_note};
use super::tags::{TagSource, at_most, jackknife_tags, retag, tagger_for};
use crate::error::{Error, ErrorKind, Result, require};
use crate::learn::run::{Figure, Recipe, Scores, Step, Watch};
use crate::learn::{BoosterState, BoostingLearner, GainForm, L1Config, Lowering, PathTask, Target, ZConfig};
use crate::model::{About, BitForest, Classifier, DecisionTree, Forest, ModelFile};
use crate::parser::{EngineOptions, Parser};
use crate::tagger::{Tagger, TaggerConfig};
use crate::transition::features::{FeatureLayout, Templates};
use crate::transition::{
    Action, Aggregator, ExampleWeights, Examples, ExamplesBuilder, MAX_CHILDREN, Scheme, Search, Strategy,
    TransitionModel, TransitionOptions, TransitionSymbols, action_name, actions, prepare,
};
use crate::tree::heads::HeadConventions;
use crate::tree::profile::Profile;
use crate::tree::transform::{Pipeline, TagSet, TransformStep, WordCounts};
use crate::tree::{Tokens, Tree};

/// The setting of a model that tells of each label how many of its examples are correct: `NP 22 of 500, …`.
pub const EXAMPLES_BY_LABEL: &str = "examples-by-label";

/// A paper whose parser a recipe is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// Turian & Melamed (2005).
    Tm05,
    /// Turian & Melamed (2006).
    Tm06,
}

/// Settings of training a transition parser. The defaults are the best that we know.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TransitionConfig {
    /// The conventions of the treebank: a name, or the text of a profile. Default: the Penn Treebank's.
    #[serde(with = "as_text", skip_serializing_if = "Profile::is_default")]
    pub profile: Profile,
    /// The paper whose settings these are, but for what was changed. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<Preset>,
    /// The order and size of inferences.
    pub scheme: Scheme,
    /// The features: the name of a set, or templates as text.
    #[serde(with = "as_text")]
    pub features: Templates,
    /// What is done to trees before training, and to sentences before parsing: a name, or steps.
    #[serde(with = "as_text")]
    pub pipeline: Pipeline,
    /// The tags of punctuation, with blanks between them, if not those of the pipeline.
    pub punctuation_tags: Option<String>,
    /// Head rules and tag classes.
    #[serde(with = "language")]
    pub language: HeadConventions,
    /// What examples weigh before training.
    pub weights: ExampleWeights,
    /// How the classifiers learn.
    pub learner: BoostingLearner,
    /// The penalty at the end of the first step.
    pub first_penalty: f64,
    /// By which factor the penalty falls from step to step.
    pub step_factor: f64,
    /// Training stops after so many steps without a better score on the development trees.
    pub patience: usize,
    /// Training ends after the step at which all classifiers together have so many leaves that are not zero.
    /// Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_active: Option<usize>,
    /// The most memory that classifiers may take while they learn, in bytes, besides the examples.
    pub memory: usize,
    /// Decides paths and samples.
    pub seed: u64,
    /// Which tags the parser learns from, and is measured with.
    pub tags: TagSource,
    /// Into how many parts the training trees are cut for jack-knifing. Default: 10.
    pub folds: usize,
    /// How the tagger is trained.
    pub tagger: TaggerConfig,
    /// More sentences for the tagger alone; none of the training trees may be among them.
    #[serde(skip)]
    pub tagger_sentences: Vec<Tokens>,
    /// Longer sentences are left out, but not of the tagger. Default: none.
    pub max_words: Option<usize>,
    /// How the parser searches.
    pub options: TransitionOptions,
}

impl Default for TransitionConfig {
    fn default() -> Self {
        Self {
            profile: Profile::default(),
            preset: None,
            scheme: Scheme { strategy: Strategy::RightToLeft, max_children: 5 },
            features: named_templates("release-2006"),
            pipeline: named_pipeline("tm06"),
            language: HeadConventions::english(),
            weights: ExampleWeights::PerState,
            // On the short sentences of GUM the clipped gain and the factor of the authors' release were better at
            // every penalty, with a third of the leaves, than the subtracting gain; and a path in steps of 0.8 than
            // one in steps of 0.5, by 0.2 F1 (record/2026-11-16-parsing.md).
            learner: BoostingLearner::L1(L1Config {
                gain: GainForm::Clip,
                min_gain_factor: 1.01,
                decay: 0.8,
                final_penalty: 0.05,
                ..L1Config::default()
            }),
            first_penalty: 1.6,
            step_factor: 0.5,
            patience: 3,
            max_active: None,
            memory: 2 << 30,
            seed: 0,
            punctuation_tags: None,
            tags: TagSource::default(),
            folds: 10,
            tagger: TaggerConfig::default(),
            tagger_sentences: Vec::new(),
            max_words: None,
            options: TransitionOptions::default(),
        }
    }
}

impl TransitionConfig {
    /// The parser of Turian & Melamed (2006) as printed: right to left, the kitchen sink of table 3, the gain
    /// of equations 14 to 16, λ lowered only when the root cannot be split, 15 thousand active features at
    /// the most. The paper does not print by which factor λ falls (here 0.9), the size of the sample (20,000)
    /// and what a plateau is (ten steps).
    pub fn tm06() -> Self {
        Self {
            preset: Some(Preset::Tm06),
            features: named_templates("kitchen-sink"),
            learner: BoostingLearner::L1(L1Config {
                gain: GainForm::Subtract,
                min_gain_factor: 1.0,
                lowering: Lowering::StuckRoot,
                decay: 0.9,
                final_penalty: 0.01,
                ..L1Config::default()
            }),
            step_factor: 0.9,
            patience: 10,
            max_active: Some(15_000),
            tags: TagSource::Tagger,
            tagger: TaggerConfig::ratnaparkhi(),
            options: TransitionOptions { num_taggings: 1, ..TransitionOptions::default() },
            ..Self::default()
        }
    }

    /// The parser of Turian & Melamed (2005) as printed: free bottom-up, rare words replaced, every example
    /// of the same weight, trees grown by reductions of Z down to the Θ of figure 2, beam search for the path
    /// whose worst inference is best. The paper does not print at which Θ accuracy was measured.
    pub fn tm05() -> Self {
        Self {
            preset: Some(Preset::Tm05),
            scheme: Scheme { strategy: Strategy::BottomUp, max_children: 5 },
            features: named_templates("tm05"),
            pipeline: named_pipeline("tm05"),
            weights: ExampleWeights::Uniform,
            learner: BoostingLearner::Z(ZConfig { final_threshold: 0.34, ..ZConfig::default() }),
            first_penalty: 120.0,
            step_factor: 0.75,
            // There is no early stop in the paper: figure 4 shows parsers that get worse.
            patience: 1000,
            max_active: None,
            options: TransitionOptions {
                search: Search::BEAM,
                aggregator: Aggregator::MaxMin,
                num_taggings: 1,
            },
            ..Self::tm06()
        }
    }

    /// The settings of a paper.
    pub fn of(preset: Preset) -> Self {
        match preset {
            Preset::Tm05 => Self::tm05(),
            Preset::Tm06 => Self::tm06(),
        }
    }

    /// The paper whose settings these are, and the names of those that are others. Seeds, memory and the length of
    /// sentences are no settings of a paper.
    fn preset_note(&self) -> Result<Option<String>> {
        let Some(preset) = self.preset else { return Ok(None) };
        let paper = Self::of(preset);
        let tagger = TaggerConfig { seed: paper.tagger.seed, ..self.tagger.clone() };
        let Self { seed, memory, max_words, .. } = paper;
        let own = Self { seed, tagger, memory, max_words, ..self.clone() };
        preset_note(&preset, &own, &paper).map(Some)
    }

    /// Checks every setting that the learner does not check itself.
    ///
    /// # Errors
    /// If one is out of its range.
    pub fn check(&self) -> Result<()> {
        let (children, first) = (self.scheme.max_children, self.first_penalty);
        require((1..=MAX_CHILDREN).contains(&children), "1 to 250 children of a phrase", children)?;
        require(first > 0.0 && first.is_finite(), "a first penalty above 0", first)?;
        let factor = self.step_factor;
        require(factor > 0.0 && factor < 1.0, "a step factor between 0 and 1", factor)?;
        require(self.folds >= 2, "at least 2 folds", self.folds)?;
        require(self.patience >= 1, "a patience of at least 1 step", self.patience)?;
        require(self.max_active != Some(0), "at least 1 active feature", 0)?;
        self.learner.check()
    }

    /// The penalty at the end of a step, counted from 0.
    pub fn step_penalty(&self, step: usize) -> f64 {
        let power = i32::try_from(step).unwrap_or(i32::MAX);
        (self.first_penalty * self.step_factor.powi(power)).max(self.learner.final_penalty())
    }
}

fn named_templates(name: &str) -> Templates {
    name.parse::<Templates>().expect("a set that ships")
}

fn named_pipeline(name: &str) -> Pipeline {
    name.parse::<Pipeline>().expect("a pipeline that ships")
}

/// What a run learns from, and the classifiers as they stand.
#[derive(Debug)]
pub struct TransitionState {
    tagger: Option<Tagger>,
    symbols: TransitionSymbols,
    layout: FeatureLayout,
    pipeline: Pipeline,
    examples: Examples,
    actions: Vec<Action>,
    /// What each classifier learns.
    targets: Vec<Target>,
    classifiers: Vec<BoosterState>,
    num_steps: usize,
}

impl TransitionConfig {
    /// The trees with the tags that the parser is to see, and the tagger that it will work with.
    fn tagged(&self, train: &[Tree], watch: &Watch<'_>) -> Result<(Vec<Tree>, Option<Tagger>)> {
        let mut trees = train.to_vec();
        if self.tags == TagSource::Gold {
            watch.note(format_args!("tags: those of the treebank, in training and in measuring"));
            return Ok((trees, None));
        }
        let tagger = tagger_for(train, &self.tagger_sentences, &self.tagger, watch)?;
        if self.tags == TagSource::Tagger {
            watch.note(format_args!("tags: predicted by the tagger that has seen the training trees"));
            retag(&tagger, &mut trees);
        } else {
            watch.note(format_args!("tags: predicted; training trees jack-knifed in {} folds", self.folds));
            jackknife_tags(&mut trees, &self.tagger_sentences, self.folds, &self.tagger)?;
        }
        Ok((trees, Some(tagger)))
    }

    /// How many steps the path has.
    fn path_length(&self) -> usize {
        (0..).take_while(|&step| self.step_penalty(step) > self.learner.final_penalty()).count() + 1
    }
}

impl TransitionState {
    fn model(&self, scheme: Scheme) -> Result<TransitionModel> {
        let classifier = |(index, &action): (usize, &Action)| {
            let label = action_name(&self.symbols, action).to_owned();
            let state = self.classifiers.get(index);
            Classifier { label, ensemble: state.map(|state| state.ensemble.clone()).unwrap_or_default() }
        };
        let forest = Forest::new(self.actions.iter().enumerate().map(classifier).collect())?;
        Ok(TransitionModel {
            symbols: self.symbols.clone(),
            scheme,
            layout: self.layout.clone(),
            bits: BitForest::new(&forest)?,
            forest,
            pipeline: for_parsing(&self.pipeline),
        })
    }

    fn decision_trees(&self) -> impl Iterator<Item = &DecisionTree> {
        self.classifiers.iter().flat_map(|classifier| classifier.ensemble.trees())
    }

    /// Per classifier, how many of its examples are correct.
    fn label_counts(&self) -> String {
        let count = |(&action, target): (&Action, &Target)| {
            let num_correct =
                target.used_rows().filter(|&row| target.label(row as usize) == Some(true)).count();
            let (label, all) = (action_name(&self.symbols, action), target.used_rows().count());
            format!("{label} {num_correct} of {all}")
        };
        self.actions.iter().zip(&self.targets).map(count).collect::<Vec<String>>().join(", ")
    }

    /// The leaves that are not zero.
    fn num_active(&self) -> usize {
        self.decision_trees().map(DecisionTree::num_active).sum()
    }
}

impl Recipe for TransitionConfig {
    type Data = [Tree];
    type State = TransitionState;
    type Model = Parser;

    fn name(&self) -> &'static str {
        "boosted"
    }

    /// The end of the path is not part of the course, so that a run that takes too long can be resumed with a nearer
    /// one.
    fn identity(&self, train: &[Tree], dev: Option<&[Tree]>) -> String {
        let learner = self.learner.with_final_penalty(0.0);
        let settings = Self { learner, memory: 0, patience: 0, max_active: None, ..self.clone() };
        identity(&(settings, format!("{:?}", self.tagger_sentences)), train, dev)
    }

    fn start(&self, train: &[Tree], watch: &Watch<'_>) -> Result<TransitionState> {
        self.check()?;
        let (trees, tagger) = self.tagged(train, watch)?;
        let trees = at_most(&trees, self.max_words);
        let mut pipeline = self.pipeline.clone();
        if let Some(tags) = &self.punctuation_tags {
            pipeline.settings.punctuation = TagSet::parse(tags);
        }
        let pipeline = with_vocabulary(&pipeline, &trees);
        let trees = prepare(&pipeline, &trees);
        let rare_word = pipeline.min_count().map(|_| pipeline.settings.unknown.as_str());
        let mut symbols =
            TransitionSymbols::collect(&trees, rare_word, pipeline.settings.punctuation.clone());
        symbols.language = self.language.clone();
        let layout = FeatureLayout::new(self.features.clone(), &symbols)?;
        let examples = make_examples(&trees, &symbols, &layout, self)?;
        let (summary, dataset) = (examples.summary, &examples.dataset);
        watch.note(format_args!(
            "{} states, {} places, {} examples, {} features, {} MiB; {} gold inferences are illegal",
            summary.num_states,
            dataset.num_rows(),
            summary.num_examples,
            dataset.num_features(),
            dataset.num_bytes() >> 20,
            summary.num_illegal
        ));
        let actions = actions(&symbols, self.scheme);
        let target = |&action: &Action| examples.target(action, self.weights, &symbols);
        let targets = actions.iter().map(target).collect::<Result<Vec<Target>>>()?;
        let (classifiers, num_steps) = (Vec::new(), 0);
        Ok(TransitionState {
            tagger,
            symbols,
            layout,
            pipeline,
            examples,
            actions,
            targets,
            classifiers,
            num_steps,
        })
    }

    fn step(&self, _: &[Tree], state: &mut TransitionState, watch: &Watch<'_>) -> Result<Option<Step>> {
        let penalty = self.step_penalty(state.num_steps);
        let labels = state.actions.iter().map(|&action| action_name(&state.symbols, action));
        let tasks = labels.zip(&state.targets).map(|(label, target)| PathTask { label, target });
        let tasks: Vec<PathTask<'_>> = tasks.collect();
        let learner = self.learner.with_final_penalty(penalty).with_seed(self.seed);
        let (classifiers, flow) =
            learner.boost(&state.examples.dataset, &tasks, &state.classifiers, self.memory, watch)?;
        if flow.is_break() {
            return Ok(None);
        }
        state.classifiers = classifiers;
        state.num_steps += 1;
        let figures = vec![
            Figure::new("penalty", penalty, 4),
            Figure::count("trees", state.decision_trees().count()),
            Figure::count("splits", state.decision_trees().map(DecisionTree::num_splits).sum()),
            Figure::count("active", state.num_active()),
        ];
        Ok(Some(Step {
            is_last: penalty <= self.learner.final_penalty()
                || self.max_active.is_some_and(|most| state.num_active() >= most),
            num_left: Some(self.path_length().saturating_sub(state.num_steps)),
            ..Step::candidate(0, figures)
        }))
    }

    fn model(&self, state: &TransitionState) -> Result<Parser> {
        let mut about = About { seed: self.seed, ..about(self)? };
        let mut set = |name: &str, value: String| _ = about.settings.insert(name.to_owned(), value);
        if let Some(note) = self.preset_note()? {
            set("preset", note);
        }
        set("examples", state.examples.summary.num_examples.to_string());
        set(EXAMPLES_BY_LABEL, state.label_counts());
        set("penalty", self.step_penalty(state.num_steps.saturating_sub(1)).to_string());
        set("active-features", state.num_active().to_string());
        let parser = Parser::new(about, state.model(self.scheme)?, state.tagger.clone());
        parser.with_engine(EngineOptions::Transition(self.options))
    }

    fn evaluate(&self, _: &mut TransitionState, parser: &Parser, dev: &[Tree]) -> Result<Scores> {
        parser.evaluate(&at_most(dev, self.max_words))
    }

    fn patience(&self) -> usize {
        self.patience
    }

    fn save(&self, state: &TransitionState, file: &mut ModelFile) -> Result<()> {
        file.insert_state("progress", &(state.num_steps, &state.classifiers))
    }

    fn restore(&self, state: &mut TransitionState, file: &ModelFile) -> Result<()> {
        (state.num_steps, state.classifiers) = file.state("progress")?;
        Ok(())
    }
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

/// The pipeline without what only training needs.
fn for_parsing(pipeline: &Pipeline) -> Pipeline {
    let is_for_parsing =
        |step: &&TransformStep| !matches!(step, TransformStep::MaxLength(_) | TransformStep::ReplaceRare(_));
    let mut kept = Pipeline::new(pipeline.steps().iter().filter(is_for_parsing).cloned());
    kept.settings.punctuation = pipeline.settings.punctuation.clone();
    kept.settings.quotes = pipeline.settings.quotes.clone();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::{from_toml, to_toml};

    #[test]
    fn the_papers_settings_are_in_range() {
        for config in [TransitionConfig::default(), TransitionConfig::tm05(), TransitionConfig::tm06()] {
            config.check().unwrap();
            assert_eq!(config.step_penalty(0), config.first_penalty);
            assert_eq!(config.step_penalty(usize::MAX), config.learner.final_penalty());
        }
    }

    #[test]
    fn settings_survive_toml() {
        for config in [TransitionConfig::tm05(), TransitionConfig::tm06()] {
            let text = to_toml(&config).unwrap();
            let read: TransitionConfig = from_toml(&text).unwrap();
            assert_eq!(to_toml(&read).unwrap(), text);
            assert_eq!(read.features.text(), config.features.text());
        }
    }

    #[test]
    fn presets_are_the_papers() {
        let BoostingLearner::L1(l1) = TransitionConfig::tm06().learner else { panic!("TM06 is l1") };
        assert_eq!((l1.gain, l1.min_gain_factor), (GainForm::Subtract, 1.0), "equations 14 to 16");
        assert_eq!(l1.lowering, Lowering::StuckRoot, "listing 1, steps 6 and 7");
        assert_eq!(TransitionConfig::tm06().max_active, Some(15_000), "section 4.1");
        assert_eq!(TransitionConfig::tm05().weights, ExampleWeights::Uniform, "equation 8");
        for config in [TransitionConfig::tm05(), TransitionConfig::tm06()] {
            assert_eq!(config.tagger, TaggerConfig::ratnaparkhi());
            assert_eq!((config.tags, config.options.num_taggings), (TagSource::Tagger, 1));
        }
    }

    #[test]
    fn what_a_preset_has_changed_is_told() {
        let tm05 = TransitionConfig { seed: 7, max_words: Some(15), ..TransitionConfig::tm05() };
        assert_eq!(tm05.preset_note().unwrap().unwrap(), "tm05 as printed");
        let changed = TransitionConfig {
            weights: ExampleWeights::PerState,
            scheme: Scheme { strategy: Strategy::LeftToRight, max_children: 5 },
            ..tm05
        };
        let told = changed.preset_note().unwrap().unwrap();
        assert_eq!(told, "tm05 as printed but for scheme.strategy, weights");
        assert_eq!(TransitionConfig::default().preset_note().unwrap(), None);
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
        assert!(check(|config| config.step_factor = 1.0).contains("step factor"));
        assert!(check(|config| config.patience = 0).contains("patience"));
    }
}
