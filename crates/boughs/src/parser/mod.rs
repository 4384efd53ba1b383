//! A whole parser: a model, the tagger that it works with, and how it parses, in one file; from words to trees.
//!
//! The naive form is a pipeline of programs: tokenise, tag, rewrite as a flat tree, preprocess, parse, undo the
//! preprocessing. Here a [`Sentence`] goes in and a tree over the same tokens comes out. A [`Parser`] never changes
//! and is shared by threads; each has its own [`Worker`].
//!
//! ```no_run
//! use boughs::parser::{Parser, Sentence};
//! use boughs::text;
//!
//! let parser = Parser::load("my.model".as_ref())?;
//! let mut worker = parser.worker();
//! for sentence in text::sentences("Boughs bend. Leaves fall.") {
//!     println!("{}", worker.parse(&Sentence::from_text(&sentence))?.tree());
//! }
//! # Ok::<(), boughs::Error>(())
//! ```

pub mod built_in;
pub mod combined;
mod engine;
mod evaluate;
mod explain;
mod explain_grammar;
mod options;
mod parts;
mod sentence;
mod word_tagger;
mod worker;

use std::path::Path;

pub(crate) use evaluate::scores;
pub use explain::{ExplainedStep, explain};
pub use options::{EngineOptions, ParseOptions};
pub use sentence::Sentence;
pub use word_tagger::{TaggedWord, WordTagger, WordTaggerWorker};
pub use worker::Worker;

use combined::{COMBINED_KIND, CombinedModel};

pub use crate::parse::{Limit, PHRASE_COLUMNS, Parse, ParseRecord, Parsed, Status};

use crate::error::{Error, ErrorKind, Result};
use crate::model::{About, Array, CHART_KIND, ChartModel, GrammarModel, ModelFile, damaged_if};
use crate::neural::{NEURAL_KIND, NeuralModel};
use crate::tagger::Tagger;
use crate::text::Language;
use crate::transition::TransitionModel;
use crate::tree::heads::HeadRules;
use crate::tree::profile::Profile;

/// The array that holds the bytes of the tagger's own model file.
const TAGGER: &str = "tagger";

/// The tagger of a model file, or that of the parser in it.
///
/// # Errors
/// If there is none, or it is damaged.
pub fn tagger_of(file: &ModelFile) -> Result<Tagger> {
    match file.names().any(|name| name == TAGGER) {
        true => Tagger::from_file(&ModelFile::from_bytes(file.u8s(TAGGER)?)?),
        false => Tagger::from_file(file),
    }
}

/// The settings that name the profile of a parser's treebank, and hold one that does not ship; neither is there if it
/// is that of the Penn Treebank.
const PROFILE: &str = "profile";
const PROFILE_TEXT: &str = "profile-text";

/// Says in the description of a model which profile its treebank has.
pub(crate) fn describe_profile(profile: &Profile, about: &mut About) {
    if profile.is_default() {
        return;
    }
    about.settings.insert(PROFILE.to_owned(), profile.name().to_owned());
    let text = profile.to_string();
    if text != profile.name() {
        about.settings.insert(PROFILE_TEXT.to_owned(), text);
    }
}

/// The profile of a model's treebank; that of the Penn Treebank if the model names none.
pub fn profile_of(about: &About) -> Profile {
    let text = about.settings.get(PROFILE_TEXT).or_else(|| about.settings.get(PROFILE));
    text.and_then(|text| text.parse().ok()).unwrap_or_default()
}

/// Sentences that go through an encoder together: with more, products get no faster, and caches overflow.
const NEURAL_BATCH: usize = 16;

/// What a parser has learned.
#[derive(Debug, Clone)]
pub enum Model {
    /// Classifiers of inferences.
    Transition(Box<TransitionModel>),
    /// One grammar or more, or a grammar with features.
    Chart(Box<ChartModel>),
    /// An encoder with a network on top of it.
    Neural(Box<NeuralModel>),
    /// Several parsers.
    Combined(Box<CombinedModel>),
}

impl Model {
    /// The grammars of the model; none if it is of another kind.
    pub fn grammars(&self) -> &[GrammarModel] {
        match self {
            Self::Transition(_) | Self::Neural(_) | Self::Combined(_) => &[],
            Self::Chart(model) => model.grammars(),
        }
    }

    /// Whether it needs no tagger.
    fn tags_for_itself(&self) -> bool {
        !matches!(self, Self::Transition(_))
    }
}

