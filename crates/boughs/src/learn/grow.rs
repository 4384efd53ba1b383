//! Growing one decision tree, and sending rows down a finished one.
//!
//! The naive form: while some leaf can be split, try every feature on every leaf and split where it pays most. What a
//! node does depends on its own rows alone, so the order does not matter for the result. Nodes are taken depth first,
//! smaller child before larger: then at most log2(rows) histograms wait at a time, where breadth first would keep one
//! for every open node. The histogram of the larger child is its parent's less that of the smaller one, exactly,
//! because weights are whole numbers.

use std::collections::VecDeque;

use super::dataset::Dataset;
use super::histogram::{Histogram, Histograms};
use super::partition::{NodeRows, Sides};
use super::sums::{ClassSums, Sum};
use crate::model::{DecisionTree, TreeNode};

/// When and how nodes are split.
pub(super) trait Criterion: Sync {
    /// What must be known about the rows on either side.
    type Sum: Sum;
    /// What a split is worth.
    type Value: Copy + PartialOrd + Send;

    /// What a split into these two sides is worth.
    fn value(&self, present: Self::Sum, absent: Self::Sum) -> Self::Value;

    /// Whether the best split of a node, worth so much, is to be made.
    fn accepts(&self, value: Self::Value, classes: ClassSums, is_root: bool) -> bool;

    /// Whether any split of a node below the root could be; may err on the side of hope.
    fn could_accept(&self, classes: ClassSums) -> bool;
}

/// A node about to be split, or to become a leaf.
#[derive(Debug)]
pub(super) struct Open<S> {
    pub(super) rows: NodeRows,
    pub(super) classes: ClassSums,
    pub(super) histogram: Histogram<S>,
}

/// A leaf and what reaches it.
#[derive(Debug)]
pub(super) struct Leaf {
    pub(super) node: usize,
    pub(super) rows: NodeRows,
    pub(super) classes: ClassSums,
}

/// A tree whose leaves have no confidence yet.
#[derive(Debug, Default)]
pub(super) struct Grown {
    pub(super) nodes: Vec<TreeNode>,
    pub(super) leaves: Vec<Leaf>,
}

const BLANK: TreeNode = TreeNode::Leaf { confidence: 0.0 };

/// What growth needs besides the root.
pub(super) struct Grower<'a, 'h, C: Criterion> {
    pub(super) dataset: &'a Dataset,
    pub(super) histograms: &'h mut Histograms<'a, C::Sum>,
    /// y·w by row.
    pub(super) weights: &'h [i64],
    pub(super) criterion: &'h C,
    pub(super) max_depth: u32,
}

impl<C: Criterion> Grower<'_, '_, C> {
    /// Grows a tree from its root.
    pub(super) fn grow(mut self, root: Open<C::Sum>) -> Grown {
        let mut grown = Grown { nodes: vec![BLANK], leaves: Vec::new() };
        let mut stack = vec![(0, 0, root)];
        while let Some((node, depth, open)) = stack.pop() {
            match self.best_split(&open, depth) {
                Some(feature) => self.split(&mut grown, &mut stack, (node, depth, open), feature),
                None => {
                    self.histograms.recycle(open.histogram);
                    grown.leaves.push(Leaf { node, rows: open.rows, classes: open.classes });
                }
            }
        }
        grown
    }

    fn best_split(&self, open: &Open<C::Sum>, depth: u32) -> Option<u32> {
        let total = C::Sum::from_classes(open.classes);
        let best = open.histogram.best(|present| self.criterion.value(present, total - present))?;
        self.criterion.accepts(best.value, open.classes, depth == 0).then_some(best.feature)
    }

    fn split(
        &mut self,
        grown: &mut Grown,
        stack: &mut Vec<(usize, u32, Open<C::Sum>)>,
        (node, depth, open): (usize, u32, Open<C::Sum>),
        feature: u32,
    ) {
        let (present, absent) = (grown.nodes.len(), grown.nodes.len() + 1);
        grown.nodes.extend([BLANK, BLANK]);
        grown.nodes[node] = TreeNode::Split { feature, present: present as u32, absent: absent as u32 };

        let Sides { present: present_rows, absent: absent_rows } =
            open.rows.split(self.dataset.postings(feature));
        let sides = [(present, present_rows), (absent, absent_rows)];
        let [smaller, larger] = if sides[0].1.len() <= sides[1].1.len() {
            sides
        } else {
            let [present, absent] = sides;
            [absent, present]
        };
        self.open_children(grown, stack, depth + 1, (open.classes, open.histogram), smaller, larger);
    }

    /// Children that cannot be split become leaves at once, and histograms that no one needs are not made.
    fn open_children(
        &mut self,
        grown: &mut Grown,
        stack: &mut Vec<(usize, u32, Open<C::Sum>)>,
        depth: u32,
        (classes, histogram): (ClassSums, Histogram<C::Sum>),
        (small, small_rows): (usize, NodeRows),
        (large, large_rows): (usize, NodeRows),
    ) {
        let NodeRows::List(small_list) = small_rows else {
            unreachable!("the trunk is the larger side");
        };
        let small_classes = ClassSums::over(small_list.iter().map(|&row| self.weights[row as usize]));
        let large_classes = classes - small_classes;
        let is_open = |classes| depth < self.max_depth && self.criterion.could_accept(classes);
        let (is_small_open, is_large_open) = (is_open(small_classes), is_open(large_classes));

        let mut parent = Some(histogram);
        let mut small_histogram = None;
        if is_small_open || is_large_open {
            let weights: Vec<C::Sum> =
                small_list.iter().map(|&row| C::Sum::of(self.weights[row as usize])).collect();
            small_histogram =
                parent.as_ref().map(|parent| self.histograms.build(&small_list, &weights, parent));
        }
        let large_histogram = match (&small_histogram, is_large_open) {
            (Some(child), true) => parent.take().map(|parent| self.histograms.subtract(parent, child)),
            _ => None,
        };
        let small_rows = NodeRows::List(small_list);
        match large_histogram {
            Some(histogram) => {
                stack.push((large, depth, Open { rows: large_rows, classes: large_classes, histogram }));
            }
            None => grown.leaves.push(Leaf { node: large, rows: large_rows, classes: large_classes }),
        }
        match small_histogram.take_if(|_| is_small_open) {
            Some(histogram) => {
                stack.push((small, depth, Open { rows: small_rows, classes: small_classes, histogram }));
            }
            None => grown.leaves.push(Leaf { node: small, rows: small_rows, classes: small_classes }),
        }
        parent.into_iter().chain(small_histogram).for_each(|spare| self.histograms.recycle(spare));
    }
}

/// The rows that reach each leaf of a tree, of those given: pairs of node and rows.
pub(super) fn percolate(dataset: &Dataset, nodes: &[TreeNode], rows: NodeRows) -> Vec<(usize, NodeRows)> {
    let mut leaves = Vec::new();
    let mut stack = vec![(0, rows)];
    while let Some((node, rows)) = stack.pop() {
        match nodes[node] {
            TreeNode::Leaf { .. } => leaves.push((node, rows)),
            TreeNode::Split { feature, present, absent } => {
                let sides = rows.split(dataset.postings(feature));
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
