//! Boosting confidence-rated decision trees by the Z criterion (TM05, section 2.1).
//!
//! A leaf with weights W+ and W- has the loss Z = 2 sqrt(W+ W-) (equation 10). Splits are those that lower it most
//! (equations 12 and 13), confidences are ½ ln((W+ + ε)/(W- + ε)) (equation 14). A node is split only if Z falls by at
//! least Θ, which starts at infinity and is lowered, at a root, to the best reduction there: the path of ever smaller
//! minimum reductions in loss takes the place of the path of λ.

use std::ops::ControlFlow;

use super::config::ZConfig;
use super::dataset::Dataset;
use super::engine::Engine;
use super::fixed::FixedPoint;
use super::grow::{Criterion, Grown, Open, prune};
use super::progress::{Checkpoint, Progress, Stop};
use super::sums::ClassSums;
use super::target::Target;
use crate::error::Result;
use crate::model::{DecisionTree, Ensemble, TreeNode};

/// Learns one classifier, tree by tree.
#[derive(Debug)]
pub struct ZBooster<'a> {
    engine: Engine<'a, ClassSums>,
    config: ZConfig,
    ensemble: Ensemble,
    threshold: f64,
    num_attempts: u64,
    num_active: usize,
}

/// Z = 2 sqrt(W+ W-), in units of weight.
fn z(classes: ClassSums) -> f64 {
    2.0 * ((classes.positive as f64) * (classes.negative as f64)).sqrt()
}

/// ½ ln((W+ + ε)/(W- + ε)).
fn confidence(classes: ClassSums, smoothing: f64, fixed: FixedPoint) -> f64 {
    0.5 * ((fixed.value(classes.positive) + smoothing) / (fixed.value(classes.negative) + smoothing)).ln()
}

/// Splits that lower Z by at least a threshold, in units of weight.
struct ReductionRule {
    threshold: f64,
}

impl Criterion for ReductionRule {
    type Sum = ClassSums;
    /// Minus the Z of both sides: the same order as by the reduction, with one rounding less.
    type Value = f64;

    #[inline]
    fn value(&self, present: ClassSums, absent: ClassSums) -> f64 {
        -(z(present) + z(absent))
    }

    fn accepts(&self, value: f64, classes: ClassSums, _is_root: bool) -> bool {
        let reduction = z(classes) + value;
        reduction >= self.threshold && reduction > 0.0
    }

    fn could_accept(&self, classes: ClassSums) -> bool {
        self.accepts(0.0, classes, false)
    }
}

impl<'a> ZBooster<'a> {
    /// A classifier without trees.
    ///
    /// # Errors
    /// If a setting is out of its range, or dataset and target differ in their number of rows.
    pub fn new(dataset: &'a Dataset, target: &'a Target, config: ZConfig) -> Result<Self> {
        config.check()?;
        Ok(Self {
            engine: Engine::new(dataset, target, config.sampling())?,
            config,
            ensemble: Ensemble::new(),
            threshold: f64::INFINITY,
            num_attempts: 0,
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
        config: ZConfig,
        checkpoint: &Checkpoint,
    ) -> Result<Self> {
        let mut booster = Self::new(dataset, target, config)?;
        for (tree, &threshold) in checkpoint.ensemble.trees().iter().zip(checkpoint.ensemble.penalties()) {
            booster.engine.replay(tree);
            booster.push(tree.clone(), threshold);
        }
        booster.threshold = checkpoint.penalty;
        booster.num_attempts = checkpoint.num_attempts;
        Ok(booster)
    }

    /// All that [`resume`](Self::resume) needs.
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            ensemble: self.ensemble.clone(),
            penalty: self.threshold,
            num_attempts: self.num_attempts,
        }
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
            penalty: self.threshold,
            loss,
            objective: loss,
        }
    }

    /// Adds one tree and says where training then stands, or why there is no further tree.
    ///
    /// # Errors
    /// Not an error but the end: the reason to stop.
    pub fn step(&mut self) -> Result<Progress, Stop> {
        self.config.limits().check(&self.progress())?;
        let root = self.engine.root(self.num_attempts);
        if let Err(stop) = self.lower_threshold(&root) {
            self.engine.discard(root);
            return Err(stop);
        }
        self.num_attempts += 1;
        let tree = self.grow(root);
        self.push(tree, self.threshold);
        Ok(self.progress())
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

    /// Θ ← min(Θ, c·best reduction).
    fn lower_threshold(&mut self, root: &Open<ClassSums>) -> Result<(), Stop> {
        let unit = self.engine.scores().fixed().value(1);
        let reduction = best_reduction(root) * unit;
        if reduction <= 0.0 {
            return Err(Stop::Exhausted);
        }
        let threshold = self.threshold.min(self.config.decay * reduction);
        if threshold < self.config.final_threshold {
            return Err(Stop::Penalty);
        }
        self.threshold = threshold;
        Ok(())
    }

    fn grow(&mut self, root: Open<ClassSums>) -> DecisionTree {
        let fixed = self.engine.scores().fixed();
        let rule = ReductionRule { threshold: self.threshold / fixed.value(1) };
        let Grown { mut nodes, leaves } = self.engine.grow(&rule, self.config.max_depth, root);
        for leaf in leaves {
            let confidence = confidence(leaf.classes, self.config.smoothing, fixed);
            nodes[leaf.node] = TreeNode::Leaf { confidence };
            if confidence != 0.0 {
                let rows = leaf.rows.into_list();
                let change = self.engine.change(&self.engine.scores().examples(&rows), confidence);
                self.engine.apply(&rows, &change);
            }
        }
        prune(&nodes)
    }

    fn push(&mut self, tree: DecisionTree, threshold: f64) {
        self.num_active += tree.num_active();
        self.ensemble.push(tree, threshold);
    }
}

/// The most that a split of the root can lower Z, in units of weight.
fn best_reduction(root: &Open<ClassSums>) -> f64 {
    let rule = ReductionRule { threshold: 0.0 };
    let best = root.histogram.best(|present| rule.value(present, root.classes - present));
    best.map_or(0.0, |best| z(root.classes) + best.value)
}
