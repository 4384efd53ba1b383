//! The problems to learn: rows of features, and the classifiers that share them.
//!
//! A word's classifiers see its own examples only. So each word has a dataset of its own, with features numbered anew.
//! The orders of phrases are one more problem. Each classifier is scored on held-out examples at every penalty of a
//! fixed list, so that the losses of all of them can be added.

use rustc_hash::FxHashMap;

use super::examples::ChoiceExamples;
use super::lexicon::BilingualLexicon;
use super::transducer::log_loss;
use crate::align::{IdRows, PartOrder, first_best};
use boughs::error::Result;
use boughs_learn::model::{DecisionTree, Ensemble, TreeNode};
use boughs_learn::{Dataset, DatasetBuilder, L1Booster, L1Config, Target};

/// Penalties at which classifiers are compared: none keeps trees at the first, and each of the others is the root of 2
/// below the one before.
pub(super) const NUM_PENALTIES: usize = 29;
const FIRST_PENALTY: f64 = 4096.0;

/// One dataset and the classifiers that share it.
pub(super) struct ChoiceProblem<'a> {
    /// The source word; none for the orders of phrases.
    pub(super) source: Option<u32>,
    train: ProblemRows<'a>,
    held_out: ProblemRows<'a>,
    pub(super) num_classifiers: usize,
    config: L1Config,
}

/// Some rows of features, and for each the classifier that it is an example of.
struct ProblemRows<'a> {
    features: &'a IdRows,
    rows: Vec<u32>,
    labels: Vec<u32>,
}

/// The classifiers of a problem.
pub(super) struct LearnedChoices {
    pub(super) ensembles: Vec<Ensemble>,
    /// By penalty: the loss of held-out examples, and how many are decided right.
    pub(super) losses: Vec<f64>,
    pub(super) num_right: Vec<u64>,
}

/// The orders first, then the words with a choice, those with most examples first: so the last to finish is a short
/// one.
pub(super) fn problems<'a>(
    lexicon: &BilingualLexicon,
    examples: &'a ChoiceExamples,
    held_out: &'a ChoiceExamples,
    [words, nodes]: [L1Config; 2],
) -> Vec<ChoiceProblem<'a>> {
    let of_word = |(source, (rows, held_out_rows)): (u32, (Vec<u32>, Vec<u32>))| ChoiceProblem {
        source: Some(source),
        train: ProblemRows::of_word(examples, lexicon, source, rows),
        held_out: ProblemRows::of_word(held_out, lexicon, source, held_out_rows),
        num_classifiers: lexicon.of(source).len(),
        config: words,
    };
    let orders = ChoiceProblem {
        source: None,
        train: ProblemRows::of_orders(examples),
        held_out: ProblemRows::of_orders(held_out),
        num_classifiers: 2,
        config: nodes,
    };
    let rows = examples.by_source(lexicon).into_iter().zip(held_out.by_source(lexicon));
    let has_choice = |(source, _): &(u32, _)| lexicon.of(*source).len() > 1;
    let mut problems: Vec<_> = (0u32..).zip(rows).filter(has_choice).map(of_word).collect();
    problems.sort_by_key(|problem| std::cmp::Reverse(problem.train.rows.len()));
    problems.insert(0, orders);
    problems
}

impl<'a> ProblemRows<'a> {
    fn of_orders(examples: &'a ChoiceExamples) -> Self {
        Self {
            features: &examples.node_rows,
            rows: (0..examples.orders.len() as u32).collect(),
            labels: examples.orders.iter().map(|&order| u32::from(order == PartOrder::Inverted)).collect(),
        }
    }

    fn of_word(
        examples: &'a ChoiceExamples,
        lexicon: &BilingualLexicon,
        source: u32,
        rows: Vec<u32>,
    ) -> Self {
        let labels = rows.iter().map(|&row| examples.candidate(lexicon, source, row)).collect();
        Self { features: &examples.word_rows, rows, labels }
    }
}

impl ChoiceProblem<'_> {
    /// Learns all classifiers, down to the last penalty.
    pub(super) fn learn(&self, min_feature_count: u32) -> Result<LearnedChoices> {
        let ProblemRows { features, rows, labels } = &self.train;
        let numbers = LocalNumbers::new(features, rows, min_feature_count);
        let dataset = numbers.dataset(features, rows)?;
        let mut ensembles = Vec::new();
        for class in 0..self.num_classifiers as u32 {
            let target = Target::from_labels(labels.iter().map(|&label| label == class));
            let mut booster = L1Booster::new(&dataset, &target, self.config)?;
            while booster.step().is_ok() {}
            let original = |feature: u32| numbers.originals[feature as usize];
            ensembles.push(map_features(&booster.into_ensemble(), original));
        }
        Ok(self.hold_out(ensembles))
    }

    fn hold_out(&self, ensembles: Vec<Ensemble>) -> LearnedChoices {
        let ProblemRows { features, rows, labels } = &self.held_out;
        let (mut losses, mut num_right) = (vec![0.0; NUM_PENALTIES], vec![0; NUM_PENALTIES]);
        for (&row, &label) in rows.iter().zip(labels) {
            let mut active = features.get(row as usize).to_vec();
            active.sort_unstable();
            let paths: Vec<Vec<f64>> =
                ensembles.iter().map(|ensemble| scores_along(ensemble, &active)).collect();
            for index in 0..NUM_PENALTIES {
                let loss = |(class, path): (u32, &Vec<f64>)| {
                    log_loss(if class == label { path[index] } else { -path[index] })
                };
                losses[index] += (0u32..).zip(&paths).map(loss).sum::<f64>();
                let (best, _) = first_best(paths.iter().map(|path| path[index]));
                num_right[index] += u64::from(best == label as usize);
            }
        }
        LearnedChoices { ensembles, losses, num_right }
    }

    pub(super) fn num_held_out(&self) -> usize {
        self.held_out.rows.len()
    }
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
    for index in 0..NUM_PENALTIES {
        let wanted = ensemble.num_trees_at(penalty(index));
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
