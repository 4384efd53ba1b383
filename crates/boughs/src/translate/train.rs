//! Training the classifiers: one for every word and translation, and one for each order.
//!
//! A word's classifiers see its own examples only, so each word has a dataset of its own, with features numbered anew: tens of
//! thousands of small problems, side by side. Penalties are comparable between them, since examples weigh the
//! same everywhere; so all words are cut at one penalty, and both orders at another, where the loss on held-out pairs is
//! least.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::examples::{AlignedPair, Examples, Numbering};
use super::lexicon::{CandidateFilter, Lexicon};
use super::transducer::Transducer;
use crate::align::{Order, Sentences};
use crate::error::{Error, ErrorKind, Result};
use crate::learn::{Dataset, DatasetBuilder, L1Booster, L1Config, Target};
use crate::model::{Classifier, DecisionTree, Ensemble, TreeNode};
use crate::tree::heads::HeadRules;
use crate::vocab::Vocab;

/// The settings of [`train`].
#[derive(Debug, Clone, PartialEq)]
pub struct TrainConfig {
    /// Which translations a word may have.
    pub candidates: CandidateFilter,
    /// How classifiers of words are boosted. Default: down to a penalty of 2, a little below what was best for 3,000, 10,000 and
    /// 29,000 pairs.
    pub words: L1Config,
    /// How the classifiers of the two orders are boosted. Default: down to a penalty of 8, likewise.
    pub nodes: L1Config,
    /// A feature must be in so many examples of a classifier. Default: 2.
    pub min_feature_count: u32,
}

impl Default for TrainConfig {
    fn default() -> Self {
        let config = L1Config { final_penalty: 2.0, ..L1Config::default() };
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
pub struct Report {
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

/// Penalties at which classifiers are compared: each the root of 2 below the one before.
const NUM_PENALTIES: i32 = 28;
const FIRST_PENALTY: f64 = 4096.0;

/// Learns a transducer from pairs; `tune` holds the pairs by which penalties are chosen. `observe` hears how many of how many
/// datasets are done.
///
/// # Errors
/// If a setting is out of its range, or there are no pairs.
pub fn train(
    pairs: &[AlignedPair],
    tune: &[AlignedPair],
    config: &TrainConfig,
    observe: impl Fn(usize, usize) + Sync,
) -> Result<(Transducer, Report)> {
    config.words.check()?;
    config.nodes.check()?;
    let rules = HeadRules::english();
    let lexicon = Lexicon::new(pairs, &config.candidates);
    if lexicon.num_words() == 0 {
        return Err(Error::new(ErrorKind::Argument, "expected pairs to learn from, found none")
            .hint("are all of them too short, too long, or too uneven?"));
    }
    let mut features = Vocab::new();
    let examples = Examples::new(pairs, &lexicon, &rules, &mut Numbering::Growing(&mut features));
    let held_out = Examples::new(tune, &lexicon, &rules, &mut Numbering::Fixed(&features));
    let jobs = jobs(&lexicon, &examples, &held_out, config);
    let num_done = std::sync::atomic::AtomicUsize::new(0);
    let learn = |job: &Job<'_>| {
        let learned = job.learn(config.min_feature_count);
        observe(1 + num_done.fetch_add(1, std::sync::atomic::Ordering::Relaxed), jobs.len());
        learned
    };
    let learned: Vec<Learned> =
        jobs.par_iter().with_max_len(1).map(learn).collect::<Result<Vec<Learned>>>()?;
    assemble(lexicon, &features, &examples, &jobs, &learned)
}

/// One dataset and the classifiers that share it.
struct Job<'a> {
    /// The source word; none for the orders of phrases.
    source: Option<u32>,
    rows: Vec<u32>,
    held_out_rows: Vec<u32>,
    features: &'a Sentences,
    held_out_features: &'a Sentences,
    /// By row of all examples: which classifier it speaks for.
    labels: Vec<u32>,
    held_out_labels: Vec<u32>,
    num_classifiers: usize,
    config: L1Config,
}

/// What came of a job.
struct Learned {
    ensembles: Vec<Ensemble>,
    /// By penalty: the loss of held-out examples, and how many are decided right.
    losses: Vec<f64>,
    num_right: Vec<u64>,
}

/// The orders first, then the words with a choice, those with most examples first: so the last to finish is a short one.
fn jobs<'a>(
    lexicon: &Lexicon,
    examples: &'a Examples,
    held_out: &'a Examples,
    config: &TrainConfig,
) -> Vec<Job<'a>> {
    let labels = |orders: &[Order]| orders.iter().map(|order| u32::from(*order == Order::Inverted)).collect();
    let mut jobs = vec![Job {
        source: None,
        rows: (0..examples.orders.len() as u32).collect(),
        held_out_rows: (0..held_out.orders.len() as u32).collect(),
        features: &examples.node_rows,
        held_out_features: &held_out.node_rows,
        labels: labels(&examples.orders),
        held_out_labels: labels(&held_out.orders),
        num_classifiers: 2,
        config: config.nodes,
    }];
    let held_out_rows = held_out.by_source(lexicon);
    for ((source, rows), held_out_rows) in (0u32..).zip(examples.by_source(lexicon)).zip(held_out_rows) {
        let candidates = lexicon.of(source);
        if candidates.len() < 2 {
            continue;
        }
        let label = |words: &[(Option<u32>, Option<u32>)], row: u32| {
            let target = words[row as usize].1;
            candidates.iter().position(|&candidate| Some(candidate) == target).unwrap_or(0) as u32
        };
        jobs.push(Job {
            source: Some(source),
            labels: rows.iter().map(|&row| label(&examples.words, row)).collect(),
            held_out_labels: held_out_rows.iter().map(|&row| label(&held_out.words, row)).collect(),
            rows,
            held_out_rows,
            features: &examples.word_rows,
            held_out_features: &held_out.word_rows,
            num_classifiers: candidates.len(),
            config: config.words,
        });
    }
    jobs[1..].sort_by_key(|job| std::cmp::Reverse(job.rows.len()));
    jobs
}

