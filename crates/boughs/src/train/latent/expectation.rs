//! Expected counts: how often each rule is used with each choice of substates in the training trees.
//!
//! The naive form goes through the trees one by one and adds to one table of counts, so that two threads cannot share
//! the work, or add in another order each time. Here a batch of trees is worked on in two passes: first each tree gets
//! inside and outside values of its nodes, by itself; then each rule collects its counts from the nodes that use it,
//! by itself. Both passes may run on any number of threads and add the same numbers in the same order.

use std::ops::Range;

use rayon::prelude::*;

use super::state::{Counts, TreeScores};
use crate::chart::{Semiring, SumSemiring, exponent, power_of_two};
use crate::model::Grammar;
use crate::train::grammar::{GrammarTrees, NodeKind};

/// Trees whose values are kept at a time.
const BATCH: usize = 4096;

/// Sub-symbols of a node with a smaller posterior probability are left out.
const SMALLEST_POSTERIOR: f32 = 1e-7;

/// Inside and outside values of the nodes of a tree.
pub(in crate::train) struct TreeValues {
    /// Where the values of each node begin, and the end.
    starts: Vec<u32>,
    inside: Vec<f32>,
    outside: Vec<f32>,
    /// What each node's inside values were multiplied with.
    factors: Vec<f32>,
    log_likelihood: f64,
}

impl TreeValues {
    fn range(&self, node: usize) -> Range<usize> {
        self.starts[node] as usize..self.starts[node + 1] as usize
    }

    /// Inside and outside values of a node of the tree.
    pub(in crate::train) fn of(&self, node: usize) -> (&[f32], &[f32]) {
        (&self.inside[self.range(node)], &self.outside[self.range(node)])
    }
}

/// Goes over all trees, a batch at a time, in order.
pub(in crate::train) fn for_each_batch(
    trees: &GrammarTrees,
    scores: TreeScores<'_>,
    mut see: impl FnMut(Range<usize>, &[TreeValues]),
) {
    for start in (0..trees.trees.len()).step_by(BATCH) {
        let batch = start..(start + BATCH).min(trees.trees.len());
        let values: Vec<TreeValues> = trees.trees[batch.clone()]
            .par_iter()
            .map(|tree| tree_values(trees, scores, tree.clone()))
            .collect();
        see(batch, &values);
    }
}

/// For each tree the logarithm of its likelihood.
pub(in crate::train) fn log_likelihoods(trees: &GrammarTrees, scores: TreeScores<'_>) -> Vec<f64> {
    let mut all = Vec::with_capacity(trees.trees.len());
    for_each_batch(trees, scores, |_, values| all.extend(values.iter().map(|it| it.log_likelihood)));
    all
}

/// The expected counts of all trees.
pub(in crate::train) fn expect(trees: &GrammarTrees, scores: TreeScores<'_>) -> Counts {
    let grammar = scores.grammar;
    let mut counts = Counts {
        rules: vec![0.0; grammar.values().len()],
        leaves: vec![0.0; scores.leaves.values.len()],
        substates: vec![0.0; grammar.num_substates()],
        log_likelihood: 0.0,
    };
    for_each_batch(trees, scores, |batch, values| {
        add_nodes(trees, scores, batch.clone(), values, &mut counts);
        add_rules(trees, grammar, batch, values, &mut counts.rules);
    });
    counts
}

fn tree_values(trees: &GrammarTrees, scores: TreeScores<'_>, tree: Range<u32>) -> TreeValues {
    let nodes = &trees.nodes[tree.start as usize..tree.end as usize];
    let mut starts = Vec::with_capacity(nodes.len() + 1);
    let mut end = 0;
    for node in nodes {
        starts.push(end);
        end += scores.grammar.size(node.symbol) as u32;
    }
    starts.push(end);
    let mut values = TreeValues {
        starts,
        inside: vec![0.0; end as usize],
        outside: vec![0.0; end as usize],
        factors: Vec::with_capacity(nodes.len()),
        log_likelihood: 0.0,
    };
    for index in 0..nodes.len() {
        fill_inside(trees, scores, tree.start as usize, index, &mut values);
    }
    let root = values.range(nodes.len() - 1);
    let total: f32 = values.inside[root.clone()].iter().sum();
    values.log_likelihood += f64::from(total).ln();
    values.outside[root].fill(1.0 / total);
    for index in (0..nodes.len()).rev() {
        fill_outside(trees, scores, tree.start as usize, index, &mut values);
    }
    values
}

