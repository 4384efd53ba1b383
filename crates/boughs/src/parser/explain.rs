//! Why a parser decided as it did: steps to the best tree, each with its alternatives and its reasons.

use serde::Serialize;

use super::combined::{CombinedParser, CombinedPhrase};
use super::{EngineOptions, Model, Parser, Sentence, explain_grammar};
use crate::chart::{ChartParser, ExplainedPart};
use crate::error::Result;
use crate::neural::{ExplainedPhrase, NeuralParser};
use crate::parse::Request;
use crate::span::Span;
use crate::transition::explain::{Decision, Difference, Explainer};
use crate::tree::Tokens;

/// How many things that do not hold a reason names.
const MAX_ABSENT: usize = 1;

/// A part of the best tree.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExplainedStep {
    /// The label, the rule or the tag.
    pub label: String,
    /// Its first token.
    pub start: u32,
    /// One past its last token.
    pub end: u32,
    /// Its tokens, as the model knows them.
    pub words: Vec<String>,
    /// What it is worth, in the parser's own measure.
    pub score: f64,
    /// What else there might have been, and by how much that falls behind.
    pub alternatives: Vec<(Option<String>, f64)>,
    /// What speaks for it, in words, and how much that adds; the most important first.
    pub reasons: Vec<(String, f64)>,
}

pub(super) fn words(tokens: &Tokens, span: Span) -> Vec<String> {
    span.range().map(|index| tokens.word(index).to_owned()).collect()
}

/// The steps to the best tree of a sentence.
///
/// # Errors
/// [`ErrorKind::Argument`](crate::ErrorKind::Argument) if a word has no tag and the parser cannot tag, or no tree can
/// meet the constraints.
pub fn explain(parser: &Parser, sentence: &Sentence, num_alternatives: usize) -> Result<Vec<ExplainedStep>> {
    let tokens = parser.worker().prepare(sentence)?;
    let request = Request { constraints: &sentence.constraints, ..Request::new(&tokens) };
    match (parser.model(), &parser.options().engine) {
        (Model::Transition(model), EngineOptions::Transition(search)) => {
            let mut explainer = Explainer::new(model, *search, num_alternatives);
            let explained = explainer.explain(&tokens, None);
            let step = |decision: &Decision| of_decision(decision, &explainer, &explained.sentence);
            Ok(explained.decisions.iter().map(step).collect())
        }
        (Model::Chart(model), EngineOptions::Chart(options)) if model.features().is_some() => {
            let explained = ChartParser::new(model, options).explain(request, &[])?;
            let steps = explained.map(|explained| explained.steps).unwrap_or_default();
            Ok(steps.iter().map(|part| of_part(part, &tokens)).collect())
        }
        (Model::Neural(model), EngineOptions::Neural(options)) => {
            let explained = NeuralParser::new(model, *options).explain(request, num_alternatives)?;
            Ok(explained.phrases.into_iter().map(|phrase| of_phrase(phrase, &tokens)).collect())
        }
        (Model::Combined(model), EngineOptions::Combined(options)) => {
            let mut combined = CombinedParser::new(model, options, parser.options().timeout);
            let explained = combined.explain(sentence, num_alternatives)?;
            Ok(explained.phrases.into_iter().map(|phrase| of_combined(phrase, sentence.tokens())).collect())
        }
        _ => explain_grammar::explain(parser, sentence, num_alternatives),
    }
}

fn of_decision(decision: &Decision, explainer: &Explainer<'_>, tokens: &Tokens) -> ExplainedStep {
    let made = &decision.made;
    let reason = |difference: &Difference| {
        let of = if difference.is_of_alternative { "alternative " } else { "" };
        let conditions = explainer.in_words(&difference.conditions, MAX_ABSENT);
        (format!("{of}{}: {conditions}", difference.label), difference.effect)
    };
    let others = decision.alternatives.iter();
    ExplainedStep {
        label: format!("{} → {}", made.label, made.children.join(" ")),
        start: made.span.start,
        end: made.span.end,
        words: words(tokens, made.span),
        score: made.score,
        alternatives: others.map(|other| (Some(other.label.clone()), made.score - other.score)).collect(),
        reasons: decision.differences.iter().map(reason).collect(),
    }
}

fn of_part(part: &ExplainedPart, tokens: &Tokens) -> ExplainedStep {
    let before = (part.base_score != 0.0).then(|| ("before all features".to_owned(), part.base_score.into()));
    let reasons = part.reasons.iter().map(|reason| (reason.name.clone(), reason.weight.into()));
    ExplainedStep {
        label: part.name.clone(),
        start: part.span.start,
        end: part.span.end,
        words: words(tokens, part.span),
        score: part.score().into(),
        alternatives: Vec::new(),
        reasons: before.into_iter().chain(reasons).collect(),
    }
}

fn of_phrase(phrase: ExplainedPhrase, tokens: &Tokens) -> ExplainedStep {
    let others = phrase.alternatives.into_iter();
    let in_words = |place: usize| format!("“{}”, word {}", tokens.word(place), place + 1);
    ExplainedStep {
        label: phrase.label,
        start: phrase.span.start,
        end: phrase.span.end,
        words: words(tokens, phrase.span),
        score: phrase.score.into(),
        alternatives: others.map(|other| (other.label, other.margin.into())).collect(),
        reasons: phrase.words.iter().map(|&(place, effect)| (in_words(place), effect.into())).collect(),
    }
}

fn of_combined(phrase: CombinedPhrase, tokens: &Tokens) -> ExplainedStep {
    let score = phrase.own.score;
    let others = phrase.alternatives.into_iter();
    let likely = (1..).zip(&phrase.own.probabilities);
    let reasons = likely.filter_map(|(number, likely)| {
        likely.map(|likely| (format!("probability by parser {number}"), likely.into()))
    });
    ExplainedStep {
        label: phrase.own.label.clone().unwrap_or_default(),
        start: phrase.span.start,
        end: phrase.span.end,
        words: words(tokens, phrase.span),
        score: score.into(),
        alternatives: others.map(|other| (other.label, (score - other.score).into())).collect(),
        reasons: reasons.collect(),
    }
}
