//! Growing one decision tree, and sending rows down a finished one.
//!
//! The naive form: while some leaf can be split, try every feature on every leaf and split where it pays most. What a
//! node does depends on its own rows alone, so the order does not matter for the result. Nodes are taken depth first,
//! smaller child before larger: then at most log2(rows) histograms wait at a time, where breadth first would keep one
//! for every open node. The histogram of the larger child is its parent's less that of the smaller one, exactly,
//! because weights are whole numbers.

use std::collections::VecDeque;

use super::histogram::{Histogram, Histograms};
use super::partition::NodeRows;
use super::scan::{Scan, SplitCandidate};
use super::sums::{ClassSums, WeightSum};
use super::view::DatasetView;
use crate::model::{DecisionTree, TreeNode};

/// When and how nodes are split.
pub trait Criterion: Sync {
    /// What must be known about the rows on either side.
    type Sum: WeightSum;
    /// What a split is worth.
    type Value: Copy + PartialOrd + Send;

    /// What a split into these two sides is worth.
    fn value(&self, present: Self::Sum, absent: Self::Sum) -> Self::Value;

    /// The best split of a node with this total; one that is not to be accepted need not be the best.
    fn best(
        &self,
        histogram: &Histogram<Self::Sum>,
        scan: Scan<'_>,
        total: Self::Sum,
    ) -> Option<SplitCandidate<Self::Value>> {
        histogram.best(scan, |present| self.value(present, total - present))
    }

    /// Whether the best split of a node, worth so much, is to be made.
    fn accepts(&self, value: Self::Value, classes: ClassSums, is_root: bool) -> bool;

    /// Whether any split of a node below the root could be; may err on the side of hope.
    fn could_accept(&self, classes: ClassSums) -> bool;
}

/// A node about to be split, or to become a leaf.
#[derive(Debug)]
pub struct OpenNode<S> {
    pub(super) rows: NodeRows,
    pub(super) classes: ClassSums,
    pub(super) histogram: Histogram<S>,
}

/// An open node in its tree.
struct Pending<S> {
    node: usize,
    depth: u32,
    open: OpenNode<S>,
}

/// A leaf and what reaches it.
#[derive(Debug)]
pub struct GrownLeaf {
    pub(super) node: usize,
    pub(super) rows: NodeRows,
    pub(super) classes: ClassSums,
}

/// A tree whose leaves have no confidence yet.
#[derive(Debug, Default)]
pub(super) struct Grown {
    pub(super) nodes: Vec<TreeNode>,
    pub(super) leaves: Vec<GrownLeaf>,
}

const BLANK: TreeNode = TreeNode::Leaf { confidence: 0.0 };

/// What growth needs besides the root.
pub(super) struct Grower<'a, C: Criterion> {
    pub(super) view: &'a DatasetView<'a>,
    pub(super) histograms: &'a mut Histograms<C::Sum>,
    /// y·w by row.
    pub(super) weights: &'a [i64],
    pub(super) scan: Scan<'a>,
    pub(super) criterion: &'a C,
    pub(super) max_depth: u32,
}

impl<C: Criterion> Grower<'_, C> {
    /// Grows a tree from its root.
    pub(super) fn grow(mut self, root: OpenNode<C::Sum>) -> Grown {
        let mut grown = Grown { nodes: vec![BLANK], leaves: Vec::new() };
        let mut stack = vec![Pending { node: 0, depth: 0, open: root }];
        while let Some(pending) = stack.pop() {
            match self.best_split(&pending) {
                Some(feature) => self.split(pending, feature, &mut grown, &mut stack),
                None => {
                    let Pending { node, open: OpenNode { rows, classes, histogram }, .. } = pending;
                    self.histograms.recycle(histogram);
                    grown.leaves.push(GrownLeaf { node, rows, classes });
                }
            }
        }
        grown
    }

    fn best_split(&self, Pending { open, depth, .. }: &Pending<C::Sum>) -> Option<u32> {
        let total = C::Sum::from_classes(open.classes);
        let best = self.criterion.best(&open.histogram, self.scan, total)?;
        self.criterion.accepts(best.value, open.classes, *depth == 0).then_some(best.feature)
    }

    fn split(
        &mut self,
        pending: Pending<C::Sum>,
        feature: u32,
        grown: &mut Grown,
        stack: &mut Vec<Pending<C::Sum>>,
    ) {
        let next = grown.nodes.len();
        grown.nodes[pending.node] =
            TreeNode::Split { feature, present: next as u32, absent: next as u32 + 1 };
        grown.nodes.extend([BLANK, BLANK]);

        let OpenNode { rows, classes, histogram } = pending.open;
        let sides = rows.split(self.view, feature);
        let (smaller, larger) = if sides.present.len() <= sides.absent.len() {
            (self.child(next, sides.present), (next + 1, sides.absent))
        } else {
            (self.child(next + 1, sides.absent), (next, sides.present))
        };
        let larger = GrownLeaf { node: larger.0, rows: larger.1, classes: classes - smaller.classes };
        self.open_children(histogram, smaller, larger, pending.depth + 1, grown, stack);
    }

    fn child(&self, node: usize, rows: NodeRows) -> GrownLeaf {
        let mut classes = ClassSums::default();
        rows.for_each(|row| classes += ClassSums::of(self.weights[row as usize]));
        GrownLeaf { node, rows, classes }
    }

    /// Children that cannot be split are leaves at once, and histograms that no one needs are not made.
    fn open_children(
        &mut self,
        parent: Histogram<C::Sum>,
        smaller: GrownLeaf,
        larger: GrownLeaf,
        depth: u32,
        grown: &mut Grown,
        stack: &mut Vec<Pending<C::Sum>>,
    ) {
        let is_open = |leaf: &GrownLeaf| depth < self.max_depth && self.criterion.could_accept(leaf.classes);
        let (is_smaller_open, is_larger_open) = (is_open(&smaller), is_open(&larger));
        if !is_smaller_open && !is_larger_open {
            self.histograms.recycle(parent);
            grown.leaves.extend([larger, smaller]);
            return;
        }
        let of_smaller = self.histogram(&smaller.rows, &parent);
        if is_larger_open {
            let histogram = self.histograms.subtract(parent, &of_smaller);
            stack.push(larger.pending(depth, histogram));
        } else {
            self.histograms.recycle(parent);
            grown.leaves.push(larger);
        }
        if is_smaller_open {
            stack.push(smaller.pending(depth, of_smaller));
        } else {
            self.histograms.recycle(of_smaller);
            grown.leaves.push(smaller);
        }
    }

    fn histogram(&mut self, rows: &NodeRows, parent: &Histogram<C::Sum>) -> Histogram<C::Sum> {
        let (mut listed, mut weights) = (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
        rows.for_each(|row| {
            listed.push(row);
            weights.push(C::Sum::of(self.weights[row as usize]));
        });
        self.histograms.build(self.view, &listed, &weights, parent)
    }
}