/// The rows of a rule that has all of them, for a pair of substates.
fn row(values: &[f32], right_size: usize, size: usize, b: usize, c: usize) -> &[f32] {
    let start = (b * right_size + c) * size;
    &values[start..start + size]
}

fn fill_inside(
    trees: &GrammarTrees,
    scores: TreeScores<'_>,
    first: usize,
    index: usize,
    values: &mut TreeValues,
) {
    let grammar = scores.grammar;
    let node = trees.nodes[first + index];
    let range = values.range(index);
    let (below, rest) = values.inside.split_at_mut(range.start);
    let sums = &mut rest[..range.len()];
    let place = |child: u32| {
        let child = child as usize - first;
        values.starts[child] as usize..values.starts[child + 1] as usize
    };
    match node.kind {
        NodeKind::Leaf { leaf } => sums.copy_from_slice(scores.leaves.of(leaf as usize)),
        NodeKind::Unary { rule, child } => {
            let rule = &grammar.values()[grammar.values_of(rule as usize)];
            for (b, &inside) in below[place(child)].iter().enumerate() {
                if inside > 0.0 {
                    SumSemiring::add_scaled(sums, inside, row(rule, 1, range.len(), b, 0));
                }
            }
        }
        NodeKind::Binary { rule, children } => {
            let rule = &grammar.values()[grammar.values_of(rule as usize)];
            let [left, right] = children.map(|child| &below[place(child)]);
            for (b, &l) in left.iter().enumerate().filter(|(_, l)| **l > 0.0) {
                for (c, &r) in right.iter().enumerate().filter(|(_, r)| **r > 0.0) {
                    SumSemiring::add_scaled(sums, l * r, row(rule, right.len(), range.len(), b, c));
                }
            }
        }
    }
    let largest = sums.iter().fold(f32::MIN_POSITIVE, |largest, &sum| largest.max(sum));
    let shift = exponent(largest);
    let factor = power_of_two(-shift);
    sums.iter_mut().for_each(|sum| *sum *= factor);
    values.factors.push(factor);
    values.log_likelihood += f64::from(shift) * std::f64::consts::LN_2;
}

/// Drops what is unlikely, and hands on the outside values of a node to its children.
fn fill_outside(
    trees: &GrammarTrees,
    scores: TreeScores<'_>,
    first: usize,
    index: usize,
    values: &mut TreeValues,
) {
    let grammar = scores.grammar;
    let range = values.range(index);
    for place in range.clone() {
        if values.inside[place] * values.outside[place] < SMALLEST_POSTERIOR {
            values.outside[place] = 0.0;
        }
    }
    let place = |child: u32| {
        let child = child as usize - first;
        values.starts[child] as usize..values.starts[child + 1] as usize
    };
    let factor = values.factors[index];
    match trees.nodes[first + index].kind {
        NodeKind::Leaf { .. } => {}
        NodeKind::Unary { rule, child } => {
            let rule = &grammar.values()[grammar.values_of(rule as usize)];
            let child = place(child);
            let (below, above) = values.outside.split_at_mut(range.start);
            for (b, place) in child.enumerate().filter(|(_, place)| values.inside[*place] > 0.0) {
                below[place] +=
                    factor * SumSemiring::dot(row(rule, 1, range.len(), b, 0), &above[..range.len()]);
            }
        }
        NodeKind::Binary { rule, children } => {
            let rule = &grammar.values()[grammar.values_of(rule as usize)];
            let [left, right] = children.map(place);
            let (below, above) = values.outside.split_at_mut(range.start);
            let above = &above[..range.len()];
            for (b, l) in left.enumerate().filter(|(_, l)| values.inside[*l] > 0.0) {
                for (c, r) in right.clone().enumerate().filter(|(_, r)| values.inside[*r] > 0.0) {
                    let both = factor * SumSemiring::dot(row(rule, right.len(), range.len(), b, c), above);
                    below[l] += both * values.inside[r];
                    below[r] += both * values.inside[l];
                }
            }
        }
    }
}

