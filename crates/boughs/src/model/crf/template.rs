//! Templates: the text form of sets of features.
//!
//! A line is what a feature speaks about, and the properties that it sees there, all at once:
//!
//! ```text
//! base-score grammar
//! label  first.class
//! rule   split-left.class split-right.class
//! any    last.word short-length
//! tag    first.suffix3
//! ```
//!
//! Lines that start with `#` are comments. docs/crf.md has all words of the language.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, ErrorKind, Result};
use crate::tree::rule_text::for_each_line;

/// The named sets: name, text.
pub const CRF_TEMPLATE_SETS: [(&str, &str); 5] = [
    ("surface", include_str!("../../../data/crf/surface.templates")),
    ("surface+grammar", include_str!("../../../data/crf/surface+grammar.templates")),
    ("basic", include_str!("../../../data/crf/basic.templates")),
    ("lexical", include_str!("../../../data/crf/lexical.templates")),
    ("lexical+aux", include_str!("../../../data/crf/lexical+aux.templates")),
];

/// What a feature speaks about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TemplateTarget {
    /// There is a phrase, whatever its label.
    Any,
    /// There is a phrase, or part of a phrase, of some symbol.
    Label,
    /// A rule is used.
    Rule,
    /// A word has some tag.
    Tag,
}

/// A word, seen from a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TemplatePlace {
    /// The first of the span.
    First,
    /// The last of the span.
    Last,
    /// The one in front of the span.
    Before,
    /// The one in front of that.
    Before2,
    /// The one behind the span.
    After,
    /// The one behind that.
    After2,
    /// The second of a span of three.
    Middle,
    /// The last of the left child.
    SplitLeft,
    /// The first of the right child.
    SplitRight,
}

/// What is seen of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WordForm {
    /// The word.
    Word,
    /// The word if it is frequent, else its longest frequent ending.
    Class,
    /// Its last letters.
    Suffix(u8),
    /// Its first letters.
    Prefix(u8),
    /// Capitals, digits and other signs, runs shortened.
    Shape,
    /// Its cluster, if the user gave clusters.
    Cluster,
}

/// Something that holds of a span, or of a rule over it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Property {
    /// A form of a word.
    Word(TemplatePlace, WordForm),
    /// The number of words, in steps that get wider.
    Length,
    /// The number of words if it is at most three.
    ShortLength,
    /// The number of words of the left child, in steps.
    LeftLength,
    /// The number of words of the right child, in steps.
    RightLength,
    /// What kinds of words there are, with one on each side.
    Shape,
    /// How likely there is a phrase over the span to the grammar, in steps.
    Grammar,
    /// The same to the [classifier that sees the span by itself](super::SpanClassifier).
    SpanClassifier,
}

/// What a parse is worth before there are features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BaseScore {
    /// Nothing.
    #[default]
    None,
    /// The logarithms of P(word | tag) of the grammar.
    Words,
    /// The logarithms of the posterior probabilities of its rules in the grammar.
    Grammar,
}

/// A kind of feature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// What it speaks about.
    pub target: TemplateTarget,
    /// What must hold there.
    pub properties: Vec<Property>,
}

/// A set of templates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrfTemplates {
    templates: Vec<Template>,
    base_score: BaseScore,
    text: String,
}

const PLACES: [(&str, TemplatePlace); 9] = [
    ("first", TemplatePlace::First),
    ("last", TemplatePlace::Last),
    ("before", TemplatePlace::Before),
    ("before2", TemplatePlace::Before2),
    ("after", TemplatePlace::After),
    ("after2", TemplatePlace::After2),
    ("middle", TemplatePlace::Middle),
    ("split-left", TemplatePlace::SplitLeft),
    ("split-right", TemplatePlace::SplitRight),
];

const SPAN_PROPERTIES: [(&str, Property); 7] = [
    ("length", Property::Length),
    ("short-length", Property::ShortLength),
    ("left-length", Property::LeftLength),
    ("right-length", Property::RightLength),
    ("shape", Property::Shape),
    ("grammar", Property::Grammar),
    ("span-classifier", Property::SpanClassifier),
];

