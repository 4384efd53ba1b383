//! [`ChartParser`]: a sentence to trees, by grammars and by features if the model has some.

use super::constraints::CellConstraints;
use super::crf::{CrfExplanation, CrfParser};
use super::grammar_parser::GrammarParser;
use super::options::ChartOptions;
use super::product::ProductParser;
use super::query::{Query, TagPosteriors};
use crate::error::{Error, ErrorKind, Result};
use crate::model::ChartModel;
use crate::parse::{Parse, Parsed, Request, Status};
use crate::tree::{Tokens, Tree};

/// Parses with a [`ChartModel`], in memory of its own: one for each thread.
#[derive(Debug)]
pub struct ChartParser<'m> {
    model: &'m ChartModel,
    search: ChartSearch<'m>,
}

/// What scores the parses of a forest.
#[derive(Debug)]
enum ChartSearch<'m> {
    Grammars(Box<ProductParser<'m>>),
    Features(Box<CrfParser<'m>>),
}

impl ChartSearch<'_> {
    fn parse(&mut self, query: Query<'_>) -> Result<(Vec<Parse>, Status)> {
        match self {
            Self::Grammars(parser) => parser.parse(query),
            Self::Features(parser) => parser.parse(query),
        }
    }

    /// A parser with the grammar, or the first of several.
    fn grammar(&self) -> &GrammarParser<'_> {
        match self {
            Self::Grammars(parser) => parser.first(),
            Self::Features(parser) => parser.grammar(),
        }
    }
}

impl<'m> ChartParser<'m> {
    /// A parser with this model.
    pub fn new(model: &'m ChartModel, options: &ChartOptions) -> Self {
        let search = match model.features() {
            None => ChartSearch::Grammars(Box::new(ProductParser::new(model.grammars(), options))),
            Some(features) => {
                ChartSearch::Features(Box::new(CrfParser::new(&model.grammars()[0], features, options)))
            }
        };
        Self { model, search }
    }

    /// Parses a sentence. `tag_posteriors` are what a tagger says of each word, or nothing. There is always a tree; if
    /// it is not a parse by the model, its status says so. Constraints that cannot be met are left aside, with [the
    /// reason](Parsed::unmet).
    ///
    /// # Errors
    /// If a tree is larger than one can be.
    pub fn parse(&mut self, request: Request<'_>, tag_posteriors: &[TagPosteriors]) -> Result<Parsed> {
        let tokens = request.tokens;
        if tokens.is_empty() {
            return Ok(Parsed::fallback(Tree::empty(), Status::Trivial));
        }
        let (constraints, mut unmet) = match self.constraints(request) {
            Ok(constraints) => (constraints, None),
            Err(error) if error.kind() == ErrorKind::Argument => (CellConstraints::none(), Some(error)),
            Err(error) => return Err(error),
        };
        let query = Query::of_request(request, tag_posteriors, &constraints);
        let (mut parses, mut status) = self.search.parse(query)?;
        if status == Status::Fallback(None) && constraints != CellConstraints::none() {
            unmet = Some(not_found());
            (parses, status) = self.search.parse(Query { constraints: &CellConstraints::none(), ..query })?;
        }
        let parsed = match parses.is_empty() {
            true => Parsed::fallback(self.fallback(tokens), status),
            false => Parsed::new(parses, status),
        };
        Ok(match unmet {
            Some(unmet) => parsed.against(unmet),
            None => parsed,
        })
    }

    /// Parses a sentence and tells which features speak for each part of the best tree; nothing if there is no parse.
    ///
    /// # Errors
    /// If the model has no features, or no tree over the sentence can meet the constraints.
    pub fn explain(
        &mut self,
        request: Request<'_>,
        tag_posteriors: &[TagPosteriors],
    ) -> Result<Option<CrfExplanation>> {
        let constraints = self.constraints(request)?;
        match &mut self.search {
            ChartSearch::Features(parser) => {
                parser.explain(Query::of_request(request, tag_posteriors, &constraints))
            }
            ChartSearch::Grammars(_) => {
                let message =
                    "expected a grammar with features, found one without, which has no reasons to tell";
                Err(Error::new(ErrorKind::Mismatch, message).hint("train one with `boughs train crf`"))
            }
        }
    }

    /// A tree without phrases, for a sentence that has no parse. Tokens without a tag get the most likely one of the
    /// word by itself.
    pub fn fallback(&self, tokens: &Tokens) -> Tree {
        Tree::flat(self.search.grammar().tagged(tokens))
    }

    fn constraints(&self, request: Request<'_>) -> Result<CellConstraints> {
        CellConstraints::new(&self.model.grammars()[0], request.tokens, request.constraints)
    }
}

fn not_found() -> Error {
    Error::new(ErrorKind::Argument, "the grammar has no parse that meets the constraints")
        .hint("require fewer phrases, or leave out their labels")
}
