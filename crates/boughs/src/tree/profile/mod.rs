//! Treebank profiles: what is to be known of a treebank beyond its trees.
//!
//! The naive form has the conventions of one treebank in the code: which tags are punctuation, which child is the head,
//! how a trace looks, what ends a label. Here they are data, one file a treebank, which training, scoring, cleaning and
//! checking share. What a profile does not say is learned from the trees ([`Profile::learned_from`]); the profile
//! `generic` says nothing.
//!
//! ```
//! use boughs::tree::Tree;
//! use boughs::tree::profile::Profile;
//!
//! let spanish = Profile::named("spanish-cess").unwrap();
//! let mut tree: Tree = "(S (sn.e-SUJ *0*) (grup.verb (vmis3s0-X durmió)) (sn (grup.nom.fs (ncfs000 poco))))".parse()?;
//! spanish.normalize(&mut tree);
//! let expected = "(S (-NONE- *0*) (grup.verb (vmis3s0 durmió)) (sn (grup.nom (ncfs000 poco))))";
//! assert_eq!(tree.to_string(), expected);
//! # Ok::<(), boughs::Error>(())
//! ```

mod endings;
mod guess;
mod head_statistics;
mod punctuation;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

pub use guess::Guess;

use super::heads::{HEAD_RULES, HeadConventions, HeadRules, TAG_CLASSES};
use super::rule_text::named_text;
use super::transform::TagSet;
use super::{TRACE_TAG, Tree};
use crate::error::{Error, ErrorKind, Result, syntax};

/// The profiles that ship: name, text.
pub const PROFILES: [(&str, &str); 8] = [
    (ENGLISH, include_str!("../../../data/profiles/english-penn.toml")),
    ("spanish-cess", include_str!("../../../data/profiles/spanish-cess.toml")),
    ("german-tiger", include_str!("../../../data/profiles/german-tiger.toml")),
    ("portuguese-floresta", include_str!("../../../data/profiles/portuguese-floresta.toml")),
    ("dutch-alpino", include_str!("../../../data/profiles/dutch-alpino.toml")),
    ("swedish-smultron", include_str!("../../../data/profiles/swedish-smultron.toml")),
    ("chinese-sinica", include_str!("../../../data/profiles/chinese-sinica.toml")),
    (GENERIC, include_str!("../../../data/profiles/generic.toml")),
];

const ENGLISH: &str = "english-penn";
const GENERIC: &str = "generic";

/// The signs that end the category of a phrase where a profile names no others.
const FUNCTION_SEPARATORS: &str = "-=";

/// The conventions of a treebank. It is written as its name, if it is one that ships, else as its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    fields: ProfileFields,
}

/// The fields of a profile's file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct ProfileFields {
    name: String,
    /// The language whose texts have such trees, if it is one that the tokeniser knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    text_language: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    punctuation: Option<Vec<String>>,
    /// The signs after which a phrase has function tags.
    function_separators: String,
    /// The signs after which a tag has function tags; none if tags have none.
    tag_separators: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    heads: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tag_classes: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    endings: Option<String>,
    traces: TraceFields,
    /// Categories, or beginnings of them with `*`, and what they become.
    labels: BTreeMap<String, String>,
    known: KnownFields,
}

/// How empty elements are known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct TraceFields {
    tags: Vec<String>,
    words: Vec<String>,
}

/// The names by which a treebank is known to be of this kind, or beginnings of them with `*`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct KnownFields {
    labels: Vec<String>,
    tags: Vec<String>,
}

impl Default for ProfileFields {
    fn default() -> Self {
        Self {
            name: String::new(),
            text_language: None,
            punctuation: None,
            function_separators: FUNCTION_SEPARATORS.to_owned(),
            tag_separators: String::new(),
            heads: None,
            tag_classes: None,
            endings: None,
            traces: TraceFields::default(),
            labels: BTreeMap::new(),
            known: KnownFields::default(),
        }
    }
}

impl Default for TraceFields {
    fn default() -> Self {
        Self { tags: vec![TRACE_TAG.to_owned()], words: Vec::new() }
    }
}

