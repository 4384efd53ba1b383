//! Parsing, with memory that is used again for every sentence.

use std::time::Instant;

use super::engine::Engine;
use super::{Limit, ParseOptions, Parsed, Parser, Sentence, no_tagger};
use crate::chart::TagPosteriors;
use crate::error::Result;
use crate::parse::Request;
use crate::tagger;
use crate::transition::search::Aggregator;
use crate::transition::{Bounds, Limits};
use crate::tree::{Constraints, Tree};

/// Parses with a [`Parser`]: one for each thread.
#[derive(Debug)]
pub struct Worker<'p> {
    parser: &'p Parser,
    tagger: Option<tagger::TaggerWorker<'p>>,
    engine: Engine<'p>,
    num_taggings: usize,
    num_best: usize,
    limits: Limits,
}

/// So much more than its rival may a parse cost, in relation, before it is given up: costs are rounded.
const SLACK: f64 = 1e-9;

/// How many tags of a word the grammar hears of.
const NUM_TAG_POSTERIORS: usize = 8;

/// A way to tag a sentence.
struct Tagging {
    /// The tokens with tags, or without if there is a grammar, which tags for itself.
    tokens: Tree,
    /// What these cost: the negative logarithm of their probability.
    cost: f64,
    /// What a tagger thinks of the words, if a grammar is to hear of it.
    tag_posteriors: Vec<TagPosteriors>,
}

impl Tagging {
    fn free(tokens: Tree) -> Self {
        Self { tokens, cost: 0.0, tag_posteriors: Vec::new() }
    }
}

impl<'p> Worker<'p> {
    pub(super) fn new(parser: &'p Parser, options: &ParseOptions) -> Self {
        let tagger = parser.tagger.as_ref().map(tagger::Tagger::worker);
        // What tags cost can be added to a sum of costs, and to nothing else.
        let is_sum = options.search.aggregator == Aggregator::Additive;
        Self {
            parser,
            tagger,
            engine: Engine::new(&parser.model, options),
            num_taggings: if is_sum { options.num_taggings.max(1) } else { 1 },
            num_best: options.search.num_best.max(1),
            limits: options.limits,
        }
    }

    /// Parses a sentence. There is always a tree over its tokens, which are its own; their tags are those that the parser has
    /// worked with. If the [constraints](Sentence::constraints) on the tree cannot be met, it says [why](Parsed::unmet).
    ///
    /// # Errors
    /// If a token has no tag, there is no tagger, and the parser does not tag for itself.
    pub fn parse(&mut self, sentence: &Sentence) -> Result<Parsed> {
        let taggings = self.taggings(sentence)?;
        let mut parsed = self.parse_best(&taggings, sentence.constraints())?;
        for (index, _) in sentence.other_forms() {
            let word = sentence.tokens().word(*index);
            parsed.parses.iter_mut().for_each(|parse| parse.tree.set_word(*index, word));
        }
        Ok(parsed)
    }

    /// The tokens as the models know them, all with the tags of the best parse, unless the parser tags for itself.
    ///
    /// # Errors
    /// If a token has no tag, there is no tagger, and the parser does not tag for itself.
    pub fn prepare(&mut self, sentence: &Sentence) -> Result<Tree> {
        let mut taggings = self.taggings(sentence)?;
        let Tagging { mut tokens, .. } = taggings.swap_remove(0);
        if !taggings.is_empty() {
            let parsed = self.parse(sentence)?;
            parsed.tree().tokens().enumerate().for_each(|(index, token)| tokens.set_tag(index, token.tag));
        }
        Ok(tokens)
    }

