//! [`NeuralParser`]: sentences to trees.

use std::time::Instant;

use boughs_encoder::log_sum_exp;

use super::NeuralOptions;
use super::labels::{LabelledSpan, PhraseLabels};
use super::model::{ModelWorker, NeuralModel, SentenceScores};
use super::objective::tree_score;
use super::posteriors::SpanPosteriors;
use super::search::{
    ScoredTree, SpanScores, TreeSums, best_tree, best_trees, expected_gains, num_spans, restrict, span_index,
    spans,
};
use crate::error::{ErrorKind, Result};
use crate::parse::{Limit, Parse, Parsed, Request, Status};
use crate::span::Span;
use crate::tree::{Token, Tokens, Tree, from_spans};

/// The root of every parse.
const ROOT: &str = "TOP";

/// Words that are tagged at a time where a sentence is too long to be parsed.
const TAGGED_WORDS: usize = 256;

/// Spans whose scores are in memory at a time, unless a single sentence has more: 32 sentences of 31 words.
const BATCH_SPANS: usize = 1 << 14;

/// Parses with a [`NeuralModel`], in memory of its own: one for each thread.
#[derive(Debug)]
pub struct NeuralParser<'m> {
    model: &'m NeuralModel,
    options: NeuralOptions,
    worker: ModelWorker,
}

impl<'m> NeuralParser<'m> {
    /// A parser with this model.
    pub fn new(model: &'m NeuralModel, options: NeuralOptions) -> Self {
        Self { model, options, worker: ModelWorker::default() }
    }