impl Default for Profile {
    /// That of the Penn Treebank.
    fn default() -> Self {
        // Every pipeline asks for it: it is read once.
        static PENN: LazyLock<Profile> =
            LazyLock::new(|| Profile::named(ENGLISH).expect("a profile that ships"));
        PENN.clone()
    }
}

impl Profile {
    /// The profile of this name among [`PROFILES`].
    pub fn named(name: &str) -> Option<Self> {
        let (_, text) = PROFILES.iter().find(|(known, _)| *known == name)?;
        Self::from_toml(text).ok()
    }

    /// The one that says nothing, so that all is learned.
    pub fn generic() -> Self {
        Self::named(GENERIC).expect("a profile that ships")
    }

    /// The profile of a name, or else of a file.
    ///
    /// # Errors
    /// If there is no such file, or it is no profile.
    pub fn load(name_or_file: &str) -> Result<Self> {
        if let Some(profile) = Self::named(name_or_file) {
            return Ok(profile);
        }
        let path = Path::new(name_or_file);
        let text = std::fs::read_to_string(path).map_err(|error| {
            Error::io("open the profile", error).hint(format!("expected {}", expected())).in_file(path)
        })?;
        Self::from_toml(&text).map_err(|error| error.in_file(path))
    }

    fn from_toml(text: &str) -> Result<Self> {
        let fields: ProfileFields = toml::from_str(text).map_err(|error| {
            let line = error.span().map(|span| text[..span.start].matches('\n').count() as u64 + 1);
            let told = syntax(format!("no profile: {}", error.message().replace('\n', " ")));
            line.map_or(told.clone(), |line| told.at_line(line))
        })?;
        let profile = Self { fields };
        profile.check()?;
        Ok(profile)
    }

    /// Head rules, classes and mappings are read, so that a fault is told at once.
    fn check(&self) -> Result<()> {
        if self.fields.name.is_empty() {
            return Err(
                syntax("a profile without a name").hint("the first line is as in `name = \"my-treebank\"`")
            );
        }
        let of_field = |name: &'static str| move |error: Error| syntax(format!("in `{name}`: {error}"));
        self.head_text().parse::<HeadRules>().map_err(of_field("heads"))?;
        HeadConventions::new("", self.class_text()).map_err(of_field("tag-classes"))?;
        Ok(())
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.fields.name
    }

    /// The language whose texts have such trees, by its [name](crate::text::Language::name).
    pub fn text_language(&self) -> Option<&str> {
        self.fields.text_language.as_deref()
    }

    /// Whether it is the one that is meant where nothing is said.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The tags of punctuation.
    pub fn punctuation(&self) -> TagSet {
        self.fields.punctuation.iter().flatten().cloned().collect()
    }

    /// The text of the head rules.
    pub fn head_text(&self) -> &str {
        named_text(&HEAD_RULES, self.fields.heads.as_deref().unwrap_or("any"))
    }

    /// The text of the classes of tags.
    pub fn class_text(&self) -> &str {
        named_text(&TAG_CLASSES, self.fields.tag_classes.as_deref().unwrap_or("none"))
    }

    /// The endings of unknown words, by name or as text.
    pub fn endings(&self) -> &str {
        self.fields.endings.as_deref().unwrap_or("none")
    }

    /// The head rules.
    ///
    /// # Panics
    /// Never: they were checked when the profile was read.
    pub fn heads(&self) -> HeadRules {
        self.head_text().parse().expect("head rules are checked when a profile is read")
    }

    /// Head rules and classes of tags.
    ///
    /// # Errors
    /// Never: they were checked when the profile was read.
    pub fn language(&self) -> Result<HeadConventions> {
        HeadConventions::new(self.head_text(), self.class_text())
    }

    /// Whether a label or tag is one that treebanks of this kind have.
    pub fn knows(&self, name: &str) -> bool {
        let KnownFields { labels, tags } = &self.fields.known;
        labels.iter().chain(tags).any(|pattern| fits(pattern, name))
    }

