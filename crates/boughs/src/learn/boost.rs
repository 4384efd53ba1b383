//! Boosting l1-regularised decision trees along the regularisation path (TM06, listing 1).
//!
//! The naive form: fix λ; grow a tree whose leaves have a gradient above λ; set each leaf to what minimises
//!
//! > Σ b(i) ln(1 + exp(-y(i) h(i))) + λ Σ |θ|
//!
//! and repeat until no feature's gradient exceeds λ. The path does this for every λ in one run: λ starts at infinity
//! and is lowered only as far as the next tree needs. At every root λ ← min(λ, c·g), with g the steepest gradient of any
//! feature, its negation, or the root itself. So some gradient always exceeds λ by the factor 1/c and every tree
//! makes progress; should rounding or an unlucky sample leave one without a single leaf, λ ← c·λ.
//!
//! Where no split pays but the root's own gradient exceeds λ, the tree is the root alone: a constant. The paper never
//! gets there; with one class only there is nothing else to learn.

use std::ops::ControlFlow;

use super::config::L1Config;
use super::dataset::Dataset;
use super::engine::Engine;
use super::gain::GainRule;
use super::grow::{Criterion, Grown, Leaf, Open, prune};
use super::histogram::{Candidate, Histogram};
use super::leaf;
use super::progress::{Checkpoint, Progress, Stop};
use super::sums::ClassSums;
use super::target::Target;
use crate::error::Result;
use crate::model::{DecisionTree, Ensemble, TreeNode};

/// A tree that lowers the objective by less than this part of it does not count as progress.
const MIN_PROGRESS: f64 = 1e-9;

/// Learns one classifier, tree by tree.
///
/// ```
/// use boughs::learn::{DatasetBuilder, L1Booster, L1Config, Target};
///
/// let mut builder = DatasetBuilder::new();
/// for row in [&[0, 1][..], &[0], &[1], &[]] {
///     builder.push_row(row)?;
/// }
/// let dataset = builder.finish();
/// let target = Target::from_labels([false, true, true, false]);
/// let mut booster = L1Booster::new(&dataset, &target, L1Config { final_penalty: 0.01, ..L1Config::default() })?;
/// while booster.step().is_ok() {}
/// let xor = booster.into_ensemble();
/// assert!(xor.score(|feature| feature == 0) > 1.0);
/// assert!(xor.score(|_| true) < -1.0);
/// # Ok::<(), boughs::Error>(())
/// ```
#[derive(Debug)]
pub struct L1Booster<'a> {
    engine: Engine<'a, i64>,
    config: L1Config,
    ensemble: Ensemble,
    penalty: f64,
    num_attempts: u64,
    /// Σ |θ|.
    norm: f64,
    num_active: usize,
}

impl Criterion for GainRule {
    type Sum = i64;
    type Value = i64;

    #[inline]
    fn value(&self, present: i64, absent: i64) -> i64 {
        self.split_gain(present, absent)
    }

    /// As g, the gradient of one side, moves away from the range between 0 and the total, the gain only grows; within
    /// it, the gain does not exceed the node's own. So the best split is by one of the two extreme features.
    fn best(&self, histogram: &Histogram<i64>, total: i64) -> Option<Candidate<i64>> {
        let worth =
            |Candidate { feature, value }| Candidate { feature, value: self.value(value, total - value) };
        let [lowest, highest] = histogram.extremes()?.map(worth);
        Some(lowest.better(highest))
    }

    fn accepts(&self, value: i64, classes: ClassSums, is_root: bool) -> bool {
        GainRule::accepts(self, value, classes.gradient(), is_root)
    }

    fn could_accept(&self, classes: ClassSums) -> bool {
        GainRule::could_accept(self, classes)
    }
}

