//! The problems to learn: rows of features, and the classifiers that share them.
//!
//! A word's classifiers see its own examples only. So each word has a dataset of its own, with features numbered anew.
//! The orders of phrases are one more problem. Each classifier is scored on held-out examples at every penalty of a
//! fixed list, so that the losses of all of them can be added.

use rustc_hash::FxHashMap;

use super::examples::ChoiceExamples;
use super::lexicon::BilingualLexicon;
use crate::align::{IdRows, PartOrder, first_best};
use boughs::error::Result;
use boughs_learn::loss::log_loss;
use boughs_learn::model::{DecisionTree, Ensemble, TreeNode};
use boughs_learn::{Dataset, DatasetBuilder, L1Booster, L1Config, Target};

/// The penalties at which classifiers are compared begin so high that hardly one has trees there.
pub(super) const HIGHEST_PENALTY: f64 = 1_048_576.0;
const FIRST_PENALTY: f64 = 4096.0;

/// Penalties, each the root of 2 below the one before, from that at which no classifier has a tree to the first at
/// which all trees are there.
pub(super) fn penalties(config: &L1Config, classifiers: &[Ensemble]) -> Vec<f64> {
    let firsts = classifiers.iter().filter_map(|one| one.penalties().first());
    let highest = firsts.copied().fold(0.0, f64::max);
    let mut path = vec![HIGHEST_PENALTY];
    let mut next = (0..).map(|index| FIRST_PENALTY * 0.5f64.powf(f64::from(index) / 2.0)).peekable();
    while next.next_if(|&penalty| penalty > highest && penalty > config.final_penalty).is_some() {}
    while path.last().is_some_and(|&last| last > config.final_penalty) {
        path.extend(next.next());
    }
    path
}

/// What shares a dataset: the classifiers of a word's candidates, or of the orders.
#[derive(Debug)]
pub(super) struct ChoiceProblem {
    /// The source word; none for the orders of phrases.
    pub(super) source: Option<u32>,
    /// Its training examples.
    pub(super) rows: Vec<u32>,
    /// The place of its first classifier among those of all problems, and behind its last.
    pub(super) classifiers: std::ops::Range<usize>,
}

/// How classifiers do on held-out examples, by penalty.
#[derive(Debug, Default)]
pub(super) struct HeldOutChoices {
    pub(super) num_rows: usize,
    pub(super) losses: Vec<f64>,
    /// How many examples are decided right.
    pub(super) num_right: Vec<u64>,
}

/// The orders first, then the words with a choice, those with most examples first: so the last to finish is a short
/// one.
pub(super) fn problems(lexicon: &BilingualLexicon, examples: &ChoiceExamples) -> Vec<ChoiceProblem> {
    let mut of_words: Vec<(u32, Vec<u32>)> = (0u32..).zip(examples.by_source(lexicon)).collect();
    of_words.retain(|&(source, _)| lexicon.of(source).len() > 1);
    of_words.sort_by_key(|(_, rows)| std::cmp::Reverse(rows.len()));
    let orders = (None, (0..examples.orders.len() as u32).collect());
    let words = of_words.into_iter().map(|(source, rows)| (Some(source), rows));
    let mut first = 0;
    let problem = |(source, rows): (Option<u32>, Vec<u32>)| {
        let end = first + source.map_or(2, |source| lexicon.of(source).len());
        let classifiers = std::mem::replace(&mut first, end)..end;
        ChoiceProblem { source, rows, classifiers }
    };
    std::iter::once(orders).chain(words).map(problem).collect()
}

/// Some examples of a problem: their features, and which of its classifiers each is an example of.
struct ProblemRows<'a> {
    features: &'a IdRows,
    rows: &'a [u32],
    labels: Vec<u32>,
}

impl<'a> ProblemRows<'a> {
    fn new(
        source: Option<u32>,
        rows: &'a [u32],
        lexicon: &BilingualLexicon,
        examples: &'a ChoiceExamples,
    ) -> Self {
        let label = |&row: &u32| match source {
            Some(source) => examples.candidate(lexicon, source, row),
            None => u32::from(examples.orders[row as usize] == PartOrder::Inverted),
        };
        let features = if source.is_some() { &examples.word_rows } else { &examples.node_rows };
        Self { features, rows, labels: rows.iter().map(label).collect() }
    }
}

