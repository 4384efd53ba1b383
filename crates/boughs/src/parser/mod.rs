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
mod sentence;
mod worker;

use std::path::Path;
use std::time::Duration;

pub use crate::parse::{Limit, Parse, Parsed, Status};
pub use sentence::Sentence;
pub use worker::Worker;

use crate::chart::ChartConfig;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{
    About, Array, CRF_KIND, CrfModel, GRAMMAR_KIND, GrammarModel, GrammarProduct, ModelFile, PRODUCT_KIND,
    damaged,
};
use crate::tagger::Tagger;
use crate::transition::{TransitionModel, TransitionOptions};

/// The setting that holds the options of a search, as JSON; it is not there if they are the default.
pub const SEARCH_SETTING: &str = "search";

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
    Transition(Box<TransitionModel>),
    /// A grammar.
    Grammar(Box<GrammarModel>),
    /// Several grammars that parse together.
    Product(Box<GrammarProduct>),
    /// A grammar with features.
    Crf(Box<CrfModel>),
}

impl ParserModel {
    /// The grammar of the model, or the first of several, if it has one; such a model tags for itself.
    pub fn grammar(&self) -> Option<&GrammarModel> {
        match self {
            Self::Transition(_) => None,
            Self::Grammar(grammar) => Some(grammar),
            Self::Product(product) => product.grammars().first(),
            Self::Crf(model) => Some(&model.grammar),
        }
    }
}

impl From<CrfModel> for ParserModel {
    fn from(model: CrfModel) -> Self {
        Self::Crf(Box::new(model))
    }
}

impl From<TransitionModel> for ParserModel {
    fn from(model: TransitionModel) -> Self {
        Self::Transition(Box::new(model))
    }
}

impl From<GrammarModel> for ParserModel {
    fn from(model: GrammarModel) -> Self {
        Self::Grammar(Box::new(model))
    }
}

impl From<GrammarProduct> for ParserModel {
    fn from(model: GrammarProduct) -> Self {
        Self::Product(Box::new(model))
    }
}

/// How to parse.
#[derive(Debug, Clone)]
pub struct ParseOptions {
    /// How parsers by classification search.
    pub search: TransitionOptions,
    /// How many trees are wanted.
    pub num_best: usize,
    /// How parsers with a grammar prune, and which tree they take for the best.
    pub chart: ChartConfig,
    /// The most tokens that are parsed; a longer sentence gets a flat tree.
    pub max_length: Option<usize>,
    /// The time after which the best that was found is taken.
    pub timeout: Option<Duration>,
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
            search: TransitionOptions::default(),
            num_best: 1,
            chart: ChartConfig::default(),
            max_length: None,
            timeout: None,
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
            ParserModel::Grammar(model) => model.to_file(self.about.clone())?,
            ParserModel::Product(model) => model.to_file(self.about.clone())?,
            ParserModel::Crf(model) => model.to_file(self.about.clone())?,
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
            GRAMMAR_KIND => GrammarModel::from_file(file)?.into(),
            PRODUCT_KIND => GrammarProduct::from_file(file)?.into(),
            CRF_KIND => CrfModel::from_file(file)?.into(),
            _ => TransitionModel::from_file(file)?.into(),
        };
        // A grammar with features was learned without a tagger: one in its file is for tagging alone.
        let is_of_use = !matches!(model, ParserModel::Crf(_));
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
    pub fn search(&self) -> Result<TransitionOptions> {
        let options = self.about.settings.get(SEARCH_SETTING).map(|text| serde_json::from_str(text));
        let options = options.transpose().map_err(|error| damaged(format_args!("its search: {error}")))?;
        Ok(options.unwrap_or_default())
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
            ParserModel::Grammar(model) => model.check_label(label),
            ParserModel::Product(model) => model.grammars()[0].check_label(label),
            ParserModel::Crf(model) => model.grammar.check_label(label),
        }
    }

    /// The parts of speech that the model knows.
    pub fn tags(&self) -> Vec<&str> {
        match &self.model {
            // The first stands for all that it does not know.
            ParserModel::Transition(model) => model.symbols.tags.iter().skip(1).collect(),
            ParserModel::Grammar(model) => model.symbols().tags().iter().collect(),
            ParserModel::Product(model) => model.grammars()[0].symbols().tags().iter().collect(),
            ParserModel::Crf(model) => model.grammar.symbols().tags().iter().collect(),
        }
    }

    /// Whether a model has seen a word.
    fn knows(&self, word: &str) -> bool {
        let words = match &self.model {
            ParserModel::Transition(model) => &model.symbols.words,
            ParserModel::Grammar(model) => &model.finest().lexicon.words,
            ParserModel::Product(model) => &model.grammars()[0].finest().lexicon.words,
            ParserModel::Crf(model) => &model.grammar.finest().lexicon.words,
        };
        self.tagger.as_ref().is_some_and(|tagger| tagger.knows(word))
            || words.get(word).is_some()
            || words.get(&word.to_lowercase()).is_some()
    }
}

fn no_tagger(word: &str) -> Error {
    let message =
        format!("expected a tag for every word, found none for `{word}`, and the model has no tagger");
    Error::new(ErrorKind::Argument, message)
        .hint("give tagged input, name a tagger beside the model, or train the parser with --tags jackknife")
}
