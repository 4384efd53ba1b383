//! Frozen transducers, and the workers that translate with them.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::context::Context;
use super::examples::AlignedPair;
use super::explain::{self, TranslationExplanation};
use super::generative::Generative;
use super::lexicon::{BilingualLexicon, CandidateFilter, ERASED};
use super::search::{Choice, SearchLimits, TreeDerivation, search, targets};
use crate::eval::{GtmMatch, GtmMatcher};
use boughs::error::Result;
use boughs::train::{preset_note, to_toml};
use boughs::tree::Tree;
use boughs_learn::loss::log_loss;
use boughs_learn::model::{About, Classifier, Ensemble, Forest, ForestScratch};
use boughs_learn::run::{Figure, Scores};
use boughs_learn::shards::{Chunks, reduce};
use boughs_learn::vocab::Vocab;

/// Pairs that are worked on one after the other.
pub(super) const PAIRS_OF_SHARD: usize = 64;

/// The description of a transducer that was learned with some settings.
pub(super) fn about<T: Serialize>(
    settings: &T,
    preset: Option<TranslationPreset>,
    paper: &T,
) -> Result<About> {
    let mut about = About { config: to_toml(settings)?, ..About::new("") };
    if let Some(preset) = preset {
        about.settings.insert("preset".to_owned(), preset_note(&preset, settings, paper)?);
    }
    Ok(about)
}

/// A paper whose settings a recipe has, but for what was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TranslationPreset {
    /// Turian, Wellington and Melamed 2006.
    Twm06,
}

/// The classifiers of the orders stand before those of words: straight, then inverted.
pub(super) const NUM_ORDERS: usize = 2;

/// What translates trees.
#[derive(Debug)]
pub struct Transducer {
    pub(super) about: About,
    /// The words that it knows.
    pub lexicon: BilingualLexicon,
    pub(super) costs: Costs,
    /// How it searches.
    pub search: SearchLimits,
}

/// What says how much choices cost.
#[derive(Debug)]
pub(super) enum Costs {
    Classifiers(Classifiers),
    Generative(Generative),
}

/// Classifiers over features: two of orders, then one of each candidate of the lexicon.
#[derive(Debug)]
pub(super) struct Classifiers {
    pub(super) features: Vocab,
    pub(super) forest: Forest,
}

/// A translation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Translation {
    /// The words.
    pub words: Vec<String>,
    /// By word: the source word that it translates.
    pub sources: Vec<u32>,
    /// The cost of all choices; the less the better.
    pub cost: f64,
    /// The choices.
    pub(super) derivation: TreeDerivation,
}

/// Translates with memory of its own; made by [`Transducer::worker`].
#[derive(Debug)]
pub struct TranslateWorker<'a> {
    transducer: &'a Transducer,
    scratch: ForestScratch,
}

/// The choices of a sentence with their costs, and what features were seen.
#[derive(Debug, Default)]
pub(super) struct Weighed {
    /// By word.
    pub(super) choices: Vec<Vec<Choice>>,
    /// By word: its number in the lexicon.
    pub(super) sources: Vec<Option<u32>>,
    /// By phrase: the costs of both orders.
    pub(super) orders: Vec<[f64; 2]>,
    /// By word and by phrase: the active features.
    pub(super) word_features: Vec<Vec<u32>>,
    pub(super) node_features: Vec<Vec<u32>>,
}

impl Costs {
    pub(super) fn classifiers(features: Vocab, classifiers: Vec<Classifier>) -> Result<Self> {
        Ok(Self::Classifiers(Classifiers { features, forest: Forest::new(classifiers)? }))
    }
}

impl Transducer {
    /// The naive form: every word becomes its most frequent translation, and the order stays.
    ///
    /// # Errors
    /// Never: there are no classifiers that could be too large.
    pub fn most_frequent(pairs: &[AlignedPair]) -> Result<Self> {
        let filter = CandidateFilter { max_candidates: 1, ..CandidateFilter::default() };
        let lexicon = BilingualLexicon::new(pairs, &filter);
        let none = Classifier { label: String::new(), ensemble: Ensemble::new() };
        let num_classifiers = NUM_ORDERS + lexicon.num_pairs();
        let costs = Costs::classifiers(Vocab::new(), vec![none; num_classifiers])?;
        Ok(Self { about: About::new(""), lexicon, costs, search: SearchLimits::default() })
    }

    /// How good translations of pairs are: F1 of the General Text Matcher.
    pub(super) fn evaluate(&self, pairs: &[AlignedPair]) -> Scores {
        let compute = |pairs: &[AlignedPair]| {
            let mut worker = self.worker();
            let mut score = |pair: &AlignedPair| {
                let best = worker.translate(&pair.tree, 1).swap_remove(0);
                GtmMatcher::new(1.0).score(&best.words, &pair.target)
            };
            pairs.iter().map(&mut score).collect::<Vec<_>>()
        };
        let mut total = GtmMatch::default();
        let work = Chunks { items: pairs, size: PAIRS_OF_SHARD, compute };
        reduce(&work, &(), |matches| matches.into_iter().for_each(|one| total += one));
        let criterion = 100.0 * total.f1();
        Scores { criterion, figures: vec![Figure::new("F1", criterion, 2)] }
    }

    /// One of as many workers as are wanted.
    pub fn worker(&self) -> TranslateWorker<'_> {
        let scratch = match &self.costs {
            Costs::Classifiers(classifiers) => classifiers.forest.scratch(),
            Costs::Generative(_) => ForestScratch::default(),
        };
        TranslateWorker { transducer: self, scratch }
    }
}

