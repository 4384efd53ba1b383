//! Why a tree: what each parser thinks of its phrases, and of what else there might have been.

use super::parser::{CombinedParser, probability};
use crate::error::Result;
use crate::neural::LabelledSpan;
use crate::parse::Parsed;
use crate::parser::Sentence;
use crate::span::Span;

/// A sentence with the reasons for its tree.
#[derive(Debug)]
pub struct CombinedExplanation {
    /// The best tree.
    pub parsed: Parsed,
    /// Its phrases in pre-order, those over the same words as one, without the root.
    pub phrases: Vec<CombinedPhrase>,
}

/// A phrase, and what else there might have been.
#[derive(Debug, Clone, PartialEq)]
pub struct CombinedPhrase {
    /// Where it is.
    pub span: Span,
    /// The phrase itself.
    pub own: PhrasePosteriors,
    /// The best other labels, or none; the first is the closest.
    pub alternatives: Vec<PhrasePosteriors>,
}

/// A label over a span, and what parsers think of it.
#[derive(Debug, Clone, PartialEq)]
pub struct PhrasePosteriors {
    /// As `NP`, or the labels of several phrases over the same words, as `S+VP`; nothing if there is no phrase.
    pub label: Option<String>,
    /// What it is worth to all together, beside no phrase, which is worth 0.
    pub score: f32,
    /// For each parser how likely it is; nothing if the parser found no tree, or was not asked.
    pub probabilities: Vec<Option<f32>>,
}

impl CombinedParser<'_> {
    /// Parses a sentence and tells what each parser thinks of each phrase, and of so many alternatives.
    ///
    /// # Errors
    /// If a tree is larger than one can be.
    pub fn explain(&mut self, sentence: &Sentence, num_alternatives: usize) -> Result<CombinedExplanation> {
        let posteriors = self.posteriors(&[sentence])?.swap_remove(0);
        let parsed = self.model.combine(&self.options, sentence, &posteriors, 1)?;
        let Some(combined) = self.model.put_together(&self.options, &posteriors) else {
            return Ok(CombinedExplanation { parsed, phrases: Vec::new() });
        };
        let posteriors_of = |span: Span, label: Option<u16>| {
            let likely = |place: usize| {
                let (_, posteriors) = posteriors.iter().find(|(other, _)| *other == place)?;
                let of_span = || posteriors.phrases.iter().filter(|(phrase, _)| phrase.span == span);
                Some(match label {
                    Some(label) => probability(posteriors, LabelledSpan { span, label }),
                    None => (1.0 - of_span().map(|(_, probability)| probability).sum::<f32>()).max(0.0),
                })
            };
            PhrasePosteriors {
                label: label.map(|label| self.model.labels.name(label).to_owned()),
                score: label.map_or(0.0, |label| combined.scores.row(span)[usize::from(label)]),
                probabilities: (0..self.model.parsers.len()).map(likely).collect(),
            }
        };
        let explain = |LabelledSpan { span, label }: LabelledSpan| {
            let labels = (0..self.model.labels.len() as u16).filter(|&other| other != label).map(Some);
            let mut others: Vec<_> = std::iter::once(None)
                .chain(labels)
                .map(|label| {
                    (label, label.map_or(0.0, |label| combined.scores.row(span)[usize::from(label)]))
                })
                .collect();
            // Stable: no phrase before one that is worth nothing.
            others.sort_by(|(_, a), (_, b)| b.total_cmp(a));
            let others = others.into_iter().take(num_alternatives);
            CombinedPhrase {
                span,
                own: posteriors_of(span, Some(label)),
                alternatives: others.map(|(label, _)| posteriors_of(span, label)).collect(),
            }
        };
        let phrases = self.model.labels.phrases_of(parsed.tree()).into_iter().map(explain).collect();
        Ok(CombinedExplanation { parsed, phrases })
    }
}
