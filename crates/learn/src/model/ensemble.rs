//! Boosted decision trees over binary features, as the learner leaves them: plain data and the naive way to score.
//!
//! A classifier's score for a set of active features is the sum of the confidences of the leaves they reach, one
//! leaf a tree. Trees are kept in the order in which they were learned, each with the penalty (λ, or Θ) in force when
//! it was added; penalties never rise, so the classifier at any earlier penalty is a prefix of the ensemble.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind, Result};

/// A node of a [`DecisionTree`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum TreeNode {
    /// A question about one feature; the answers lead to nodes of larger index.
    Split {
        /// The feature.
        feature: u32,
        /// Where to go if it is active.
        present: u32,
        /// Where to go if it is not.
        absent: u32,
    },
    /// An answer.
    Leaf {
        /// What it adds to the score.
        confidence: f64,
    },
}

/// A binary decision tree; node 0 is the root.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<TreeNode>", into = "Vec<TreeNode>")]
pub struct DecisionTree {
    nodes: Vec<TreeNode>,
}

/// The trees of one classifier along its regularisation path.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<(DecisionTree, f64)>", into = "Vec<(DecisionTree, f64)>")]
pub struct Ensemble {
    trees: Vec<DecisionTree>,
    penalties: Vec<f64>,
}

impl TryFrom<Vec<TreeNode>> for DecisionTree {
    type Error = Error;

    fn try_from(nodes: Vec<TreeNode>) -> Result<Self> {
        Self::try_new(nodes)
    }
}

impl From<DecisionTree> for Vec<TreeNode> {
    fn from(tree: DecisionTree) -> Self {
        tree.nodes
    }
}

impl TryFrom<Vec<(DecisionTree, f64)>> for Ensemble {
    type Error = Error;

    fn try_from(trees: Vec<(DecisionTree, f64)>) -> Result<Self> {
        let (trees, penalties): (_, Vec<f64>) = trees.into_iter().unzip();
        let is_path =
            penalties.iter().all(|penalty| !penalty.is_nan()) && penalties.is_sorted_by(|a, b| a >= b);
        match is_path {
            true => Ok(Self { trees, penalties }),
            false => Err(Error::new(ErrorKind::Syntax, "the penalties of a classifier rise")),
        }
    }
}

impl From<Ensemble> for Vec<(DecisionTree, f64)> {
    fn from(ensemble: Ensemble) -> Self {
        ensemble.trees.into_iter().zip(ensemble.penalties).collect()
    }
}

impl DecisionTree {
    /// A tree of these nodes.
    ///
    /// # Panics
    /// If they are not a tree: see [`DecisionTree::try_new`].
    pub fn new(nodes: Vec<TreeNode>) -> Self {
        Self::try_new(nodes).unwrap_or_else(|error| panic!("{error}"))
    }

    /// A tree of these nodes, if they are one.
    ///
    /// # Errors
    /// If there are no nodes, a split does not lead to two later nodes, a node other than the root is not the child of
    /// exactly one split, or a confidence is not a finite number.
    pub fn try_new(nodes: Vec<TreeNode>) -> Result<Self> {
        let mut has_parent = vec![false; nodes.len()];
        for (index, node) in nodes.iter().enumerate() {
            match *node {
                TreeNode::Leaf { confidence } if confidence.is_finite() => {}
                TreeNode::Leaf { confidence } => {
                    return Err(not_a_tree(format_args!("leaf {index} has the confidence {confidence}")));
                }
                TreeNode::Split { present, absent, .. } => {
                    adopt(index, present, &mut has_parent)?;
                    adopt(index, absent, &mut has_parent)?;
                }
            }
        }
        match has_parent.iter().skip(1).position(|&has_one| !has_one) {
            _ if nodes.is_empty() => Err(not_a_tree(format_args!("there is no root"))),
            Some(index) => Err(not_a_tree(format_args!("node {} has no parent", index + 1))),
            None => Ok(Self { nodes }),
        }
    }

    /// The nodes, parents before children.
    pub fn nodes(&self) -> &[TreeNode] {
        &self.nodes
    }

    /// The confidence of the leaf reached.
    pub fn score(&self, is_active: impl Fn(u32) -> bool) -> f64 {
        let mut index = 0;
        loop {
            match self.nodes[index] {
                TreeNode::Leaf { confidence } => return confidence,
                TreeNode::Split { feature, present, absent } => {
                    index = if is_active(feature) { present } else { absent } as usize;
                }
            }
        }
    }

    /// The features it asks for, as often as it asks.
    pub fn features(&self) -> impl Iterator<Item = u32> {
        self.nodes.iter().filter_map(|node| match *node {
            TreeNode::Split { feature, .. } => Some(feature),
            TreeNode::Leaf { .. } => None,
        })
    }

    /// The number of leaves that are not zero: the compound features in use.
    pub fn num_active(&self) -> usize {
        self.nodes
            .iter()
            .filter(|node| matches!(node, TreeNode::Leaf { confidence } if *confidence != 0.0))
            .count()
    }

    /// The number of nodes that are split.
    pub fn num_splits(&self) -> usize {
        self.nodes.iter().filter(|node| matches!(node, TreeNode::Split { .. })).count()
    }
}

