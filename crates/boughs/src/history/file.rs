//! Parsers in model files (kind `history`): the arrays of the boosted classifiers (`model/file/boosted.rs`), one array with
//! the names of the tags and one with those of the words, each name behind its length, and settings.

use super::features::{Layout, Templates};
use super::model::{Cascade, Model, action_name, actions};
use super::state::Scheme;
use super::symbols::{Symbols, TOP_NAME};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{About, Array, Classifier, DecisionTree, Forest, ModelFile, TreeNode};
use crate::tree::transform::{Pipeline, TagSet};
use crate::vocab::Vocab;

/// The kind of these files.
pub const KIND: &str = "history";

/// The settings that a parser cannot do without.
const STRATEGY: &str = "strategy";
const MAX_CHILDREN_SETTING: &str = "max-children";
const PIPELINE: &str = "pipeline";
const FEATURES: &str = "features";
const RARE_WORD: &str = "rare-word";
const PUNCTUATION: &str = "punctuation";
const CASCADE_PENALTY: &str = "cascade-penalty";
const CASCADE_THRESHOLD: &str = "cascade-threshold";

/// The most children that a parser can be told to look for: more than a phrase of any treebank has.
pub const MAX_CHILDREN: usize = 250;

impl Model {
    /// The parser as a model file; kind, labels and what the parser needs are filled in.
    ///
    /// # Errors
    /// If it is too large for one.
    pub fn to_file(&self, about: About) -> Result<ModelFile> {
        let classifiers = self.forest.classifiers();
        let labels = classifiers.iter().map(|classifier| classifier.label.clone()).collect();
        let mut about = About { kind: KIND.to_owned(), labels, ..about };
        let mut set = |name: &str, value: String| _ = about.settings.insert(name.to_owned(), value);
        set(STRATEGY, self.scheme.strategy.to_string());
        set(MAX_CHILDREN_SETTING, self.scheme.max_children.to_string());
        set(PIPELINE, self.pipeline.to_string());
        set(FEATURES, self.layout.templates().text().to_owned());
        set(PUNCTUATION, self.symbols.punctuation().to_string());
        set(CASCADE_PENALTY, self.cascade.penalty.to_string());
        set(CASCADE_THRESHOLD, self.cascade.threshold.to_string());
        if let Some(word) = self.symbols.rare_word() {
            set(RARE_WORD, word.to_owned());
        }
        let mut file = ModelFile::new(about);
        file.insert_classifiers(classifiers)?;
        file.insert("tags", Array::U8(write_names(self.symbols.tags())?));
        file.insert("words", Array::U8(write_names(self.symbols.words())?));
        Ok(file)
    }

    /// The parser of a model file.
    ///
    /// # Errors
    /// If it is of another kind, or its parts do not fit together.
    pub fn from_file(file: &ModelFile) -> Result<Self> {
        let about = file.about();
        if about.kind != KIND {
            let message = format!("expected a model of kind `{KIND}`, found one of kind `{}`", about.kind);
            return Err(Error::new(ErrorKind::Mismatch, message)
                .hint("train a parser with `boughs train --method boosted`"));
        }
        let scheme = scheme(about)?;
        let symbols = symbols(file, scheme)?;
        let templates: Templates = setting(about, FEATURES)?.parse()?;
        let layout = Layout::new(templates, &symbols)?;
        let classifiers = file.classifiers_of(&about.labels)?;
        check_classifiers(&classifiers, &symbols, scheme)?;
        check_features(&classifiers, &layout)?;
        let forest = Forest::new(classifiers)?;
        let mut pipeline = Pipeline::parse(setting(about, PIPELINE)?)?;
        pipeline.settings.punctuation = symbols.punctuation().clone();
        let cascade =
            Cascade::new(&forest, number(about, CASCADE_PENALTY)?, number(about, CASCADE_THRESHOLD)?)?;
        Ok(Self { symbols, scheme, layout, forest, cascade, pipeline })
    }
}

fn setting<'f>(about: &'f About, name: &str) -> Result<&'f str> {
    let found = about.settings.get(name).map(String::as_str);
    found.ok_or_else(|| unfit(&format!("there is no setting `{name}`")))
}

