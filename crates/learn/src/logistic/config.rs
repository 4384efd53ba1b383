//! What the user can set about logistic regression.

use serde::{Deserialize, Serialize};

use crate::Result;
use crate::optimize::{OptimizerConfig, not_negative};

/// Which pairs of feature and class have a weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WeightPairs {
    /// All pairs; with two classes only those of class 1, whose weights are then log odds. The textbook form.
    #[default]
    Standard,
    /// All pairs, also with two classes.
    All,
    /// Pairs seen together in some row. A feature then cannot speak against a class it was never seen with, but
    /// speaks for the others instead. With many classes this saves most of the memory: of the 45 classes of a tagger
    /// a feature meets two or three.
    Observed,
}

/// Settings of [`Logistic`](super::Logistic) regression. It minimises
///
/// ```text
/// Σ over rows  weight · −ln p(class | features)  +  l1 · Σ |w|  +  l2/2 · Σ w²
/// ```
///
/// with sums, not means, over the rows: penalties need not grow with the data. Biases are not penalised.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct LogisticConfig {
    /// The weight of the L1 penalty, 0 or more; 0 by default. It leaves most weights exactly 0.
    pub l1: f64,
    /// The weight of the L2 penalty, 0 or more; 1 by default.
    pub l2: f64,
    /// Whether classes have a bias; true by default.
    pub bias: bool,
    /// Which weights there are.
    pub pairs: WeightPairs,
    /// Settings of the optimiser.
    pub optimizer: OptimizerConfig,
}

impl Default for LogisticConfig {
    fn default() -> Self {
        Self {
            l1: 0.0,
            l2: 1.0,
            bias: true,
            pairs: WeightPairs::default(),
            optimizer: OptimizerConfig::default(),
        }
    }
}

impl LogisticConfig {
    /// Says which setting is out of its range, if one is.
    pub fn check(&self) -> Result<()> {
        not_negative("`l1`", self.l1)?;
        not_negative("`l2`", self.l2)?;
        self.optimizer.check()
    }
}
