//! The kinds of parsers, each with memory of its own.

use super::{ParseOptions, ParserModel};
use crate::chart::{ChartConfig, ChartParse, ChartParser, CrfParser, Ending, ProductParser, Request};
use crate::error::{Error, ErrorKind, Result};
use crate::parse::{Limit, Parse, Parsed, Status};
use crate::transition::search::End;
use crate::transition::{self, Bounds};
use crate::tree::{Constraints, Tree};

/// A parser of some kind at work.
#[derive(Debug)]
pub(super) enum Engine<'p> {
    Transition(Box<transition::Parser<'p>>),
    Grammar(Box<ChartParser<'p>>),
    Product(Box<ProductParser<'p>>),
    Crf(Box<CrfParser<'p>>),
}

/// What parsers with a chart have in common.
trait FromChart {
    fn parse(&mut self, request: Request<'_>) -> Result<(Vec<ChartParse>, Ending)>;
    fn tagged(&self, tokens: &Tree) -> Tree;
}

impl FromChart for ChartParser<'_> {
    fn parse(&mut self, request: Request<'_>) -> Result<(Vec<ChartParse>, Ending)> {
        ChartParser::parse(self, request)
    }

    fn tagged(&self, tokens: &Tree) -> Tree {
        ChartParser::tagged(self, tokens)
    }
}

impl FromChart for ProductParser<'_> {
    fn parse(&mut self, request: Request<'_>) -> Result<(Vec<ChartParse>, Ending)> {
        ProductParser::parse(self, request)
    }

    fn tagged(&self, tokens: &Tree) -> Tree {
        ProductParser::tagged(self, tokens)
    }
}

impl FromChart for CrfParser<'_> {
    fn parse(&mut self, request: Request<'_>) -> Result<(Vec<ChartParse>, Ending)> {
        CrfParser::parse(self, request)
    }

    fn tagged(&self, tokens: &Tree) -> Tree {
        CrfParser::tagged(self, tokens)
    }
}

impl<'p> Engine<'p> {
    pub(super) fn new(model: &'p ParserModel, options: &ParseOptions) -> Self {
        match model {
            ParserModel::Transition(model) => {
                Self::Transition(Box::new(transition::Parser::new(model, options.search, options.limits)))
            }
            ParserModel::Grammar(model) => {
                Self::Grammar(Box::new(ChartParser::new(model, chart_config(options))))
            }
            ParserModel::Product(model) => {
                Self::Product(Box::new(ProductParser::new(model, chart_config(options))))
            }
            ParserModel::Crf(model) => Self::Crf(Box::new(CrfParser::new(model, chart_config(options)))),
        }
    }

    /// Parses tokens as the model knows them. It may be a fallback if no parse costs less than the rival.
    pub(super) fn parse(&mut self, request: Request<'_>, bounds: Bounds) -> Result<Parsed> {
        match self {
            Self::Transition(parser) => {
                Ok(parse_transition(parser, request.tokens, request.constraints, bounds))
            }
            Self::Grammar(parser) => parse_with(parser.as_mut(), request),
            Self::Product(parser) => parse_with(parser.as_mut(), request),
            Self::Crf(parser) => parse_with(parser.as_mut(), request),
        }
    }
}

fn chart_config(options: &ParseOptions) -> ChartConfig {
    ChartConfig {
        num_best: options.search.num_best,
        max_length: options.limits.max_length,
        timeout: options.limits.timeout,
        ..options.chart.clone()
    }
}

/// Parses under constraints if they can be met, else without.
fn parse_with(parser: &mut impl FromChart, request: Request<'_>) -> Result<Parsed> {
    let free = Request { constraints: &Constraints::default(), ..request };
    match request.constraints.is_empty() || request.tokens.is_empty() {
        true => parse_chart(parser, free),
        false => parse_chart(parser, request).or_else(|unmet| Ok(parse_chart(parser, free)?.against(unmet))),
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
    let parse = |(tree, parse): (Tree, &transition::search::ParsePath)| Parse {
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

/// Parses with a grammar; an error says why the constraints cannot be met.
fn parse_chart(parser: &mut impl FromChart, request: Request<'_>) -> Result<Parsed> {
    let Request { tokens, constraints, .. } = request;
    if tokens.is_empty() {
        return Ok(Parsed::fallback(tokens.clone(), Status::Trivial));
    }
    let (parses, ending) = parser.parse(request)?;
    let is_late = ending == Ending::Deadline;
    if parses.is_empty() && ending == Ending::NoParse && !constraints.is_empty() {
        return Err(not_found());
    }
    if parses.is_empty() {
        let status = match ending {
            Ending::TooLong => Status::TooLong,
            _ => Status::Fallback(is_late.then_some(Limit::Time)),
        };
        return Ok(Parsed::fallback(parser.tagged(tokens), status));
    }
    let status = if is_late { Status::CutShort(Limit::Time) } else { Status::Pruned };
    let parses = parses.into_iter().map(|parse| Parse {
        tree: parse.tree,
        cost: Some(parse.cost),
        confidences: parse.confidences.into_iter().map(Some).collect(),
    });
    let limit = is_late.then_some(Limit::Time);
    Ok(Parsed { parses: parses.collect(), status, limit, unmet: None })
}

fn not_found() -> Error {
    Error::new(ErrorKind::Argument, "the grammar has no parse that meets the constraints")
        .hint("demand fewer phrases, or leave out their labels")
}