impl Ensemble {
    /// No trees.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tree learned at a penalty.
    ///
    /// # Panics
    /// If the penalty is larger than the last one.
    pub fn push(&mut self, tree: DecisionTree, penalty: f64) {
        assert!(self.penalties.last().is_none_or(|&last| penalty <= last), "penalties never rise");
        self.trees.push(tree);
        self.penalties.push(penalty);
    }

    /// The trees in the order in which they were learned.
    pub fn trees(&self) -> &[DecisionTree] {
        &self.trees
    }

    /// The penalty at which each tree was added.
    pub fn penalties(&self) -> &[f64] {
        &self.penalties
    }

    /// How many trees the classifier had when the penalty had fallen to `penalty`, and no further.
    pub fn num_trees_at(&self, penalty: f64) -> usize {
        self.penalties.partition_point(|&added| added >= penalty)
    }

    /// The first trees only: the classifier as it stood after them.
    #[must_use]
    pub fn prefix(&self, num_trees: usize) -> Self {
        let num_trees = num_trees.min(self.trees.len());
        Self { trees: self.trees[..num_trees].to_vec(), penalties: self.penalties[..num_trees].to_vec() }
    }

    /// The trees of several, by their penalties, each worth its part of the whole: scores are the means of
    /// theirs.
    pub(crate) fn mean(ensembles: &[&Self]) -> Self {
        let part = 1.0 / ensembles.len() as f64;
        let weigh = |node: &TreeNode| match *node {
            TreeNode::Leaf { confidence } => TreeNode::Leaf { confidence: confidence * part },
            split @ TreeNode::Split { .. } => split,
        };
        let of_all = ensembles.iter().flat_map(|ensemble| ensemble.trees.iter().zip(&ensemble.penalties));
        let weighed = |(tree, &penalty): (&DecisionTree, &f64)| {
            (DecisionTree { nodes: tree.nodes.iter().map(weigh).collect() }, penalty)
        };
        let mut trees: Vec<(DecisionTree, f64)> = of_all.map(weighed).collect();
        trees.sort_by(|a, b| b.1.total_cmp(&a.1));
        let (trees, penalties) = trees.into_iter().unzip();
        Self { trees, penalties }
    }

    /// The score by all trees, one after the other.
    pub fn score(&self, is_active: impl Fn(u32) -> bool) -> f64 {
        self.trees.iter().map(|tree| tree.score(&is_active)).sum()
    }
}

/// Gives a node its parent, if it is a later one and has none yet.
fn adopt(parent: usize, child: u32, has_parent: &mut [bool]) -> Result<()> {
    match has_parent.get_mut(child as usize) {
        Some(has_one) if child as usize > parent && !*has_one => {
            *has_one = true;
            Ok(())
        }
        Some(true) => Err(not_a_tree(format_args!("node {child} has two parents"))),
        _ => Err(not_a_tree(format_args!("children come later, but node {parent} has {child}"))),
    }
}

fn not_a_tree(found: fmt::Arguments<'_>) -> Error {
    Error::new(ErrorKind::Syntax, format!("expected a decision tree, found nodes that are none: {found}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stump(feature: u32, present: f64, absent: f64) -> DecisionTree {
        DecisionTree::new(vec![
            TreeNode::Split { feature, present: 1, absent: 2 },
            TreeNode::Leaf { confidence: present },
            TreeNode::Leaf { confidence: absent },
        ])
    }

    #[test]
    fn scores_add_up() {
        let mut ensemble = Ensemble::new();
        ensemble.push(stump(3, 1.0, -0.5), 10.0);
        ensemble.push(stump(5, 0.25, 0.0), 4.0);
        assert_eq!(ensemble.score(|feature| feature == 3), 1.0);
        assert_eq!(ensemble.score(|_| true), 1.25);
        assert_eq!(ensemble.score(|_| false), -0.5);
        assert_eq!(ensemble.trees()[1].num_active(), 1);
    }

    #[test]
    fn a_prefix_is_an_earlier_classifier() {
        let mut ensemble = Ensemble::new();
        for penalty in [8.0, 8.0, 4.0, 1.0] {
            ensemble.push(stump(0, 1.0, 0.0), penalty);
        }
        assert_eq!([9.0, 8.0, 5.0, 4.0, 0.0].map(|penalty| ensemble.num_trees_at(penalty)), [0, 2, 2, 3, 4]);
    }

    #[test]
    #[should_panic(expected = "children come later")]
    fn circles_are_refused() {
        DecisionTree::new(vec![TreeNode::Split { feature: 0, present: 0, absent: 0 }]);
    }

    #[test]
    fn nodes_that_are_no_tree_are_refused() {
        let leaf = TreeNode::Leaf { confidence: 1.0 };
        let split = |present, absent| TreeNode::Split { feature: 0, present, absent };
        assert!(DecisionTree::try_new(vec![]).is_err());
        assert!(DecisionTree::try_new(vec![leaf, leaf]).is_err());
        assert!(DecisionTree::try_new(vec![split(1, 1), leaf]).is_err());
        assert!(DecisionTree::try_new(vec![split(1, 2), split(2, 3), leaf, leaf]).is_err());
        assert!(DecisionTree::try_new(vec![split(1, 3), leaf, leaf]).is_err());
        assert!(DecisionTree::try_new(vec![TreeNode::Leaf { confidence: f64::NAN }]).is_err());
        assert!(DecisionTree::try_new(vec![split(2, 1), leaf, leaf]).is_ok());
    }
}
