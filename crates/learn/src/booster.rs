//! Boosting along a path of falling penalties: what both methods share.
//!
//! The naive form fixes a penalty and adds trees until none helps. The path does this for every penalty in one run:
//! it starts at infinity and is lowered only as far as the next tree needs, penalty ← min(penalty, c·best), with
//! `best` what the best feature could do at the root. So every tree makes progress. Should rounding or an unlucky
//! sample leave one without, the penalty falls all the same, and no run stalls.

use std::ops::ControlFlow;

use super::config::{Lowering, PathConfig};
use super::dataset::Dataset;
use super::engine::BoostEngine;
use super::grow::{Criterion, Grown, GrownLeaf, OpenNode, prune};
use super::progress::{BoostProgress, BoostStop, BoosterState};
use super::sums::WeightSum;
use super::target::Target;
use crate::error::Result;
use crate::model::{DecisionTree, Ensemble, TreeNode};

/// A tree that lowers the objective by less than this part of it does not count as progress.
const MIN_PROGRESS: f64 = 1e-9;

/// After a tree without progress the penalty falls at least by this factor, whatever the settings.
const MAX_DECAY: f64 = 0.9;

/// A method of boosting, given by its settings: [`L1Config`](super::L1Config) or [`ZConfig`](super::ZConfig).
pub trait Method: Copy {
    /// How it splits nodes.
    #[doc(hidden)]
    type Rule: Criterion;

    /// The settings that every method has, once all are checked.
    #[doc(hidden)]
    fn path(&self) -> Result<PathConfig>;