    /// The best parses of all taggings, whose costs are added to those of the inferences.
    fn parse_best(&mut self, taggings: &[Tagging], constraints: &Constraints) -> Result<Parsed> {
        let deadline = self.limits.deadline();
        let mut best = self.parse_tagged(&taggings[0], constraints, Bounds { deadline, rival: None })?;
        for tagging in &taggings[1..] {
            // Taggings come in the order of their costs, and no parse costs less than nothing.
            let rival = best.bound(self.num_best);
            if rival.is_some_and(|rival| rival <= tagging.cost) {
                break;
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Ok(best.cut_short(Some(Limit::Time)));
            }
            best = best.or_better(
                self.parse_tagged(tagging, constraints, Bounds { deadline, rival })?,
                self.num_best,
            );
        }
        Ok(best)
    }

    /// The parses of one tagging, which are of no use if they cost as much as the rival.
    fn parse_tagged(
        &mut self,
        tagging: &Tagging,
        constraints: &Constraints,
        bounds: Bounds,
    ) -> Result<Parsed> {
        let Tagging { tokens, cost: tag_cost, tag_posteriors } = tagging;
        let rival = bounds.rival.map(|rival| rival - tag_cost + SLACK * (1.0 + rival));
        let (num_best, deadline) = (self.num_best, bounds.deadline);
        let request = Request { tokens: tokens.sentence(), constraints, num_best, deadline, bound: rival };
        let mut parsed = self.engine.parse(request, tag_posteriors)?;
        parsed.parses.iter_mut().filter_map(|parse| parse.cost.as_mut()).for_each(|cost| *cost += tag_cost);
        Ok(parsed)
    }

    /// The likeliest ways to tag the tokens that have no tag, the best first; at least one. The tagger does not hear of the tags
    /// that are given. One way costs nothing, however unlikely.
    fn taggings(&mut self, sentence: &Sentence) -> Result<Vec<Tagging>> {
        let tokens = self.known_forms(sentence);
        let Some(untagged) = tokens.tokens().find(|token| token.tag.is_empty()) else {
            return Ok(vec![Tagging::free(tokens)]);
        };
        let grammar = self.parser.model.grammar();
        let (Some(tagger), Some(worker)) = (&self.parser.tagger, &mut self.tagger) else {
            return match grammar {
                Some(_) => Ok(vec![Tagging::free(tokens)]),
                None => Err(no_tagger(untagged.word)),
            };
        };
        let words: Vec<&str> = tokens.words().collect();
        if let Some(grammar) = grammar {
            let posterior = |&(tag, probability): &(tagger::TagId, f64)| {
                Some((grammar.symbols().tag(tagger.name(tag))?, probability as f32))
            };
            let tags = worker.n_best(&words, NUM_TAG_POSTERIORS);
            let tag_posteriors =
                tags.iter().map(|tags| tags.iter().filter_map(posterior).collect()).collect();
            return Ok(vec![Tagging { tag_posteriors, ..Tagging::free(tokens) }]);
        }
        let sequences = match self.num_taggings {
            1 => vec![(worker.tag(&words).to_vec(), 0.0)],
            number => worker.n_best_sequences(&words, number),
        };
        let tagged = |(tags, log): (Vec<tagger::TagId>, f64)| {
            let tokens = with_tags(&tokens, tags.iter().map(|&tag| tagger.name(tag)));
            Tagging { cost: -log, ..Tagging::free(tokens) }
        };
        Ok(sequences.into_iter().map(tagged).collect())
    }

    fn known_forms(&self, sentence: &Sentence) -> Tree {
        let mut tokens = sentence.tokens().clone();
        for (index, form) in sentence.other_forms() {
            if !self.parser.knows(tokens.word(*index)) {
                tokens.set_word(*index, form);
            }
        }
        tokens
    }
}

/// Tokens with these tags, except for those that have their own.
fn with_tags<'a>(tokens: &Tree, tags: impl Iterator<Item = &'a str>) -> Tree {
    let mut tagged = tokens.clone();
    for (index, tag) in tags.enumerate() {
        if tokens.token(index).tag.is_empty() {
            tagged.set_tag(index, tag);
        }
    }
    tagged
}
