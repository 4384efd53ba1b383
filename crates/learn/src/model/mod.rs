//! Frozen models: what training leaves behind. Nothing here can train.

mod ensemble;
mod file;
mod forest;
mod linear;
mod predictor;

pub use ensemble::{DecisionTree, Ensemble, TreeNode};
pub use file::{About, Array, ModelFile, damaged, damaged_if, read_names, write_names};
pub(crate) use forest::round_confidence_up;
pub use forest::{
    BitForest, Bundle, Bundles, Classifier, Condition, Forest, ForestScratch, Ranges, ScoreReason,
    round_confidence,
};
pub use linear::{Linear, softmax};
pub use predictor::{PredictionTally, Predictor, PredictorScratch, best_label};
