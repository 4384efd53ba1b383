//! How parsers are put together.

use serde::{Deserialize, Serialize};

use super::CombinationRule;

/// How the parsers of a [`CombinedModel`](super::CombinedModel) are put together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CombinedOptions {
    /// What becomes of the probabilities that they give.
    pub rule: CombinationRule,
    /// How much each of them counts; only the relations matter.
    pub weights: Vec<f32>,
    /// How many trees are asked of a parser that has no probabilities of all phrases. Default: 20.
    pub num_trees: usize,
}

impl CombinedOptions {
    /// So many parsers that count alike.
    pub fn new(num_parsers: usize) -> Self {
        Self { rule: CombinationRule::default(), weights: vec![1.0; num_parsers], num_trees: 20 }
    }

    /// Whether they can be those of so many parsers: no weight is negative, and one is not zero.
    pub(crate) fn are_for(&self, num_parsers: usize) -> bool {
        let is_weight = |&weight: &f32| weight >= 0.0 && weight.is_finite();
        self.weights.len() == num_parsers
            && self.weights.iter().all(is_weight)
            && self.weights.iter().any(|&weight| weight > 0.0)
            && self.num_trees > 0
    }
}