impl Job<'_> {
    fn learn(&self, min_feature_count: u32) -> Result<Learned> {
        let rows = Rows::new(self.features, &self.rows, min_feature_count);
        let dataset = rows.dataset()?;
        let mut ensembles = Vec::new();
        for class in 0..self.num_classifiers as u32 {
            let target = Target::from_labels(self.labels.iter().map(|&label| label == class));
            let mut booster = L1Booster::new(&dataset, &target, self.config)?;
            while booster.step().is_ok() {}
            ensembles.push(rows.renumbered(&booster.into_ensemble()));
        }
        let mut learned =
            Learned { ensembles, losses: vec![0.0; num_penalties()], num_right: vec![0; num_penalties()] };
        self.hold_out(&mut learned);
        Ok(learned)
    }

    fn hold_out(&self, learned: &mut Learned) {
        for (&row, &label) in self.held_out_rows.iter().zip(&self.held_out_labels) {
            let mut active = self.held_out_features.get(row as usize).to_vec();
            active.sort_unstable();
            let paths: Vec<Vec<f64>> =
                learned.ensembles.iter().map(|ensemble| scores_along(ensemble, &active)).collect();
            for index in 0..num_penalties() {
                let loss = |(class, path): (usize, &Vec<f64>)| {
                    let margin = if class as u32 == label { path[index] } else { -path[index] };
                    (-margin).exp().ln_1p()
                };
                learned.losses[index] += paths.iter().enumerate().map(loss).sum::<f64>();
                let best = best_class(paths.iter().map(|path| path[index]));
                learned.num_right[index] += u64::from(best == label as usize);
            }
        }
    }
}

/// The class of the highest score; the first of equals.
pub(super) fn best_class(scores: impl IntoIterator<Item = f64>) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for (class, score) in scores.into_iter().enumerate() {
        if score > best.1 {
            best = (class, score);
        }
    }
    best.0
}

fn num_penalties() -> usize {
    NUM_PENALTIES as usize + 1
}

/// The penalties compared; the first keeps no trees.
fn penalty(index: usize) -> f64 {
    match index {
        0 => f64::INFINITY,
        _ => FIRST_PENALTY * 0.5f64.powf((index - 1) as f64 / 2.0),
    }
}

/// The score at each penalty; active features are sorted.
fn scores_along(ensemble: &Ensemble, active: &[u32]) -> Vec<f64> {
    let is_active = |feature: u32| active.binary_search(&feature).is_ok();
    let (mut score, mut num_trees) = (0.0, 0);
    let mut scores = Vec::new();
    for index in 0..num_penalties() {
        let wanted = ensemble.num_trees_at(penalty(index));
        for tree in &ensemble.trees()[num_trees..wanted] {
            score += tree.score(is_active);
        }
        num_trees = wanted;
        scores.push(score);
    }
    scores
}

/// Rows of features, numbered anew.
pub(super) struct Rows<'a> {
    features: &'a Sentences,
    rows: &'a [u32],
    numbers: FxHashMap<u32, u32>,
    /// By new number.
    pub(super) originals: Vec<u32>,
}

impl<'a> Rows<'a> {
    /// Some rows, without features that are in fewer of them than `min_count`.
    pub(super) fn new(features: &'a Sentences, rows: &'a [u32], min_count: u32) -> Self {
        let mut counts: FxHashMap<u32, u32> = FxHashMap::default();
        for &row in rows {
            features.get(row as usize).iter().for_each(|&feature| *counts.entry(feature).or_default() += 1);
        }
        let mut kept: Vec<(u32, u32)> = counts.into_iter().filter(|&(_, count)| count >= min_count).collect();
        kept.sort_unstable_by_key(|&(feature, count)| (std::cmp::Reverse(count), feature));
        let originals: Vec<u32> = kept.into_iter().map(|(feature, _)| feature).collect();
        let numbers = originals.iter().zip(0u32..).map(|(&feature, number)| (feature, number)).collect();
        Self { features, rows, numbers, originals }
    }

