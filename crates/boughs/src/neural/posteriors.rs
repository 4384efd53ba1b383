//! What a parser thinks of a sentence.

use super::labels::{LabelledSpan, PhraseLabels};
use crate::parse::{Parse, Parsed};
use crate::tree::Tokens;

/// How likely phrases are to a parser, and the tags that it gives.
#[derive(Debug, Clone)]
pub(crate) struct SpanPosteriors {
    /// Sorted, none twice; all others are impossible to it.
    pub(crate) phrases: Vec<(LabelledSpan, f32)>,
    pub(crate) tokens: Tokens,
}

/// What is less likely is left out: tables have a row for every span, and most of them are empty.
const LEAST: f32 = 1e-5;

impl SpanPosteriors {
    /// Posteriors with all phrases that are not too unlikely. Those that come twice are added up, and where the
    /// phrases over a span come to more than 1, they are scaled down to it.
    pub(crate) fn new(tokens: Tokens, mut phrases: Vec<(LabelledSpan, f32)>) -> Self {
        phrases.retain(|(_, probability)| *probability >= LEAST);
        phrases.sort_by_key(|(phrase, _)| *phrase);
        phrases.dedup_by(|(other, more), (phrase, probability)| {
            let is_same = other == phrase;
            *probability += if is_same { *more } else { 0.0 };
            is_same
        });
        for of_span in phrases.chunk_by_mut(|(a, _), (b, _)| a.span == b.span) {
            let total: f32 = of_span.iter().map(|(_, probability)| probability).sum();
            of_span.iter_mut().for_each(|(_, probability)| *probability /= total.max(1.0));
        }
        Self { phrases, tokens }
    }

    /// The posteriors of a parser that gives trees; none if it found none. A phrase is as likely as the parser says
    /// (a chain of phrases over the same words as its least likely one), or, if it says nothing, as all trees
    /// together that have it, each counted by the exponential of its cost.
    pub(crate) fn of_trees(parsed: &Parsed, labels: &PhraseLabels) -> Option<Self> {
        if parsed.status.is_fallback() {
            return None;
        }
        let tokens: Tokens = parsed.tree().tokens().collect();
        let shares = shares(&parsed.parses);
        let mut sure = Vec::new();
        let mut shared = Vec::new();
        for (parse, share) in parsed.parses.iter().zip(shares) {
            for (phrase, confidence) in labels.phrases_with(&parse.tree, &parse.confidences) {
                match confidence {
                    Some(confidence) => sure.push((phrase, confidence as f32)),
                    None => shared.push((phrase, share)),
                }
            }
        }
        // Every tree says the same of a phrase that it has.
        sure.sort_by_key(|(phrase, _)| *phrase);
        sure.dedup_by_key(|(phrase, _)| *phrase);
        sure.append(&mut shared);
        Some(Self::new(tokens, sure))
    }
}

/// How much of all trees each is.
fn shares(parses: &[Parse]) -> Vec<f32> {
    let costs = parses.iter().map(|parse| parse.cost.unwrap_or(0.0));
    let least = costs.clone().fold(f64::INFINITY, f64::min);
    let weights: Vec<f64> = costs.map(|cost| (least - cost).exp()).collect();
    let total: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| (weight / total) as f32).collect()
}
