//! Which features paid for which part of the best tree.

use super::features::{Extractor, Part};
use super::graph::NO_PART;
use super::parser::CrfParser;
use super::sums::best_derivation;
use super::surface::{Surface, length_step};
use crate::chart::output::ChartParse;
use crate::chart::worker::Request;
use crate::error::Result;
use crate::model::{CrfModel, Place, Property, Symbol};
use crate::span::Span;

/// A sentence with the reasons for its tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// The best tree.
    pub parse: ChartParse,
    /// What it is made of, phrases before what is in them. Parts of phrases are there too, under names that begin with `@`.
    pub steps: Vec<Step>,
}

/// A phrase with its rule, or a word with its tag.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The rule, as `NP → DT NN`, or the tag.
    pub name: String,
    /// Where it is.
    pub span: Span,
    /// What it is worth before there are features.
    pub base_score: f32,
    /// The features that hold and have a weight, the heaviest first.
    pub reasons: Vec<Reason>,
}

impl Step {
    /// What it is worth in all.
    pub fn score(&self) -> f32 {
        self.base_score + self.reasons.iter().map(|reason| reason.weight).sum::<f32>()
    }
}

/// A feature and its weight.
#[derive(Debug, Clone, PartialEq)]
pub struct Reason {
    /// The feature in words, as `label first.class=the`.
    pub name: String,
    /// Its weight.
    pub weight: f32,
}

impl CrfParser<'_> {
    /// Parses a sentence and tells what speaks for each part of the best tree; nothing if there is no parse.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn explain(&mut self, request: Request<'_>) -> Result<Option<Explanation>> {
        let (graph, parses, surface) = match self.scored(request)? {
            (Some(it), _) => it,
            (None, _) => return Ok(None),
        };
        let Some(parse) = parses.into_iter().next() else { return Ok(None) };
        let chosen: Vec<f32> = graph.forest.edges.iter().map(|edge| edge.score).collect();
        let words: Vec<&str> = request.tokens.words().collect();
        let namer = Namer { model: self.model, words: &words };
        let mut steps = Vec::new();
        for edge in best_derivation(&graph, &chosen).1 {
            let parts = graph.of_edges[edge as usize];
            let parts =
                || parts.into_iter().filter(|&part| part != NO_PART).map(|part| graph.parts[part as usize]);
            let Some((name, span)) = parts().next_back().map(|part| namer.part(part)) else { continue };
            let mut reasons = Vec::new();
            for part in parts() {
                self.extractor.features(&surface, part, |template, feature| {
                    let weight = self.model.weights.get(feature);
                    if weight != 0.0 {
                        reasons.push(Reason { name: namer.feature(template, part, &surface), weight });
                    }
                });
            }
            // Stable: templates decide between equals.
            reasons.sort_by(|a, b| b.weight.abs().total_cmp(&a.weight.abs()));
            steps.push(Step {
                name,
                span,
                base_score: self.model.base_weight * graph.base_scores[edge as usize],
                reasons,
            });
        }
        Ok(Some(Explanation { parse, steps }))
    }
}

/// Puts parts and features into words.
struct Namer<'n> {
    model: &'n CrfModel,
    words: &'n [&'n str],
}

impl Namer<'_> {
    fn symbol(&self, symbol: Symbol) -> &str {
        self.model.grammar.symbols().name(symbol)
    }

    fn part(&self, part: Part) -> (String, Span) {
        match part {
            Part::Word { tag, place } => (self.symbol(tag).to_owned(), Span::new(place, place + 1)),
            Part::Phrase { symbol, span } => (self.symbol(symbol).to_owned(), span),
            Part::Rule { parent, left, right, span, .. } => {
                let right = right.map(|right| format!(" {}", self.symbol(right))).unwrap_or_default();
                (format!("{} → {}{right}", self.symbol(parent), self.symbol(left)), span)
            }
        }
    }

    fn feature(&self, template: u32, part: Part, surface: &Surface) -> String {
        let template = &self.model.templates.templates()[template as usize];
        let mut name = template.target.to_string();
        for &property in &template.properties {
            name.push_str(&format!(" {property}={}", self.value(property, part, surface)));
        }
        name
    }

    fn value(&self, property: Property, part: Part, surface: &Surface) -> String {
        let (span, split) = Extractor::anchor(part);
        let steps = |length: u32| length_step(length).to_string();
        match property {
            Property::Word(place, form) => {
                let at = place_of(place, span, split);
                let word = usize::try_from(at).ok().and_then(|at| self.words.get(at));
                word.map_or_else(|| "none".to_owned(), |word| self.model.forms.text(form, word).into_owned())
            }
            Property::Length => steps(span.end - span.start),
            Property::ShortLength => (span.end - span.start).to_string(),
            Property::LeftLength => steps(split - span.start),
            Property::RightLength => steps(span.end - split),
            Property::Shape => {
                self.words[span.range()].iter().map(|word| crate::model::word_kind(word)).collect()
            }
            Property::Grammar => surface.grammar(span).to_string(),
            Property::Flat => surface.flat(span).to_string(),
        }
    }
}

/// Where a word is that is seen from a span.
pub(super) fn place_of(place: Place, span: Span, split: u32) -> i64 {
    let (start, end, split) = (i64::from(span.start), i64::from(span.end), i64::from(split));
    match place {
        Place::First => start,
        Place::Last => end - 1,
        Place::Before => start - 1,
        Place::Before2 => start - 2,
        Place::After => end,
        Place::After2 => end + 1,
        Place::Middle => start + 1,
        Place::SplitLeft => split - 1,
        Place::SplitRight => split,
    }
}
