//! The kinds of parsers, each with memory of its own.

use super::combined::{CombinedOptions, CombinedParser};
use super::{EngineOptions, Model, ParseOptions, Sentence};
use crate::chart::{ChartParser, TagPosteriors};
use crate::error::Result;
use crate::neural::NeuralParser;
use crate::parse::{Parsed, Request};
use crate::transition::TransitionParser;
use crate::tree::{Tokens, Tree};

/// A parser of some kind at work.
#[derive(Debug)]
pub(super) enum Engine<'p> {
    Transition(Box<TransitionParser<'p>>),
    Chart(Box<ChartParser<'p>>),
    Neural(Box<NeuralParser<'p>>),
    Combined(Box<CombinedParser<'p>>),
}

impl<'p> Engine<'p> {
    /// Options of another kind are never given: see [`Parser::with_options`](super::Parser::with_options).
    pub(super) fn new(model: &'p Model, options: &ParseOptions) -> Self {
        match model {
            Model::Transition(model) => {
                let options = options.transition().copied().unwrap_or_default();
                Self::Transition(Box::new(TransitionParser::new(model, &options)))
            }
            Model::Chart(model) => {
                let options = options.chart().cloned().unwrap_or_default();
                Self::Chart(Box::new(ChartParser::new(model, &options)))
            }
            Model::Neural(model) => {
                let options = options.neural().copied().unwrap_or_default();
                Self::Neural(Box::new(NeuralParser::new(model, options)))
            }
            Model::Combined(model) => {
                let combined = match &options.engine {
                    EngineOptions::Combined(combined) => combined.clone(),
                    _ => CombinedOptions::new(model.parsers().len()),
                };
                Self::Combined(Box::new(CombinedParser::new(model, &combined, options.timeout)))
            }
        }
    }

    /// Parses tokens as the model knows them.
    pub(super) fn parse(&mut self, request: Request<'_>, tag_posteriors: &[TagPosteriors]) -> Result<Parsed> {
        match self {
            Self::Transition(parser) => Ok(parser.parse(request)),
            Self::Chart(parser) => parser.parse(request, tag_posteriors),
            Self::Neural(parser) => parser.parse(request),
            Self::Combined(parser) => {
                let sentence = Sentence::of_request(request);
                Ok(parser.parse_batch(&[&sentence], request.num_best)?.swap_remove(0))
            }
        }
    }

    /// The tree of a sentence that is not parsed.
    pub(super) fn fallback(&self, tokens: &Tokens) -> Tree {
        match self {
            Self::Transition(parser) => parser.fallback(tokens),
            Self::Chart(parser) => parser.fallback(tokens),
            Self::Neural(parser) => parser.fallback(tokens),
            Self::Combined(parser) => parser.fallback(tokens),
        }
    }
}