/// Adds up what concerns single nodes.
fn add_nodes(
    trees: &GrammarTrees,
    scores: TreeScores<'_>,
    batch: Range<usize>,
    values: &[TreeValues],
    counts: &mut Counts,
) {
    for (tree, values) in trees.trees[batch].iter().zip(values) {
        counts.log_likelihood += values.log_likelihood;
        for (index, node) in trees.nodes[tree.start as usize..tree.end as usize].iter().enumerate() {
            let (inside, outside) = values.of(index);
            let start = scores.grammar.substates(node.symbol).start;
            for (a, (inside, outside)) in inside.iter().zip(outside).enumerate() {
                let posterior = f64::from(inside * outside);
                counts.substates[start + a] += posterior;
                if let NodeKind::Leaf { leaf } = node.kind {
                    counts.leaves[scores.leaves.starts[leaf as usize] as usize + a] += posterior;
                }
            }
        }
    }
}

/// Adds up what concerns rules: each collects from the nodes that use it.
fn add_rules(
    trees: &GrammarTrees,
    grammar: &Grammar,
    batch: Range<usize>,
    values: &[TreeValues],
    counts: &mut [f64],
) {
    let mut users: Vec<Vec<(u32, u32)>> = vec![Vec::new(); grammar.rules().len()];
    for (number, tree) in (0..).zip(&trees.trees[batch.clone()]) {
        for node in tree.clone() {
            if let NodeKind::Unary { rule, .. } | NodeKind::Binary { rule, .. } =
                trees.nodes[node as usize].kind
            {
                users[rule as usize].push((number, node));
            }
        }
    }
    let mut rest = counts;
    let mut parts = Vec::with_capacity(users.len());
    for index in 0..users.len() {
        let (part, others) = rest.split_at_mut(grammar.values_of(index).len());
        parts.push(part);
        rest = others;
    }
    parts.into_par_iter().zip(&users).for_each(|(part, users)| {
        if users.is_empty() {
            return;
        }
        let mut sums = vec![0.0f32; part.len()];
        for &(number, node) in users {
            let first = trees.trees[batch.start + number as usize].start as usize;
            add_use(trees, first, node as usize, &values[number as usize], &mut sums);
        }
        part.iter_mut().zip(&sums).for_each(|(count, &sum)| *count += f64::from(sum));
    });
}

