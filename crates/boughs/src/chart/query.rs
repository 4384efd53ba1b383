//! A sentence as grammars see it: its words, what is known of their tags, and what its cells must be like.

use std::time::Instant;

use super::constraints::CellConstraints;
use super::options::ChartOptions;
use super::semiring::{Semiring, SumSemiring};
use crate::model::{GrammarModel, Level, Symbol, Symbols};
use crate::parse::Request;
use crate::span::Span;
use crate::tree::Tokens;

/// The likeliest tags of a word by a tagger, and their posterior probabilities.
pub type TagPosteriors = Vec<(Symbol, f32)>;

/// What a tagger does not list is no less likely than this.
const SMALLEST_POSTERIOR_OF_TAG: f32 = 0.01;

/// A sentence to parse with grammars.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Query<'a> {
    /// Words as the grammar knows them, with tags that are given (see [`ChartOptions::tag_prior`]); where the tag is
    /// empty, the grammar tags for itself.
    pub(crate) tokens: &'a Tokens,
    /// For each word what a tagger says; nothing if there is none. Words that have a tag need none.
    pub(super) tag_posteriors: &'a [TagPosteriors],
    pub(super) constraints: &'a CellConstraints,
    pub(super) num_best: usize,
    pub(super) deadline: Option<Instant>,
}

impl<'a> Query<'a> {
    /// A sentence of which the best parse is wanted.
    pub(crate) fn new(tokens: &'a Tokens) -> Self {
        Self::of_request(Request::new(tokens), &[], const { &CellConstraints::none() })
    }

    /// What is asked, with the constraints as constraints of cells.
    pub(super) fn of_request(
        request: Request<'a>,
        tag_posteriors: &'a [TagPosteriors],
        constraints: &'a CellConstraints,
    ) -> Self {
        let Request { tokens, num_best, deadline, .. } = request;
        Self { tokens, tag_posteriors, constraints, num_best: num_best.max(1), deadline }
    }

    /// Whether the time is up.
    pub(super) fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Whether a symbol can be over a span at all.
    pub(super) fn allows(
        &self,
        symbols: &Symbols,
        options: &ChartOptions,
        span: Span,
        symbol: Symbol,
    ) -> bool {
        match symbols.is_tag(symbol) {
            true if span.len() == 1 => {
                // A tag that the grammar does not know is no tag to it.
                let given = symbols.tag(self.tokens.get(span.start as usize).tag);
                given.is_none_or(|given| given == symbol)
                    || options.factor_of_other_tags(symbols.num_tags()) > 0.0
            }
            true => false,
            false => {
                (symbol != symbols.root() || span.len() == self.tokens.len())
                    && self.constraints.allows(symbols, span, symbol)
            }
        }
    }

    /// Puts the scores of a word into those of the substates of tags; tags that are not the given one, or less likely
    /// to a tagger, count less.
    pub(super) fn score_word(
        &self,
        model: &GrammarModel,
        level: &Level,
        options: &ChartOptions,
        place: usize,
        sums: &mut [f32],
    ) {
        let token = self.tokens.get(place);
        level.lexicon.score(token.word, place == 0, |tag, values, factor| {
            for (sum, value) in sums[level.grammar.substates(tag)].iter_mut().zip(values) {
                *sum += factor * value;
            }
        });
        let num_tags = model.symbols().num_tags();
        let tags = num_tags.checked_sub(1).map_or(0, |last| level.grammar.substates(Symbol(last as u16)).end);
        let given = model.symbols().tag(token.tag).map_or(0..tags, |given| level.grammar.substates(given));
        // A word that never had the tag it is given, or of which nothing is known, may be anything.
        if sums[given.clone()].iter().all(|&sum| sum == 0.0) {
            let least = sums[..tags].iter().copied().filter(|&sum| sum > 0.0).reduce(f32::min);
            sums[given.clone()].fill(least.unwrap_or(1.0));
        }
        let factor = options.factor_of_other_tags(num_tags);
        sums[..given.start].iter_mut().for_each(|sum| *sum *= factor);
        sums[given.end..tags].iter_mut().for_each(|sum| *sum *= factor);
        if let (true, Some(posteriors)) = (token.tag.is_empty(), self.tag_posteriors.get(place)) {
            (0..num_tags as u16).map(Symbol).for_each(|tag| {
                let factor = posterior_of(posteriors, tag).powf(options.tagger_weight);
                sums[level.grammar.substates(tag)].iter_mut().for_each(|sum| *sum *= factor);
            });
        }
    }

    /// For each tag, by the finest grammar, the sum over its substates of P(word | substate) times how often the
    /// substate occurs, and the sum of the latter; both up to a factor that is the same for all tags.
    pub(super) fn tag_scores(
        &self,
        model: &GrammarModel,
        options: &ChartOptions,
        place: usize,
    ) -> impl Iterator<Item = (f32, f32)> {
        let level = model.finest();
        let mut sums = vec![0.0; level.grammar.num_substates()];
        self.score_word(model, level, options, place, &mut sums);
        (0..model.symbols().num_tags() as u16).map(move |tag| {
            let range = level.grammar.substates(Symbol(tag));
            let total = level.weights[range.clone()].iter().sum::<f32>();
            (SumSemiring::dot(&sums[range.clone()], &level.weights[range]), total)
        })
    }
}

fn posterior_of(posteriors: &[(Symbol, f32)], tag: Symbol) -> f32 {
    let found = posteriors.iter().find(|(other, _)| *other == tag);
    found.map_or(SMALLEST_POSTERIOR_OF_TAG, |(_, posterior)| posterior.max(SMALLEST_POSTERIOR_OF_TAG))
}
