//! The kinds of parsers, each with memory of its own.

use super::{ParseOptions, ParserModel};
use crate::chart::{ChartConfig, ChartParse, ChartParser, CrfParser, Ending, ProductParser, Request};
use crate::error::{Error, ErrorKind, Result};
use crate::parse::{self, Limit, Parse, Parsed, Status};
use crate::transition::TransitionParser;
use crate::tree::{Constraints, Tree};

/// A parser of some kind at work.
#[derive(Debug)]
pub(super) enum Engine<'p> {
    Transition(Box<TransitionParser<'p>>),
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
                Self::Transition(Box::new(TransitionParser::new(model, &options.search)))
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

    /// Parses tokens as the model knows them. It may be a fallback if no parse costs less than the bound.
    pub(super) fn parse(&mut self, request: Request<'_>, limits: parse::Request<'_>) -> Result<Parsed> {
        match self {
            Self::Transition(parser) => Ok(parser.parse(limits)),
            Self::Grammar(parser) => parse_with(parser.as_mut(), request),
            Self::Product(parser) => parse_with(parser.as_mut(), request),
            Self::Crf(parser) => parse_with(parser.as_mut(), request),
        }
    }
}

fn chart_config(options: &ParseOptions) -> ChartConfig {
    ChartConfig {
        num_best: options.num_best,
        max_length: options.max_length,
        timeout: options.timeout,
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