const TARGETS: [(&str, TemplateTarget); 4] = [
    ("any", TemplateTarget::Any),
    ("label", TemplateTarget::Label),
    ("rule", TemplateTarget::Rule),
    ("tag", TemplateTarget::Tag),
];

/// The longest beginning or ending that a form may ask for.
const MAX_AFFIX: u8 = 9;

impl CrfTemplates {
    /// The set of that name among [`CRF_TEMPLATE_SETS`].
    pub fn named(name: &str) -> Option<Self> {
        let (_, text) = CRF_TEMPLATE_SETS.iter().find(|(known, _)| *known == name)?;
        text.parse().ok()
    }

    /// The templates, in the order of the text.
    pub fn templates(&self) -> &[Template] {
        &self.templates
    }

    /// What a parse is worth before there are features.
    pub fn base_score(&self) -> BaseScore {
        self.base_score
    }

    /// The text that they were read from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether a property is asked for.
    pub fn asks_for(&self, property: Property) -> bool {
        self.templates.iter().any(|template| template.properties.contains(&property))
    }

    /// Whether the posteriors of the grammar are used beyond pruning.
    pub fn use_grammar(&self) -> bool {
        self.base_score == BaseScore::Grammar || self.asks_for(Property::Grammar)
    }

    /// Whether posteriors are used that are learned from trees, and must be of models that did not see the sentences
    /// that features learn from.
    pub fn use_posteriors(&self) -> bool {
        self.use_grammar() || self.asks_for(Property::SpanClassifier)
    }

    fn add_line(&mut self, line: &str) -> Result<()> {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("base-score") => self.base_score = parse_base_score(words.next().unwrap_or(""))?,
            Some(target) => {
                let target = find(&TARGETS, target).ok_or_else(|| {
                    unknown("`base-score`, or what a feature speaks about", &TARGETS, target)
                })?;
                let properties = words.map(parse_property).collect::<Result<Vec<_>>>()?;
                check(target, &properties)?;
                self.templates.push(Template { target, properties });
            }
            None => {}
        }
        Ok(())
    }
}

impl FromStr for CrfTemplates {
    type Err = Error;

