//! Why a classifier gave its score.

use std::collections::BTreeMap;
use std::fmt;

use super::{from_units, to_units};
use crate::model::{DecisionTree, Ensemble, TreeNode};

/// What a leaf asks of one feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Condition {
    /// The feature.
    pub feature: u32,
    /// Whether it must be active, or must not.
    pub is_active: bool,
}

/// A conjunction that holds, and what it adds to the score.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoreReason {
    /// What holds, in the order of features; nothing for a constant.
    pub conditions: Vec<Condition>,
    /// The sum of the confidences of all leaves of this conjunction.
    pub confidence: f64,
}

impl ScoreReason {
    /// The text of the reason, with features called by their names: `+0.7500  left & !right`; a constant is
    /// `+0.7500  always`.
    pub fn describe(&self, name: impl Fn(u32) -> String) -> String {
        let not = |condition: &Condition| if condition.is_active { "" } else { "!" };
        let conditions: Vec<String> =
            self.conditions.iter().map(|one| format!("{}{}", not(one), name(one.feature))).collect();
        let conditions = if conditions.is_empty() { "always".to_owned() } else { conditions.join(" & ") };
        format!("{:+.4}  {conditions}", self.confidence)
    }
}

impl fmt::Display for ScoreReason {
    /// For example `+0.7500  3 & !17`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe(|feature| feature.to_string()))
    }
}

/// The leaves reached, by size of their confidence, then by conjunction.
pub(super) fn reasons(ensemble: &Ensemble, active: &[u32]) -> Vec<ScoreReason> {
    let mut active = active.to_vec();
    active.sort_unstable();
    let mut merged: BTreeMap<Vec<Condition>, i64> = BTreeMap::new();
    for tree in ensemble.trees() {
        let (conditions, units) = walk(tree, &active);
        *merged.entry(conditions).or_default() += units;
    }
    let non_zero = merged.into_iter().filter(|&(_, units)| units != 0);
    let mut reasons: Vec<ScoreReason> = non_zero
        .map(|(conditions, units)| ScoreReason { conditions, confidence: from_units(units) })
        .collect();
    // The sort is stable, so equal sizes stay in the order of conjunctions.
    reasons.sort_by(|a, b| b.confidence.abs().total_cmp(&a.confidence.abs()));
    reasons
}

/// The conditions on the way to the leaf reached, and its value in units.
fn walk(tree: &DecisionTree, active: &[u32]) -> (Vec<Condition>, i64) {
    let mut conditions = Vec::new();
    let mut index = 0;
    loop {
        match tree.nodes()[index] {
            TreeNode::Split { feature, present, absent } => {
                let is_active = active.binary_search(&feature).is_ok();
                conditions.push(Condition { feature, is_active });
                index = if is_active { present } else { absent } as usize;
            }
            TreeNode::Leaf { confidence } => {
                conditions.sort_unstable();
                conditions.dedup();
                return (conditions, to_units(confidence));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(features: [u32; 2], both: f64) -> DecisionTree {
        DecisionTree::new(vec![
            TreeNode::Split { feature: features[0], present: 1, absent: 2 },
            TreeNode::Split { feature: features[1], present: 3, absent: 4 },
            TreeNode::Leaf { confidence: -2.0 },
            TreeNode::Leaf { confidence: both },
            TreeNode::Leaf { confidence: 0.25 },
        ])
    }

    #[test]
    fn equal_conjunctions_are_merged_and_the_largest_comes_first() {
        let mut ensemble = Ensemble::new();
        ensemble.push(DecisionTree::new(vec![TreeNode::Leaf { confidence: -1.0 }]), 9.0);
        ensemble.push(chain([3, 8], 0.5), 8.0);
        ensemble.push(chain([8, 3], 0.75), 7.0);
        ensemble.push(chain([3, 9], 1.0), 6.0);
        let texts: Vec<String> = reasons(&ensemble, &[8, 3]).iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["+1.2500  3 & 8", "-1.0000  always", "+0.2500  3 & !9"]);
        let texts: Vec<String> = reasons(&ensemble, &[]).iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["-4.0000  !3", "-2.0000  !8", "-1.0000  always"]);
    }
}
