//! Which features paid for which part of the best tree.

use super::features::{CrfPart, Extractor, PartSymbols};
use super::graph::NO_PART;
use super::parser::{CrfParser, ScoredGraph};
use super::sums::best_derivation;
use super::surface::{Surface, length_step};
use crate::model::{CrfFeatures, Property, Symbol, Symbols, TemplatePlace};
use crate::parse::Parse;
use crate::span::Span;
use crate::tree::{Token, Tokens};

/// A sentence with the reasons for its tree.
#[derive(Debug, Clone, PartialEq)]
pub struct CrfExplanation {
    /// The best tree.
    pub parse: Parse,
    /// What it is made of, phrases before what is in them. Parts of phrases are there too, under names that begin with
    /// `@`.
    pub steps: Vec<ExplainedPart>,
}

/// A phrase with its rule, or a word with its tag.
#[derive(Debug, Clone, PartialEq)]
pub struct ExplainedPart {
    /// The rule, as `NP → DT NN`, or the tag.
    pub name: String,
    /// Where it is.
    pub span: Span,
    /// What it is worth before there are features.
    pub base_score: f32,
    /// The features that hold and have a weight, the heaviest first.
    pub reasons: Vec<WeightedFeature>,
}

impl ExplainedPart {
    /// What it is worth in all.
    pub fn score(&self) -> f32 {
        self.base_score + self.reasons.iter().map(|reason| reason.weight).sum::<f32>()
    }
}

/// A feature and its weight.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightedFeature {
    /// The feature in words, as `label first.class=the`.
    pub name: String,
    /// Its weight.
    pub weight: f32,
}

/// What speaks for each part of the best tree.
pub(super) fn explain(
    parser: &CrfParser<'_>,
    scored: ScoredGraph,
    tokens: &Tokens,
) -> Option<CrfExplanation> {
    let ScoredGraph { graph, parses, surface } = scored;
    let parse = parses.into_iter().next()?;
    let features = parser.features;
    let chosen: Vec<f32> = graph.forest.edges.iter().map(|edge| edge.score).collect();
    let tokens = graph.tagged(parser.symbols, tokens);
    let parts = parser.part_symbols();
    let namer = Namer { symbols: parser.symbols, parts, features, tokens: &tokens };
    let mut steps = Vec::new();
    for edge in best_derivation(&graph, &chosen).1 {
        let parts = graph.of_edges[edge as usize].into_iter().filter(|&part| part != NO_PART);
        let parts: Vec<CrfPart> = parts.map(|part| graph.parts[part as usize]).collect();
        let Some((name, span)) = parts.last().map(|&part| namer.part(part)) else { continue };
        let mut reasons = Vec::new();
        for &part in &parts {
            parser.extractor.features(&surface, part, |template, feature| {
                let weight = features.weights.get(feature);
                if weight != 0.0 {
                    reasons.push(WeightedFeature { name: namer.feature(template, part, &surface), weight });
                }
            });
        }
        // Stable: templates decide between equals.
        reasons.sort_by(|a, b| b.weight.abs().total_cmp(&a.weight.abs()));
        let base_score = features.base_weight * graph.base_scores[edge as usize];
        steps.push(ExplainedPart { name, span, base_score, reasons });
    }
    Some(CrfExplanation { parse, steps })
}

/// Puts parts and features into words.
struct Namer<'n> {
    symbols: &'n Symbols,
    parts: &'n PartSymbols,
    features: &'n CrfFeatures,
    tokens: &'n Tokens,
}

impl Namer<'_> {
    /// The name of the symbol of a part; substates that annotations made are told apart by their numbers.
    fn symbol(&self, symbol: Symbol) -> String {
        let (symbol, substate) = self.parts.in_grammar(symbol);
        let name = self.symbols.name(symbol);
        if substate == 0 { name.to_owned() } else { format!("{name}-{substate}") }
    }

    fn part(&self, part: CrfPart) -> (String, Span) {
        match part {
            CrfPart::Word { tag, place } => (self.symbol(tag), Span::new(place, place + 1)),
            CrfPart::Phrase { symbol, span } => (self.symbol(symbol), span),
            CrfPart::Rule { parent, left, right, span, .. } => {
                let right = right.map(|right| format!(" {}", self.symbol(right))).unwrap_or_default();
                (format!("{} → {}{right}", self.symbol(parent), self.symbol(left)), span)
            }
        }
    }

    fn feature(&self, template: u32, part: CrfPart, surface: &Surface) -> String {
        let template = &self.features.templates.templates()[template as usize];
        let mut name = template.target.to_string();
        for &property in &template.properties {
            name.push_str(&format!(" {property}={}", self.value(property, part, surface)));
        }
        name
    }

    fn value(&self, property: Property, part: CrfPart, surface: &Surface) -> String {
        let (span, split) = Extractor::anchor(part);
        let steps = |length: u32| length_step(length).to_string();
        match property {
            Property::Word(place, form) => {
                let at = place_of(place, span, split);
                match usize::try_from(at).ok().filter(|&at| at < self.tokens.len()) {
                    None => "none".to_owned(),
                    Some(at) => {
                        let Token { word, tag, .. } = self.tokens.get(at);
                        self.features.forms.text(form, word, tag).into_owned()
                    }
                }
            }
            Property::Length => steps(span.end - span.start),
            Property::ShortLength => (span.end - span.start).to_string(),
            Property::LeftLength => steps(split - span.start),
            Property::RightLength => steps(span.end - split),
            Property::Shape => {
                span.range().map(|place| crate::model::word_kind(self.tokens.word(place))).collect()
            }
            Property::Tags => {
                let tags: Vec<&str> = span.range().map(|place| self.tokens.get(place).tag).collect();
                tags.join("_")
            }
            Property::Grammar => surface.grammar(span).to_string(),
            Property::SpanClassifier => surface.span_classifier(span).to_string(),
        }
    }
}

/// Where a word is that is seen from a span.
pub(super) fn place_of(place: TemplatePlace, span: Span, split: u32) -> i64 {
    let (start, end, split) = (i64::from(span.start), i64::from(span.end), i64::from(split));
    match place {
        TemplatePlace::First => start,
        TemplatePlace::Last => end - 1,
        TemplatePlace::Before => start - 1,
        TemplatePlace::Before2 => start - 2,
        TemplatePlace::After => end,
        TemplatePlace::After2 => end + 1,
        TemplatePlace::Middle => start + 1,
        TemplatePlace::SplitLeft => split - 1,
        TemplatePlace::SplitRight => split,
    }
}
