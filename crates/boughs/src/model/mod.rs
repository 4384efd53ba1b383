//! Frozen models: what training leaves behind. Nothing here can train.

mod ensemble;
mod linear;

pub use ensemble::{DecisionTree, Ensemble, TreeNode};
pub use linear::{Linear, softmax};