    /// What the best feature could do at the root, in the units of the penalty.
    #[doc(hidden)]
    fn best(&self, root: &OpenNode<RuleSum<Self>>, engine: &BoostEngine<'_, RuleSum<Self>>) -> f64;

    /// The rule by which nodes are split under a penalty.
    #[doc(hidden)]
    fn rule(&self, penalty: f64, engine: &BoostEngine<'_, RuleSum<Self>>) -> Self::Rule;

    /// The confidence of a leaf under a penalty; moves the scores of its rows.
    #[doc(hidden)]
    fn rate(&self, leaf: GrownLeaf, penalty: f64, engine: &mut BoostEngine<'_, RuleSum<Self>>) -> f64;

    /// What is minimised, given the loss, the penalty, and the sum of the sizes of all confidences.
    #[doc(hidden)]
    fn objective(&self, loss: f64, penalty: f64, norm: f64) -> f64;
}

/// What a method sums over the rows of a node.
pub type RuleSum<M> = <<M as Method>::Rule as Criterion>::Sum;

/// Learns one classifier, tree by tree; see [`L1Booster`](super::L1Booster) and [`ZBooster`](super::ZBooster).
#[derive(Debug)]
pub struct Booster<'a, M: Method> {
    engine: BoostEngine<'a, RuleSum<M>>,
    method: M,
    path: PathConfig,
    ensemble: Ensemble,
    penalty: f64,
    num_attempts: u64,
    /// Σ |θ|.
    norm: f64,
    num_active: usize,
}

impl<'a, M: Method> Booster<'a, M> {
    /// A classifier without trees.
    ///
    /// # Errors
    /// If a setting is out of its range, or dataset and target differ in their number of rows.
    pub fn new(dataset: &'a Dataset, target: &'a Target, config: M) -> Result<Self> {
        let path = config.path()?;
        Ok(Self {
            engine: BoostEngine::new(dataset, target, path.loss, path.sampling)?,
            method: config,
            path,
            ensemble: Ensemble::new(),
            penalty: f64::INFINITY,
            num_attempts: 0,
            norm: 0.0,
            num_active: 0,
        })
    }

    /// The classifier as it stood at a checkpoint. It goes on exactly as it would have, given the same dataset, target
    /// and settings.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn resume(
        dataset: &'a Dataset,
        target: &'a Target,
        config: M,
        checkpoint: &BoosterState,
    ) -> Result<Self> {
        let mut booster = Self::new(dataset, target, config)?;
        for (tree, &penalty) in checkpoint.ensemble.trees().iter().zip(checkpoint.ensemble.penalties()) {
            booster.engine.replay(tree);
            booster.push(tree.clone(), penalty);
        }
        booster.penalty = checkpoint.penalty;
        booster.num_attempts = checkpoint.num_attempts;
        Ok(booster)
    }

    /// All that [`resume`](Self::resume) needs.
    pub fn checkpoint(&self) -> BoosterState {
        BoosterState {
            ensemble: self.ensemble.clone(),
            penalty: self.penalty,
            num_attempts: self.num_attempts,
            objective: self.progress().objective,
        }
    }

    /// The same, for keeps.
    pub fn into_checkpoint(mut self) -> BoosterState {
        let objective = self.progress().objective;
        let ensemble = std::mem::take(&mut self.ensemble);
        BoosterState { ensemble, penalty: self.penalty, num_attempts: self.num_attempts, objective }
    }

    /// The trees so far.
    pub fn ensemble(&self) -> &Ensemble {
        &self.ensemble
    }

    /// The trees, for keeps.
    pub fn into_ensemble(self) -> Ensemble {
        self.ensemble
    }

    /// The score of each row of the dataset; 0 for rows that the target does not use.
    pub fn scores(&self) -> &[f64] {
        &self.engine.scores.scores
    }

    /// Where training stands.
    pub fn progress(&self) -> BoostProgress {
        let loss = self.engine.scores.loss();
        BoostProgress {
            num_trees: self.ensemble.trees().len(),
            num_active: self.num_active,
            penalty: self.penalty,
            loss,
            objective: self.method.objective(loss, self.penalty, self.norm),
        }
    }

    /// Adds one tree and says where training then stands, or why there is no further tree.
    ///
    /// # Errors
    /// Not an error but the end: the reason to stop.
    pub fn step(&mut self) -> Result<BoostProgress, BoostStop> {
        self.path.limits.check(&self.progress())?;
        loop {
            let root = self.engine.root(self.num_attempts);
            if let Err(stop) = self.lower_penalty(&root) {
                self.engine.discard(root);
                return Err(stop);
            }
            self.num_attempts += 1;
            let before = self.progress().objective;
            if let Some(tree) = self.grow(root) {
                self.push(tree, self.penalty);
                self.ensure_progress(before);
                return Ok(self.progress());
            }
            self.decay_penalty();
        }
    }

    /// Adds trees until a limit is reached or `observe` breaks off.
    pub fn run(&mut self, mut observe: impl FnMut(&Self, &BoostProgress) -> ControlFlow<()>) -> BoostStop {
        loop {
            match self.step() {
                Err(stop) => return stop,
                Ok(progress) if observe(self, &progress).is_break() => return BoostStop::Observer,
                Ok(_) => {}
            }
        }
    }

    fn lower_penalty(&mut self, root: &OpenNode<RuleSum<M>>) -> Result<(), BoostStop> {
        let PathConfig { lowering, decay, final_penalty, .. } = self.path;
        let best = self.method.best(root, &self.engine);
        if best <= 0.0 {
            return Err(BoostStop::Exhausted);
        }
        let penalty = match lowering {
            Lowering::EveryRoot => self.penalty.min(decay * best),
            Lowering::StuckRoot => self.splitting_penalty(root, best),
        };
        if penalty < final_penalty {
            return Err(BoostStop::Penalty);
        }
        self.penalty = penalty;
        Ok(())
    }

    /// The penalty if the root can be split under it, otherwise the first on the way down under which it can.
    fn splitting_penalty(&self, root: &OpenNode<RuleSum<M>>, best: f64) -> f64 {
        // Under a penalty of what the best feature could do, or more, nothing can be split.
        let mut penalty = if self.penalty.is_finite() { self.penalty } else { best };
        while penalty >= self.path.final_penalty && !self.can_split(root, penalty) {
            penalty *= self.path.decay;
        }
        penalty
    }

    fn can_split(&self, root: &OpenNode<RuleSum<M>>, penalty: f64) -> bool {
        let rule = self.method.rule(penalty, &self.engine);
        let split = rule.best(&root.histogram, self.engine.scan(), RuleSum::<M>::from_classes(root.classes));
        split.is_some_and(|split| rule.accepts(split.value, root.classes, true))
    }

    fn decay_penalty(&mut self) {
        self.penalty *= self.path.decay.min(MAX_DECAY);
    }

    /// The next tree, or nothing if all its leaves are zero.
    fn grow(&mut self, root: OpenNode<RuleSum<M>>) -> Option<DecisionTree> {
        let rule = self.method.rule(self.penalty, &self.engine);
        let Grown { mut nodes, leaves } = self.engine.grow(&rule, self.path.max_depth, root);
        for leaf in leaves {
            let node = leaf.node;
            let confidence = self.method.rate(leaf, self.penalty, &mut self.engine);
            nodes[node] = TreeNode::Leaf { confidence };
        }
        Some(prune(&nodes)).filter(|tree| tree.num_active() > 0)
    }

    fn push(&mut self, tree: DecisionTree, penalty: f64) {
        for node in tree.nodes() {
            if let TreeNode::Leaf { confidence } = node {
                self.norm += confidence.abs();
            }
        }
        self.num_active += tree.num_active();
        self.ensemble.push(tree, penalty);
    }

    fn ensure_progress(&mut self, before: f64) {
        if before - self.progress().objective < MIN_PROGRESS * before {
            self.decay_penalty();
        }
    }
}
