//! Parsers in model files (kind `transition`): the arrays of the boosted classifiers (`model/file/boosted.rs`), one
//! array with the names of the tags and one with those of the words, each name behind its length, and settings.

use super::features::{FeatureLayout, Templates};
use super::model::{TransitionModel, action_name, actions};
use super::state::Scheme;
use super::symbols::{TOP_NAME, TransitionSymbols};
use crate::error::Result;
use crate::learn::names::{name_of, named};
use crate::model::{
    About, Array, BitForest, Classifier, Forest, ModelFile, damaged, damaged_if, read_names, write_names,
};
use crate::tree::heads::HeadConventions;
use crate::tree::transform::{Pipeline, TagSet};
use crate::vocab::Vocab;

/// The kind of these files.
pub(crate) const KIND: &str = "transition";

/// The settings that a parser cannot do without.
const STRATEGY: &str = "strategy";
const MAX_CHILDREN_SETTING: &str = "max-children";
const PIPELINE: &str = "pipeline";
const FEATURES: &str = "features";
const RARE_WORD: &str = "rare-word";
const PUNCTUATION: &str = "punctuation";

/// Not there if the language is English.
const HEAD_RULES: &str = "head-rules";
const TAG_CLASSES: &str = "tag-classes";

/// The most children that a parser can be told to look for: more than a phrase of any treebank has.
pub const MAX_CHILDREN: usize = 250;

impl TransitionModel {
    /// The parser as a model file; kind, labels and what the parser needs are filled in.
    ///
    /// # Errors
    /// If it is too large for one.
    pub fn to_file(&self, about: About) -> Result<ModelFile> {
        let classifiers = self.forest.classifiers();
        let labels = classifiers.iter().map(|classifier| classifier.label.clone()).collect();
        let mut about = About { kind: KIND.to_owned(), labels, ..about };
        let mut set = |name: &str, value: String| _ = about.settings.insert(name.to_owned(), value);
        set(STRATEGY, name_of(&self.scheme.strategy));
        set(MAX_CHILDREN_SETTING, self.scheme.max_children.to_string());
        set(PIPELINE, self.pipeline.to_string());
        set(FEATURES, self.layout.templates.text().to_owned());
        set(PUNCTUATION, self.symbols.punctuation.to_string());
        if let Some(word) = self.symbols.rare_word() {
            set(RARE_WORD, word.to_owned());
        }
        let (language, english) = (&self.symbols.language, HeadConventions::english());
        if language.head_text != english.head_text {
            set(HEAD_RULES, language.head_text.clone());
        }
        if language.class_text != english.class_text {
            set(TAG_CLASSES, language.class_text.clone());
        }
        let mut file = ModelFile::new(about);
        file.insert_classifiers(classifiers)?;
        file.insert("tags", Array::U8(write_names(&self.symbols.tags)?));
        file.insert("words", Array::U8(write_names(&self.symbols.words)?));
        Ok(file)
    }

    /// The parser of a model file.
    ///
    /// # Errors
    /// If it is of another kind, or its parts do not fit together.
    pub fn from_file(file: &ModelFile) -> Result<Self> {
        let about = file.about();
        file.expect_kind(KIND, "train a parser with `boughs train boosted`")?;
        let scheme = scheme(about)?;
        let symbols = symbols(file, scheme)?;
        let templates: Templates = setting(about, FEATURES)?.parse()?;
        let layout = FeatureLayout::new(templates, &symbols)?;
        let classifiers = file.classifiers_of(&about.labels, layout.num_features as usize)?;
        check_classifiers(&classifiers, &symbols, scheme)?;
        let forest = Forest::new(classifiers)?;
        let mut pipeline = setting(about, PIPELINE)?.parse::<Pipeline>()?;
        pipeline.settings.punctuation = symbols.punctuation.clone();
        Ok(Self { symbols, scheme, layout, bits: BitForest::new(&forest)?, forest, pipeline })
    }
}

fn setting<'f>(about: &'f About, name: &str) -> Result<&'f str> {
    let found = about.settings.get(name).map(String::as_str);
    found.ok_or_else(|| damaged(format_args!("there is no setting `{name}`")))
}

fn scheme(about: &About) -> Result<Scheme> {
    let number = setting(about, MAX_CHILDREN_SETTING)?;
    let in_range = |number: &usize| (1..=MAX_CHILDREN).contains(number);
    let max_children = number.parse().ok().filter(in_range);
    let max_children =
        max_children.ok_or_else(|| damaged(format_args!("a phrase of at most {number} children")))?;
    Ok(Scheme { strategy: named("a strategy", setting(about, STRATEGY)?)?, max_children })
}

fn symbols(file: &ModelFile, scheme: Scheme) -> Result<TransitionSymbols> {
    let about = file.about();
    let num_shifts = usize::from(scheme.strategy.has_shift());
    let num_labels = about.labels.len().saturating_sub(num_shifts);
    let labels: Vocab = about.labels[..num_labels].iter().map(String::as_str).collect();
    let (tags, words) = (read_names(file.u8s("tags")?)?, read_names(file.u8s("words")?)?);
    let is_sound = labels.len() == num_labels
        && labels.get(TOP_NAME) == Some(0)
        && (tags.get(""), words.get("")) == (Some(0), Some(0))
        && labels.len() + tags.len() < usize::from(u16::MAX);
    damaged_if(!is_sound, "its labels, tags or words are not those of a parser")?;
    let punctuation = TagSet::parse(setting(about, PUNCTUATION)?);
    let rare_word = about.settings.get(RARE_WORD).map(String::as_str);
    let mut symbols = TransitionSymbols::new(labels, tags, words, rare_word, punctuation);
    symbols.language = language(about)?;
    Ok(symbols)
}

fn language(about: &About) -> Result<HeadConventions> {
    let english = HeadConventions::english();
    let text = |name: &str| about.settings.get(name).map(String::as_str);
    HeadConventions::new(
        text(HEAD_RULES).unwrap_or(&english.head_text),
        text(TAG_CLASSES).unwrap_or(&english.class_text),
    )
}

fn check_classifiers(classifiers: &[Classifier], symbols: &TransitionSymbols, scheme: Scheme) -> Result<()> {
    let actions = actions(symbols, scheme);
    let names = actions.iter().map(|&action| action_name(symbols, action));
    let labels = classifiers.iter().map(|classifier| classifier.label.as_str());
    damaged_if(!labels.eq(names), "its classifiers are not those of its labels")
}
