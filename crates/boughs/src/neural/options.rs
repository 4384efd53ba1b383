//! How to parse with a neural model.

use serde::{Deserialize, Serialize};

/// How to parse with a neural model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct NeuralOptions {
    /// Whether the tree with the fewest errors to be expected is taken, and not the likeliest. Default: no.
    pub min_risk: bool,
}