    /// Also maps categories; those of the profile that begin alike are tried after these.
    #[must_use]
    pub fn with_labels<'a>(mut self, mapped: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mapped = mapped.into_iter().map(|(from, to)| (from.to_owned(), to.to_owned()));
        self.fields.labels.extend(mapped);
        self
    }

    /// What the profile does not say, learned from trees, which should be [normalized](Self::normalize).
    #[must_use]
    pub fn learned_from(&self, trees: &[Tree]) -> Self {
        let mut fields = self.fields.clone();
        let punctuation = fields.punctuation.get_or_insert_with(|| punctuation::learn(trees)).clone();
        fields.heads.get_or_insert_with(|| head_statistics::learn(trees, &punctuation));
        fields.endings.get_or_insert_with(|| endings::learn(trees, &punctuation));
        Self { fields }
    }

    /// Brings a tree to the conventions of the toolkit: empty elements are tagged `-NONE-`, tags lose their function
    /// tags, function tags of phrases begin with `-` or `=`, and categories are mapped.
    pub fn normalize(&self, tree: &mut Tree) {
        self.mark_traces(tree);
        self.strip_tags(tree);
        self.map_labels(tree);
    }

    /// Tags empty elements `-NONE-`.
    pub fn mark_traces(&self, tree: &mut Tree) {
        let TraceFields { tags, words } = &self.fields.traces;
        if words.is_empty() && tags.iter().all(|tag| tag == TRACE_TAG) {
            return;
        }
        for index in 0..tree.num_tokens() {
            let token = tree.token(index);
            if tags.iter().any(|tag| tag == token.tag) || words.iter().any(|word| word == token.word) {
                tree.set_tag(index, TRACE_TAG);
            }
        }
    }

    /// Takes function tags off the tags of words.
    pub fn strip_tags(&self, tree: &mut Tree) {
        if self.fields.tag_separators.is_empty() {
            return;
        }
        for index in 0..tree.num_tokens() {
            let (plain, functions) = before(tree.token(index).tag, &self.fields.tag_separators);
            if !functions.is_empty() {
                let plain = plain.to_owned();
                tree.set_tag(index, &plain);
            }
        }
    }

    /// Maps categories, and lets function tags of phrases begin with `-` or `=`.
    pub fn map_labels(&self, tree: &mut Tree) {
        if self.fields.labels.is_empty() && self.fields.function_separators == FUNCTION_SEPARATORS {
            return;
        }
        for id in tree.ids() {
            let label = self.normal_label(tree.label(id));
            if label != tree.label(id) {
                tree.set_label(id, &label);
            }
        }
    }

    fn normal_label(&self, label: &str) -> String {
        let separators = &self.fields.function_separators;
        let (category, rest) = before(label, separators);
        let mut normal = self.mapped(category).to_owned();
        if !separators.contains('-') {
            // Elsewhere it would be taken for the beginning of function tags.
            normal = normal.replace('-', "_");
        }
        let is_usual = |c: char| FUNCTION_SEPARATORS.contains(c);
        normal.extend(rest.chars().map(|c| if separators.contains(c) && !is_usual(c) { '-' } else { c }));
        normal
    }

    /// What a category becomes: the name itself decides, then the longest beginning.
    fn mapped<'l>(&'l self, category: &'l str) -> &'l str {
        if let Some(label) = self.fields.labels.get(category) {
            return label;
        }
        let fitting = self.fields.labels.iter().filter(|(pattern, _)| fits(pattern, category));
        fitting.max_by_key(|(pattern, _)| pattern.len()).map_or(category, |(_, label)| label)
    }
}

/// A name up to the first of some signs, but for one that it begins with, and the rest.
fn before<'l>(name: &'l str, signs: &str) -> (&'l str, &'l str) {
    match name.find(|c| signs.contains(c)) {
        None | Some(0) => (name, ""),
        Some(end) => name.split_at(end),
    }
}

/// Whether a name is the pattern, or begins with what stands before its `*`.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*').filter(|beginning| !beginning.is_empty()) {
        Some(beginning) => name.starts_with(beginning),
        None => pattern == name,
    }
}

