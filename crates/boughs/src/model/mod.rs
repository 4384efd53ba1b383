//! Frozen models: what training leaves behind. Nothing here can train.

mod ensemble;
mod file;
mod forest;
mod linear;
mod predictor;

pub use ensemble::{DecisionTree, Ensemble, TreeNode};
pub(crate) use file::damaged;
pub use file::{About, Array, ModelFile};
pub(crate) use forest::round_confidence_up;
pub use forest::{
    Bundle, Bundles, Chosen, Classifier, Condition, Forest, ForestScratch, Reason, round_confidence,
};
pub use linear::{Linear, softmax};
pub use predictor::{Predictor, PredictorScratch, Tally, best_label};
