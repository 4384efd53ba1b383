//! The settings of the boosters, with their defaults and ranges.

use serde::{Deserialize, Serialize};

use super::engine::Sampling;
use super::gain::GainForm;
use super::loss::LossForm;
use super::progress::PathLimits;
use crate::error::{Result, require};

/// Smaller samples misjudge the total by too much.
pub const MIN_SAMPLE: usize = 100;

/// When the penalty of a path is lowered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lowering {
    /// At every root, to c times what the best feature could do there, if that is less.
    #[default]
    EveryRoot,
    /// Only if the root cannot be split: by the factor c, until it can (TM06, listing 1).
    StuckRoot,
}

/// Settings of [`L1Booster`](super::L1Booster).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct L1Config {
    /// The form of the gain. Default: [`GainForm::Clip`], which was better than the other for parsers, and better or as
    /// good on synthetic data (`record/2026-11-16-learn.md`).
    pub gain: GainForm,
    /// By which factor a split below the root must raise the gain; at least 1. Default: 1.1. With the 1.01 of the
    /// authors' release, held-out loss was up to 40% higher where features are independent of one another; for parsers,
    /// whose features say much the same in many ways, it is the better (`record/2026-11-16-learn.md`).
    pub min_gain_factor: f64,
    /// When λ is lowered. Default: at every root.
    pub lowering: Lowering,
    /// The c of λ ← min(λ, c·steepest gradient), or of λ ← c·λ where only a root that cannot be split lowers
    /// it; above 0 and below 1. Default: 0.5. Nearer to 1, the path has more trees and takes longer; its best
    /// held-out loss was up to 5% lower (`record/2026-11-16-learn.md`).
    pub decay: f64,
    /// Where the path ends: λ never falls below; above 0. Default: 0.1.
    pub final_penalty: f64,
    /// Stop at so many leaves that are not zero. Default: no limit.
    #[serde(skip_serializing_if = "is_no_limit")]
    pub max_active: usize,
    /// Stop at so many trees. Default: no limit.
    #[serde(skip_serializing_if = "is_no_limit")]
    pub max_trees: usize,
    /// Splits on the longest path of a tree; at least 1, which makes stumps. Default: no limit.
    pub max_depth: u32,
    /// Rows sampled per tree for the search for splits: 0 for all, otherwise at least 100. Default: 20,000:
    /// less CPU for each tree, but a higher loss after as many trees (`record/2026-11-15-learn-boost.md`).
    pub sample_size: usize,
    /// Decides the samples. Default: 0.
    pub seed: u64,
}

/// Settings of [`ZBooster`](super::ZBooster).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ZConfig {
    /// The loss, and with it the weights of examples. Default: [`LossForm::Logistic`].
    pub loss: LossForm,
    /// What is added to both weights of a leaf before its confidence is taken; above 0. Default: 1e-8.
    pub smoothing: f64,
    /// The c of Θ ← min(Θ, c·best reduction at the root), above 0 and at most 1. Default: 1.
    pub decay: f64,
    /// Where the path ends: Θ never falls below; above 0. Default: 0.1.
    pub final_threshold: f64,
    /// Stop at so many leaves that are not zero. Default: no limit.
    #[serde(skip_serializing_if = "is_no_limit")]
    pub max_active: usize,
    /// Stop at so many trees. Default: no limit.
    #[serde(skip_serializing_if = "is_no_limit")]
    pub max_trees: usize,
    /// Splits on the longest path of a tree; at least 1, which makes stumps. Default: no limit.
    pub max_depth: u32,
    /// Rows sampled per tree for the search for splits: 0 for all, otherwise at least 100. Default: 0.
    pub sample_size: usize,
    /// Decides the samples. Default: 0.
    pub seed: u64,
}

/// No limit is written by leaving it out: not every format has numbers as large.
fn is_no_limit(limit: &usize) -> bool {
    *limit == usize::MAX
}

/// The settings that every method has.
#[derive(Debug, Clone, Copy)]
pub struct PathConfig {
    pub(super) loss: LossForm,
    pub(super) lowering: Lowering,
    pub(super) decay: f64,
    pub(super) final_penalty: f64,
    pub(super) max_depth: u32,
    pub(super) limits: PathLimits,
    pub(super) sampling: Sampling,
}