impl GrownLeaf {
    /// The same node, to be split further if that pays.
    fn pending<S>(self, depth: u32, histogram: Histogram<S>) -> Pending<S> {
        Pending {
            node: self.node,
            depth,
            open: OpenNode { rows: self.rows, classes: self.classes, histogram },
        }
    }
}

/// The rows that reach each leaf of a tree, of those given: pairs of node and rows.
pub(super) fn percolate(
    view: &DatasetView<'_>,
    nodes: &[TreeNode],
    rows: NodeRows,
) -> Vec<(usize, NodeRows)> {
    let mut leaves = Vec::new();
    let mut stack = vec![(0, rows)];
    while let Some((node, rows)) = stack.pop() {
        match nodes[node] {
            TreeNode::Leaf { .. } => leaves.push((node, rows)),
            TreeNode::Split { feature, present, absent } => {
                let sides = rows.split(view, feature);
                stack.push((absent as usize, sides.absent));
                stack.push((present as usize, sides.present));
            }
        }
    }
    leaves
}

/// The tree without the splits below which every leaf is zero, its nodes level by level.
pub(super) fn prune(nodes: &[TreeNode]) -> DecisionTree {
    let is_active = active_nodes(nodes);
    let mut pruned = vec![BLANK];
    let mut queue = VecDeque::from([(0, 0)]);
    while let Some((old, new)) = queue.pop_front() {
        pruned[new] = match nodes[old] {
            TreeNode::Split { feature, present, absent } if is_active[old] => {
                let next = pruned.len();
                pruned.extend([BLANK, BLANK]);
                queue.extend([(present as usize, next), (absent as usize, next + 1)]);
                TreeNode::Split { feature, present: next as u32, absent: next as u32 + 1 }
            }
            TreeNode::Split { .. } => BLANK,
            leaf => leaf,
        };
    }
    DecisionTree::new(pruned)
}

/// Whether a node is, or leads to, a leaf that is not zero.
fn active_nodes(nodes: &[TreeNode]) -> Vec<bool> {
    let mut is_active = vec![false; nodes.len()];
    for (index, node) in nodes.iter().enumerate().rev() {
        is_active[index] = match *node {
            TreeNode::Leaf { confidence } => confidence != 0.0,
            TreeNode::Split { present, absent, .. } => {
                is_active[present as usize] || is_active[absent as usize]
            }
        };
    }
    is_active
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(confidence: f64) -> TreeNode {
        TreeNode::Leaf { confidence }
    }

    fn split(feature: u32, present: u32, absent: u32) -> TreeNode {
        TreeNode::Split { feature, present, absent }
    }

    #[test]
    fn dead_splits_are_pruned_and_levels_put_in_order() {
        let nodes =
            [split(7, 1, 2), split(8, 3, 4), split(9, 5, 6), leaf(0.0), leaf(0.0), split(1, 7, 8), leaf(2.0)];
        let nodes = [&nodes[..], &[leaf(0.0), leaf(-1.0)]].concat();
        let expected =
            [split(7, 1, 2), leaf(0.0), split(9, 3, 4), split(1, 5, 6), leaf(2.0), leaf(0.0), leaf(-1.0)];
        assert_eq!(prune(&nodes).nodes(), expected);
    }

    #[test]
    fn a_tree_of_zeros_is_one_zero() {
        assert_eq!(prune(&[split(7, 1, 2), leaf(0.0), leaf(0.0)]).nodes(), [leaf(0.0)]);
    }
}
