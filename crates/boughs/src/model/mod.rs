//! Frozen models: what training leaves behind. Nothing here can train.

mod ensemble;

pub use ensemble::{DecisionTree, Ensemble, TreeNode};
