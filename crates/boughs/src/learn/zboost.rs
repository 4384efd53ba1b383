//! Boosting confidence-rated decision trees by the Z criterion (TM05, section 2.1).
//!
//! A leaf with weights W+ and W- has the loss Z = 2 sqrt(W+ W-) (equation 10). Splits are those that lower it most
//! (equations 12 and 13), confidences are ½ ln((W+ + ε)/(W- + ε)) (equation 14). A node is split only if Z falls by at
//! least Θ, which starts at infinity and is lowered, at a root, to the best reduction there: the path of ever smaller
//! minimum reductions in loss takes the place of the path of λ.

use super::booster::{Booster, Method};
use super::config::{PathConfig, ZConfig};
use super::engine::Engine;
use super::fixed::FixedPoint;
use super::grow::{Criterion, Leaf, Open};
use super::sums::ClassSums;
use crate::error::Result;
use crate::model::round_confidence;

/// Learns one classifier by the Z criterion, tree by tree. Its penalty is Θ.
pub type ZBooster<'a> = Booster<'a, ZConfig>;

/// Z = 2 sqrt(W+ W-), in units of weight.
fn z(classes: ClassSums) -> f64 {
    2.0 * ((classes.positive as f64) * (classes.negative as f64)).sqrt()
}

/// ½ ln((W+ + ε)/(W- + ε)), rounded to what a [`Forest`](crate::model::Forest) can hold.
fn confidence(classes: ClassSums, smoothing: f64, fixed: FixedPoint) -> f64 {
    let smooth = |weight| fixed.value(weight) + smoothing;
    round_confidence(0.5 * (smooth(classes.positive) / smooth(classes.negative)).ln())
}

/// Splits that lower Z by at least a threshold, in units of weight.
#[derive(Debug, Clone, Copy)]
pub struct ReductionRule {
    threshold: f64,
}

impl Criterion for ReductionRule {
    type Sum = ClassSums;
    /// Minus the Z of both sides: the same order as by the reduction, with one rounding less.
    type Value = f64;

    #[inline]
    fn value(&self, present: ClassSums, absent: ClassSums) -> f64 {
        -(z(present) + z(absent))
    }

    fn accepts(&self, value: f64, classes: ClassSums, _is_root: bool) -> bool {
        let reduction = z(classes) + value;
        reduction >= self.threshold && reduction > 0.0
    }

    fn could_accept(&self, classes: ClassSums) -> bool {
        self.accepts(0.0, classes, false)
    }
}

impl Method for ZConfig {
    type Rule = ReductionRule;

    fn check(&self) -> Result<()> {
        ZConfig::check(self)
    }

    fn path(&self) -> PathConfig {
        ZConfig::path(self)
    }

    /// The most that a split of the root can lower Z.
    fn best(&self, root: &Open<ClassSums>, engine: &Engine<'_, ClassSums>) -> f64 {
        let rule = ReductionRule { threshold: 0.0 };
        let best = root.histogram.best(engine.scan(), |present| rule.value(present, root.classes - present));
        best.map_or(0.0, |best| z(root.classes) + best.value) * engine.scores().fixed().value(1)
    }

    fn rule(&self, penalty: f64, engine: &Engine<'_, ClassSums>) -> ReductionRule {
        ReductionRule { threshold: penalty / engine.scores().fixed().value(1) }
    }

    fn rate(&self, leaf: Leaf, _penalty: f64, engine: &mut Engine<'_, ClassSums>) -> f64 {
        let confidence = confidence(leaf.classes, self.smoothing, engine.scores().fixed());
        if confidence != 0.0 {
            let rows = leaf.rows.into_list();
            let change = engine.scores().change(&engine.scores().examples(&rows), confidence);
            engine.apply(&rows, &change);
        }
        confidence
    }

    fn objective(&self, loss: f64, _penalty: f64, _norm: f64) -> f64 {
        loss
    }
}
