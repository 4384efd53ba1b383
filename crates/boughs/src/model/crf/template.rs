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

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, syntax};
use crate::learn::names::{name_of, named};
use crate::tree::rule_text::{for_each_line, name_or_text, named_text};

/// The named sets: name, text.
pub const CRF_TEMPLATE_SETS: [(&str, &str); 5] = [
    ("surface", include_str!("../../../data/crf/surface.templates")),
    ("surface+grammar", include_str!("../../../data/crf/surface+grammar.templates")),
    ("basic", include_str!("../../../data/crf/basic.templates")),
    ("lexical", include_str!("../../../data/crf/lexical.templates")),
    ("lexical+aux", include_str!("../../../data/crf/lexical+aux.templates")),
];

/// What a feature speaks about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WordForm {
    /// The word.
    Word,
    /// The word if it is frequent, else its longest frequent ending.
    Class,
    /// Its last letters.
    #[serde(rename = "suffixN")]
    Suffix(u8),
    /// Its first letters.
    #[serde(rename = "prefixN")]
    Prefix(u8),
    /// Capitals, digits and other signs, runs shortened.
    Shape,
    /// Its cluster, if the user gave clusters.
    Cluster,
    /// The tag that it is given, or that is likeliest to the base grammar.
    Tag,
}

/// Something that holds of a span, or of a rule over it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Property {
    /// A form of a word.
    #[serde(skip)]
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
    /// The tags of all words.
    Tags,
    /// How likely there is a phrase over the span to the grammar, in steps.
    Grammar,
    /// The same to the [classifier that sees the span by itself](super::SpanClassifier).
    SpanClassifier,
}

/// What a parse is worth before there are features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BaseScore {
    /// The logarithms of P(word | tag) of the grammar.
    Words,
    /// The logarithms of the posterior probabilities of its rules in the grammar.
    Grammar,
    /// Nothing.
    #[default]
    None,
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

/// The longest beginning or ending that a form may ask for.
const MAX_AFFIX: u8 = 9;

impl CrfTemplates {
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
            Some("base-score") => self.base_score = named("a base score", words.next().unwrap_or(""))?,
            Some(target) => {
                let target = named("`base-score`, or what a feature speaks about", target)?;
                let properties = words.map(parse_property).collect::<Result<Vec<_>>>()?;
                check(target, &properties)?;
                self.templates.push(Template { target, properties });
            }
            None => {}
        }
        Ok(())
    }
}

impl fmt::Display for CrfTemplates {
    /// Writes the name of the set, or the text of one that has none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name_or_text(&CRF_TEMPLATE_SETS, &self.text))
    }
}

impl FromStr for CrfTemplates {
    type Err = Error;

    /// Reads templates in the text form, or takes the set of that name among [`CRF_TEMPLATE_SETS`].
    ///
    /// # Errors
    /// [`Syntax`](crate::error::ErrorKind::Syntax) with the line that is not understood, or if there is none.
    fn from_str(text: &str) -> Result<Self> {
        let text = named_text(&CRF_TEMPLATE_SETS, text);
        let mut set = Self { templates: Vec::new(), base_score: BaseScore::None, text: text.to_owned() };
        for_each_line(text, |_, line| set.add_line(line))?;
        match set.templates.is_empty() {
            false => Ok(set),
            true => Err(syntax("expected at least one template, found none")),
        }
    }
}

fn parse_property(name: &str) -> Result<Property> {
    match name.split_once('.') {
        None => named("PLACE.FORM or a property of spans", name),
        Some((place, form)) => Ok(Property::Word(named("a place", place)?, parse_form(form)?)),
    }
}

fn parse_form(name: &str) -> Result<WordForm> {
    let affix =
        |kind| name.strip_prefix(kind)?.parse().ok().filter(|length| (1..=MAX_AFFIX).contains(length));
    let form = affix("suffix").map(WordForm::Suffix).or_else(|| affix("prefix").map(WordForm::Prefix));
    form.map_or_else(|| named("a form of words", name), Ok)
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

impl fmt::Display for TemplateTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&name_of(self))
    }
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(place, form) => write!(f, "{}.{form}", name_of(place)),
            other => f.write_str(&name_of(other)),
        }
    }
}

impl fmt::Display for WordForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Suffix(length) => write!(f, "suffix{length}"),
            Self::Prefix(length) => write!(f, "prefix{length}"),
            other => f.write_str(&name_of(other)),
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
            assert_eq!(name.parse::<CrfTemplates>().unwrap(), set);
            assert_eq!(set.to_string(), name);
        }
        assert!("none".parse::<CrfTemplates>().is_err());
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
