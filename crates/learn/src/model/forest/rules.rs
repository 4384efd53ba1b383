//! Trees as sums of rules.

use super::piece::Pruned;
use crate::error::{Error, ErrorKind, Result};
use crate::model::Ensemble;

/// The most conditions that all rules of a classifier may have; those of a tree that is one long chain are a square
/// of its size.
const MAX_CONDITIONS: usize = 1 << 26;

/// A leaf that is not zero, as the way there.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct LeafRule {
    /// The features that must be active, in increasing order.
    pub(super) present: Vec<u32>,
    /// Those that must not be.
    pub(super) absent: Vec<u32>,
    /// What the leaf adds, in units.
    pub(super) value: i64,
}

/// The rules of all trees, except for leaves that cannot be reached.
///
/// # Errors
/// If they have too many conditions.
pub(super) fn rules(ensemble: &Ensemble) -> Result<Vec<LeafRule>> {
    let mut rules = Vec::new();
    let mut num_conditions = 0;
    for tree in ensemble.trees() {
        let tree = Ways::new(Pruned::new(tree));
        num_conditions += tree.leaves().map(|(leaf, _)| tree.depths[leaf] as usize).sum::<usize>();
        if num_conditions > MAX_CONDITIONS {
            return Err(too_large());
        }
        rules.extend(tree.leaves().filter_map(|(leaf, value)| tree.rule(leaf, value)));
    }
    Ok(rules)
}

fn too_large() -> Error {
    let message = format!("the trees of a classifier have more than {MAX_CONDITIONS} conditions");
    Error::new(ErrorKind::TooLarge, message).hint("train it again with --max-depth")
}

/// A tree in which one can go from a leaf to the root.
struct Ways<'t> {
    tree: Pruned<'t>,
    /// Per node the split above it and whether the node is on its present side; none for nodes that pruning has cut
    /// off.
    above: Vec<Option<(usize, bool)>>,
    depths: Vec<u32>,
}

impl<'t> Ways<'t> {
    fn new(tree: Pruned<'t>) -> Self {
        let num_nodes = tree.values.len();
        let (mut above, mut depths) = (vec![None; num_nodes], vec![0; num_nodes]);
        // Children stand behind their parents.
        for node in 0..num_nodes {
            let is_reached = node == 0 || above[node].is_some();
            if is_reached && tree.values[node].is_none() {
                let (_, absent, present) = tree.split(node);
                for (child, is_present) in [(absent, false), (present, true)] {
                    above[child] = Some((node, is_present));
                    depths[child] = depths[node] + 1;
                }
            }
        }
        Self { tree, above, depths }
    }

    /// The leaves that are not zero, with their values.
    fn leaves(&self) -> impl Iterator<Item = (usize, i64)> {
        let is_reached = |node: usize| node == 0 || self.above[node].is_some();
        let values = self.tree.values.iter().enumerate();
        values.filter_map(move |(node, value)| {
            value.filter(|&value| value != 0 && is_reached(node)).map(|value| (node, value))
        })
    }

    /// The rule of a leaf; none if a feature would have to be active and not active.
    fn rule(&self, leaf: usize, value: i64) -> Option<LeafRule> {
        let mut rule = LeafRule { value, ..LeafRule::default() };
        let mut node = leaf;
        while let Some((split, is_present)) = self.above[node] {
            let side = if is_present { &mut rule.present } else { &mut rule.absent };
            side.push(self.tree.split(split).0);
            node = split;
        }
        for side in [&mut rule.present, &mut rule.absent] {
            side.sort_unstable();
            side.dedup();
        }
        let is_sound = !rule.present.iter().any(|feature| rule.absent.binary_search(feature).is_ok());
        is_sound.then_some(rule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{DecisionTree, TreeNode};

    #[test]
    fn a_rule_is_the_way_to_a_leaf_that_can_be_reached() {
        let leaf = |confidence| TreeNode::Leaf { confidence };
        let split = |feature, present, absent| TreeNode::Split { feature, present, absent };
        let nodes = vec![
            split(7, 1, 2),
            split(3, 3, 4),
            split(7, 5, 6),
            leaf(1.0),
            leaf(0.0),
            leaf(2.0),
            split(5, 7, 8),
            leaf(-1.0),
            leaf(-1.0),
        ];
        let mut ensemble = Ensemble::new();
        ensemble.push(DecisionTree::new(nodes), 1.0);
        let unit = 1i64 << 32;
        let expected = [
            LeafRule { present: vec![3, 7], absent: vec![], value: unit },
            LeafRule { present: vec![], absent: vec![7], value: -unit },
        ];
        assert_eq!(rules(&ensemble).unwrap(), expected);
    }

    #[test]
    fn a_chain_that_is_far_too_long_is_refused() {
        let mut nodes = Vec::new();
        for feature in 0..20_000 {
            let present = nodes.len() as u32 + 1;
            nodes.push(TreeNode::Split { feature, present, absent: present + 1 });
            nodes.push(TreeNode::Leaf { confidence: 1.0 + f64::from(feature) });
        }
        nodes.push(TreeNode::Leaf { confidence: 0.0 });
        let mut ensemble = Ensemble::new();
        ensemble.push(DecisionTree::new(nodes), 1.0);
        assert_eq!(rules(&ensemble).unwrap_err().kind(), ErrorKind::TooLarge);
    }
}
