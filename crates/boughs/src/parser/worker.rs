//! Parsing, with memory that is used again for every sentence.

use std::time::{Duration, Instant};

use super::engine::Engine;
use super::{ParseOptions, Parser, Sentence, no_tagger};
use crate::chart::TagPosteriors;
use crate::error::Result;
use crate::eval::ConfidenceCurve;
use crate::neural::{PhraseLabels, SpanPosteriors};
use crate::parse::{Limit, Parsed, Request, deadline};
use crate::tagger;
use crate::transition::Aggregator;
use crate::tree::{Constraints, Tokens, Tree};

/// Parses with a [`Parser`]: one for each thread.
#[derive(Debug)]
pub struct Worker<'p> {
    parser: &'p Parser,
    tagger: Option<tagger::TaggerWorker<'p>>,
    engine: Engine<'p>,
    num_taggings: usize,
    num_best: usize,
    max_length: Option<usize>,
    timeout: Option<Duration>,
    confidence_curve: Option<ConfidenceCurve>,
}

/// So much more than its bound may a parse cost, in relation, before it is given up: costs are rounded.
const SLACK: f64 = 1e-9;

/// How many tags of a word the posteriors of a tagger are about.
const NUM_TAG_POSTERIORS: usize = 8;

/// A way to tag a sentence.
struct Tagging {
    /// The tokens with tags, or without if there is a grammar, which tags for itself.
    tokens: Tokens,
    /// What these cost: the negative logarithm of their probability.
    cost: f64,
    /// For each word the posteriors of a tagger, if a grammar is to use them.
    posteriors: Vec<TagPosteriors>,
}

impl Tagging {
    fn free(tokens: Tokens) -> Self {
        Self { tokens, cost: 0.0, posteriors: Vec::new() }
    }
}

impl<'p> Worker<'p> {
    pub(crate) fn new(parser: &'p Parser, options: &ParseOptions) -> Self {
        // What tags cost can be added to a sum of costs, and to nothing else.
        let num_taggings = options.transition().map_or(1, |search| match search.aggregator {
            Aggregator::Additive => search.num_taggings.max(1),
            Aggregator::MaxMin => 1,
        });
        Self {
            parser,
            tagger: parser.tagger_of_use().map(tagger::Tagger::worker),
            engine: Engine::new(&parser.model, options),
            num_taggings,
            num_best: options.num_best.max(1),
            max_length: options.max_length,
            timeout: options.timeout,
            confidence_curve: options.confidence_curve.clone(),
        }
    }

    /// Parses sentences, each as it would be alone. A neural parser is faster with several of similar length at a time:
    /// [`Parser::batch_size`].
    ///
    /// # Errors
    /// As [`parse`](Self::parse), of any of them.
    pub fn parse_batch(&mut self, sentences: &[&Sentence]) -> Result<Vec<Parsed>> {
        let mut parsed = self.parse_batch_by_posteriors(sentences)?;
        parsed.iter_mut().for_each(|parsed| self.calibrate(parsed));
        Ok(parsed)
    }

    /// The same, with posteriors for confidences.
    fn parse_batch_by_posteriors(&mut self, sentences: &[&Sentence]) -> Result<Vec<Parsed>> {
        let Self { parser, max_length, num_best, .. } = *self;
        let is_short = |sentence: &Sentence| max_length.is_none_or(|most| sentence.tokens().len() <= most);
        let short: Vec<&Sentence> = sentences.iter().copied().filter(|sentence| is_short(sentence)).collect();
        let parsed = match &mut self.engine {
            // The time of a sentence counts from when it is begun.
            Engine::Neural(engine) if self.timeout.is_none() => {
                let known: Vec<Tokens> = short.iter().map(|sentence| known_forms(parser, sentence)).collect();
                let parsed = engine.parse_batch(&requests(&short, &known, num_best))?;
                let own = parsed.into_iter().zip(&short);
                own.map(|(parsed, sentence)| with_own_words(parsed, sentence)).collect()
            }
            Engine::Combined(engine) => engine.parse_batch(&short, num_best)?,
            _ => return sentences.iter().map(|sentence| self.parse_by_posteriors(sentence)).collect(),
        };
        let mut parsed = parsed.into_iter();
        let in_order = sentences.iter().filter_map(|sentence| match is_short(sentence) {
            true => parsed.next().map(Ok),
            false => Some(self.parse_in_parts(sentence, max_length.unwrap_or(0))),
        });
        in_order.collect()
    }

