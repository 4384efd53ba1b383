//! Training the classifiers: one for every word and translation, and one for each order.
//!
//! The naive form trains one after the other, each with a penalty of its own. There are tens of thousands of small
//! problems ([`problem`](super::problem)), learned side by side. Penalties are comparable between them, since examples
//! weigh the same everywhere. So all words are cut at one penalty, and both orders at another, where the loss on
//! held-out pairs is least.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::examples::{AlignedPair, ChoiceExamples};
use super::lexicon::{BilingualLexicon, CandidateFilter};
use super::problem::{ChoiceProblem, LearnedChoices, NUM_PENALTIES, map_features, penalty, problems};
use super::transducer::Transducer;
use boughs::error::{Error, ErrorKind, Result};
use boughs_learn::L1Config;
use boughs_learn::model::{Classifier, DecisionTree, Ensemble};
use boughs_learn::vocab::Vocab;

/// The settings of [`train`].
#[derive(Debug, Clone, PartialEq)]
pub struct TrainConfig {
    /// Which translations a word may have.
    pub candidates: CandidateFilter,
    /// How classifiers of words are boosted. Default: down to a penalty of 4, a little below what was best for 10,000
    /// pairs, by steps of 0.8, and with gains that need to grow by 1% only. Features of a sentence say much the same in
    /// many ways, and fewer of them then predicted more (`record/2026-11-16-translate.md`).
    pub words: L1Config,
    /// How the classifiers of the two orders are boosted. Default: the same, down to a penalty of 8.
    pub nodes: L1Config,
    /// A feature must be in so many examples of a classifier. Default: 2.
    pub min_feature_count: u32,
}

impl Default for TrainConfig {
    fn default() -> Self {
        let config =
            L1Config { final_penalty: 4.0, decay: 0.8, min_gain_factor: 1.01, ..L1Config::default() };
        Self {
            candidates: CandidateFilter::default(),
            words: config,
            nodes: L1Config { final_penalty: 8.0, ..config },
            min_feature_count: 2,
        }
    }
}

/// What training found.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainReport {
    /// Examples of words and of phrases.
    pub num_examples: [usize; 2],
    /// Atomic features.
    pub num_features: usize,
    /// Classifiers of words.
    pub num_classifiers: usize,
    /// The penalties chosen for words and for phrases.
    pub penalties: [f64; 2],
    /// Compound features in use: leaves that are not zero, of words and of phrases.
    pub num_active: [usize; 2],
    /// The share of held-out examples decided right, of words and of phrases; 0 if there are none.
    pub accuracies: [f64; 2],
}

/// Learns a transducer from pairs; `dev` holds the pairs by which penalties are chosen. `observe` is told how many
/// datasets are done, and of how many.
///
/// # Errors
/// If a setting is out of its range, or there are no pairs.
pub fn train(
    pairs: &[AlignedPair],
    dev: &[AlignedPair],
    config: &TrainConfig,
    observe: impl Fn(usize, usize) + Sync,
) -> Result<(Transducer, TrainReport)> {
    config.words.check()?;
    config.nodes.check()?;
    let lexicon = BilingualLexicon::new(pairs, &config.candidates);
    if lexicon.num_words() == 0 {
        return Err(Error::new(ErrorKind::Argument, "expected pairs to learn from, found none")
            .hint("are all of them too short, too long, or too uneven?"));
    }
    let mut features = Vocab::new();
    let examples = ChoiceExamples::new(pairs, &lexicon, |name| Some(features.intern(name)));
    let held_out = ChoiceExamples::new(dev, &lexicon, |name| features.get(name));
    let problems = problems(&lexicon, &examples, &held_out, [config.words, config.nodes]);
    let num_done = AtomicUsize::new(0);
    let learn = |problem: &ChoiceProblem<'_>| {
        let learned = problem.learn(config.min_feature_count);
        observe(1 + num_done.fetch_add(1, Ordering::Relaxed), problems.len());
        learned
    };
    let learned = problems.par_iter().with_max_len(1).map(learn).collect::<Result<Vec<LearnedChoices>>>()?;
    let (orders, words) = learned.split_at(1);
    let best = [best_penalty(words), best_penalty(orders)];
    let mut frozen = Frozen { used: Vocab::new(), classifiers: Vec::new(), features: &features };
    orders[0].ensembles.iter().for_each(|ensemble| frozen.push(ensemble, best[1]));
    let num_active = frozen.num_active();
    frozen.push_words(&lexicon, &problems[1..], words, best[0]);
    let report = TrainReport {
        num_examples: [examples.words.len(), examples.orders.len()],
        num_features: features.len(),
        num_classifiers: problems[1..].iter().map(|problem| problem.num_classifiers).sum(),
        penalties: best.map(penalty),
        num_active: [frozen.num_active() - num_active, num_active],
        accuracies: [accuracy(&problems[1..], words, best[0]), accuracy(&problems[..1], orders, best[1])],
    };
    Ok((Transducer::discriminative(lexicon, frozen.used, frozen.classifiers)?, report))
}

