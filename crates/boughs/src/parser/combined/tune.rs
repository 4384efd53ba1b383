//! Which rule and which weights are best on development trees.

use rayon::prelude::*;

use super::model::CombinedModel;
use super::options::CombinedOptions;
use super::parser::CombinedParser;
use super::rule::CombinationRule;
use crate::error::Result;
use crate::learn::run::Scores;
use crate::neural::SpanPosteriors;
use crate::parser::{Sentence, scores};
use crate::tree::Tree;

/// Sentences that go through the parsers together.
const BATCH: usize = 16;

/// What weights are multiplied by: large steps first.
const FACTORS: [f32; 6] = [2.0, 0.5, 1.4, 0.7, 1.15, 0.87];

/// Development trees, and what all parsers think of their words.
struct Development<'t> {
    gold: &'t [Tree],
    sentences: Vec<Sentence>,
    posteriors: Vec<Vec<(usize, SpanPosteriors)>>,
}

/// The options with the highest F1 on these trees, and their scores; those of `options` that are not tuned stay.
/// `tell` is called for each attempt.
///
/// Every parser parses every sentence once. Then each rule starts from equal weights, and steps of weights are taken
/// as long as one of them is better.
///
/// # Errors
/// If a parser fails.
pub fn tune(
    model: &CombinedModel,
    options: &CombinedOptions,
    gold: &[Tree],
    mut tell: impl FnMut(&CombinedOptions, &Scores),
) -> Result<(CombinedOptions, Scores)> {
    let development = Development::new(model, options, gold)?;
    let mut measure = |options: &CombinedOptions| {
        let scores = development.measure(model, options)?;
        tell(options, &scores);
        Ok(scores)
    };
    let of_rule = |rule| climb(CombinedOptions { rule, ..options.clone() }, &mut measure);
    let [product, mixture] = [CombinationRule::Product, CombinationRule::Mixture].map(of_rule);
    let (product, mixture) = (product?, mixture?);
    Ok(if mixture.1.criterion > product.1.criterion { mixture } else { product })
}

/// Steps of single weights, as long as one is better.
fn climb(
    mut options: CombinedOptions,
    measure: &mut impl FnMut(&CombinedOptions) -> Result<Scores>,
) -> Result<(CombinedOptions, Scores)> {
    options.weights.fill(1.0);
    let mut best = measure(&options)?;
    for factor in FACTORS {
        // Only relations count, so the first weight stays.
        for place in 1..options.weights.len() {
            loop {
                let mut other = options.clone();
                other.weights[place] *= factor;
                let scores = measure(&other)?;
                if scores.criterion <= best.criterion {
                    break;
                }
                (options, best) = (other, scores);
            }
        }
    }
    Ok((options, best))
}

impl<'t> Development<'t> {
    fn new(model: &CombinedModel, options: &CombinedOptions, gold: &'t [Tree]) -> Result<Self> {
        let all = CombinedOptions { weights: vec![1.0; model.parsers.len()], ..options.clone() };
        let sentences: Vec<Sentence> =
            gold.iter().map(|tree| Sentence::from_tree(tree).without_tags()).collect();
        let posteriors = |parser: &mut CombinedParser<'_>, batch: &[Sentence]| {
            parser.posteriors(&batch.iter().collect::<Vec<_>>())
        };
        let batches =
            sentences.par_chunks(BATCH).map_init(|| CombinedParser::new(model, &all, None), posteriors);
        let posteriors = batches.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
        Ok(Self { gold, sentences, posteriors })
    }

    fn measure(&self, model: &CombinedModel, options: &CombinedOptions) -> Result<Scores> {
        let parse = |(sentence, posteriors): (&Sentence, &Vec<(usize, SpanPosteriors)>)| {
            let mut parsed = model.combine(options, sentence, posteriors, 1)?;
            Ok((parsed.parses.swap_remove(0).tree, parsed.status.is_fallback()))
        };
        let parsed =
            self.sentences.par_iter().zip(&self.posteriors).map(parse).collect::<Result<Vec<_>>>()?;
        let num_failed = parsed.iter().filter(|(_, is_fallback)| *is_fallback).count();
        Ok(scores(self.gold, parsed.iter().map(|(tree, _)| tree), num_failed, &model.parsers[0].profile()))
    }
}
