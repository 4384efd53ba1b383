//! Frozen models: what training leaves behind. Nothing here can train.

mod ensemble;
mod forest;

pub use ensemble::{DecisionTree, Ensemble, TreeNode};
pub use forest::{Classifier, Condition, Forest, ForestScratch, Reason, round_confidence};
