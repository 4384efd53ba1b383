//! Training a transition parser: examples, one boosted classifier per label along the regularisation path, and the
//! penalty at which the parser is best on the development trees.
//!
//! The naive form trains every classifier to the end and then looks for the best penalty. Here the path is walked in
//! steps, each to a lower penalty, and after each step the parser as it stands is measured. So there is a parser
//! early, and training stops once it pays no more.

use serde::{Deserialize, Serialize};

use super::about;
use super::settings::{as_text, identity, language};
use super::tags::{TagSource, at_most, jackknife_tags, tagger_for};
use crate::error::{Error, ErrorKind, Result, require};
use crate::learn::run::{Figure, Recipe, Scores, Step, Watch};
use crate::learn::{BoosterState, BoostingLearner, GainForm, L1Config, PathTask, Target, ZConfig};
use crate::model::{About, Classifier, DecisionTree, Ensemble, Forest, ModelFile};
use crate::parser::{EngineOptions, Parser};
use crate::tagger::{Tagger, TaggerConfig};
use crate::transition::features::{FeatureLayout, Templates};
use crate::transition::{
    Action, Aggregator, Cascade, Examples, ExamplesBuilder, GATE_NAME, MAX_CHILDREN, Scheme, Search,
    Strategy, TransitionModel, TransitionOptions, TransitionSymbols, action_name, actions, prepare,
};
use crate::tree::heads::Language;
use crate::tree::transform::{Pipeline, TagSet, TransformStep, WordCounts};
use crate::tree::{Tokens, Tree};

/// The trees of the gate: it must be quick rather than right, and with more trees it shuts out little more.
const GATE_TREES: usize = 100;

/// Settings of training a transition parser.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TransitionConfig {
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
    pub language: Language,
    /// How the classifiers learn.
    pub learner: BoostingLearner,
    /// The penalty at the end of the first step.
    pub first_penalty: f64,
    /// By which factor the penalty falls from step to step.
    pub step_factor: f64,
    /// Training stops after so many steps without a better score on the development trees.
    pub patience: usize,
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
        Self::tm06()
    }
}

impl TransitionConfig {
    /// The parser of Turian & Melamed (2006): right-to-left, with the "kitchen sink" of features. The path, which they
    /// walked with λ falling to 0.9 of itself, is walked in fewer steps.
    pub fn tm06() -> Self {
        Self {
            scheme: Scheme { strategy: Strategy::RightToLeft, max_children: 5 },
            features: named_templates("kitchen-sink"),
            pipeline: named_pipeline("tm06"),
            language: Language::english(),
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

    /// The parser of Turian & Melamed (2005): free bottom-up, rare words replaced, trees grown by reductions of Z,
    /// beam search for the path whose worst inference is best.
    pub fn tm05() -> Self {
        Self {
            scheme: Scheme { strategy: Strategy::BottomUp, max_children: 5 },
            features: named_templates("tm05"),
            pipeline: named_pipeline("tm05"),
            learner: BoostingLearner::Z(ZConfig { final_threshold: 0.35, ..ZConfig::default() }),
            first_penalty: 22.4,
            options: TransitionOptions {
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
        let factor = self.step_factor;
        require(factor > 0.0 && factor < 1.0, "a step factor between 0 and 1", factor)?;
        require(self.folds >= 2, "at least 2 folds", self.folds)?;
        require(self.patience >= 1, "a patience of at least 1 step", self.patience)?;
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
    /// The training trees as the parser sees them.
    trees: Vec<Tree>,
    symbols: TransitionSymbols,
    layout: FeatureLayout,
    pipeline: Pipeline,
    examples: Examples,
    actions: Vec<Action>,
    /// What each classifier learns, that of the gate last.
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
        watch.note(format_args!("tags: predicted; training trees jack-knifed in {} folds", self.folds));
        jackknife_tags(&mut trees, &self.tagger_sentences, self.folds, &self.tagger)?;
        Ok((trees, Some(tagger)))
    }

    /// How many steps the path has.
    fn path_length(&self) -> usize {
        (0..).take_while(|&step| self.step_penalty(step) > self.learner.final_penalty()).count() + 1
    }
}

impl TransitionState {
    fn model(&self, scheme: Scheme) -> Result<TransitionModel> {
        let ensemble = |index: usize| {
            self.classifiers.get(index).map_or_else(Ensemble::new, |classifier| classifier.ensemble.clone())
        };
        let classifier = |(index, &action): (usize, &Action)| {
            let label = action_name(&self.symbols, action).to_owned();
            Classifier { label, ensemble: ensemble(index) }
        };
        let forest = Forest::new(self.actions.iter().enumerate().map(classifier).collect())?;
        let mut model = TransitionModel {
            symbols: self.symbols.clone(),
            scheme,
            layout: self.layout.clone(),
            cascade: Cascade::whole(&forest)?,
            forest,
            pipeline: for_parsing(&self.pipeline),
        };
        model.cascade = Cascade::learn(&model, ensemble(self.actions.len()), &self.trees)?;
        Ok(model)
    }

    /// The trees of all classifiers but the gate.
    fn decision_trees(&self) -> impl Iterator<Item = &DecisionTree> {
        let ensembles = self.classifiers.iter().take(self.actions.len());
        ensembles.flat_map(|classifier| classifier.ensemble.trees())
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
        let settings = Self { learner, memory: 0, patience: 0, ..self.clone() };
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
        let target = |&action: &Action| examples.target(action, &symbols);
        let mut targets = actions.iter().map(target).collect::<Result<Vec<Target>>>()?;
        targets.push(examples.gate_target()?);
        let (classifiers, num_steps) = (Vec::new(), 0);
        Ok(TransitionState {
            tagger,
            trees,
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
        let task = |(index, target)| {
            let action = state.actions.get(index);
            let label = action.map_or(GATE_NAME, |&action| action_name(&state.symbols, action));
            PathTask { label, target, max_trees: action.map_or(GATE_TREES, |_| usize::MAX) }
        };
        let tasks: Vec<PathTask<'_>> = state.targets.iter().enumerate().map(task).collect();
        let learner = self.learner.with_final_penalty(penalty).with_seed(self.seed);
        let (classifiers, flow) =
            learner.boost(&state.examples.dataset, &tasks, &state.classifiers, self.memory, watch)?;
        if flow.is_break() {
            return Ok(None);
        }
        state.classifiers = classifiers;
        state.num_steps += 1;
        let num_trees = state.classifiers.iter().map(|classifier| classifier.ensemble.trees().len()).sum();
        let figures = vec![
            Figure::new("penalty", penalty, 4),
            Figure::count("trees", num_trees),
            Figure::count("splits", state.decision_trees().map(DecisionTree::num_splits).sum()),
            Figure::count("active", state.num_active()),
        ];
        Ok(Some(Step {
            is_last: penalty <= self.learner.final_penalty(),
            num_left: Some(self.path_length().saturating_sub(state.num_steps)),
            ..Step::candidate(0, figures)
        }))
    }

    fn model(&self, state: &TransitionState) -> Result<Parser> {
        let mut about = About { seed: self.seed, ..about(self)? };
        let mut set = |name: &str, value: String| _ = about.settings.insert(name.to_owned(), value);
        set("examples", state.examples.summary.num_examples.to_string());
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
        for config in [TransitionConfig::tm05(), TransitionConfig::tm06()] {
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