impl From<TransitionModel> for Model {
    fn from(model: TransitionModel) -> Self {
        Self::Transition(Box::new(model))
    }
}

impl From<ChartModel> for Model {
    fn from(model: ChartModel) -> Self {
        Self::Chart(Box::new(model))
    }
}

impl From<NeuralModel> for Model {
    fn from(model: NeuralModel) -> Self {
        Self::Neural(Box::new(model))
    }
}

impl From<CombinedModel> for Model {
    fn from(model: CombinedModel) -> Self {
        Self::Combined(Box::new(model))
    }
}

/// The array that holds the options, as JSON.
const OPTIONS: &str = "parse-options";

/// A trained parser, with its tagger if it has one, and its options.
#[derive(Debug, Clone)]
pub struct Parser {
    about: About,
    model: Model,
    tagger: Option<Tagger>,
    options: ParseOptions,
}

impl Parser {
    /// A parser of these parts, with the usual options of its kind.
    pub fn new(about: About, model: impl Into<Model>, tagger: Option<Tagger>) -> Self {
        let model = model.into();
        Self { about, options: ParseOptions::of(&model), model, tagger }
    }

    /// The same parser with other options, which its file will carry.
    ///
    /// # Errors
    /// [`ErrorKind::Mismatch`] if they are for another kind of parser.
    pub fn with_options(self, options: ParseOptions) -> Result<Self> {
        self.check_options(&options)?;
        Ok(Self { options, ..self })
    }

    fn check_options(&self, options: &ParseOptions) -> Result<()> {
        match options.fit(&self.model) {
            true => Ok(()),
            false => Err(Error::new(
                ErrorKind::Mismatch,
                "expected options of the parser's own kind, found those of another",
            )
            .hint("begin with `Parser::options` and change what is to be different")),
        }
    }

    /// The same parser with other options of its engine.
    ///
    /// # Errors
    ///
    /// They must be for parsers of its kind.
    pub fn with_engine(self, engine: EngineOptions) -> Result<Self> {
        let options = ParseOptions { engine, ..self.options.clone() };
        self.with_options(options)
    }

    /// How it parses.
    pub fn options(&self) -> &ParseOptions {
        &self.options
    }

    /// What is known about it.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// The same, to be changed.
    pub fn about_mut(&mut self) -> &mut About {
        &mut self.about
    }

    /// Whether it finds the tags of words by itself.
    pub fn can_tag(&self) -> bool {
        self.tagger.is_some() || self.model.tags_for_itself()
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The tagger.
    pub fn tagger(&self) -> Option<&Tagger> {
        self.tagger.as_ref()
    }

    /// The same parser with another tagger.
    #[must_use]
    pub fn with_tagger(self, tagger: Tagger) -> Self {
        Self { tagger: Some(tagger), ..self }
    }

    /// The parser as a model file, with its tagger and its options in it.
    ///
    /// # Errors
    /// If it is too large for one.
    pub fn to_file(&self) -> Result<ModelFile> {
        let mut file = match &self.model {
            Model::Transition(model) => model.to_file(self.about.clone())?,
            Model::Chart(model) => model.to_file(self.about.clone())?,
            Model::Neural(model) => model.to_file(self.about.clone())?,
            Model::Combined(model) => model.to_file(self.about.clone())?,
        };
        file.insert_json(OPTIONS, &self.options)?;
        if let Some(tagger) = &self.tagger {
            let about = About { settings: Default::default(), config: String::new(), ..self.about.clone() };
            file.insert(TAGGER, Array::U8(tagger.to_file(about)?.to_bytes()?));
        }
        Ok(file)
    }

    /// The parser of a model file.
    ///
    /// # Errors
    /// If it is of another kind, or its parts do not fit together.
    pub fn from_file(file: &ModelFile) -> Result<Self> {
        let model: Model = match file.about().kind.as_str() {
            CHART_KIND => ChartModel::from_file(file)?.into(),
            NEURAL_KIND => NeuralModel::from_file(file)?.into(),
            COMBINED_KIND => CombinedModel::from_file(file)?.into(),
            _ => TransitionModel::from_file(file)?.into(),
        };
        let options: ParseOptions = file.json(OPTIONS)?;
        damaged_if(!options.fit(&model), "its options are those of another kind of parser")?;
        let tagger = file.has(TAGGER).then(|| tagger_of(file)).transpose()?;
        Ok(Self { about: file.about().clone(), model, tagger, options })
    }

    /// Writes a model file, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        self.to_file()?.save(path)
    }

