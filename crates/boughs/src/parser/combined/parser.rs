//! [`CombinedParser`]: sentences to trees.

use std::time::Duration;

use super::model::CombinedModel;
use super::options::CombinedOptions;
use super::rule::{CombinationRule, Weighted};
use crate::error::{ErrorKind, Result};
use crate::neural::{
    LabelledSpan, ScoredTree, SpanPosteriors, SpanScores, TreeSums, best_tree, best_trees, restrict, tree_of,
};
use crate::parse::{Parse, Parsed, Status};
use crate::parser::{ParseOptions, Sentence, Worker};
use crate::tree::{Tokens, Tree};

/// Parses with a [`CombinedModel`], in memory of its own: one for each thread.
#[derive(Debug)]
pub struct CombinedParser<'m> {
    pub(super) model: &'m CombinedModel,
    pub(super) options: CombinedOptions,
    workers: Vec<Worker<'m>>,
}

impl<'m> CombinedParser<'m> {
    /// A parser with this model. Parsers that count for nothing are not asked; the others have so much time for a
    /// sentence, each.
    pub fn new(model: &'m CombinedModel, options: &CombinedOptions, timeout: Option<Duration>) -> Self {
        let options = match options.are_for(model.parsers.len()) {
            true => options.clone(),
            false => CombinedOptions::new(model.parsers.len()),
        };
        let worker = |parser: &'m crate::parser::Parser| {
            let own = parser.options();
            let own =
                ParseOptions { num_best: options.num_trees, timeout: timeout.or(own.timeout), ..own.clone() };
            Worker::new(parser, &own)
        };
        let workers = model.parsers.iter().map(worker).collect();
        Self { model, options, workers }
    }

    /// Parses sentences. There is always a tree for each; it is a fallback if no parser finds one.
    ///
    /// # Errors
    /// If a tree is larger than one can be.
    pub fn parse_batch(&mut self, sentences: &[&Sentence], num_best: usize) -> Result<Vec<Parsed>> {
        let posteriors = self.posteriors(sentences)?;
        let parse = |(sentence, posteriors): (&&Sentence, &Vec<(usize, SpanPosteriors)>)| {
            self.model.combine(&self.options, sentence, posteriors, num_best)
        };
        sentences.iter().zip(&posteriors).map(parse).collect()
    }

    /// A tree without phrases, for a sentence that is not parsed.
    pub fn fallback(&self, tokens: &Tokens) -> Tree {
        self.workers[0].fallback(tokens)
    }

    /// For each sentence, the posteriors of all parsers that have some, with the places of these.
    pub(super) fn posteriors(
        &mut self,
        sentences: &[&Sentence],
    ) -> Result<Vec<Vec<(usize, SpanPosteriors)>>> {
        let mut of_sentences: Vec<Vec<(usize, SpanPosteriors)>> = vec![Vec::new(); sentences.len()];
        for (place, worker) in self.workers.iter_mut().enumerate() {
            if self.options.weights[place] == 0.0 {
                continue;
            }
            let posteriors = worker.posteriors(sentences, &self.model.labels)?;
            for (of_sentence, posteriors) in of_sentences.iter_mut().zip(posteriors) {
                of_sentence.extend(posteriors.map(|posteriors| (place, posteriors)));
            }
        }
        Ok(of_sentences)
    }
}

/// Posteriors put together.
pub(super) struct Combined {
    pub(super) scores: SpanScores,
    /// With tags that most weight is for.
    pub(super) tokens: Tokens,
    /// How many phrases are expected.
    num_expected: f64,
}

