//! Which split pays under an l1 penalty (TM06, equations 13 to 16).
//!
//! Gradients, penalties and gains are in units of [`FixedPoint`](super::fixed::FixedPoint), so that comparisons of
//! gains are exact and ties are ties.

use serde::{Deserialize, Serialize};

use super::sums::ClassSums;

/// How the gain of a feature follows from its gradient g and the penalty λ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GainForm {
    /// max(0, |g| - λ): equation 14.
    Subtract,
    /// |g| if it exceeds λ, otherwise 0: the authors' release of 2006.
    #[default]
    Clip,
}

impl GainForm {
    /// The gain of a feature.
    #[inline]
    pub(super) fn gain(self, gradient: i64, penalty: i64) -> i64 {
        match self {
            Self::Subtract => (gradient.abs() - penalty).max(0),
            Self::Clip => {
                if gradient.abs() > penalty {
                    gradient.abs()
                } else {
                    0
                }
            }
        }
    }
}

/// The rule by which nodes are split under a penalty.
#[derive(Debug, Clone, Copy)]
pub struct GainRule {
    pub(super) form: GainForm,
    pub(super) penalty: i64,
    pub(super) min_factor: f64,
}

impl GainRule {
    /// The left side of equation 15: the gain of both children together.
    #[inline]
    pub(super) fn split_gain(&self, present: i64, absent: i64) -> i64 {
        self.form.gain(present, self.penalty) + self.form.gain(absent, self.penalty)
    }

    /// Equation 15. Below the root, the gain must also grow by a factor: without it, every split that peels off a
    /// sliver of the other class pays, and trees become chains hundreds of nodes deep.
    pub(super) fn accepts(&self, split_gain: i64, gradient: i64, is_root: bool) -> bool {
        let own = self.form.gain(gradient, self.penalty);
        split_gain > own && (is_root || split_gain as f64 > self.min_factor * own as f64)
    }

    /// Whether any split at all could be accepted. The gradient of a subset lies between minus the weight of the
    /// negative examples and the weight of the positive ones.
    pub(super) fn could_accept(&self, classes: ClassSums) -> bool {
        self.accepts(self.split_gain(classes.positive, -classes.negative), classes.gradient(), false)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn gains_of_both_forms() {
        for (gradient, subtract, clip) in [(7, 3, 7), (-7, 3, 7), (4, 0, 0), (0, 0, 0), (-5, 1, 5)] {
            assert_eq!(GainForm::Subtract.gain(gradient, 4), subtract);
            assert_eq!(GainForm::Clip.gain(gradient, 4), clip);
        }
        assert_eq!(GainForm::Subtract.gain(i64::MIN / 4, i64::MAX), 0);
    }

    #[test]
    fn the_factor_spares_the_root() {
        let rule = GainRule { form: GainForm::Subtract, penalty: 0, min_factor: 1.1 };
        assert!(rule.accepts(105, 100, true));
        assert!(!rule.accepts(105, 100, false));
        assert!(rule.accepts(111, 100, false));
        assert!(!rule.accepts(0, 0, true));
    }

    proptest! {
        #[test]
        fn no_split_of_a_hopeless_node_is_accepted(
            weights in prop::collection::vec((-20i64..20, any::<bool>()), 1..12),
            penalty in 0i64..60,
            min_factor in 1.0..1.5f64,
            clip in any::<bool>(),
        ) {
            let form = if clip { GainForm::Clip } else { GainForm::Subtract };
            let rule = GainRule { form, penalty, min_factor };
            let classes = ClassSums::over(weights.iter().map(|&(weight, _)| weight));
            let present: i64 = weights.iter().filter(|(_, is_present)| *is_present).map(|&(weight, _)| weight).sum();
            let gain = rule.split_gain(present, classes.gradient() - present);
            if rule.accepts(gain, classes.gradient(), false) {
                prop_assert!(rule.could_accept(classes));
            }
        }
    }
}