impl ChoiceProblem {
    /// Learns all classifiers, down to the last penalty.
    pub(super) fn learn(
        &self,
        lexicon: &BilingualLexicon,
        examples: &ChoiceExamples,
        config: L1Config,
        min_feature_count: u32,
    ) -> Result<Vec<Ensemble>> {
        let ProblemRows { features, rows, labels } =
            ProblemRows::new(self.source, &self.rows, lexicon, examples);
        let numbers = LocalNumbers::new(features, rows, min_feature_count);
        let dataset = numbers.dataset(features, rows)?;
        let mut classifiers = Vec::new();
        for class in 0..self.classifiers.len() as u32 {
            let target = Target::from_labels(labels.iter().map(|&label| label == class));
            let mut booster = L1Booster::new(&dataset, &target, config)?;
            while booster.step().is_ok() {}
            let original = |feature: u32| numbers.originals[feature as usize];
            classifiers.push(map_features(&booster.into_ensemble(), original));
        }
        Ok(classifiers)
    }

    /// How the classifiers of the problem do on some of the held-out examples.
    pub(super) fn hold_out(
        &self,
        classifiers: &[Ensemble],
        path: &[f64],
        rows: &[u32],
        lexicon: &BilingualLexicon,
        examples: &ChoiceExamples,
    ) -> HeldOutChoices {
        let ProblemRows { features, rows, labels } = ProblemRows::new(self.source, rows, lexicon, examples);
        let mut held_out = HeldOutChoices::new(path.len());
        held_out.num_rows = rows.len();
        for (&row, &label) in rows.iter().zip(&labels) {
            let mut active = features.get(row as usize).to_vec();
            active.sort_unstable();
            let scores: Vec<Vec<f64>> =
                classifiers.iter().map(|one| scores_along(one, path, &active)).collect();
            for index in 0..path.len() {
                let loss = |(class, path): (u32, &Vec<f64>)| {
                    log_loss(if class == label { path[index] } else { -path[index] })
                };
                held_out.losses[index] += (0u32..).zip(&scores).map(loss).sum::<f64>();
                let (best, _) = first_best(scores.iter().map(|path| path[index]));
                held_out.num_right[index] += u64::from(best == label as usize);
            }
        }
        held_out
    }
}

impl HeldOutChoices {
    /// Of nothing, at so many penalties.
    pub(super) fn new(num_penalties: usize) -> Self {
        Self { num_rows: 0, losses: vec![0.0; num_penalties], num_right: vec![0; num_penalties] }
    }

    pub(super) fn add(&mut self, more: &Self) {
        self.num_rows += more.num_rows;
        self.losses.iter_mut().zip(&more.losses).for_each(|(sum, more)| *sum += more);
        self.num_right.iter_mut().zip(&more.num_right).for_each(|(sum, more)| *sum += more);
    }
}

/// The score at each penalty; active features are sorted.
fn scores_along(ensemble: &Ensemble, path: &[f64], active: &[u32]) -> Vec<f64> {
    let is_active = |feature: u32| active.binary_search(&feature).is_ok();
    let (mut score, mut num_trees) = (0.0, 0);
    let mut scores = Vec::new();
    for &penalty in path {
        let wanted = ensemble.num_trees_at(penalty);
        for tree in &ensemble.trees()[num_trees..wanted] {
            score += tree.score(is_active);
        }
        num_trees = wanted;
        scores.push(score);
    }
    scores
}

/// Numbers for the features of some rows, the most frequent first.
pub(super) struct LocalNumbers {
    numbers: FxHashMap<u32, u32>,
    /// By new number.
    originals: Vec<u32>,
}

impl LocalNumbers {
    /// Features that are in fewer of the rows than `min_count` get no number.
    pub(super) fn new(features: &IdRows, rows: &[u32], min_count: u32) -> Self {
        let mut counts: FxHashMap<u32, u32> = FxHashMap::default();
        for &row in rows {
            features.get(row as usize).iter().for_each(|&feature| *counts.entry(feature).or_default() += 1);
        }
        let mut kept: Vec<(u32, u32)> = counts.into_iter().filter(|&(_, count)| count >= min_count).collect();
        kept.sort_unstable_by_key(|&(feature, count)| (std::cmp::Reverse(count), feature));
        let originals: Vec<u32> = kept.into_iter().map(|(feature, _)| feature).collect();
        let numbers = originals.iter().copied().zip(0u32..).collect();
        Self { numbers, originals }
    }

    pub(super) fn dataset(&self, features: &IdRows, rows: &[u32]) -> Result<Dataset> {
        let mut builder = DatasetBuilder::with_num_features(self.originals.len() as u32)?;
        for &row in rows {
            builder.push_row(&self.of(features.get(row as usize)).collect::<Vec<u32>>())?;
        }
        Ok(builder.finish())
    }

    /// The new numbers of features, in the same order.
    pub(super) fn of(&self, features: &[u32]) -> impl Iterator<Item = u32> {
        features.iter().filter_map(|feature| self.numbers.get(feature).copied())
    }
}

/// The ensemble with other numbers for its features.
pub(super) fn map_features(ensemble: &Ensemble, mut number: impl FnMut(u32) -> u32) -> Ensemble {
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
