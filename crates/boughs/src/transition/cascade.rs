//! The cascade: an inference that is hopeless by a few trees is not scored by the others.
//!
//! The naive form asks all trees about all inferences. Of the hundreds of inferences of a state one is correct, and a
//! few questions suffice to see that most of the others are not. So there is a gate: a classifier that scores a
//! place, without looking at labels or heads, by whether there is a phrase at all. And the trees of the labels are
//! cut into stages, in the order in which they were learned; each stage scores what the stages before it have left.
//!
//! Below its threshold an inference is hopeless. The gate has a threshold, and each stage one for each label. They are
//! learned from gold trees: so low that next to no correct inference is below them. The papers have no cascade:
//! [`Scoring::Full`] does without it.

use serde::{Deserialize, Serialize};

use super::gold::GoldTree;
use super::guide::Workspace;
use super::model::TransitionModel;
use super::oracle::GoldPath;
use super::state::Inference;
use crate::error::Result;
use crate::model::{BitForest, Classifier, Ensemble, Forest};
use crate::rng::Rng;
use crate::tree::Tree;

/// The part of the trees that make the first stage. More stages were no faster: fewer trees than this tell nothing of
/// most labels.
const FIRST_PART: f64 = 0.3;

/// The part of the correct inferences that the gate, or a stage for a label, may lose.
const LOSS: f64 = 0.001;

/// By how much a score must be below those of correct inferences to be hopeless, because there are others than those
/// seen: for the gate, and for a stage, where a label has few to learn from.
const GATE_MARGIN: f64 = 0.25;
const STAGE_MARGIN: f64 = 1.0;

/// How much worse a hopeless inference is than it looks to the few trees that have seen it.
pub(crate) const HOPELESS: f64 = 10.0;

/// Correct inferences of a label that thresholds are learned from, at the most.
const MAX_SCORES: usize = 2_000;

/// Which trees are asked about an inference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scoring {
    /// A few at first, and the others unless it is hopeless by these.
    #[default]
    Cascade,
    /// All, as in the papers: slower, and the scores are those of the classifiers.
    Full,
}

/// The gate, and the trees of all classifiers in stages.
#[derive(Debug, Clone)]
pub(crate) struct Cascade {
    pub(super) gate: Gate,
    /// All stages but the last, which leaves nothing.
    pub(super) stages: Vec<Stage>,
    /// The gate, and what the trees of each stage add to the score.
    pub(super) forests: Vec<BitForest>,
}

/// Tells whether there is a phrase at a place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Gate {
    /// The trees.
    pub(crate) ensemble: Ensemble,
    /// The score below which there is none.
    pub(crate) threshold: f64,
}

impl Gate {
    fn forest(&self) -> Result<Forest> {
        Forest::new(vec![Classifier { label: GATE_NAME.to_owned(), ensemble: self.ensemble.clone() }])
    }
}

/// The place of the gate among the forests.
pub(super) const GATE: usize = 0;

/// The name of the gate's classifier.
pub(crate) const GATE_NAME: &str = "any";

/// Where a stage ends and what it leaves to the next.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Stage {
    /// The trees that were learned down to this penalty belong to it or to those before it.
    pub(crate) penalty: f64,
    /// Per classifier, the score below which an inference is hopeless.
    pub(crate) thresholds: Vec<f64>,
}

impl Cascade {
    /// A gate, the trees of a forest in these stages, and one more stage for the trees that are left.
    ///
    /// # Errors
    /// If the gate is no sound ensemble, or trees are far too deep.
    pub(crate) fn new(forest: &Forest, gate: &Gate, stages: Vec<Stage>) -> Result<Self> {
        let forests = split(forest, gate, &stages)?;
        // With its confidences rounded, as they are used.
        let ensemble = forests[GATE].classifiers()[0].ensemble.clone();
        let gate = Gate { ensemble, threshold: gate.threshold };
        let forests = forests.iter().map(BitForest::new).collect::<Result<_>>()?;
        Ok(Self { gate, stages, forests })
    }

    /// No gate, and all trees in one stage: scores are exact.
    ///
    /// # Errors
    /// If trees are far too deep.
    pub(crate) fn whole(forest: &Forest) -> Result<Self> {
        Self::new(forest, &Gate { ensemble: Ensemble::new(), threshold: f64::NEG_INFINITY }, Vec::new())
    }

