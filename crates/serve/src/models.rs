//! The parsers of a service, by name.

use boughs::parser::{ParseOptions, Parser};
use boughs::text::Language;
use boughs::tree::heads::HeadRules;
use serde::Serialize;

use crate::refusal::Refusal;
use crate::settings::Limits;

/// A parser with its name.
#[derive(Debug)]
pub struct NamedParser {
    /// By which requests ask for it.
    pub name: String,
    /// The parser.
    pub parser: Parser,
}

/// The parsers of a service; the first is the one for requests that name none.
#[derive(Debug)]
pub(crate) struct Models(Vec<Model>);

#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) name: String,
    pub(crate) parser: Parser,
    pub(crate) heads: HeadRules,
}

/// The place of a parser among those of a service.
pub(crate) type ModelId = usize;

/// What is told about a parser.
#[derive(Debug, Serialize)]
pub(crate) struct ModelRecord<'m> {
    name: &'m str,
    kind: &'m str,
    title: &'m str,
    version: &'m str,
    data: &'m str,
    tags: Vec<&'m str>,
    max_words: Option<usize>,
    can_tag: bool,
    can_explain: bool,
}

impl Models {
    /// Parsers whose time for a sentence is bounded.
    pub(crate) fn new(parsers: Vec<NamedParser>, limits: &Limits) -> boughs::Result<Self> {
        let bounded = |NamedParser { name, parser }| {
            let own = parser.options().clone();
            let timeout = own.timeout.map_or(limits.sentence_time, |own| own.min(limits.sentence_time));
            let parser = parser.with_options(ParseOptions { timeout: Some(timeout), ..own })?;
            Ok(Model { name, heads: parser.heads(), parser })
        };
        parsers.into_iter().map(bounded).collect::<boughs::Result<_>>().map(Self)
    }

    pub(crate) fn get(&self, id: ModelId) -> &Model {
        &self.0[id]
    }

    /// The language of texts for these parsers: that of the first.
    pub(crate) fn text_language(&self, ids: &[ModelId]) -> Language {
        ids.first().map_or_else(Language::default, |&id| self.get(id).parser.text_language())
    }

    /// The language of texts for which no parser is named.
    pub(crate) fn default_language(&self) -> Language {
        self.iter().next().map_or_else(Language::default, |model| model.parser.text_language())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Model> {
        self.0.iter()
    }

    /// The parser of a name, or the first.
    pub(crate) fn find(&self, name: Option<&str>) -> Result<ModelId, Refusal> {
        let known = || self.0.iter().map(|model| format!("`{}`", model.name)).collect::<Vec<_>>().join(", ");
        let place = match name {
            None => (!self.0.is_empty()).then_some(0),
            Some(name) => self.0.iter().position(|model| model.name == name),
        };
        place.ok_or_else(|| match name {
            None => Refusal::unfit("this service has no model").hint("start it with -m MODEL"),
            Some(name) => Refusal::unfit(format!("there is no model `{name}`"))
                .hint(format!("there are {}; see /models", known())),
        })
    }

    /// The parsers of these names; the first if there are none.
    pub(crate) fn find_all(&self, names: &[String]) -> Result<Vec<ModelId>, Refusal> {
        match names {
            [] => Ok(vec![self.find(None)?]),
            _ => names.iter().map(|name| self.find(Some(name))).collect(),
        }
    }
}

impl Model {
    pub(crate) fn record(&self) -> ModelRecord<'_> {
        let about = self.parser.about();
        ModelRecord {
            name: &self.name,
            kind: &about.kind,
            title: &about.name,
            version: &about.version,
            data: &about.data,
            tags: self.parser.tags(),
            max_words: self.parser.options().max_length,
            can_tag: self.parser.can_tag(),
            can_explain: can_explain(&self.parser),
        }
    }
}

fn can_explain(parser: &Parser) -> bool {
    match parser.model() {
        boughs::parser::Model::Chart(model) => model.features().is_some(),
        _ => true,
    }
}
