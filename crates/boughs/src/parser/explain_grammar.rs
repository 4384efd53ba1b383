//! Why a tree, by a grammar without features: how likely its phrases are, what else there might have been, and which
//! words decided.
//!
//! A rule of a latent grammar is a table of numbers between substates that mean nothing by themselves. What can be
//! told are posterior probabilities; and how much of the distance to what falls behind is lost if the grammar does
//! not know a word. So every word is left out once, and the sentence is parsed again.

use super::{ExplainedStep, ParseOptions, Parser, Sentence, Worker};
use crate::error::Result;
use crate::neural::{LabelledSpan, PhraseLabels, SpanPosteriors};
use crate::span::Span;
use crate::tree::Tree;

/// Phrases of so many best trees are alternatives to those of the best one.
const NUM_TREES: usize = 30;

/// What is in none of these trees, or less likely than this, counts as much.
const LEAST: f32 = 1e-4;

/// The phrases of the best tree, those over the same words as one, without the root: their scores are logarithms of
/// probabilities. Nothing if there is no parse.
pub(super) fn explain(
    parser: &Parser,
    sentence: &Sentence,
    num_alternatives: usize,
) -> Result<Vec<ExplainedStep>> {
    let options = ParseOptions { num_best: NUM_TREES, confidence_curve: None, ..parser.options().clone() };
    let mut worker = Worker::new(parser, &options);
    let parsed = worker.parse_by_posteriors(sentence)?;
    if parsed.status.is_fallback() {
        return Ok(Vec::new());
    }
    let trees: Vec<Tree> = parsed.parses.iter().map(|parse| parse.tree.clone()).collect();
    let Ok((labels, _)) = PhraseLabels::collect(&trees) else { return Ok(Vec::new()) };
    let likely = Likely::new(SpanPosteriors::of_trees(&parsed, &labels));
    let phrases = labels.phrases_of(parsed.tree());
    let mut without = Vec::with_capacity(sentence.tokens().len());
    for place in 0..sentence.tokens().len() {
        let posteriors = worker.posteriors(&[&sentence.without_word(place)], &labels)?.swap_remove(0);
        without.push(Likely::new(posteriors));
    }
    let step = |phrase: LabelledSpan| {
        let others = likely.others(phrase);
        let margin = |likely: &Likely, other| {
            likely.log(phrase.span, Some(phrase.label)) - likely.log(phrase.span, other)
        };
        let name = |other: Option<u16>| other.map(|label| labels.name(label).to_owned());
        let lost = |without: &Likely| margin(&likely, others[0]) - margin(without, others[0]);
        let mut reasons: Vec<(usize, f64)> = without.iter().map(lost).enumerate().collect();
        // Stable: the first word among equals.
        reasons.sort_by(|(_, a), (_, b)| b.abs().total_cmp(&a.abs()));
        let in_words = |place: usize| format!("“{}”, word {}", sentence.tokens().word(place), place + 1);
        ExplainedStep {
            label: labels.name(phrase.label).to_owned(),
            start: phrase.span.start,
            end: phrase.span.end,
            words: super::explain::words(sentence.tokens(), phrase.span),
            score: likely.log(phrase.span, Some(phrase.label)),
            alternatives: others
                .iter()
                .take(num_alternatives)
                .map(|&other| (name(other), margin(&likely, other)))
                .collect(),
            reasons: reasons.into_iter().map(|(place, lost)| (in_words(place), lost)).collect(),
        }
    };
    Ok(phrases.into_iter().map(step).collect())
}

/// How likely phrases are; nothing is, if there is no parse.
struct Likely(Vec<(LabelledSpan, f32)>);

impl Likely {
    fn new(posteriors: Option<SpanPosteriors>) -> Self {
        Self(posteriors.map(|posteriors| posteriors.phrases).unwrap_or_default())
    }

    fn over(&self, span: Span) -> impl Iterator<Item = (u16, f32)> {
        self.0
            .iter()
            .filter(move |(phrase, _)| phrase.span == span)
            .map(|(phrase, likely)| (phrase.label, *likely))
    }

    /// The logarithm of the probability of a label over a span, or of no phrase there.
    fn log(&self, span: Span, label: Option<u16>) -> f64 {
        let of_label = |wanted: u16| {
            self.over(span).find(|(label, _)| *label == wanted).map_or(0.0, |(_, likely)| likely)
        };
        let likely =
            label.map_or_else(|| 1.0 - self.over(span).map(|(_, likely)| likely).sum::<f32>(), of_label);
        f64::from(likely.max(LEAST)).ln()
    }

    /// What else there might have been where a phrase is, the likeliest first: other labels, or none.
    fn others(&self, phrase: LabelledSpan) -> Vec<Option<u16>> {
        let labels = self.over(phrase.span).map(|(label, _)| label).filter(|&label| label != phrase.label);
        let mut others: Vec<Option<u16>> = std::iter::once(None).chain(labels.map(Some)).collect();
        // Stable: no phrase before one that is as likely, and the first label among equals.
        others.sort_by(|&a, &b| self.log(phrase.span, b).total_cmp(&self.log(phrase.span, a)));
        others
    }
}
