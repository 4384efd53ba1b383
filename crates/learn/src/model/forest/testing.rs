//! Random forests for tests.

use crate::model::{Classifier, DecisionTree, Ensemble, TreeNode};
use crate::rng::Rng;

/// A tree of `num_splits` splits, each put in the place of a random leaf; of the last one if it is a chain.
fn random_tree(rng: &mut Rng, num_splits: usize, num_features: u64, is_chain: bool) -> DecisionTree {
    let mut nodes = vec![random_leaf(rng)];
    let mut leaves = vec![0];
    for _ in 0..num_splits {
        let chosen = if is_chain { leaves.len() - 1 } else { rng.below(leaves.len() as u64) as usize };
        let place = leaves.swap_remove(chosen);
        let (first, second) = (nodes.len() as u32, nodes.len() as u32 + 1);
        let (present, absent) = if rng.below(3) == 0 { (second, first) } else { (first, second) };
        nodes[place] = TreeNode::Split { feature: rng.below(num_features) as u32 * 7, present, absent };
        nodes.extend([random_leaf(rng), random_leaf(rng)]);
        leaves.extend([first as usize, second as usize]);
    }
    DecisionTree::new(nodes)
}

fn random_leaf(rng: &mut Rng) -> TreeNode {
    let confidence = if rng.below(3) == 0 { 0.0 } else { rng.unit() * 4.0 - 2.0 };
    TreeNode::Leaf { confidence }
}

pub(super) fn random_classifiers(rng: &mut Rng, num_features: u64) -> Vec<Classifier> {
    let num_classifiers = rng.below(5);
    let classifier = |number: u64, rng: &mut Rng| {
        let mut ensemble = Ensemble::new();
        for tree in 0..rng.below(12) {
            let num_splits = [0, 1, 2, 5, 30, 62, 63, 64, 200][rng.below(9) as usize];
            let is_chain = rng.below(2) == 0;
            ensemble.push(random_tree(rng, num_splits, num_features, is_chain), 100.0 - tree as f64);
        }
        Classifier { label: format!("label{number}"), ensemble }
    };
    (0..num_classifiers).map(|number| classifier(number, rng)).collect()
}

pub(super) fn random_active(rng: &mut Rng, num_features: u64) -> Vec<u32> {
    let density = [0.0, 0.05, 0.5, 0.95, 1.0][rng.below(5) as usize];
    (0..num_features as u32 * 8).filter(|_| rng.unit() < density).collect()
}