    /// Parses a sentence. There is always a tree over its tokens, which are its own; their tags are those that the
    /// parser has worked with. If the [constraints](Sentence::constraints) on the tree cannot be met, it says
    /// [why](Parsed::unmet).
    ///
    /// # Errors
    /// If a token has no tag, there is no tagger, and the parser does not tag for itself.
    pub fn parse(&mut self, sentence: &Sentence) -> Result<Parsed> {
        let mut parsed = self.parse_by_posteriors(sentence)?;
        self.calibrate(&mut parsed);
        Ok(parsed)
    }

    /// Makes probabilities of posteriors, if development trees have told how. The root is sure.
    fn calibrate(&self, parsed: &mut Parsed) {
        let Some(curve) = &self.confidence_curve else { return };
        let confidences = parsed.parses.iter_mut().flat_map(|parse| parse.confidences.iter_mut().skip(1));
        confidences.flatten().for_each(|confidence| *confidence = curve.probability(*confidence));
    }

    /// Parses a sentence, with posteriors for confidences.
    pub(super) fn parse_by_posteriors(&mut self, sentence: &Sentence) -> Result<Parsed> {
        if matches!(self.engine, Engine::Combined(_)) {
            return Ok(self.parse_batch_by_posteriors(&[sentence])?.swap_remove(0));
        }
        if let Some(most) = self.max_length.filter(|&most| sentence.tokens().len() > most) {
            return self.parse_in_parts(sentence, most);
        }
        let taggings = self.taggings(sentence)?;
        let parsed = self.parse_best(&taggings, &sentence.constraints)?;
        Ok(with_own_words(parsed, sentence))
    }

    /// What the parser thinks of the phrases of sentences, whose labels are those of `labels`; nothing where it finds
    /// no tree.
    ///
    /// # Errors
    /// As [`parse`](Self::parse), of any of them.
    pub(crate) fn posteriors(
        &mut self,
        sentences: &[&Sentence],
        labels: &PhraseLabels,
    ) -> Result<Vec<Option<SpanPosteriors>>> {
        let Engine::Neural(engine) = &mut self.engine else {
            let posteriors = |sentence: &&Sentence| {
                Ok(SpanPosteriors::of_trees(&self.parse_by_posteriors(sentence)?, labels))
            };
            return sentences.iter().map(posteriors).collect();
        };
        let known: Vec<Tokens> =
            sentences.iter().map(|sentence| known_forms(self.parser, sentence)).collect();
        let posteriors = engine.posteriors(&requests(sentences, &known, 1), labels)?;
        let with_words = |(mut posteriors, sentence): (SpanPosteriors, &&Sentence)| {
            for (index, _) in &sentence.forms {
                posteriors.tokens.set_word(*index, sentence.tokens().word(*index));
            }
            Some(posteriors)
        };
        Ok(posteriors.into_iter().zip(sentences).map(with_words).collect())
    }

    /// The tree of a sentence that is not parsed.
    pub(crate) fn fallback(&self, tokens: &Tokens) -> Tree {
        self.engine.fallback(tokens)
    }

    /// The tokens as the models know them, all with the tags of the best parse, unless the parser tags for itself.
    ///
    /// # Errors
    /// If a token has no tag, there is no tagger, and the parser does not tag for itself.
    pub fn prepare(&mut self, sentence: &Sentence) -> Result<Tokens> {
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
        let deadline = deadline(self.timeout);
        let mut best = self.parse_tagged(&taggings[0], constraints, deadline, None)?;
        for tagging in &taggings[1..] {
            // Taggings come in the order of their costs, and no parse costs less than nothing.
            let bound = best.bound(self.num_best);
            if bound.is_some_and(|bound| bound <= tagging.cost) {
                break;
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Ok(best.cut_short(Some(Limit::Time)));
            }
            let other = self.parse_tagged(tagging, constraints, deadline, bound)?;
            best = best.or_better(other, self.num_best);
        }
        Ok(best)
    }