impl TranslateWorker<'_> {
    /// The cheapest translations of a tree that differ in their words, at most so many, the cheapest first; at least
    /// one. A word that was never seen stays as it is.
    pub fn translate(&mut self, tree: &Tree, num_best: usize) -> Vec<Translation> {
        let mut context = Context::new(tree);
        let weighed = self.weigh(&mut context);
        self.search(&context, &weighed, num_best)
    }

    /// The best translation of a tree with all choices, their alternatives, and at most so many reasons of each.
    pub fn explain(&mut self, tree: &Tree, num_reasons: usize) -> TranslationExplanation {
        let mut context = Context::new(tree);
        let weighed = self.weigh(&mut context);
        let best = self.search(&context, &weighed, 1).swap_remove(0);
        explain::explain(self.transducer, &context, &weighed, best, num_reasons)
    }

    /// What all choices cost.
    fn weigh(&mut self, context: &mut Context<'_>) -> Weighed {
        let lexicon = &self.transducer.lexicon;
        let sources: Vec<Option<u32>> = context.tree.words().map(|word| lexicon.find(word)).collect();
        match &self.transducer.costs {
            Costs::Classifiers(classifiers) => {
                classifiers.weigh(context, lexicon, sources, &mut self.scratch)
            }
            Costs::Generative(generative) => {
                let choices = |source: &Option<u32>| match *source {
                    Some(source) => generative.choices(source, lexicon.of(source)),
                    None => vec![COPIED],
                };
                Weighed { choices: sources.iter().map(choices).collect(), sources, ..Weighed::default() }
            }
        }
    }

    fn search(&self, context: &Context<'_>, weighed: &Weighed, num_best: usize) -> Vec<Translation> {
        let (tree, limits) = (&context.binary, self.transducer.search);
        let derivations = match &self.transducer.costs {
            Costs::Classifiers(_) => {
                search(tree, &weighed.choices, |node, _, _| weighed.orders[node], limits)
            }
            Costs::Generative(generative) => {
                let keys = generative.order_keys(context, &weighed.sources);
                let costs = generative.order_costs(tree, &weighed.sources, &keys);
                search(tree, &weighed.choices, costs, limits)
            }
        };
        let mut seen = HashSet::new();
        let translations = derivations.into_iter().map(|derivation| self.read(context, weighed, derivation));
        let mut best: Vec<Translation> = translations
            .filter(|translation| seen.insert(translation.words.clone()))
            .take(num_best.max(1))
            .collect();
        if best.is_empty() {
            best.push(Translation::default());
        }
        best
    }

    fn read(&self, context: &Context<'_>, weighed: &Weighed, derivation: TreeDerivation) -> Translation {
        let chosen = targets(&context.binary, &weighed.choices, &derivation);
        let word = |&(source, target): &(u32, u32)| match weighed.sources[source as usize] {
            Some(_) => self.transducer.lexicon.target.name(target).to_owned(),
            None => context.tree.word(source as usize).to_owned(),
        };
        Translation {
            words: chosen.iter().map(word).collect(),
            sources: chosen.iter().map(|&(source, _)| source).collect(),
            cost: derivation.cost,
            derivation,
        }
    }
}

/// The only choice for a word that was never seen: any number that does not stand for being left out.
const COPIED: Choice = (0, 0.0);

const _: () = assert!(COPIED.0 != ERASED);

impl Classifiers {
    fn weigh(
        &self,
        context: &mut Context<'_>,
        lexicon: &BilingualLexicon,
        sources: Vec<Option<u32>>,
        scratch: &mut ForestScratch,
    ) -> Weighed {
        let [word_features, node_features] = context.rows(|_| true, |name| self.features.get(name));
        let mut cost = |active: &[u32], place: usize| log_loss(self.forest.score_one(active, place, scratch));
        let choices = |(source, active): (&Option<u32>, &Vec<u32>)| {
            let Some(source) = *source else { return vec![COPIED] };
            match lexicon.of(source) {
                [only] => vec![(*only, 0.0)],
                candidates => {
                    let places = lexicon.places(source).map(|place| place + NUM_ORDERS);
                    candidates.iter().copied().zip(places.map(|place| cost(active, place))).collect()
                }
            }
        };
        let choices = sources.iter().zip(&word_features).map(choices).collect();
        let orders = node_features.iter().map(|active| [0, 1].map(|order| cost(active, order))).collect();
        Weighed { choices, sources, orders, word_features, node_features }
    }
}

#[cfg(test)]
mod tests {
    use super::super::examples::tests::pair;
    use super::*;

    #[test]
    fn the_most_frequent_translation_of_each_word() {
        let pairs =
            [pair("(X (A a) (B b) (C c))", "z x", "0-1 1-0"), pair("(X (A a) (B b))", "y x", "0-0 1-1")];
        let transducer = Transducer::most_frequent(&[&pairs[..], &pairs[..1]].concat()).unwrap();
        let mut worker = transducer.worker();
        let best = &worker.translate(&"(X (B b) (C c) (A A) (D Dora))".parse().unwrap(), 5);
        assert_eq!(best[0].words.join(" "), "z x Dora");
        assert_eq!(best[0].sources, [0, 2, 3]);
        assert!(worker.translate(&Tree::empty(), 1)[0].words.is_empty());
    }
}