    /// A cascade for the trees of a model. Next to none of the correct inferences of the gold trees is below its
    /// thresholds. The gold trees are as the parser sees them.
    ///
    /// # Errors
    /// If the gate is no sound ensemble, or trees are far too deep.
    pub(crate) fn learn(model: &TransitionModel, gate: Ensemble, trees: &[Tree]) -> Result<Self> {
        let mut gate = Gate { ensemble: gate, threshold: f64::NEG_INFINITY };
        let first = Stage { penalty: penalty_at(&model.forest, FIRST_PART), thresholds: Vec::new() };
        let mut stages = vec![first];
        let forests = split(&model.forest, &gate, &stages)?;
        let correct = correct_features(model, trees);
        learn_gate(&mut gate, &forests[GATE], &correct[..model.symbols.labels.len()]);
        learn_stages(&mut stages, &forests[GATE + 1..], &correct);
        Self::new(&model.forest, &gate, stages)
    }
}

/// The gate, the trees of each stage, and those that are left.
fn split(forest: &Forest, gate: &Gate, stages: &[Stage]) -> Result<Vec<Forest>> {
    let mut forests = vec![gate.forest()?];
    let mut left = forest.clone();
    for stage in stages {
        let (first, others) = left.split_at(stage.penalty)?;
        forests.push(first);
        left = others;
    }
    forests.push(left);
    Ok(forests)
}

fn learn_gate(gate: &mut Gate, forest: &Forest, correct: &[Vec<Vec<u32>>]) {
    let mut scratch = forest.scratch();
    let scores = correct.iter().flatten().map(|features| forest.score_one(features, 0, &mut scratch));
    gate.threshold = reached_by_most(scores.collect()) - GATE_MARGIN;
}

fn learn_stages(stages: &mut [Stage], forests: &[Forest], correct: &[Vec<Vec<u32>>]) {
    for (classifier, correct) in correct.iter().enumerate() {
        let mut scores = vec![0.0; correct.len()];
        for (stage, forest) in stages.iter_mut().zip(forests) {
            let mut scratch = forest.scratch();
            for (score, features) in scores.iter_mut().zip(correct) {
                *score += forest.score_one(features, classifier, &mut scratch);
            }
            stage.thresholds.push(reached_by_most(scores.clone()) - STAGE_MARGIN);
        }
    }
}

/// The penalty down to which about a given part of all trees was learned.
fn penalty_at(forest: &Forest, part: f64) -> f64 {
    let ensembles = forest.classifiers().iter().map(|classifier| &classifier.ensemble);
    let mut penalties: Vec<f64> = ensembles.flat_map(Ensemble::penalties).copied().collect();
    penalties.sort_by(|a, b| b.total_cmp(a));
    penalties.get((penalties.len() as f64 * part) as usize).copied().unwrap_or(0.0)
}

/// The score that all but a few of these reach.
fn reached_by_most(mut scores: Vec<f64>) -> f64 {
    scores.sort_by(f64::total_cmp);
    scores.get((scores.len() as f64 * LOSS) as usize).copied().unwrap_or(f64::NEG_INFINITY)
}

/// Per classifier, the features of its correct inferences.
fn correct_features(model: &TransitionModel, trees: &[Tree]) -> Vec<Vec<Vec<u32>>> {
    let mut features = vec![Vec::new(); model.forest.classifiers().len()];
    let mut workspace = Workspace::default();
    let mut rng = Rng::new(0);
    // Treebanks are sorted by document, and no more than the first trees may be needed.
    let mut trees: Vec<&Tree> = trees.iter().collect();
    rng.shuffle(&mut trees);
    for tree in trees {
        let Some(gold) = GoldTree::new(tree, &model.symbols) else { continue };
        workspace.items.start(&model.symbols, &model.symbols.terminals(tree));
        let mut path = GoldPath::new(&gold, model.scheme, &workspace.items);
        while !path.correct().is_empty() {
            for &inference in path.correct() {
                let Inference { place, action } = inference;
                let list = &mut features[model.classifier(action)];
                let is_legal = model.scheme.is_legal(&path.state, &workspace.items, place, action);
                if is_legal && list.len() < MAX_SCORES {
                    list.push(model.features(&path.state, inference, &mut workspace));
                }
            }
            path.step(&mut workspace, &model.symbols, &mut rng);
        }
    }
    features
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_in_a_thousand_is_left_out() {
        let scores: Vec<f64> = (0..2000).map(f64::from).rev().collect();
        assert_eq!(reached_by_most(scores.clone()), 2.0);
        assert_eq!(reached_by_most(scores[1990..].to_vec()), 0.0);
        assert_eq!(reached_by_most(Vec::new()), f64::NEG_INFINITY);
    }
}