    pub(super) fn dataset(&self) -> Result<Dataset> {
        let mut builder = DatasetBuilder::with_num_features(self.originals.len() as u32)?;
        for &row in self.rows {
            builder.push_row(&self.row(row))?;
        }
        Ok(builder.finish())
    }

    fn row(&self, row: u32) -> Vec<u32> {
        let features = self.features.get(row as usize).iter();
        features.filter_map(|feature| self.numbers.get(feature).copied()).collect()
    }

    /// The ensemble with the features' own numbers.
    fn renumbered(&self, ensemble: &Ensemble) -> Ensemble {
        map_features(ensemble, |feature| self.originals[feature as usize])
    }
}

/// The ensemble with other numbers for its features.
fn map_features(ensemble: &Ensemble, mut number: impl FnMut(u32) -> u32) -> Ensemble {
    let mut mapped = Ensemble::new();
    for (tree, &penalty) in ensemble.trees().iter().zip(ensemble.penalties()) {
        let node = |node: &TreeNode| match *node {
            TreeNode::Split { feature, present, absent } => {
                TreeNode::Split { feature: number(feature), present, absent }
            }
            leaf @ TreeNode::Leaf { .. } => leaf,
        };
        mapped.push(DecisionTree::new(tree.nodes().iter().map(node).collect()), penalty);
    }
    mapped
}

/// Cuts all classifiers where held-out loss is least, and freezes them.
fn assemble(
    lexicon: Lexicon,
    features: &Vocab,
    examples: &Examples,
    jobs: &[Job<'_>],
    learned: &[Learned],
) -> Result<(Transducer, Report)> {
    let (nodes, words) = learned.split_at(1);
    let best = [best_penalty(words), best_penalty(nodes)];
    let num_held_out = |jobs: &[Job<'_>]| jobs.iter().map(|job| job.held_out_rows.len()).sum::<usize>();
    let accuracy = |learned: &[Learned], index: usize, num: usize| {
        learned.iter().map(|one| one.num_right[index]).sum::<u64>() as f64 / num.max(1) as f64
    };
    let accuracies = [
        accuracy(words, best[0], num_held_out(&jobs[1..])),
        accuracy(nodes, best[1], num_held_out(&jobs[..1])),
    ];
    let mut used = Vocab::new();
    let mut freeze = |ensemble: &Ensemble, index: usize| {
        let cut = ensemble.prefix(ensemble.num_trees_at(penalty(index)));
        map_features(&cut, |feature| used.intern(features.name(feature)))
    };
    let orders: Vec<Ensemble> =
        nodes.iter().flat_map(|one| &one.ensembles).map(|one| freeze(one, best[1])).collect();
    let mut of_candidates = vec![Ensemble::new(); lexicon.num_pairs()];
    for (job, one) in jobs[1..].iter().zip(words) {
        let places = job.source.map_or(0..0, |source| lexicon.places(source));
        for (place, ensemble) in places.zip(&one.ensembles) {
            of_candidates[place] = freeze(ensemble, best[0]);
        }
    }
    let num_active = |ensembles: &[Ensemble]| -> usize {
        ensembles.iter().flat_map(Ensemble::trees).map(DecisionTree::num_active).sum()
    };
    let report = Report {
        num_examples: [examples.words.len(), examples.orders.len()],
        num_features: features.len(),
        num_classifiers: jobs[1..].iter().map(|job| job.num_classifiers).sum(),
        penalties: best.map(penalty),
        num_active: [num_active(&of_candidates), num_active(&orders)],
        accuracies,
    };
    let classifier = |ensemble| Classifier { label: String::new(), ensemble };
    let classifiers: Vec<Classifier> = orders.into_iter().chain(of_candidates).map(classifier).collect();
    Ok((Transducer::discriminative(lexicon, used, classifiers)?, report))
}

/// The number of the penalty of the least held-out loss, the largest of equals; the last if nothing is held out.
fn best_penalty(learned: &[Learned]) -> usize {
    let total = |index: usize| learned.iter().map(|one| one.losses[index]).sum::<f64>();
    let mut best = (0, total(0));
    for index in 1..num_penalties() {
        if total(index) < best.1 {
            best = (index, total(index));
        }
    }
    if best.1 == 0.0 { num_penalties() - 1 } else { best.0 }
}

#[cfg(test)]
mod tests {
    use super::super::examples::tests::pair;
    use super::super::search::SearchLimits;
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
        let mut worker = transducer.worker(SearchLimits::default());
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
            (transducer.to_file(crate::model::About::new("")).unwrap().to_bytes().unwrap(), report)
        };
        assert_eq!(train_with(1), train_with(3));
    }

    #[test]
    fn nothing_cannot_be_learned_from() {
        let error = train(&[], &[], &TrainConfig::default(), |_, _| {}).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Argument);
    }
}