fn add_use(trees: &GrammarTrees, first: usize, node: usize, values: &TreeValues, sums: &mut [f32]) {
    let index = node - first;
    let above = &values.outside[values.range(index)];
    let factor = values.factors[index];
    let size = above.len();
    let child = |child: u32| values.of(child as usize - first);
    match trees.nodes[node].kind {
        NodeKind::Leaf { .. } => {}
        NodeKind::Unary { child: only, .. } => {
            let (inside, outside) = child(only);
            for (b, (&inside, &outside)) in inside.iter().zip(outside).enumerate() {
                if outside > 0.0 {
                    SumSemiring::add_scaled(&mut sums[b * size..(b + 1) * size], factor * inside, above);
                }
            }
        }
        NodeKind::Binary { children, .. } => {
            let [(left, left_outside), (right, right_outside)] = children.map(child);
            for (b, (&l, &outside)) in left.iter().zip(left_outside).enumerate() {
                if outside == 0.0 {
                    continue;
                }
                for (c, (&r, &outside)) in right.iter().zip(right_outside).enumerate() {
                    if outside > 0.0 {
                        let start = (b * right.len() + c) * size;
                        SumSemiring::add_scaled(&mut sums[start..start + size], factor * l * r, above);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::split::split;
    use super::super::state::GrammarState;
    use super::*;
    use crate::model::WordClasses;
    use crate::rng::Rng;
    use crate::train::grammar::LexiconConfig;
    use crate::tree::{Binarization, Tree};

    fn example() -> (GrammarTrees, GrammarState) {
        let trees: Vec<Tree> = [
            "(TOP (S (NP (DT the) (NN dog)) (VP (VBZ sleeps))))",
            "(TOP (S (NP (PRP he)) (VP (VBZ sees) (NP (DT the) (JJ old) (NN dog)))))",
            "(TOP (NP (DT a) (NN bough)))",
        ]
        .map(|text| text.parse().unwrap())
        .to_vec();
        let trees = GrammarTrees::new(&trees, &Binarization::x_bar(), &WordClasses::english()).unwrap();
        let config = exact();
        let state = split(&trees, &GrammarState::new(&trees, &config), 0.4, &mut Rng::new(1));
        (trees, state)
    }

    /// Words as frequent as they are: then EM is exact.
    fn exact() -> LexiconConfig {
        LexiconConfig { rare: 0, class_count: 0.0, ..LexiconConfig::default() }
    }

    /// The likelihood of a tree with all choices of substates, and how much of it uses each number of the grammar.
    fn all_choices(trees: &GrammarTrees, state: &GrammarState, tree: Range<u32>) -> (f64, Vec<f64>) {
        let nodes = &trees.nodes[tree.start as usize..tree.end as usize];
        let grammar = &state.grammar;
        let (mut total, mut uses) = (0.0, vec![0.0; grammar.values().len()]);
        let mut choice = vec![0usize; nodes.len()];
        loop {
            let sub = |node: u32| choice[(node - tree.start) as usize];
            let (mut product, mut places) = (1.0, Vec::new());
            for (node, &a) in nodes.iter().zip(&choice) {
                let size = grammar.size(node.symbol);
                let place = match node.kind {
                    NodeKind::Leaf { leaf } => {
                        product *= f64::from(state.leaf_scores.of(leaf as usize)[a]);
                        continue;
                    }
                    NodeKind::Unary { rule, child } => {
                        grammar.values_of(rule as usize).start + sub(child) * size + a
                    }
                    NodeKind::Binary { rule, children: [l, r] } => {
                        let right = grammar.size(trees.nodes[r as usize].symbol);
                        grammar.values_of(rule as usize).start + (sub(l) * right + sub(r)) * size + a
                    }
                };
                product *= f64::from(grammar.values()[place]);
                places.push(place);
            }
            total += product;
            places.into_iter().for_each(|place| uses[place] += product);
            let Some(next) = (0..nodes.len()).find(|&it| choice[it] + 1 < grammar.size(nodes[it].symbol))
            else {
                break;
            };
            choice[next] += 1;
            choice[..next].fill(0);
        }
        (total, uses)
    }

    #[test]
    fn counts_are_those_of_all_choices() {
        let (trees, state) = example();
        let counts = expect(&trees, state.scores());
        let mut wanted = vec![0.0; counts.rules.len()];
        let mut log_likelihood = 0.0;
        for tree in &trees.trees {
            let (total, uses) = all_choices(&trees, &state, tree.clone());
            log_likelihood += total.ln();
            wanted.iter_mut().zip(uses).for_each(|(sum, it)| *sum += it / total);
        }
        assert!(
            (counts.log_likelihood - log_likelihood).abs() < 1e-4,
            "{} {log_likelihood}",
            counts.log_likelihood
        );
        for ((count, &value), wanted) in counts.rules.iter().zip(state.grammar.values()).zip(wanted) {
            assert!(
                (count * f64::from(value) - wanted).abs() < 1e-4,
                "{} {wanted}",
                count * f64::from(value)
            );
        }
    }

    #[test]
    fn the_likelihood_never_falls() {
        let (trees, mut state) = example();
        let mut last = f64::NEG_INFINITY;
        for _ in 0..30 {
            let counts = expect(&trees, state.scores());
            assert!(counts.log_likelihood >= last - 1e-4, "{} {last}", counts.log_likelihood);
            last = counts.log_likelihood;
            state.maximize(&trees, &counts, &exact(), None);
        }
        assert!(last > -5.0, "{last}");
    }
}
