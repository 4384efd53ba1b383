//! How to parse with a neural model.

use serde::{Deserialize, Serialize};

/// How to parse with a neural model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct NeuralOptions {
    /// Whether the tree with the fewest errors to be expected is taken, and not the likeliest. Default: no.
    pub min_risk: bool,
    /// What scores are divided by before trees are weighted by their exponentials. A margin teaches which tree is
    /// better, not how likely it is: its scores are too close to each other. The best tree is the same with all
    /// numbers above 0. Default: what [`calibrate`](super::NeuralParser::calibrate) finds on development trees; 1 if
    /// there are none.
    pub temperature: f32,
}

impl Default for NeuralOptions {
    fn default() -> Self {
        Self { min_risk: false, temperature: 1.0 }
    }
}