fn number(about: &About, name: &str) -> Result<f64> {
    let text = setting(about, name)?;
    let number = text.parse().ok().filter(|number: &f64| !number.is_nan());
    number.ok_or_else(|| unfit(&format!("the setting `{name}` is `{text}`")))
}

fn unfit(found: &str) -> Error {
    Error::new(ErrorKind::Syntax, format!("expected a whole parser, found a damaged one: {found}"))
        .hint("copy or train it again")
}

fn scheme(about: &About) -> Result<Scheme> {
    let number = setting(about, MAX_CHILDREN_SETTING)?;
    let in_range = |number: &usize| (1..=MAX_CHILDREN).contains(number);
    let max_children = number.parse().ok().filter(in_range);
    let max_children =
        max_children.ok_or_else(|| unfit(&format!("a phrase of at most {number} children")))?;
    Ok(Scheme { strategy: setting(about, STRATEGY)?.parse()?, max_children })
}

fn symbols(file: &ModelFile, scheme: Scheme) -> Result<Symbols> {
    let about = file.about();
    let num_labels = about.labels.len() - usize::from(scheme.strategy.has_shift()).min(about.labels.len());
    let labels: Vocab = about.labels[..num_labels].iter().map(String::as_str).collect();
    let (tags, words) = (read_names(file.u8s("tags")?)?, read_names(file.u8s("words")?)?);
    let is_sound = labels.len() == num_labels
        && labels.get(TOP_NAME) == Some(0)
        && (tags.get(""), words.get("")) == (Some(0), Some(0))
        && labels.len() + tags.len() < usize::from(u16::MAX);
    if !is_sound {
        return Err(unfit("its labels, tags or words are not those of a parser"));
    }
    let punctuation = TagSet::parse(setting(about, PUNCTUATION)?);
    let rare_word = about.settings.get(RARE_WORD).map(String::as_str);
    Ok(Symbols::new(labels, tags, words, rare_word, punctuation))
}

fn check_classifiers(classifiers: &[Classifier], symbols: &Symbols, scheme: Scheme) -> Result<()> {
    let actions = actions(symbols, scheme);
    let names = actions.iter().map(|&action| action_name(symbols, action));
    match classifiers.iter().map(|classifier| classifier.label.as_str()).eq(names) {
        true => Ok(()),
        false => Err(unfit("its classifiers are not those of its labels")),
    }
}

fn check_features(classifiers: &[Classifier], layout: &Layout) -> Result<()> {
    let trees = classifiers.iter().flat_map(|classifier| classifier.ensemble.trees());
    let features = trees.flat_map(DecisionTree::nodes).filter_map(|node| match node {
        TreeNode::Split { feature, .. } => Some(*feature),
        TreeNode::Leaf { .. } => None,
    });
    match features.max().filter(|&feature| feature >= layout.num_features()) {
        None => Ok(()),
        Some(feature) => Err(unfit(&format!("feature {feature} of {}", layout.num_features()))),
    }
}

/// Each name behind its length in bytes, as four bytes, the lowest first.
fn write_names(names: &Vocab) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for name in names.iter() {
        let length = u32::try_from(name.len())
            .map_err(|_| Error::new(ErrorKind::TooLarge, "a word of 4 GiB does not fit into a model"))?;
        bytes.extend(length.to_le_bytes());
        bytes.extend(name.as_bytes());
    }
    Ok(bytes)
}

fn read_names(mut bytes: &[u8]) -> Result<Vocab> {
    let mut names = Vocab::new();
    let mut num_names = 0;
    while let Some((length, rest)) = bytes.split_first_chunk::<4>() {
        let length = u32::from_le_bytes(*length) as usize;
        let name = rest.get(..length).and_then(|name| std::str::from_utf8(name).ok());
        names.intern(name.ok_or_else(|| unfit("a list of names that is none"))?);
        num_names += 1;
        bytes = &rest[length..];
    }
    match bytes.is_empty() && names.len() == num_names {
        true => Ok(names),
        false => Err(unfit("a list of names that is cut off, or has one twice")),
    }
}
