//! A whole parser: a model and the tagger that it works with, in one file; from words to trees.
//!
//! The naive form is a pipeline of programs: tokenise, tag, rewrite as a flat tree, preprocess, parse, undo the preprocessing. Here
//! a [`Sentence`] goes in and a tree over the same tokens comes out. A [`Parser`] never changes and is shared by threads; each has
//! its own [`Worker`].
//!
//! ```no_run
//! use boughs::parser::{Parser, Sentence};
//! use boughs::text;
//!
//! let parser = Parser::load("english.model".as_ref())?;
//! let mut worker = parser.worker(&Default::default());
//! for sentence in text::sentences("Boughs bend. Leaves fall.") {
//!     println!("{}", worker.parse(&Sentence::from_text(&sentence)?)?.tree());
//! }
//! # Ok::<(), boughs::Error>(())
//! ```

mod engine;
mod evaluate;
mod sentence;
mod worker;

use std::path::Path;

pub use crate::parse::{Limit, Parse, Parsed, Status};
pub(crate) use evaluate::scores;
pub use sentence::Sentence;
pub use worker::Worker;

use crate::chart::ChartOptions;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{About, Array, CHART_KIND, ChartModel, GrammarModel, ModelFile};
use crate::tagger::Tagger;
use crate::transition::search::SearchConfig;
use crate::transition::{Limits, Model};

/// The array that holds the bytes of the tagger's own model file.
const TAGGER: &str = "tagger";

/// The model file of the parser for English that ships: see models/README.md.
#[cfg(feature = "english")]
pub use boughs_english::MODEL as ENGLISH;

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

/// What a parser has learned.
#[derive(Debug, Clone)]
pub enum ParserModel {
    /// Classifiers of inferences.
    Transition(Box<Model>),
    /// One or more grammars, or a grammar with features.
    Chart(Box<ChartModel>),
}

impl ParserModel {
    /// The grammars of the model; none if it is of another kind.
    pub fn grammars(&self) -> &[GrammarModel] {
        match self {
            Self::Transition(_) => &[],
            Self::Chart(model) => model.grammars(),
        }
    }

    /// The grammar of the model, or the first of several, if it has one; such a model tags for itself.
    pub fn grammar(&self) -> Option<&GrammarModel> {
        match self {
            Self::Transition(_) => None,
            Self::Chart(model) => model.grammars().first(),
        }
    }
}

impl From<Model> for ParserModel {
    fn from(model: Model) -> Self {
        Self::Transition(Box::new(model))
    }
}

impl From<GrammarModel> for ParserModel {
    fn from(model: GrammarModel) -> Self {
        ChartModel::from(model).into()
    }
}

impl From<ChartModel> for ParserModel {
    fn from(model: ChartModel) -> Self {
        Self::Chart(Box::new(model))
    }
}

/// How to parse.
#[derive(Debug, Clone)]
pub struct ParseOptions {
    /// How parsers by classification search, and how many trees are wanted of any parser.
    pub search: SearchConfig,
    /// How parsers with a grammar prune, and which tree they take for the best.
    pub chart: ChartOptions,
    /// When a sentence gets a flat tree.
    pub limits: Limits,
    /// Among how many of the likeliest ways to tag a sentence parsers by classification choose, if they have a tagger and it has no tags. Their costs
    /// are added to those of the inferences, so it is for searches with the additive aggregator only.
    pub num_taggings: usize,
}

impl ParseOptions {
    /// On the short sentences of GUM two gave 0.36 F1 over one, four 0.48, and more no more (record/2026-11-16-parsing.md).
    pub const NUM_TAGGINGS: usize = 4;
}

impl Default for ParseOptions {
    fn default() -> Self {
        Self {
            search: SearchConfig::default(),
            chart: ChartOptions::default(),
            limits: Limits::default(),
            num_taggings: Self::NUM_TAGGINGS,
        }
    }
}