    /// Reads templates in the text form.
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`] with the line that is not understood, or if there is none.
    fn from_str(text: &str) -> Result<Self> {
        let mut set = Self { templates: Vec::new(), base_score: BaseScore::None, text: text.to_owned() };
        for_each_line(text, |_, line| set.add_line(line))?;
        match set.templates.is_empty() {
            false => Ok(set),
            true => Err(syntax("expected at least one template, found none".to_owned())),
        }
    }
}

fn find<T: Copy>(list: &[(&str, T)], name: &str) -> Option<T> {
    list.iter().find(|(known, _)| *known == name).map(|(_, it)| *it)
}

fn name_of<T: Copy + PartialEq>(list: &[(&'static str, T)], it: T) -> &'static str {
    list.iter().find(|(_, known)| *known == it).map_or("", |(name, _)| name)
}

fn parse_base_score(name: &str) -> Result<BaseScore> {
    let base_scores =
        [("words", BaseScore::Words), ("grammar", BaseScore::Grammar), ("none", BaseScore::None)];
    find(&base_scores, name).ok_or_else(|| unknown("a base score", &base_scores, name))
}

fn parse_property(name: &str) -> Result<Property> {
    match name.split_once('.') {
        None => find(&SPAN_PROPERTIES, name)
            .ok_or_else(|| unknown("PLACE.FORM or a property of spans", &SPAN_PROPERTIES, name)),
        Some((place, form)) => {
            let place = find(&PLACES, place).ok_or_else(|| unknown("a place", &PLACES, place))?;
            Ok(Property::Word(place, parse_form(form)?))
        }
    }
}

fn parse_form(name: &str) -> Result<WordForm> {
    let simple = [
        ("word", WordForm::Word),
        ("class", WordForm::Class),
        ("shape", WordForm::Shape),
        ("cluster", WordForm::Cluster),
        ("suffixN", WordForm::Suffix(0)),
        ("prefixN", WordForm::Prefix(0)),
    ];
    let affix = |rest: &str| rest.parse().ok().filter(|length| (1..=MAX_AFFIX).contains(length));
    let form = match (name.strip_prefix("suffix"), name.strip_prefix("prefix")) {
        (Some(rest), _) => affix(rest).map(WordForm::Suffix),
        (_, Some(rest)) => affix(rest).map(WordForm::Prefix),
        _ => find(&simple, name),
    };
    form.ok_or_else(|| unknown("a form of words", &simple, name))
}

/// Only rules have children, and a tag is over one word.
fn check(target: TemplateTarget, properties: &[Property]) -> Result<()> {
    let is_of_rule = |property: &Property| {
        matches!(
            property,
            Property::Word(TemplatePlace::SplitLeft | TemplatePlace::SplitRight, _)
                | Property::LeftLength
                | Property::RightLength
        )
    };
    match properties.iter().find(|property| is_of_rule(property)) {
        Some(found) if target != TemplateTarget::Rule => {
            Err(syntax(format!("expected properties of a span, found `{found}`, which only a rule has"))
                .hint("begin the line with `rule`"))
        }
        _ => Ok(()),
    }
}

fn unknown<T>(expected: &str, list: &[(&str, T)], found: &str) -> Error {
    let names: Vec<&str> = list.iter().map(|(name, _)| *name).collect();
    syntax(format!("expected {expected} ({}), found `{found}`", names.join(", ")))
}

fn syntax(message: String) -> Error {
    Error::new(ErrorKind::Syntax, message)
}

impl fmt::Display for TemplateTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name_of(&TARGETS, *self))
    }
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(place, form) => write!(f, "{}.{form}", name_of(&PLACES, *place)),
            other => f.write_str(name_of(&SPAN_PROPERTIES, *other)),
        }
    }
}

impl fmt::Display for WordForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word => f.write_str("word"),
            Self::Class => f.write_str("class"),
            Self::Suffix(length) => write!(f, "suffix{length}"),
            Self::Prefix(length) => write!(f, "prefix{length}"),
            Self::Shape => f.write_str("shape"),
            Self::Cluster => f.write_str("cluster"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_named_sets_are_sound() {
        for (name, text) in CRF_TEMPLATE_SETS {
            let set: CrfTemplates = text.parse().unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(CrfTemplates::named(name), Some(set));
        }
        assert_eq!(CrfTemplates::named("none"), None);
    }

    #[test]
    fn properties_come_back_as_they_were_written() {
        let text = "base-score words\nrule split-left.suffix3 left-length\nany middle.word shape # of three";
        assert!(text.parse::<CrfTemplates>().is_err(), "comments have lines of their own");
        let set: CrfTemplates = text.replace(" # of three", "").parse().unwrap();
        assert_eq!((set.base_score(), set.templates().len()), (BaseScore::Words, 2));
        let written: Vec<String> = set.templates()[0].properties.iter().map(ToString::to_string).collect();
        assert_eq!(written, ["split-left.suffix3", "left-length"]);
        assert!(set.asks_for(Property::Shape) && !set.asks_for(Property::Length) && !set.use_grammar());
    }

    #[test]
    fn faults_are_told_with_their_line() {
        for (text, part) in [
            ("", "expected at least one template"),
            (
                "label first.class\nphrase length",
                "line 2: expected `base-score`, or what a feature speaks about (any, label, rule, tag), found `phrase`",
            ),
            ("label left-length", "found `left-length`, which only a rule has"),
            ("label first", "expected PLACE.FORM or a property of spans"),
            ("label first.suffix0", "expected a form of words"),
            ("base-score all", "expected a base score (words, grammar, none), found `all`"),
        ] {
            let message = text.parse::<CrfTemplates>().unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }
}