    /// The parses of one tagging, which are of no use if they cost as much as the bound.
    fn parse_tagged(
        &mut self,
        tagging: &Tagging,
        constraints: &Constraints,
        deadline: Option<Instant>,
        bound: Option<f64>,
    ) -> Result<Parsed> {
        let Tagging { tokens, cost: tag_cost, posteriors } = tagging;
        let bound = bound.map(|bound| bound - tag_cost + SLACK * (1.0 + bound));
        let request = Request { tokens, constraints, num_best: self.num_best, deadline, bound };
        let mut parsed = self.engine.parse(request, posteriors)?;
        parsed.parses.iter_mut().filter_map(|parse| parse.cost.as_mut()).for_each(|cost| *cost += tag_cost);
        Ok(parsed)
    }

    /// The likeliest ways to tag the tokens that have no tag, the best first; at least one. The tagger does not see
    /// the tags that are given. One way costs nothing, however unlikely.
    fn taggings(&mut self, sentence: &Sentence) -> Result<Vec<Tagging>> {
        let tokens = known_forms(self.parser, sentence);
        let Some(untagged) = tokens.iter().find(|token| token.tag.is_empty()) else {
            return Ok(vec![Tagging::free(tokens)]);
        };
        let (Some(tagger), Some(worker)) = (self.parser.tagger_of_use(), &mut self.tagger) else {
            return match self.parser.model.tags_for_itself() {
                true => Ok(vec![Tagging::free(tokens)]),
                false => Err(no_tagger(untagged.word)),
            };
        };
        let words: Vec<&str> = tokens.words().collect();
        if let Some(grammar) = self.parser.model.grammars().first() {
            let of_grammar = |&(tag, posterior): &(tagger::TagId, f64)| {
                Some((grammar.symbols().tag(tagger.name(tag))?, posterior as f32))
            };
            let tags = worker.n_best(&words, NUM_TAG_POSTERIORS);
            let posteriors = tags.iter().map(|tags| tags.iter().filter_map(of_grammar).collect()).collect();
            return Ok(vec![Tagging { posteriors, ..Tagging::free(tokens) }]);
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
}

/// What to ask about sentences, given their tokens as the model knows them.
fn requests<'a>(sentences: &[&'a Sentence], known: &'a [Tokens], num_best: usize) -> Vec<Request<'a>> {
    let request = |(sentence, tokens): (&&'a Sentence, &'a Tokens)| Request {
        constraints: &sentence.constraints,
        num_best,
        ..Request::new(tokens)
    };
    sentences.iter().zip(known).map(request).collect()
}

/// The tokens of a sentence, as the models know them.
fn known_forms(parser: &Parser, sentence: &Sentence) -> Tokens {
    let mut tokens = sentence.tokens().clone();
    for (index, form) in &sentence.forms {
        if !parser.knows(tokens.word(*index)) {
            tokens.set_word(*index, form);
        }
    }
    tokens
}

/// The same parses over the words of the sentence as they were, in its text.
fn with_own_words(mut parsed: Parsed, sentence: &Sentence) -> Parsed {
    parsed.parses.iter_mut().for_each(|parse| parse.tree.copy_source(sentence.tokens()));
    for (index, _) in &sentence.forms {
        let word = sentence.tokens().word(*index);
        parsed.parses.iter_mut().for_each(|parse| parse.tree.set_word(*index, word));
    }
    parsed
}

/// Tokens with these tags, except for those that have their own.
fn with_tags<'a>(tokens: &Tokens, tags: impl Iterator<Item = &'a str>) -> Tokens {
    let mut tagged = tokens.clone();
    for (index, tag) in tags.enumerate() {
        if tokens.get(index).tag.is_empty() {
            tagged.set_tag(index, tag);
        }
    }
    tagged
}