/// A trained parser, with its tagger if it has one.
#[derive(Debug, Clone)]
pub struct Parser {
    about: About,
    model: ParserModel,
    tagger: Option<Tagger>,
}

impl Parser {
    /// A parser of these parts.
    pub fn new(about: About, model: impl Into<ParserModel>, tagger: Option<Tagger>) -> Self {
        Self { about, model: model.into(), tagger }
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
        self.tagger.is_some() || self.model.grammar().is_some()
    }

    /// The same parser with something else known about it.
    #[must_use]
    pub fn with_about(self, about: About) -> Self {
        Self { about, ..self }
    }

    /// The model.
    pub fn model(&self) -> &ParserModel {
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

    /// The parser as a model file, with its tagger in it.
    ///
    /// # Errors
    /// If it is too large for one.
    pub fn to_file(&self) -> Result<ModelFile> {
        let mut file = match &self.model {
            ParserModel::Transition(model) => model.to_file(self.about.clone())?,
            ParserModel::Chart(model) => model.to_file(self.about.clone())?,
        };
        if let Some(tagger) = &self.tagger {
            let about = About { settings: Default::default(), ..self.about.clone() };
            file.insert(TAGGER, Array::U8(tagger.to_file(about)?.to_bytes()?));
        }
        Ok(file)
    }

    /// The parser of a model file.
    ///
    /// # Errors
    /// If it is of another kind, or its parts do not fit together.
    pub fn from_file(file: &ModelFile) -> Result<Self> {
        let model: ParserModel = match file.about().kind.as_str() {
            CHART_KIND => ChartModel::from_file(file)?.into(),
            _ => Model::from_file(file)?.into(),
        };
        // A grammar with features was learned without a tagger: one in its file is for tagging alone.
        let is_of_use = !matches!(&model, ParserModel::Chart(model) if model.features().is_some());
        let has_tagger = is_of_use && file.names().any(|name| name == TAGGER);
        let tagger = has_tagger.then(|| tagger_of(file));
        Ok(Self { about: file.about().clone(), model, tagger: tagger.transpose()? })
    }

    /// The parser for English that ships.
    ///
    /// # Errors
    /// Never for the file that ships.
    #[cfg(feature = "english")]
    pub fn english() -> Result<Self> {
        Self::from_file(&ModelFile::from_bytes(ENGLISH)?)
    }

    /// Reads a model file.
    ///
    /// # Errors
    /// If it cannot be read, or is no parser.
    pub fn load(path: &Path) -> Result<Self> {
        Self::from_file(&ModelFile::load(path)?).map_err(|error| error.in_file(path))
    }

    /// The search that it was measured with when it was trained.
    ///
    /// # Errors
    /// If its file tells of a search that there is not.
    pub fn search(&self) -> Result<SearchConfig> {
        SearchConfig::from_settings(&self.about.settings)
    }

    /// A worker that parses in this way.
    pub fn worker(&self, options: &ParseOptions) -> Worker<'_> {
        Worker::new(self, options)
    }

    /// Whether phrases may have a label.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] if the model does not know it, or it is that of the root.
    pub fn check_label(&self, label: &str) -> Result<()> {
        match &self.model {
            ParserModel::Transition(model) => model.symbols.phrase_label(label).map(|_| ()),
            ParserModel::Chart(model) => model.grammars()[0].check_label(label),
        }
    }

    /// The parts of speech that the model knows.
    pub fn tags(&self) -> Vec<&str> {
        match &self.model {
            // The first stands for all that it does not know.
            ParserModel::Transition(model) => model.symbols.tags().iter().skip(1).collect(),
            ParserModel::Chart(model) => model.symbols().tags().iter().collect(),
        }
    }

    /// Whether a model has seen a word.
    fn knows(&self, word: &str) -> bool {
        let words = match &self.model {
            ParserModel::Transition(model) => model.symbols.words(),
            ParserModel::Chart(model) => &model.grammars()[0].finest().lexicon.words,
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
