//! Trees cut into pieces that a machine word can stand for.
//!
//! A piece is a connected part of a tree with at most 63 ways out of it, its exits, in the order in which they stand
//! from left to right when the absent side of a split is drawn on the left. Nearly every tree is one piece. The 64th
//! bit is cleared by the first test that touches the piece, and by the first that touches any piece below it: the
//! tree must then be looked at, although all tests of its top piece may be false.

use super::to_units;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{DecisionTree, Ensemble, TreeNode};

/// The open exits of a piece of which no test is known to be true.
pub(super) const UNTOUCHED: u64 = u64::MAX;

const TOUCH: u64 = !(1 << 63);

/// So that there are at most 63 exits.
const MAX_SPLITS: usize = 62;

/// Where a piece is left.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Exit {
    /// At a leaf; by how many units it differs from the leftmost leaf of the tree.
    Leaf(i64),
    /// Into another piece, of larger number.
    Piece(u32),
}

/// What it means for a piece that a feature is active.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Test {
    pub(super) piece: u32,
    /// The exits that stay open.
    pub(super) keep: u64,
}

/// Everything but the index; see the fields of `Forest`.
#[derive(Debug, Default)]
pub(super) struct Builder {
    pub(super) first_pieces: Vec<u32>,
    pub(super) first_exits: Vec<u32>,
    pub(super) owners: Vec<u32>,
    pub(super) exits: Vec<Exit>,
    /// Features and their tests.
    pub(super) tests: Vec<(u32, Test)>,
}

impl Builder {
    /// Adds the trees of the next classifier; the sum of their leftmost leaves.
    pub(super) fn add_classifier(&mut self, ensemble: &Ensemble) -> i64 {
        let owner = self.first_pieces.len() as u32;
        self.first_pieces.push(self.owners.len() as u32);
        ensemble.trees().iter().map(|tree| self.add_tree(tree, owner)).sum()
    }

    /// The finished parts, the tests in the order of features and then pieces.
    pub(super) fn finish(mut self) -> Result<Self> {
        let too_large = || Error::new(ErrorKind::TooLarge, "a forest holds at most 2^32 nodes");
        // There are at most as many pieces as exits, and as many tests as twice the exits.
        u32::try_from(self.exits.len() * 2).map_err(|_| too_large())?;
        self.first_pieces.push(self.owners.len() as u32);
        self.tests.sort_by_key(|&(feature, test)| (feature, test.piece));
        self.tests.dedup_by(|(feature, test), (kept_feature, kept)| {
            let is_same = feature == kept_feature && test.piece == kept.piece;
            if is_same {
                kept.keep &= test.keep;
            }
            is_same
        });
        Ok(self)
    }

    /// Adds a tree; the value of its leftmost leaf.
    fn add_tree(&mut self, tree: &DecisionTree, owner: u32) -> i64 {
        let pruned = Pruned::new(tree);
        let leftmost = pruned.leftmost();
        if pruned.values[0].is_some() {
            return leftmost;
        }
        let top = self.owners.len();
        let mut roots = vec![0];
        let mut next = 0;
        while next < roots.len() {
            let piece = (top + next) as u32;
            self.owners.push(if next == 0 { owner } else { super::NOT_TOP });
            self.first_exits.push(self.exits.len() as u32);
            let cut = Cut::new(&pruned, roots[next]);
            for exit in &cut.exits {
                self.exits.push(match pruned.values[*exit] {
                    Some(value) => Exit::Leaf(value - leftmost),
                    None => {
                        roots.push(*exit);
                        Exit::Piece((top + roots.len() - 1) as u32)
                    }
                });
            }
            self.tests.extend(cut.tests(&pruned, piece));
            if next > 0 {
                let touch = Test { piece: top as u32, keep: TOUCH };
                self.tests.extend(cut.splits.iter().map(|&split| (pruned.split(split).0, touch)));
            }
            next += 1;
        }
        leftmost
    }
}

/// A tree in which a split whose sides come to the same value is a leaf of that value.
pub(super) struct Pruned<'t> {
    nodes: &'t [TreeNode],
    /// The value of each leaf, in units.
    pub(super) values: Vec<Option<i64>>,
}

impl<'t> Pruned<'t> {
    pub(super) fn new(tree: &'t DecisionTree) -> Self {
        let nodes = tree.nodes();
        let mut values = vec![None; nodes.len()];
        for (index, node) in nodes.iter().enumerate().rev() {
            values[index] = match *node {
                TreeNode::Leaf { confidence } => Some(to_units(confidence)),
                TreeNode::Split { present, absent, .. } => {
                    values[present as usize].filter(|value| values[absent as usize] == Some(*value))
                }
            };
        }
        Self { nodes, values }
    }