    /// Reads a model file.
    ///
    /// # Errors
    /// If it cannot be read, or is no parser.
    pub fn load(path: &Path) -> Result<Self> {
        Self::from_file(&ModelFile::load(path)?).map_err(|error| error.in_file(path))
    }

    /// A worker that parses as the parser's options say.
    pub fn worker(&self) -> Worker<'_> {
        Worker::new(self, &self.options)
    }

    /// A worker that parses as other options say.
    ///
    /// # Errors
    /// [`ErrorKind::Mismatch`] if they are for another kind of parser.
    pub fn worker_with(&self, options: &ParseOptions) -> Result<Worker<'_>> {
        self.check_options(options)?;
        Ok(Worker::new(self, options))
    }

    /// The tagger, if parsing uses it. The weights of features and of networks were learned without one: a tagger
    /// beside them is for tagging alone.
    fn tagger_of_use(&self) -> Option<&Tagger> {
        let has_use = match &self.model {
            Model::Transition(_) => true,
            Model::Chart(model) => model.features().is_none(),
            Model::Neural(_) | Model::Combined(_) => false,
        };
        self.tagger.as_ref().filter(|_| has_use)
    }

    /// How many sentences [`Worker::parse_batch`] is fastest with; 1 if it makes no difference.
    pub fn batch_size(&self) -> usize {
        match &self.model {
            Model::Neural(_) | Model::Combined(_) => NEURAL_BATCH,
            Model::Transition(_) | Model::Chart(_) => 1,
        }
    }

    /// Whether phrases may have a label.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] if the model does not know it, or it is that of the root.
    pub fn check_label(&self, label: &str) -> Result<()> {
        match &self.model {
            Model::Transition(model) => model.symbols.phrase_label(label).map(|_| ()),
            Model::Chart(model) => model.grammars()[0].check_label(label),
            Model::Neural(model) => model.check_label(label),
            Model::Combined(model) => model.check_label(label),
        }
    }

    /// The parts of speech that the model knows.
    pub fn tags(&self) -> Vec<&str> {
        match &self.model {
            // The first stands for all that it does not know.
            Model::Transition(model) => model.symbols.tags.iter().skip(1).collect(),
            Model::Chart(model) => model.symbols().tags().iter().collect(),
            Model::Neural(model) => model.tags().collect(),
            Model::Combined(model) => model.tags().collect(),
        }
    }

    /// The language of the texts whose sentences it parses: that of its [profile](Self::profile), or English.
    pub fn text_language(&self) -> Language {
        self.profile().text_language().and_then(|name| name.parse().ok()).unwrap_or_default()
    }

    /// The profile of the treebank that it learned from.
    pub fn profile(&self) -> Profile {
        profile_of(&self.about)
    }

    /// The rules for the heads of its phrases: those it was trained with, those of its profile, or else those of the
    /// treebank that its tags point to.
    pub fn heads(&self) -> HeadRules {
        match &self.model {
            Model::Transition(model) => model.symbols.language.heads.clone(),
            _ if self.about.settings.contains_key(PROFILE) => self.profile().heads(),
            Model::Chart(_) | Model::Neural(_) | Model::Combined(_) => HeadRules::for_tags(self.tags()),
        }
    }

    /// Whether a model has seen a word.
    fn knows(&self, word: &str) -> bool {
        let words = match &self.model {
            Model::Transition(model) => &model.symbols.words,
            Model::Chart(model) => &model.grammars()[0].finest().lexicon.words,
            // It wants to know which quotation marks open and which close.
            Model::Neural(_) => return false,
            // Each of its parsers is asked for itself.
            Model::Combined(_) => return true,
        };
        self.tagger.as_ref().is_some_and(|tagger| tagger.knows(word))
            || words.get(word).is_some()
            || words.get(&word.to_lowercase()).is_some()
    }
}

impl crate::learn::run::Model for Parser {
    fn to_file(&self) -> Result<ModelFile> {
        Self::to_file(self)
    }

    fn from_file(file: &ModelFile) -> Result<Self> {
        Self::from_file(file)
    }

    fn about_mut(&mut self) -> &mut About {
        Self::about_mut(self)
    }
}

fn no_tagger(word: &str) -> Error {
    let message =
        format!("expected a tag for every word, found none for `{word}`, and the model has no tagger");
    Error::new(ErrorKind::Argument, message)
        .hint("give tagged input, name a tagger beside the model, or train the parser with --tags jackknife")
}
