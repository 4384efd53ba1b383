//! How likely the spans of a graph are phrases to the span classifier.

use super::features::{Extractor, PartSymbols};
use super::graph::CrfGraph;
use super::surface::{Surface, probability_step};
use crate::model::{SpanClassifier, Symbols, WordForms};
use crate::span::Span;
use crate::tree::Tokens;

/// A classifier made ready for the symbols of parts.
#[derive(Debug)]
pub(crate) struct SpanScorer<'c> {
    classifier: &'c SpanClassifier,
    extractor: Extractor,
}

impl<'c> SpanScorer<'c> {
    pub(crate) fn new(classifier: &'c SpanClassifier, symbols: &PartSymbols) -> Self {
        Self { classifier, extractor: Extractor::new(&classifier.templates, symbols) }
    }

    /// A tagged sentence as the classifier sees it.
    pub(crate) fn look(&self, forms: &WordForms, tokens: &Tokens) -> Surface {
        Surface::new(forms, self.extractor.forms(), tokens)
    }

    /// How likely a span is a phrase.
    pub(crate) fn probability(&self, seen: &Surface, span: Span) -> f32 {
        let mut sum = 0.0;
        self.extractor.span_features(seen, span, |feature| sum += self.classifier.weights.get(feature));
        self.classifier.probability(sum)
    }

    /// Tells a surface how likely each span that may be a phrase is one.
    pub(crate) fn tell(
        &self,
        graph: &CrfGraph,
        symbols: &Symbols,
        forms: &WordForms,
        tokens: &Tokens,
        surface: &mut Surface,
    ) {
        let seen = self.look(forms, tokens);
        for item in graph.forest.items.iter().filter(|item| symbols.is_phrase(item.symbol)) {
            let step = || probability_step(self.probability(&seen, item.span));
            surface.span_classifier.entry(item.span).or_insert_with(step);
        }
    }
}
