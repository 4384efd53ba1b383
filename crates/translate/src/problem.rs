//! The problems to learn: rows of features, and the classifiers that share them.
//!
//! A word's classifiers see its own examples only, so each word has a dataset of its own, with features numbered anew. The orders of
//! phrases are one more problem. Each classifier is scored on held-out examples at every penalty of a fixed list, so that the
//! losses of all of them can be added.

use rustc_hash::FxHashMap;

use super::examples::Examples;
use super::lexicon::Lexicon;
use crate::align::{Order, Sentences};
use boughs::error::Result;
use boughs_learn::model::{DecisionTree, Ensemble, TreeNode};
use boughs_learn::{Dataset, DatasetBuilder, L1Booster, L1Config, Target};

/// Penalties at which classifiers are compared: each the root of 2 below the one before.
const NUM_PENALTIES: usize = 28;
const FIRST_PENALTY: f64 = 4096.0;

/// One dataset and the classifiers that share it.
pub(super) struct Problem<'a> {
    /// The source word; none for the orders of phrases.
    pub(super) source: Option<u32>,
    rows: Vec<u32>,
    pub(super) held_out_rows: Vec<u32>,
    features: &'a Sentences,
    held_out_features: &'a Sentences,
    /// By row: which classifier it speaks for.
    labels: Vec<u32>,
    held_out_labels: Vec<u32>,
    pub(super) num_classifiers: usize,
    config: L1Config,
}

/// The classifiers of a problem.
pub(super) struct Learned {
    pub(super) ensembles: Vec<Ensemble>,
    /// By penalty: the loss of held-out examples, and how many are decided right.
    pub(super) losses: Vec<f64>,
    pub(super) num_right: Vec<u64>,
}

/// The orders first, then the words with a choice, those with most examples first: so the last to finish is a short one.
pub(super) fn problems<'a>(
    lexicon: &Lexicon,
    examples: &'a Examples,
    held_out: &'a Examples,
    [words, nodes]: [L1Config; 2],
) -> Vec<Problem<'a>> {
    let rows = examples.by_source(lexicon).into_iter().zip(held_out.by_source(lexicon));
    let mut problems: Vec<Problem<'a>> = (0u32..)
        .zip(rows)
        .filter(|(source, _)| lexicon.of(*source).len() > 1)
        .map(|(source, rows)| Problem::of_word(lexicon, source, [examples, held_out], rows, words))
        .collect();
    problems.sort_by_key(|problem| std::cmp::Reverse(problem.rows.len()));
    problems.insert(0, Problem::of_orders([examples, held_out], nodes));
    problems
}

impl<'a> Problem<'a> {
    fn of_orders([examples, held_out]: [&'a Examples; 2], config: L1Config) -> Self {
        let labels =
            |orders: &[Order]| orders.iter().map(|order| u32::from(*order == Order::Inverted)).collect();
        Self {
            source: None,
            rows: (0..examples.orders.len() as u32).collect(),
            held_out_rows: (0..held_out.orders.len() as u32).collect(),
            features: &examples.node_rows,
            held_out_features: &held_out.node_rows,
            labels: labels(&examples.orders),
            held_out_labels: labels(&held_out.orders),
            num_classifiers: 2,
            config,
        }
    }

    fn of_word(
        lexicon: &Lexicon,
        source: u32,
        [examples, held_out]: [&'a Examples; 2],
        (rows, held_out_rows): (Vec<u32>, Vec<u32>),
        config: L1Config,
    ) -> Self {
        let labels = |examples: &Examples, rows: &[u32]| {
            rows.iter().map(|&row| examples.candidate(lexicon, source, row)).collect()
        };
        Self {
            source: Some(source),
            labels: labels(examples, &rows),
            held_out_labels: labels(held_out, &held_out_rows),
            rows,
            held_out_rows,
            features: &examples.word_rows,
            held_out_features: &held_out.word_rows,
            num_classifiers: lexicon.of(source).len(),
            config,
        }
    }

    /// Learns all classifiers, down to the last penalty.
    pub(super) fn learn(&self, min_feature_count: u32) -> Result<Learned> {
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
                    boughs_learn::loss::log_loss(margin)
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

pub(super) fn num_penalties() -> usize {
    NUM_PENALTIES + 1
}

/// The penalties compared; the first keeps no trees.
pub(super) fn penalty(index: usize) -> f64 {
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