    /// The feature, absent and present child of a split.
    pub(super) fn split(&self, index: usize) -> (u32, usize, usize) {
        match self.nodes[index] {
            TreeNode::Split { feature, present, absent } => (feature, absent as usize, present as usize),
            TreeNode::Leaf { .. } => unreachable!("only nodes without a value are asked for"),
        }
    }

    fn leftmost(&self) -> i64 {
        let mut index = 0;
        loop {
            match self.values[index] {
                Some(value) => return value,
                None => index = self.split(index).1,
            }
        }
    }
}

/// One piece of a tree: the splits nearest to its root.
struct Cut {
    /// The splits, parents before children.
    splits: Vec<usize>,
    /// Per split, the number of the first exit below it, and how many of its exits are on the absent side.
    exits_below: Vec<(u32, u32)>,
    /// The nodes that the exits lead to, from left to right.
    exits: Vec<usize>,
}

impl Cut {
    fn new(tree: &Pruned<'_>, root: usize) -> Self {
        let mut splits = vec![root];
        // Per split, where its absent and present children are among the splits, if they are.
        let mut children: Vec<[Option<usize>; 2]> = Vec::new();
        let mut next = 0;
        while next < splits.len() {
            let (_, absent, present) = tree.split(splits[next]);
            children.push([absent, present].map(|child| {
                let is_inside = tree.values[child].is_none() && splits.len() < MAX_SPLITS;
                is_inside.then(|| {
                    splits.push(child);
                    splits.len() - 1
                })
            }));
            next += 1;
        }
        let mut cut =
            Self { exits_below: vec![(0, 0); splits.len()], exits: vec![0; splits.len() + 1], splits };
        cut.number_exits(tree, &children);
        cut
    }

    /// Counts exits from the bottom up, then numbers them from the top down.
    fn number_exits(&mut self, tree: &Pruned<'_>, children: &[[Option<usize>; 2]]) {
        let mut widths = vec![0; self.splits.len()];
        for (place, inside) in children.iter().enumerate().rev() {
            let [absent, present] = inside.map(|child| child.map_or(1, |child| widths[child]));
            widths[place] = absent + present;
            self.exits_below[place].1 = absent;
        }
        for (place, inside) in children.iter().enumerate() {
            let (first, num_absent) = self.exits_below[place];
            let (_, absent, present) = tree.split(self.splits[place]);
            for (child, node, first) in [(inside[0], absent, first), (inside[1], present, first + num_absent)]
            {
                match child {
                    Some(child) => self.exits_below[child].0 = first,
                    None => self.exits[first as usize] = node,
                }
            }
        }
    }

    /// The tests of the splits: if true, the exits on the absent side close.
    fn tests(&self, tree: &Pruned<'_>, piece: u32) -> impl Iterator<Item = (u32, Test)> {
        self.splits.iter().zip(&self.exits_below).map(move |(&split, &(first, num_absent))| {
            let closed = ((1 << num_absent) - 1) << first;
            (tree.split(split).0, Test { piece, keep: !closed & TOUCH })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const _: () = assert!(size_of::<Test>() == 16 && size_of::<Exit>() == 16);

    fn leaf(confidence: f64) -> TreeNode {
        TreeNode::Leaf { confidence }
    }

    fn chain(num_splits: u32) -> DecisionTree {
        let mut nodes = Vec::new();
        for feature in 0..num_splits {
            let present = nodes.len() as u32 + 1;
            nodes.push(TreeNode::Split { feature, present, absent: present + 1 });
            nodes.push(leaf(f64::from(feature) + 1.0));
        }
        nodes.push(leaf(0.0));
        DecisionTree::new(nodes)
    }

    #[test]
    fn exits_stand_from_left_to_right() {
        let tree = chain(2);
        let cut = Cut::new(&Pruned::new(&tree), 0);
        assert_eq!(cut.exits, [4, 3, 1]);
        let tests: Vec<_> = cut.tests(&Pruned::new(&tree), 0).collect();
        assert_eq!(tests[0].1.keep, !0b011 & TOUCH);
        assert_eq!(tests[1].1.keep, !0b001 & TOUCH);
    }

    #[test]
    fn long_trees_are_cut() {
        let pieces = |num_splits| {
            let mut builder = Builder::default();
            builder.add_tree(&chain(num_splits), 0);
            builder.owners.len()
        };
        assert_eq!([1, 62, 63, 124, 125].map(pieces), [1, 1, 2, 2, 3]);
    }

    #[test]
    fn splits_without_a_difference_vanish() {
        let nodes = vec![
            TreeNode::Split { feature: 0, present: 1, absent: 2 },
            TreeNode::Split { feature: 1, present: 3, absent: 4 },
            leaf(0.5),
            leaf(0.5),
            leaf(0.5),
        ];
        let mut builder = Builder::default();
        assert_eq!(builder.add_tree(&DecisionTree::new(nodes), 0), to_units(0.5));
        assert!(builder.owners.is_empty());
    }
}
