//! Frozen transducers, and the workers that translate with them.

use std::collections::HashSet;

use super::context::Context;
use super::examples::{AlignedPair, Numbering};
use super::explain::{self, Explanation};
use super::generative::Generative;
use super::lexicon::{CandidateFilter, ERASED, Lexicon};
use super::search::{Choice, Derivation, SearchLimits, search, targets};
use boughs::error::Result;
use boughs::tree::Tree;
use boughs::tree::heads::HeadRules;
use boughs_learn::model::{Classifier, Ensemble, Forest, ForestScratch};
use boughs_learn::vocab::Vocab;

/// The classifiers of the orders stand before those of words: straight, then inverted.
pub(super) const NUM_ORDERS: usize = 2;

/// What translates trees.
#[derive(Debug)]
pub struct Transducer {
    pub(super) lexicon: Lexicon,
    pub(super) rules: HeadRules,
    pub(super) costs: Costs,
}

/// Who says what choices cost.
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
#[derive(Debug, Clone, PartialEq)]
pub struct Translation {
    /// The words.
    pub words: Vec<String>,
    /// By word: the source word that it translates.
    pub sources: Vec<u32>,
    /// The cost of all choices; the less the better.
    pub cost: f64,
    /// The choices.
    pub derivation: Derivation,
}

/// Translates with memory of its own; made by [`Transducer::worker`].
#[derive(Debug)]
pub struct Worker<'a> {
    transducer: &'a Transducer,
    limits: SearchLimits,
    pub(super) scratch: ForestScratch,
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

impl Transducer {
    pub(super) fn discriminative(
        lexicon: Lexicon,
        features: Vocab,
        classifiers: Vec<Classifier>,
    ) -> Result<Self> {
        let forest = Forest::new(classifiers)?;
        let costs = Costs::Classifiers(Classifiers { features, forest });
        Ok(Self { lexicon, rules: HeadRules::english(), costs })
    }

    /// The naive form: every word becomes its most frequent translation, and the order stays.
    ///
    /// # Errors
    /// Never: there are no classifiers that could be too large.
    pub fn most_frequent(pairs: &[AlignedPair]) -> Result<Self> {
        let filter = CandidateFilter { max_candidates: 1, ..CandidateFilter::default() };
        let lexicon = Lexicon::new(pairs, &filter);
        let none = Classifier { label: String::new(), ensemble: Ensemble::new() };
        let num_classifiers = NUM_ORDERS + lexicon.num_pairs();
        Self::discriminative(lexicon, Vocab::new(), vec![none; num_classifiers])
    }

    /// The words and their translations.
    pub fn lexicon(&self) -> &Lexicon {
        &self.lexicon
    }

    /// One of as many workers as are wanted.
    pub fn worker(&self, limits: SearchLimits) -> Worker<'_> {
        let scratch = match &self.costs {
            Costs::Classifiers(classifiers) => classifiers.forest.scratch(),
            Costs::Generative(_) => ForestScratch::default(),
        };
        Worker { transducer: self, limits, scratch }
    }
}

