//! The kinds of parsers, each with memory of its own.

use super::{ParseOptions, ParserModel};
use crate::chart::{ChartParser, TagPosteriors};
use crate::error::Result;
use crate::parse::{Limit, Parse, Parsed, Request, Status};
use crate::transition::search::End;
use crate::transition::{self, Bounds};
use crate::tree::{Constraints, Tree};

/// A parser of some kind at work.
#[derive(Debug)]
pub(super) enum Engine<'p> {
    Transition(Box<transition::Parser<'p>>),
    Chart(Box<ChartParser<'p>>, Option<usize>),
}

impl<'p> Engine<'p> {
    pub(super) fn new(model: &'p ParserModel, options: &ParseOptions) -> Self {
        match model {
            ParserModel::Transition(model) => {
                Self::Transition(Box::new(transition::Parser::new(model, options.search, options.limits)))
            }
            ParserModel::Chart(model) => {
                Self::Chart(Box::new(ChartParser::new(model, &options.chart)), options.limits.max_length)
            }
        }
    }

    /// Parses tokens as the model knows them. It may be a fallback if no parse costs less than the bound.
    pub(super) fn parse(&mut self, request: Request<'_>, tag_posteriors: &[TagPosteriors]) -> Result<Parsed> {
        let Request { tokens, constraints, deadline, bound, .. } = request;
        match self {
            Self::Transition(parser) => {
                let bounds = Bounds { deadline, rival: bound };
                Ok(parse_transition(parser, &Tree::flat(tokens.clone()), constraints, bounds))
            }
            Self::Chart(parser, max_length) if max_length.is_some_and(|most| tokens.len() > most) => {
                Ok(Parsed::fallback(parser.fallback(tokens), Status::TooLong))
            }
            Self::Chart(parser, _) => parser.parse(request, tag_posteriors),
        }
    }
}

fn parse_transition(
    parser: &mut transition::Parser<'_>,
    tokens: &Tree,
    constraints: &Constraints,
    bounds: Bounds,
) -> Parsed {
    let mut parsed = parser.parse_with(tokens, constraints, bounds);
    let status = transition_status(&parsed);
    let limit = transition_end(&parsed).and_then(limit_of);
    let unmet = parsed.unmet.take().map(|unmet| unmet.why);
    let Some(outcome) = &parsed.outcome else {
        return Parsed { unmet, ..Parsed::fallback(parsed.tree, status) };
    };
    let trees = std::iter::once(parsed.tree).chain(parsed.others);
    let parse = |(tree, parse): (Tree, &transition::search::Parse)| Parse {
        tree,
        cost: (!parse.is_fallback).then_some(parse.cost),
        confidences: parser.confidences(parse),
    };
    Parsed { parses: trees.zip(&outcome.parses).map(parse).collect(), status, limit, unmet }
}

fn transition_status(parsed: &transition::Parsed) -> Status {
    let end = transition_end(parsed);
    match end {
        _ if parsed.unmet.is_some() => Status::ConstraintsUnmet,
        _ if parsed.is_too_long => Status::TooLong,
        _ if parsed.is_fallback() => Status::Fallback(end.and_then(limit_of)),
        None => Status::Trivial,
        Some(End::Greedy) => Status::Greedy,
        Some(end) => limit_of(end).map_or(Status::Optimal, Status::CutShort),
    }
}

/// How the search ended for what was wanted, be it in vain.
fn transition_end(parsed: &transition::Parsed) -> Option<End> {
    match &parsed.unmet {
        Some(unmet) => unmet.end,
        None => parsed.outcome.as_ref().map(|outcome| outcome.end),
    }
}

/// What ended a search before it had proved that there is nothing better.
fn limit_of(end: End) -> Option<Limit> {
    match end {
        End::Optimal | End::Greedy | End::DeadEnd | End::Beaten => None,
        End::Deadline => Some(Limit::Time),
        End::MaxInferences => Some(Limit::Inferences),
        End::MaxPops => Some(Limit::Steps),
        End::FullAgenda => Some(Limit::Agenda),
    }
}