fn expected() -> String {
    format!("a file, or one of {}", PROFILES.map(|(name, _)| name).join(", "))
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if Self::named(self.name()).as_ref() == Some(self) {
            return f.write_str(self.name());
        }
        f.write_str(&toml::to_string(&self.fields).map_err(|_| fmt::Error)?)
    }
}

impl FromStr for Profile {
    type Err = Error;

    /// The profile of a name that ships, or of a text.
    fn from_str(text: &str) -> Result<Self> {
        match Self::named(text) {
            Some(profile) => Ok(profile),
            None if !text.contains('\n') => {
                let message = format!("there is no profile `{text}`");
                Err(Error::new(ErrorKind::Argument, message).hint(format!("expected {}", expected())))
            }
            None => Self::from_toml(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal(profile: &str, text: &str) -> String {
        let mut tree: Tree = text.parse().expect("a tree");
        Profile::named(profile).expect("it ships").normalize(&mut tree);
        tree.to_string()
    }

    #[test]
    fn all_that_ship_are_sound_and_have_their_names() {
        for (name, text) in PROFILES {
            let profile = Profile::from_toml(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(profile.name(), name);
            assert_eq!(profile.to_string(), name);
            assert_eq!(name.parse::<Profile>().expect("a name"), profile);
        }
        assert!(Profile::default().is_default() && !Profile::generic().is_default());
    }

    #[test]
    fn english_is_what_it_was() {
        let english = Profile::default();
        assert_eq!(english.head_text(), HEAD_RULES[0].1);
        assert_eq!(english.class_text(), TAG_CLASSES[0].1);
        assert_eq!(english.punctuation(), TagSet::punctuation());
        let tree = "(S (NP-SBJ=2 (-NONE- *T*-1)) (ADVP|PRT-1 (NN-X a) (-LRB- -LRB-)))";
        assert_eq!(normal("english-penn", tree), tree);
        assert_eq!(english.learned_from(&[tree.parse().expect("a tree")]), english);
    }

    #[test]
    fn categories_are_mapped_and_functions_stay() {
        assert_eq!(
            normal("spanish-cess", "(sn-SUJ (grup.nom.mp-X (ncmp000 a)))"),
            "(sn-SUJ (grup.nom-X (ncmp000 a)))"
        );
        let profile = Profile::generic().with_labels([("a.*", "b"), ("a.b.*", "c"), ("a.x", "d")]);
        for (label, mapped) in [("a.1", "b"), ("a.b.1-F", "c-F"), ("a.x", "d"), ("a", "a"), ("x", "x")] {
            assert_eq!(profile.normal_label(label), mapped);
        }
    }

    #[test]
    fn other_separators_become_the_usual_ones() {
        let profile: Profile = "name = \"x\"\nfunction-separators = \":\"\n".parse().expect("a profile");
        assert_eq!(profile.normal_label("NX-A:ON"), "NX_A-ON");
        assert_eq!(profile.normal_label(":"), ":");
    }

    #[test]
    fn a_profile_of_ones_own_is_written_as_it_is_read() {
        let text = "name = \"x\"\npunctuation = [\"PU\"]\nheads = \"NP left N\"\n";
        let profile: Profile = text.parse().expect("a profile");
        assert_eq!(profile.to_string().parse::<Profile>().expect("what was written"), profile);
        assert!(profile.punctuation().contains("PU"));
    }

    #[test]
    fn faults_are_told() {
        for (text, part) in [
            ("name = \"x\"\nhead = \"a\"\n", "line 2: no profile: unknown field `head`"),
            ("name = \"x\"\nheads = \"NP lft N\"\n", "in `heads`: line 1: expected a step for"),
            ("name = \"x\"\ntag-classes = \"A x\\nA y\"\n", "in `tag-classes`: line 2: class `A`"),
            ("punctuation = []\n", "a profile without a name"),
            ("klingon", "there is no profile `klingon`"),
        ] {
            let error = text.parse::<Profile>().expect_err("a fault").to_string();
            assert!(error.contains(part), "{text:?}: {error}");
        }
    }
}
