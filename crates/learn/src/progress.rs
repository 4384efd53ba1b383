//! Where a run stands, why it ends, and what is kept of it.

use serde::{Deserialize, Serialize};

use crate::model::Ensemble;

/// Where training stands after a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoostProgress {
    /// The trees so far.
    pub num_trees: usize,
    /// Their leaves that are not zero.
    pub num_active: usize,
    /// The penalty in force: λ, or Θ.
    pub penalty: f64,
    /// The loss of the training rows.
    pub loss: f64,
    /// The loss plus the penalty of all confidences, where there is one.
    pub objective: f64,
}

/// Why training ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoostStop {
    /// The penalty would fall below the last one asked for.
    Penalty,
    /// There are as many active features as asked for.
    Active,
    /// There are as many trees as asked for.
    Trees,
    /// No feature can improve the classifier.
    Exhausted,
    /// The observer broke off.
    Observer,
}

/// The state of a run between two trees. Everything else follows from dataset, target and settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BoosterState {
    /// The trees so far.
    pub ensemble: Ensemble,
    /// The penalty in force; infinite before the first tree.
    pub penalty: f64,
    /// The trees tried, whether or not they were kept: each draws its own sample.
    pub num_attempts: u64,
    /// What is minimised, as it stands.
    pub objective: f64,
}

/// When to stop, besides the penalty.
#[derive(Debug, Clone, Copy)]
pub struct PathLimits {
    pub(super) max_active: usize,
    pub(super) max_trees: usize,
}

impl PathLimits {
    pub(super) fn check(self, progress: &BoostProgress) -> Result<(), BoostStop> {
        if progress.num_active >= self.max_active {
            Err(BoostStop::Active)
        } else if progress.num_trees >= self.max_trees {
            Err(BoostStop::Trees)
        } else {
            Ok(())
        }
    }
}