impl Worker<'_> {
    /// The cheapest translations of a tree that differ in their words, at most so many, the cheapest first; at least
    /// one. A word that was never seen stays as it is.
    pub fn translate(&mut self, tree: &Tree, num_best: usize) -> Vec<Translation> {
        let mut context = Context::new(tree, &self.transducer.rules);
        let weighed = self.weigh(&mut context);
        self.search(&context, &weighed, num_best)
    }

    /// The best translation of a tree with all choices, their rivals and the reasons for them, at most so many reasons each.
    pub fn explain(&mut self, tree: &Tree, num_reasons: usize) -> Explanation {
        let mut context = Context::new(tree, &self.transducer.rules);
        let weighed = self.weigh(&mut context);
        let best = self.search(&context, &weighed, 1).swap_remove(0);
        explain::explain(self.transducer, &context, &weighed, best, num_reasons)
    }

    /// What all choices cost.
    fn weigh(&mut self, context: &mut Context<'_>) -> Weighed {
        match &self.transducer.costs {
            Costs::Classifiers(classifiers) => {
                classifiers.weigh(context, &self.transducer.lexicon, &mut self.scratch)
            }
            Costs::Generative(generative) => generative.weigh(context, &self.transducer.lexicon),
        }
    }

    fn search(&self, context: &Context<'_>, weighed: &Weighed, num_best: usize) -> Vec<Translation> {
        let tree = context.binary();
        let derivations = match &self.transducer.costs {
            Costs::Classifiers(_) => {
                search(tree, &weighed.choices, |node, _, _| weighed.orders[node], self.limits)
            }
            Costs::Generative(generative) => {
                let places = generative.places(context, &weighed.sources);
                search(tree, &weighed.choices, |node, one, other| places.cost(node, one, other), self.limits)
            }
        };
        let mut seen = HashSet::new();
        let translations = derivations.into_iter().map(|derivation| self.read(context, weighed, derivation));
        let mut best: Vec<Translation> = translations
            .filter(|translation| seen.insert(translation.words.clone()))
            .take(num_best.max(1))
            .collect();
        if best.is_empty() {
            let derivation = Derivation { cost: 0.0, words: Vec::new(), orders: Vec::new() };
            best.push(Translation { words: Vec::new(), sources: Vec::new(), cost: 0.0, derivation });
        }
        best
    }

    fn read(&self, context: &Context<'_>, weighed: &Weighed, derivation: Derivation) -> Translation {
        let chosen = targets(context.binary(), &weighed.choices, &derivation);
        let word = |&(source, target): &(u32, u32)| match weighed.sources[source as usize] {
            Some(_) => self.transducer.lexicon.target.name(target).to_owned(),
            None => context.tree().word(source as usize).to_owned(),
        };
        Translation {
            words: chosen.iter().map(word).collect(),
            sources: chosen.iter().map(|&(source, _)| source).collect(),
            cost: derivation.cost,
            derivation,
        }
    }
}

/// The cost of an inference with a score: ln(1 + exp(−score)).
fn cost(score: f64) -> f64 {
    boughs_learn::loss::log_loss(score)
}

/// The only choice for a word that was never seen: any number that does not stand for being left out.
pub(super) const COPIED: Choice = (0, 0.0);

const _: () = assert!(COPIED.0 != ERASED);

impl Classifiers {
    fn weigh(&self, context: &mut Context<'_>, lexicon: &Lexicon, scratch: &mut ForestScratch) -> Weighed {
        let mut weighed = Weighed::default();
        let mut numbering = Numbering::Fixed(&self.features);
        let mut shared = Vec::new();
        context.sentence_features(|name| shared.extend(numbering.number(name)));
        for word in 0..context.tree().num_tokens() {
            let source = lexicon.find(context.tree().word(word));
            let mut active = shared.clone();
            context.word_features(word, |name| active.extend(numbering.number(name)));
            let choices = match source {
                Some(source) => self.weigh_word(lexicon, source, &active, scratch),
                None => vec![COPIED],
            };
            weighed.choices.push(choices);
            weighed.sources.push(source);
            weighed.word_features.push(active);
        }
        for node in 0..context.binary().nodes().len() {
            let mut active = shared.clone();
            context.node_features(node, |name| active.extend(numbering.number(name)));
            weighed.orders.push([0, 1].map(|order| cost(self.forest.score_one(&active, order, scratch))));
            weighed.node_features.push(active);
        }
        weighed
    }

    /// A word without rivals costs nothing.
    fn weigh_word(
        &self,
        lexicon: &Lexicon,
        source: u32,
        active: &[u32],
        scratch: &mut ForestScratch,
    ) -> Vec<Choice> {
        let candidates = lexicon.of(source);
        if let [only] = candidates {
            return vec![(*only, 0.0)];
        }
        let places = lexicon.places(source).map(|place| place + NUM_ORDERS);
        let costs = places.map(|place| cost(self.forest.score_one(active, place, scratch)));
        candidates.iter().copied().zip(costs).collect()
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
        let mut worker = transducer.worker(SearchLimits::default());
        let best = &worker.translate(&"(X (B b) (C c) (A A) (D Dora))".parse().unwrap(), 5);
        assert_eq!(best[0].words.join(" "), "z x Dora");
        assert_eq!(best[0].sources, [0, 2, 3]);
        assert!(worker.translate(&Tree::empty(), 1)[0].words.is_empty());
    }
}
