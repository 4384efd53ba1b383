//! What the user can set about a minimisation.

use serde::{Deserialize, Serialize};

use crate::Result;
use crate::error::require;

/// Settings of [`minimize`](super::minimize), with defaults that suit convex training of models.
///
/// Memory: `5 + 2·history` numbers of 8 bytes for each parameter, so 200 bytes a parameter by default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct OptimizerConfig {
    /// How many past steps estimate the curvature; at least 1, 10 by default. More of them save iterations on
    /// ill-conditioned problems and cost `2·8` bytes a parameter each.
    pub history: usize,
    /// Stop when `‖gradient‖ ≤ gradient_tolerance · max(1, ‖point‖)` in Euclidean lengths; 1e-5 by default.
    ///
    /// With an L1 penalty the gradient is the pseudo-gradient, which is zero exactly at the minimum.
    pub gradient_tolerance: f64,
    /// Stop when the value fell by no more than this share of itself over the last [`window`](Self::window)
    /// iterations; 1e-7 by default, 0 to go on until it does not fall at all.
    pub value_tolerance: f64,
    /// Over how many iterations [`value_tolerance`](Self::value_tolerance) looks back; at least 1, 10 by default.
    pub window: usize,
    /// Stop after this iteration, counted from the start of the first run; 1000 by default.
    pub max_iterations: u64,
    /// How often one line search may evaluate the objective; at least 2, 40 by default.
    pub max_trials: usize,
}

impl Default for OptimizerConfig {
    fn default() -> Self {
        Self {
            history: 10,
            gradient_tolerance: 1e-5,
            value_tolerance: 1e-7,
            window: 10,
            max_iterations: 1000,
            max_trials: 40,
        }
    }
}

impl OptimizerConfig {
    /// Says which setting is out of its range, if one is.
    pub fn check(&self) -> Result<()> {
        require(self.history >= 1, "`history` to be at least 1", self.history)?;
        require(self.window >= 1, "`window` to be at least 1", self.window)?;
        require(self.max_trials >= 2, "`max_trials` to be at least 2", self.max_trials)?;
        not_negative("`gradient_tolerance`", self.gradient_tolerance)?;
        not_negative("`value_tolerance`", self.value_tolerance)
    }
}

/// Refuses what cannot be a tolerance or a penalty: negative numbers, infinity, NaN.
pub(crate) fn not_negative(name: &str, found: f64) -> Result<()> {
    require(found.is_finite() && found >= 0.0, format_args!("{name} to be a finite number, 0 or more"), found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_in_range() {
        OptimizerConfig::default().check().unwrap();
    }

    #[test]
    fn the_setting_out_of_range_is_named() {
        let settings = OptimizerConfig { value_tolerance: f64::NAN, ..OptimizerConfig::default() };
        assert!(settings.check().unwrap_err().message().starts_with("expected `value_tolerance` to be"));
        let settings = OptimizerConfig { history: 0, ..OptimizerConfig::default() };
        assert_eq!(settings.check().unwrap_err().to_string(), "expected `history` to be at least 1, found 0");
    }
}