impl Default for L1Config {
    fn default() -> Self {
        Self {
            gain: GainForm::default(),
            min_gain_factor: 1.1,
            lowering: Lowering::default(),
            decay: 0.5,
            final_penalty: 0.1,
            max_active: usize::MAX,
            max_trees: usize::MAX,
            max_depth: u32::MAX,
            sample_size: 20_000,
            seed: 0,
        }
    }
}

impl Default for ZConfig {
    fn default() -> Self {
        Self {
            loss: LossForm::default(),
            smoothing: 1e-8,
            decay: 1.0,
            final_threshold: 0.1,
            max_active: usize::MAX,
            max_trees: usize::MAX,
            max_depth: u32::MAX,
            sample_size: 0,
            seed: 0,
        }
    }
}

impl L1Config {
    /// Checks every setting.
    ///
    /// # Errors
    /// If one is out of its range.
    pub fn check(&self) -> Result<()> {
        require(
            self.min_gain_factor >= 1.0,
            "a factor of gains (min-gain) of at least 1",
            self.min_gain_factor,
        )?;
        require(self.decay > 0.0 && self.decay < 1.0, "a decay between 0 and 1", self.decay)?;
        check_end(self.final_penalty)?;
        check_depth_and_sample(self.max_depth, self.sample_size)
    }
}

impl ZConfig {
    /// Checks every setting.
    ///
    /// # Errors
    /// If one is out of its range.
    pub fn check(&self) -> Result<()> {
        require(self.smoothing > 0.0 && self.smoothing.is_finite(), "a smoothing above 0", self.smoothing)?;
        require(self.decay > 0.0 && self.decay <= 1.0, "a decay above 0 and at most 1", self.decay)?;
        check_end(self.final_threshold)?;
        check_depth_and_sample(self.max_depth, self.sample_size)
    }
}

/// Where the path ends, whatever it is called.
fn check_end(penalty: f64) -> Result<()> {
    require(penalty > 0.0 && penalty.is_finite(), "a final penalty above 0", penalty)
}

fn check_depth_and_sample(max_depth: u32, sample_size: usize) -> Result<()> {
    require(max_depth >= 1, "a depth of trees of at least 1", max_depth)?;
    let is_sound = sample_size == 0 || sample_size >= MIN_SAMPLE;
    require(is_sound, "a sample of 0 (all rows) or at least 100 rows", sample_size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn defaults_are_in_range() {
        L1Config::default().check().unwrap();
        ZConfig::default().check().unwrap();
    }

    #[test]
    fn settings_can_be_written_down() {
        let config = L1Config { max_trees: 7, seed: 3, ..L1Config::default() };
        let text = serde_json::to_string(&config).unwrap();
        assert!(text.contains(r#""max-trees":7"#) && !text.contains("max-active"), "{text}");
        assert_eq!(serde_json::from_str::<L1Config>(&text).unwrap(), config);
        let text = serde_json::to_string(&ZConfig::default()).unwrap();
        assert_eq!(serde_json::from_str::<ZConfig>(&text).unwrap(), ZConfig::default());
        serde_json::from_str::<ZConfig>(r#"{"gain":"clip"}"#).unwrap_err();
    }

    #[test]
    fn what_is_out_of_range_is_named() {
        let error = L1Config { decay: 1.0, ..L1Config::default() }.check().unwrap_err();
        assert_eq!(error.to_string(), "expected a decay between 0 and 1, found 1");
        let config = L1Config::default();
        for bad in [
            L1Config { min_gain_factor: 0.99, ..config },
            L1Config { min_gain_factor: f64::NAN, ..config },
            L1Config { final_penalty: 0.0, ..config },
            L1Config { final_penalty: f64::INFINITY, ..config },
            L1Config { max_depth: 0, ..config },
            L1Config { sample_size: 99, ..config },
        ] {
            assert_eq!(bad.check().unwrap_err().kind(), ErrorKind::Argument);
        }
        assert!(ZConfig { smoothing: 0.0, ..ZConfig::default() }.check().is_err());
        assert!(ZConfig { decay: 1.1, ..ZConfig::default() }.check().is_err());
    }
}