/// Which share of held-out examples is decided right at a penalty.
fn accuracy(problems: &[ChoiceProblem<'_>], learned: &[LearnedChoices], penalty: usize) -> f64 {
    let num_rows: usize = problems.iter().map(ChoiceProblem::num_held_out).sum();
    learned.iter().map(|one| one.num_right[penalty]).sum::<u64>() as f64 / num_rows.max(1) as f64
}

/// Classifiers cut at their penalties, with numbers for the features in use only.
struct Frozen<'a> {
    used: Vocab,
    classifiers: Vec<Classifier>,
    features: &'a Vocab,
}

impl Frozen<'_> {
    fn push(&mut self, ensemble: &Ensemble, index: usize) {
        let cut = ensemble.prefix(ensemble.num_trees_at(penalty(index)));
        let ensemble = map_features(&cut, |feature| self.used.intern(self.features.name(feature)));
        self.classifiers.push(Classifier { label: String::new(), ensemble });
    }

    /// Adds a classifier for each candidate of the lexicon; those of words without a choice have no trees.
    fn push_words(
        &mut self,
        lexicon: &BilingualLexicon,
        problems: &[ChoiceProblem<'_>],
        learned: &[LearnedChoices],
        index: usize,
    ) {
        let none = Ensemble::new();
        let mut ensembles = vec![&none; lexicon.num_pairs()];
        for (problem, one) in problems.iter().zip(learned) {
            let places = problem.source.map_or(0..0, |source| lexicon.places(source));
            places.zip(&one.ensembles).for_each(|(place, ensemble)| ensembles[place] = ensemble);
        }
        ensembles.into_iter().for_each(|ensemble| self.push(ensemble, index));
    }

    /// Leaves that are not zero.
    fn num_active(&self) -> usize {
        let trees = self.classifiers.iter().flat_map(|classifier| classifier.ensemble.trees());
        trees.map(DecisionTree::num_active).sum()
    }
}

/// The number of the penalty of the least held-out loss, the largest of equals; the last if nothing is held out.
fn best_penalty(learned: &[LearnedChoices]) -> usize {
    let total = |index: usize| learned.iter().map(|one| one.losses[index]).sum::<f64>();
    let totals: Vec<f64> = (0..NUM_PENALTIES).map(total).collect();
    let best =
        (1..NUM_PENALTIES).fold(0, |best, index| if totals[index] < totals[best] { index } else { best });
    if totals[best] == 0.0 { NUM_PENALTIES - 1 } else { best }
}

#[cfg(test)]
mod tests {
    use super::super::examples::tests::pair;
    use super::*;

    /// Adjectives follow their nouns, and `bank` depends on the word before it.
    fn pairs() -> Vec<AlignedPair> {
        let mut pairs = Vec::new();
        for (noun, translation) in [("dog", "chien"), ("cat", "chat"), ("house", "toit"), ("tree", "arbre")] {
            for (adjective, its) in [("white", "blanc"), ("green", "vert"), ("small", "petit")] {
                pairs.push(pair(
                    &format!("(NP (DT a) (JJ {adjective}) (NN {noun}))"),
                    &format!("un {translation} {its}"),
                    "0-0 1-2 2-1",
                ));
            }
        }
        for _ in 0..8 {
            pairs.push(pair("(NP (DT the) (NN money) (NN bank))", "la monnaie banque", "0-0 1-1 2-2"));
            pairs.push(pair("(NP (DT the) (NN river) (NN bank))", "la fleuve rive", "0-0 1-1 2-2"));
        }
        pairs
    }

    #[test]
    fn what_was_learned_from_is_translated_exactly() {
        let path = L1Config { final_penalty: 0.5, ..L1Config::default() };
        let config = TrainConfig { words: path, nodes: path, ..TrainConfig::default() };
        let (transducer, report) = train(&pairs(), &pairs(), &config, |_, _| {}).unwrap();
        assert_eq!(report.num_examples, [84, 56]);
        assert_eq!(report.accuracies, [1.0, 1.0]);
        let mut worker = transducer.worker();
        for pair in pairs() {
            assert_eq!(worker.translate(&pair.tree, 1)[0].words, pair.target);
        }
        let unseen = worker.translate(&"(NP (DT a) (JJ Xyzzy) (NN house))".parse().unwrap(), 1);
        assert_eq!(unseen[0].words.join(" "), "un toit Xyzzy");
    }

    #[test]
    fn threads_do_not_matter() {
        let train_with = |num_threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(num_threads).build().unwrap();
            let (transducer, report) =
                pool.install(|| train(&pairs(), &pairs(), &TrainConfig::default(), |_, _| {})).unwrap();
            (transducer.to_file(boughs_learn::model::About::new("")).unwrap().to_bytes().unwrap(), report)
        };
        assert_eq!(train_with(1), train_with(3));
    }

    #[test]
    fn nothing_cannot_be_learned_from() {
        let error = train(&[], &[], &TrainConfig::default(), |_, _| {}).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Argument);
    }
}
