//! Why a tree: for each of its phrases the alternatives, and the words that carried it.
//!
//! A network has no features to name. What can be told is what else there might have been, and by how much it
//! fell behind; and how much of that distance is lost when the network does not see a word. So every word is
//! left out once, and the sentence is scored again.

use super::labels::LabelledSpan;
use super::parser::NeuralParser;
use super::search::SpanScores;
use crate::error::Result;
use crate::parse::{Parse, Request};
use crate::span::Span;

/// Sentences that are scored together while words are left out.
const BATCH: usize = 16;

/// A sentence with the reasons for its tree.
#[derive(Debug, Clone, PartialEq)]
pub struct NeuralExplanation {
    /// The best tree.
    pub parse: Parse,
    /// Its phrases in pre-order, those over the same words as one, without the root.
    pub phrases: Vec<ExplainedPhrase>,
}

/// A phrase, what else there might have been, and why it is not.
#[derive(Debug, Clone, PartialEq)]
pub struct ExplainedPhrase {
    /// Its label, as `NP`, or the labels of several phrases over the same words, as `S+VP`.
    pub label: String,
    /// Where it is.
    pub span: Span,
    /// What it is worth; a span without a phrase is worth 0.
    pub score: f32,
    /// The best other labels, or none, and by how much each falls behind. The first is the closest.
    pub alternatives: Vec<ExplainedAlternative>,
    /// For each word, how much closer the first alternative comes when it is left out; the most important
    /// word first.
    pub words: Vec<(usize, f32)>,
}

/// What else there might have been over a span.
#[derive(Debug, Clone, PartialEq)]
pub struct ExplainedAlternative {
    /// The label; nothing if there were no phrase.
    pub label: Option<String>,
    /// By how much it falls behind; negative if it is better by itself, but not in a tree.
    pub margin: f32,
}

/// A phrase of the best tree, and what else there might have been over its span, the best first.
struct Rivalry {
    phrase: LabelledSpan,
    /// Labels, or none.
    others: Vec<Option<u16>>,
}

impl Rivalry {
    fn new(phrase: LabelledSpan, scores: &SpanScores) -> Self {
        let row = scores.row(phrase.span);
        let mut others: Vec<(Option<u16>, f32)> = vec![(None, 0.0)];
        others.extend(
            (0..).map(Some).zip(row.iter().copied()).filter(|(label, _)| *label != Some(phrase.label)),
        );
        // Stable: no phrase before one that is worth nothing, and the first label among equals.
        others.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        Self { phrase, others: others.into_iter().map(|(label, _)| label).collect() }
    }

    /// By how much a rival falls behind.
    fn margin(&self, scores: &SpanScores, other: Option<u16>) -> f32 {
        let row = scores.row(self.phrase.span);
        row[usize::from(self.phrase.label)] - other.map_or(0.0, |label| row[usize::from(label)])
    }

    /// By how much the first one falls behind.
    fn first_margin(&self, scores: &SpanScores) -> f32 {
        self.margin(scores, self.others[0])
    }
}

impl NeuralParser<'_> {
    /// Parses a sentence and tells of each phrase of the best tree so many alternatives, and the words that
    /// carried it. Constraints count for the tree, and not for the alternatives.
    ///
    /// # Errors
    /// If a tree is larger than one can be.
    pub fn explain(&mut self, request: Request<'_>, num_alternatives: usize) -> Result<NeuralExplanation> {
        let parse = self.parse(request)?.parses.swap_remove(0);
        let words: Vec<&str> = request.tokens.words().collect();
        let mut scores = self.span_scores(std::slice::from_ref(&words))?;
        let scores = scores.swap_remove(0);
        let phrases = self.labels().phrases_of(&parse.tree);
        let rivalries: Vec<Rivalry> =
            phrases.into_iter().map(|phrase| Rivalry::new(phrase, &scores)).collect();
        let effects = self.effects(&words, &rivalries, &scores)?;
        let explained = rivalries.iter().zip(effects).map(|(rivalry, words)| ExplainedPhrase {
            label: self.labels().name(rivalry.phrase.label).to_owned(),
            span: rivalry.phrase.span,
            score: scores.row(rivalry.phrase.span)[usize::from(rivalry.phrase.label)],
            alternatives: self.alternatives(rivalry, &scores, num_alternatives),
            words,
        });
        Ok(NeuralExplanation { parse, phrases: explained.collect() })
    }

    fn alternatives(&self, rivalry: &Rivalry, scores: &SpanScores, most: usize) -> Vec<ExplainedAlternative> {
        let alternative = |&other: &Option<u16>| ExplainedAlternative {
            label: other.map(|label| self.labels().name(label).to_owned()),
            margin: rivalry.margin(scores, other),
        };
        rivalry.others.iter().take(most).map(alternative).collect()
    }

    /// For each phrase, by how much the margin to its first rival shrinks without each word.
    fn effects(
        &mut self,
        words: &[&str],
        rivalries: &[Rivalry],
        scores: &SpanScores,
    ) -> Result<Vec<Vec<(usize, f32)>>> {
        // To the encoder an empty word is an unknown piece.
        let without = |place: usize| {
            let mut words = words.to_vec();
            words[place] = "";
            words
        };
        let sentences: Vec<Vec<&str>> = (0..words.len()).map(without).collect();
        let mut effects = vec![Vec::with_capacity(words.len()); rivalries.len()];
        let mut place = 0;
        for sentences in sentences.chunks(BATCH) {
            for without in self.span_scores(sentences)? {
                for (rivalry, effects) in rivalries.iter().zip(&mut effects) {
                    effects.push((place, rivalry.first_margin(scores) - rivalry.first_margin(&without)));
                }
                place += 1;
            }
        }
        // Stable: the first word among equals.
        effects.iter_mut().for_each(|words| words.sort_by(|(_, a), (_, b)| b.abs().total_cmp(&a.abs())));
        Ok(effects)
    }
}
