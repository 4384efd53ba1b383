//! [`CombinedParser`]: sentences to trees.

use std::time::Duration;

use super::model::CombinedModel;
use super::options::CombinedOptions;
use super::rule::{CombinationRule, Weighted};
use crate::error::{ErrorKind, Result};
use crate::neural::{
    LabelledSpan, Opinion, ScoredTree, SpanScores, TreeSums, best_tree, best_trees, restrict, tree_of,
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
        let opinions = self.opinions(sentences)?;
        let parse = |(sentence, opinions): (&&Sentence, &Vec<(usize, Opinion)>)| {
            self.model.combine(&self.options, sentence, opinions, num_best)
        };
        sentences.iter().zip(&opinions).map(parse).collect()
    }

    /// A tree without phrases, for a sentence that is not parsed.
    pub fn fallback(&self, tokens: &Tokens) -> Tree {
        self.workers[0].fallback(tokens)
    }

    /// For each sentence, the opinions of all parsers that have one, with the places of these.
    pub(super) fn opinions(&mut self, sentences: &[&Sentence]) -> Result<Vec<Vec<(usize, Opinion)>>> {
        let mut of_sentences: Vec<Vec<(usize, Opinion)>> = vec![Vec::new(); sentences.len()];
        for (place, worker) in self.workers.iter_mut().enumerate() {
            if self.options.weights[place] == 0.0 {
                continue;
            }
            let opinions = worker.opinions(sentences, &self.model.labels)?;
            for (of_sentence, opinion) in of_sentences.iter_mut().zip(opinions) {
                of_sentence.extend(opinion.map(|opinion| (place, opinion)));
            }
        }
        Ok(of_sentences)
    }
}

/// Opinions put together.
pub(super) struct Combined {
    pub(super) scores: SpanScores,
    /// With tags that most weight is for.
    pub(super) tokens: Tokens,
    /// How many phrases are expected.
    num_expected: f64,
}

impl CombinedModel {
    /// Puts opinions together; nothing if there are none.
    pub(super) fn put_together(
        &self,
        options: &CombinedOptions,
        opinions: &[(usize, Opinion)],
    ) -> Option<Combined> {
        let total: f32 = opinions.iter().map(|(place, _)| options.weights[*place]).sum();
        let weighted: Vec<Weighted<'_>> = opinions
            .iter()
            .map(|(place, opinion)| (options.weights[*place] / total, opinion))
            .filter(|(weight, _)| *weight > 0.0)
            .collect();
        let tokens = vote_on_tags(&weighted)?;
        let scores = options.rule.scores(tokens.len(), self.labels.len(), &weighted);
        let expected = |&(weight, opinion): &Weighted<'_>| {
            opinion.phrases.iter().map(|(_, probability)| f64::from(weight * probability)).sum::<f64>()
        };
        let num_expected = weighted.iter().map(expected).sum();
        Some(Combined { scores, tokens, num_expected })
    }

    /// The best trees by some opinions.
    pub(super) fn combine(
        &self,
        options: &CombinedOptions,
        sentence: &Sentence,
        opinions: &[(usize, Opinion)],
        num_best: usize,
    ) -> Result<Parsed> {
        if sentence.tokens().is_empty() {
            return Ok(Parsed::fallback(Tree::empty(), Status::Trivial));
        }
        let Some(mut combined) = self.put_together(options, opinions) else {
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
        let parsed = Parsed::new(self.best_parses(options, opinions, &combined, num_best)?, Status::Optimal);
        Ok(match unmet {
            Some(unmet) => parsed.against(unmet),
            None => parsed,
        })
    }

    fn best_parses(
        &self,
        options: &CombinedOptions,
        opinions: &[(usize, Opinion)],
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
                let confidence = f64::from(mean_probability(&options.weights, opinions, *phrase));
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
pub(super) fn probability(opinion: &Opinion, phrase: LabelledSpan) -> f32 {
    let found = opinion.phrases.binary_search_by_key(&phrase, |(phrase, _)| *phrase);
    found.map_or(0.0, |place| opinion.phrases[place].1)
}

/// How likely a phrase is to all that have an opinion, on the whole.
fn mean_probability(weights: &[f32], opinions: &[(usize, Opinion)], phrase: LabelledSpan) -> f32 {
    let total: f32 = opinions.iter().map(|(place, _)| weights[*place]).sum();
    let part = |(place, opinion): &(usize, Opinion)| weights[*place] * probability(opinion, phrase);
    opinions.iter().map(part).sum::<f32>() / total
}

/// The words, each with the tag that most weight is for, the first among equals; nothing if there is no opinion.
fn vote_on_tags(opinions: &[Weighted<'_>]) -> Option<Tokens> {
    let mut tokens = opinions.first()?.1.tokens.clone();
    for index in 0..tokens.len() {
        let mut votes: Vec<(&str, f32)> = Vec::new();
        for (weight, opinion) in opinions {
            let tag = opinion.tokens.get(index).tag;
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
