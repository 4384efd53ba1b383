//! A forest of the size and shape that the 2006 parser had after 300 sentences, and rows to score.

use std::collections::BTreeSet;

use boughs::model::{Classifier, DecisionTree, Ensemble, Forest, TreeNode};
use boughs_learn::rng::Rng;

/// The labels.
pub const NUM_LABELS: usize = 17;

const NUM_FEATURES: u64 = 1_100_000;
const ACTIVE_PER_ROW: usize = 400;
const TREES_PER_LABEL: usize = 42;
const LEAVES_PER_TREE: usize = 7;

/// About 5,000 leaves in 714 trees over 17 labels, of which 1,000 are not zero.
pub fn forest(rng: &mut Rng) -> Forest {
    let classifiers = (0..NUM_LABELS).map(|label| {
        let mut ensemble = Ensemble::new();
        for _ in 0..TREES_PER_LABEL {
            ensemble.push(tree(rng), 1.0);
        }
        Classifier { label: format!("label{label}"), ensemble }
    });
    Forest::new(classifiers.collect()).expect("small confidences")
}

/// Rows of 400 active features out of 1.1 million, by Zipf's law.
pub fn rows(rng: &mut Rng, num_rows: usize) -> Vec<Vec<u32>> {
    let row = |_| {
        let mut active = BTreeSet::new();
        while active.len() < ACTIVE_PER_ROW {
            active.insert(zipf(rng, 1, NUM_FEATURES));
        }
        active.into_iter().collect()
    };
    (0..num_rows).map(row).collect()
}

/// Most trees of the release were chains that go on where the feature is absent.
fn tree(rng: &mut Rng) -> DecisionTree {
    let mut nodes = Vec::new();
    for _ in 1..LEAVES_PER_TREE {
        let present = nodes.len() as u32 + 1;
        nodes.push(TreeNode::Split { feature: zipf(rng, 50, 100_000), present, absent: present + 1 });
        nodes.push(leaf(rng));
    }
    nodes.push(leaf(rng));
    DecisionTree::new(nodes)
}

fn leaf(rng: &mut Rng) -> TreeNode {
    let confidence = if rng.below(5) == 0 { rng.unit() * 2.0 - 1.0 } else { 0.0 };
    TreeNode::Leaf { confidence }
}

/// A feature whose rank is between two bounds; the probability of a rank falls as one over it. Neighbours in rank are
/// no neighbours in number.
fn zipf(rng: &mut Rng, low: u64, high: u64) -> u32 {
    let rank = (low as f64 * (high as f64 / low as f64).powf(rng.unit())) as u64;
    (rank * 7919 % NUM_FEATURES) as u32
}