impl<'a> L1Booster<'a> {
    /// A classifier without trees.
    ///
    /// # Errors
    /// If a setting is out of its range, or dataset and target differ in their number of rows.
    pub fn new(dataset: &'a Dataset, target: &'a Target, config: L1Config) -> Result<Self> {
        config.check()?;
        Ok(Self {
            engine: Engine::new(dataset, target, config.sampling())?,
            config,
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
        config: L1Config,
        checkpoint: &Checkpoint,
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
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint { ensemble: self.ensemble.clone(), penalty: self.penalty, num_attempts: self.num_attempts }
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
        self.engine.scores().scores()
    }

    /// Where training stands.
    pub fn progress(&self) -> Progress {
        let loss = self.engine.scores().loss();
        Progress {
            num_trees: self.ensemble.trees().len(),
            num_active: self.num_active,
            penalty: self.penalty,
            loss,
            objective: if self.norm > 0.0 { loss + self.penalty * self.norm } else { loss },
        }
    }

    /// Adds one tree and says where training then stands, or why there is no further tree.
    ///
    /// # Errors
    /// Not an error but the end: the reason to stop.
    pub fn step(&mut self) -> Result<Progress, Stop> {
        self.config.limits().check(&self.progress())?;
        loop {
            let attempt = self.num_attempts;
            let root = self.engine.root(attempt);
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
            self.penalty *= self.config.decay;
        }
    }

    /// Adds trees until a limit is reached or `observe` breaks off.
    pub fn run(&mut self, mut observe: impl FnMut(&Self, &Progress) -> ControlFlow<()>) -> Stop {
        loop {
            match self.step() {
                Err(stop) => return stop,
                Ok(progress) if observe(self, &progress).is_break() => return Stop::Observer,
                Ok(_) => {}
            }
        }
    }

    /// λ ← min(λ, c·g).
    fn lower_penalty(&mut self, root: &Open<i64>) -> Result<(), Stop> {
        let steepest = self.engine.scores().fixed().value(steepest(root));
        let penalty = self.penalty.min(self.config.decay * steepest);
        if steepest == 0.0 {
            return Err(Stop::Exhausted);
        }
        if penalty < self.config.final_penalty {
            return Err(Stop::Penalty);
        }
        self.penalty = penalty;
        Ok(())
    }

    /// The next tree, or nothing if all its leaves are zero.
    fn grow(&mut self, root: Open<i64>) -> Option<DecisionTree> {
        let rule = GainRule {
            form: self.config.gain,
            penalty: self.engine.scores().fixed().penalty(self.penalty),
            min_factor: self.config.min_gain_factor,
        };
        let Grown { mut nodes, leaves } = self.engine.grow(&rule, self.config.max_depth, root);
        for leaf in leaves {
            let node = leaf.node;
            let confidence = self.rate(leaf, rule.penalty);
            nodes[node] = TreeNode::Leaf { confidence };
        }
        Some(prune(&nodes)).filter(|tree| tree.num_active() > 0)
    }

    /// Sets a leaf to its confidence and moves the scores of its rows. A confidence that would not lower the objective
    /// is 0, so the objective never rises.
    fn rate(&mut self, leaf: Leaf, penalty: i64) -> f64 {
        if leaf.classes.gradient().abs() <= penalty {
            return 0.0;
        }
        let fixed = self.engine.scores().fixed();
        let rows = leaf.rows.into_list();
        let examples = self.engine.scores().examples(&rows);
        let confidence = leaf::confidence(&examples, penalty, fixed);
        let change = self.engine.change(&examples, confidence);
        if fixed.loss_value(change.loss) + self.penalty * confidence.abs() >= 0.0 {
            return 0.0;
        }
        self.engine.apply(&rows, &change);
        confidence
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
        let after = self.progress().objective;
        debug_assert!(after <= before * (1.0 + 1e-12), "the objective never rises: {before} to {after}");
        if before - after < MIN_PROGRESS * before {
            self.penalty *= self.config.decay;
        }
    }
}

/// The steepest gradient of any feature, its negation, or the root itself.
fn steepest(root: &Open<i64>) -> i64 {
    let total = root.classes.gradient();
    let steepness = |present: i64| present.abs().max((total - present).abs());
    let extremes = root.histogram.extremes();
    extremes.map_or(0, |[low, high]| steepness(low.value).max(steepness(high.value))).max(total.abs())
}