impl CombinedModel {
    /// Puts posteriors together; nothing if there are none.
    pub(super) fn put_together(
        &self,
        options: &CombinedOptions,
        posteriors: &[(usize, SpanPosteriors)],
    ) -> Option<Combined> {
        let total: f32 = posteriors.iter().map(|(place, _)| options.weights[*place]).sum();
        let weighted: Vec<Weighted<'_>> = posteriors
            .iter()
            .map(|(place, posteriors)| (options.weights[*place] / total, posteriors))
            .filter(|(weight, _)| *weight > 0.0)
            .collect();
        let tokens = vote_on_tags(&weighted)?;
        let scores = options.rule.scores(tokens.len(), self.labels.len(), &weighted);
        let expected = |&(weight, posteriors): &Weighted<'_>| {
            posteriors.phrases.iter().map(|(_, probability)| f64::from(weight * probability)).sum::<f64>()
        };
        let num_expected = weighted.iter().map(expected).sum();
        Some(Combined { scores, tokens, num_expected })
    }

    /// The best trees by some posteriors.
    pub(super) fn combine(
        &self,
        options: &CombinedOptions,
        sentence: &Sentence,
        posteriors: &[(usize, SpanPosteriors)],
        num_best: usize,
    ) -> Result<Parsed> {
        if sentence.tokens().is_empty() {
            return Ok(Parsed::fallback(Tree::empty(), Status::Trivial));
        }
        let Some(mut combined) = self.put_together(options, posteriors) else {
            return Ok(Parsed::fallback(Tree::flat(sentence.tokens().clone()), Status::Fallback(None)));
        };
        let free = (!sentence.constraints.is_empty()).then(|| combined.scores.clone());
        let met = restrict(&mut combined.scores, &self.labels, &combined.tokens, &sentence.constraints);
        let unmet = match (met, free) {
            (Err(error), Some(free)) if error.kind() == ErrorKind::Argument => {
                combined.scores = free;
                Some(error)
            }
            (met, _) => met.map(|()| None)?,
        };
        let parsed =
            Parsed::new(self.best_parses(options, posteriors, &combined, num_best)?, Status::Optimal);
        Ok(match unmet {
            Some(unmet) => parsed.against(unmet),
            None => parsed,
        })
    }

    fn best_parses(
        &self,
        options: &CombinedOptions,
        posteriors: &[(usize, SpanPosteriors)],
        combined: &Combined,
        num_best: usize,
    ) -> Result<Vec<Parse>> {
        let Combined { scores, tokens, num_expected } = combined;
        let trees = match num_best {
            0 | 1 => vec![best_tree(scores)],
            _ => best_trees(scores, num_best),
        };
        // What a tree without phrases is worth less than nothing: shares of all trees, or errors.
        let most = match options.rule {
            CombinationRule::Product => TreeSums::new(scores).log_total,
            CombinationRule::Mixture => *num_expected,
        };
        let parse = |ScoredTree { phrases, score }: ScoredTree| {
            let of_phrases = phrases.iter().flat_map(|phrase| {
                let confidence = f64::from(mean_probability(&options.weights, posteriors, *phrase));
                std::iter::repeat_n(Some(confidence), self.labels.chain(phrase.label).len())
            });
            let confidences = std::iter::once(Some(1.0)).chain(of_phrases).collect();
            let tree = tree_of(&phrases, &self.labels, tokens)?;
            Ok(Parse { tree, cost: Some(most - f64::from(score)), confidences })
        };
        trees.into_iter().map(parse).collect()
    }
}

/// How likely a phrase is to one parser.
pub(super) fn probability(posteriors: &SpanPosteriors, phrase: LabelledSpan) -> f32 {
    let found = posteriors.phrases.binary_search_by_key(&phrase, |(phrase, _)| *phrase);
    found.map_or(0.0, |place| posteriors.phrases[place].1)
}

/// How likely a phrase is to all that have posteriors, on the whole.
fn mean_probability(weights: &[f32], posteriors: &[(usize, SpanPosteriors)], phrase: LabelledSpan) -> f32 {
    let total: f32 = posteriors.iter().map(|(place, _)| weights[*place]).sum();
    let part =
        |(place, posteriors): &(usize, SpanPosteriors)| weights[*place] * probability(posteriors, phrase);
    posteriors.iter().map(part).sum::<f32>() / total
}

/// The words, each with the tag that most weight is for, the first among equals; nothing if there is none.
fn vote_on_tags(posteriors: &[Weighted<'_>]) -> Option<Tokens> {
    let mut tokens = posteriors.first()?.1.tokens.clone();
    for index in 0..tokens.len() {
        let mut votes: Vec<(&str, f32)> = Vec::new();
        for (weight, posteriors) in posteriors {
            let tag = posteriors.tokens.get(index).tag;
            match votes.iter_mut().find(|(other, _)| *other == tag) {
                Some((_, votes)) => *votes += weight,
                None => votes.push((tag, *weight)),
            }
        }
        let most = votes.iter().map(|(_, votes)| *votes).fold(0.0, f32::max);
        if let Some((tag, _)) = votes.iter().find(|(_, votes)| *votes == most) {
            tokens.set_tag(index, tag);
        }
    }
    Some(tokens)
}