    /// Parses sentences that go through the encoder together. There is always a tree for each, and it is the
    /// one that it would get alone. Constraints that cannot be met are left aside, with [the
    /// reason](Parsed::unmet).
    ///
    /// # Errors
    /// If a tree is larger than one can be.
    pub fn parse_batch(&mut self, requests: &[Request<'_>]) -> Result<Vec<Parsed>> {
        self.each_scored(requests, |parser, request, scores| parser.parse_scored(*request, scores))
    }

    /// Scores sentences, as many together as [`BATCH_SPANS`] has room for, and makes something of each.
    fn each_scored<T>(
        &mut self,
        requests: &[Request<'_>],
        make: impl Fn(&Self, &Request<'_>, SentenceScores) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut made = Vec::with_capacity(requests.len());
        let mut rest = requests;
        while !rest.is_empty() {
            let (requests, behind) = rest.split_at(num_together(rest.iter().map(|it| it.tokens.len())));
            let sentences: Vec<_> =
                requests.iter().map(|request| self.model.sentence(request.tokens.words())).collect();
            let scores = self.model.score(&sentences, &mut self.worker)?;
            for (request, scores) in requests.iter().zip(scores) {
                made.push(make(self, request, scores)?);
            }
            rest = behind;
        }
        Ok(made)
    }

    /// Parses one sentence.
    ///
    /// # Errors
    /// If a tree is larger than one can be.
    pub fn parse(&mut self, request: Request<'_>) -> Result<Parsed> {
        Ok(self.parse_batch(&[request])?.swap_remove(0))
    }

    /// How likely every phrase is, and the tags of words; labels are those of `labels`. Constraints are kept to if
    /// that is possible.
    pub(crate) fn posteriors(
        &mut self,
        requests: &[Request<'_>],
        labels: &PhraseLabels,
    ) -> Result<Vec<SpanPosteriors>> {
        let numbers = labels.numbers_of(&self.model.labels);
        self.each_scored(requests, |parser, request, scores| {
            parser.span_posteriors(request, scores, &numbers)
        })
    }

    fn span_posteriors(
        &self,
        request: &Request<'_>,
        SentenceScores { spans: mut scores, tags }: SentenceScores,
        numbers: &[Option<u16>],
    ) -> Result<SpanPosteriors> {
        let mut tokens = request.tokens.clone();
        self.set_tags(&tags, 0, &mut tokens);
        let free = scores.clone();
        match restrict(&mut scores, &self.model.labels, &tokens, request.constraints) {
            Err(error) if error.kind() == ErrorKind::Argument => scores = free,
            met => met?,
        }
        let scores = scores.divided_by(self.options.temperature);
        let sums = TreeSums::new(&scores);
        let posteriors = sums.phrase_posteriors();
        let phrases = spans(scores.num_words()).zip(posteriors).flat_map(|(span, posterior)| {
            let labels = sums.label_posteriors(span, scores.row(span), posterior).zip(numbers);
            labels.filter_map(move |(probability, number)| {
                number.map(|label| (LabelledSpan { span, label }, probability as f32))
            })
        });
        Ok(SpanPosteriors::new(tokens, phrases.filter(|(_, probability)| *probability > 0.0).collect()))
    }

    /// The scores of the spans of sentences, given as words.
    pub(crate) fn span_scores(&mut self, sentences: &[Vec<&str>]) -> Result<Vec<SpanScores>> {
        let sentences: Vec<_> =
            sentences.iter().map(|words| self.model.sentence(words.iter().copied())).collect();
        let scores = self.model.score(&sentences, &mut self.worker)?;
        Ok(scores.into_iter().map(|scores| scores.spans).collect())
    }

    pub(super) fn labels(&self) -> &PhraseLabels {
        &self.model.labels
    }

    /// The `n` most probable tags of each word, the best first, with their probabilities: those that
    /// [`parse`](Self::parse) gives to words without one.
    ///
    /// # Errors
    /// If a sentence is larger than an encoder can take.
    pub fn tag(&mut self, words: &[&str], n: usize) -> Result<Vec<Vec<(&'m str, f64)>>> {
        let names = self.model.labels.tags();
        let mut tagged = Vec::with_capacity(words.len());
        for words in words.chunks(TAGGED_WORDS) {
            let sentence = self.model.sentence(words.iter().copied());
            let scores = self.model.score_tags(&sentence, &mut self.worker)?;
            for row in scores.chunks_exact(names.len()) {
                let total = log_sum_exp(row);
                let mut tags: Vec<(u32, f32)> = (0..).zip(row.iter().copied()).collect();
                // Stable: the first among equals, as in a parse.
                tags.sort_by(|(_, a), (_, b)| b.total_cmp(a));
                let tag = |&(tag, score): &(u32, f32)| (names.name(tag), (f64::from(score) - total).exp());
                tagged.push(tags.iter().take(n).map(tag).collect());
            }
        }
        Ok(tagged)
    }

    /// A tree without phrases, for a sentence that is not parsed. Tokens without a tag get the likeliest one.
    pub fn fallback(&self, tokens: &Tokens) -> Tree {
        let mut tagged = tokens.clone();
        let mut worker = ModelWorker::default();
        let words: Vec<&str> = tokens.words().collect();
        for (number, words) in words.chunks(TAGGED_WORDS).enumerate() {
            let sentence = self.model.sentence(words.iter().copied());
            // Without scores, tokens keep the tags that they have.
            let Ok(scores) = self.model.score_tags(&sentence, &mut worker) else { break };
            self.set_tags(&scores, number * TAGGED_WORDS, &mut tagged);
        }
        Tree::flat(tagged)
    }

    fn parse_scored(&self, request: Request<'_>, scores: SentenceScores) -> Result<Parsed> {
        let SentenceScores { mut spans, tags } = scores;
        if request.tokens.is_empty() {
            return Ok(Parsed::fallback(Tree::empty(), Status::Trivial));
        }
        let mut tokens = request.tokens.clone();
        self.set_tags(&tags, 0, &mut tokens);
        if request.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Ok(Parsed::fallback(Tree::flat(tokens), Status::Fallback(Some(Limit::Time))));
        }
        let mut unmet = None;
        if !request.constraints.is_empty() {
            let free = spans.clone();
            match restrict(&mut spans, &self.model.labels, &tokens, request.constraints) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::Argument => (spans, unmet) = (free, Some(error)),
                Err(error) => return Err(error),
            }
        }
        let parses = self.decode(spans, &tokens, request.num_best)?;
        let parsed = Parsed::new(parses, Status::Optimal);
        Ok(match unmet {
            Some(unmet) => parsed.against(unmet),
            None => parsed,
        })
    }

    fn decode(&self, scores: SpanScores, tokens: &Tokens, num_best: usize) -> Result<Vec<Parse>> {
        let scores = &scores.divided_by(self.options.temperature);
        let sums = TreeSums::new(scores);
        let posteriors = sums.phrase_posteriors();
        let gains = self.options.min_risk.then(|| expected_gains(scores, &sums, &posteriors));
        let trees = match num_best {
            0 | 1 => vec![best_tree(gains.as_ref().unwrap_or(scores))],
            _ => best_trees(gains.as_ref().unwrap_or(scores), num_best),
        };
        // Without any phrase, every phrase that there may be is an error.
        let no_phrases: f64 = posteriors.iter().sum();
        let parse = |ScoredTree { phrases, .. }: ScoredTree| {
            let cost = match &gains {
                Some(gains) => no_phrases - tree_score(gains, &phrases),
                None => sums.log_total - tree_score(scores, &phrases),
            };
            let confidence = |phrase: &LabelledSpan| {
                let posterior = posteriors[span_index(scores.num_words(), phrase.span)];
                let score = scores.row(phrase.span)[usize::from(phrase.label)];
                sums.label_posterior(phrase.span, score, posterior)
            };
            let of_phrases = phrases.iter().flat_map(|phrase| {
                let chain = self.model.labels.chain(phrase.label).len();
                std::iter::repeat_n(Some(confidence(phrase)), chain)
            });
            let confidences = std::iter::once(Some(1.0)).chain(of_phrases).collect();
            Ok(Parse { tree: tree_of(&phrases, &self.model.labels, tokens)?, cost: Some(cost), confidences })
        };
        trees.into_iter().map(parse).collect()
    }

    /// Gives words from `first` on their likeliest tags, unless they have one.
    fn set_tags(&self, scores: &[f32], first: usize, tokens: &mut Tokens) {
        let names = self.model.labels.tags();
        for (index, row) in (first..).zip(scores.chunks_exact(names.len())) {
            if tokens.get(index).tag.is_empty() {
                let better = |best: usize, tag: usize| if row[tag] > row[best] { tag } else { best };
                tokens.set_tag(index, names.name((0..row.len()).fold(0, better) as u32));
            }
        }
    }
}

/// How many of the sentences with so many words are scored together: at least one.
fn num_together(num_words: impl Iterator<Item = usize>) -> usize {
    let total = num_words.scan(0, |total, num_words| {
        *total += num_spans(num_words);
        Some(*total)
    });
    total.take_while(|&total| total <= BATCH_SPANS).count().max(1)
}

/// The tree with these phrases below its root.
pub(crate) fn tree_of(phrases: &[LabelledSpan], labels: &PhraseLabels, tokens: &Tokens) -> Result<Tree> {
    let root = (Span::new(0, tokens.len() as u32), ROOT);
    let chain = |phrase: &LabelledSpan| {
        let span = phrase.span;
        labels.chain(phrase.label).iter().map(move |label| (span, label.as_ref())).collect::<Vec<_>>()
    };
    let tokens: Vec<Token<'_>> = tokens.iter().collect();
    from_spans(tokens, std::iter::once(root).chain(phrases.iter().flat_map(chain)))
}
