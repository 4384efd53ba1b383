//! Expected counts: how often each rule is used with each choice of substates in the training trees.
//!
//! The naive form goes through the trees one by one and adds to one table of counts, so that two threads cannot share
//! the work, or add in another order each time. Here each shard of the treebank makes two passes over its trees: first
//! each tree gets inside and outside values of its nodes; then each rule that occurs collects its counts from the
//! nodes that use it, so that its numbers stay in the cache. Shards are added up in order.

use std::ops::Range;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::state::{Counts, TreeScores};
use crate::chart::{Semiring, SumSemiring, exponent, power_of_two};
use crate::learn::run::Watch;
use crate::learn::shards::Chunks;
use crate::train::grammar::{BinaryNode, GrammarTrees, NodeKind};

/// Trees of a shard.
const SHARD: usize = 512;

/// Substates of a node with a smaller posterior probability are left out.
const SMALLEST_POSTERIOR: f32 = 1e-7;

/// Inside and outside values of the nodes of a tree.
pub(crate) struct TreeValues<'t> {
    pub(crate) nodes: &'t [BinaryNode],
    /// The place of the first node in the list of all.
    first: u32,
    scores: TreeScores<'t>,
    /// Where the values of each node begin, and the end.
    starts: Vec<u32>,
    inside: Vec<f32>,
    outside: Vec<f32>,
    /// What each node's inside values were multiplied with.
    factors: Vec<f32>,
    log_likelihood: f64,
}

/// A rule at a node. A unary rule has, in the place of a right child, one substate whose inside value is 1.
struct RuleUse<'t> {
    /// The numbers of the rule: for each pair of substates of the children those of the parent's.
    values: &'t [f32],
    left: Range<usize>,
    right: Option<Range<usize>>,
}

impl<'t> TreeValues<'t> {
    fn new(trees: &'t GrammarTrees, scores: TreeScores<'t>, tree: &Range<u32>) -> Self {
        let nodes = &trees.nodes[tree.start as usize..tree.end as usize];
        let mut starts = Vec::with_capacity(nodes.len() + 1);
        let mut end = 0;
        for node in nodes {
            starts.push(end);
            end += scores.grammar.size(node.symbol) as u32;
        }
        starts.push(end);
        let mut values = Self {
            nodes,
            first: tree.start,
            scores,
            starts,
            inside: vec![0.0; end as usize],
            outside: vec![0.0; end as usize],
            factors: Vec::with_capacity(nodes.len()),
            log_likelihood: 0.0,
        };
        (0..nodes.len()).for_each(|node| values.fill_inside(node));
        let root = values.range(nodes.len() - 1);
        let total: f32 = values.inside[root.clone()].iter().sum();
        values.log_likelihood += f64::from(total).ln();
        values.outside[root].fill(1.0 / total);
        (0..nodes.len()).rev().for_each(|node| values.fill_outside(node));
        values
    }

    fn range(&self, node: usize) -> Range<usize> {
        self.starts[node] as usize..self.starts[node + 1] as usize
    }

    /// Inside and outside values of a node of the tree.
    pub(crate) fn of(&self, node: usize) -> (&[f32], &[f32]) {
        (&self.inside[self.range(node)], &self.outside[self.range(node)])
    }

    /// The rule at a node that is no leaf.
    fn rule_use(&self, node: usize) -> Option<RuleUse<'t>> {
        let (rule, left, right) = match self.nodes[node].kind {
            NodeKind::Leaf { .. } => return None,
            NodeKind::Unary { rule, child } => (rule, child, None),
            NodeKind::Binary { rule, children: [left, right] } => (rule, left, Some(right)),
        };
        let place = |child: u32| self.range((child - self.first) as usize);
        let values = &self.scores.grammar.values()[self.scores.grammar.values_of(rule as usize)];
        Some(RuleUse { values, left: place(left), right: right.map(place) })
    }

    fn fill_inside(&mut self, node: usize) {
        let range = self.range(node);
        let rule = self.rule_use(node);
        let (below, rest) = self.inside.split_at_mut(range.start);
        let sums = &mut rest[..range.len()];
        if let NodeKind::Leaf { leaf } = self.nodes[node].kind {
            sums.copy_from_slice(self.scores.leaves.of(leaf as usize));
        }
        if let Some(RuleUse { values, left, right }) = rule {
            let right = right.map_or(&[1.0][..], |right| &below[right]);
            let mut rows = values.chunks_exact(sums.len());
            for &l in &below[left] {
                for (&r, row) in right.iter().zip(&mut rows) {
                    if l * r > 0.0 {
                        SumSemiring::add_scaled(sums, l * r, row);
                    }
                }
            }
        }
        let largest = sums.iter().fold(f32::MIN_POSITIVE, |largest, &sum| largest.max(sum));
        let shift = exponent(largest);
        let factor = power_of_two(-shift);
        sums.iter_mut().for_each(|sum| *sum *= factor);
        self.factors.push(factor);
        self.log_likelihood += f64::from(shift) * std::f64::consts::LN_2;
    }

    /// Drops what is unlikely, and hands on the outside values of a node to its children.
    fn fill_outside(&mut self, node: usize) {
        let range = self.range(node);
        for place in range.clone() {
            if self.inside[place] * self.outside[place] < SMALLEST_POSTERIOR {
                self.outside[place] = 0.0;
            }
        }
        let Some(RuleUse { values, left, right }) = self.rule_use(node) else { return };
        let (inside, factor) = (&self.inside, self.factors[node]);
        let (below, above) = self.outside.split_at_mut(range.start);
        let above = &above[..range.len()];
        let mut rows = values.chunks_exact(range.len());
        let Some(right) = right else {
            for (l, row) in left.zip(rows).filter(|(l, _)| inside[*l] > 0.0) {
                below[l] += factor * SumSemiring::dot(row, above);
            }
            return;
        };
        for l in left {
            for (r, row) in right.clone().zip(&mut rows) {
                if inside[l] > 0.0 && inside[r] > 0.0 {
                    let both = factor * SumSemiring::dot(row, above);
                    below[l] += both * inside[r];
                    below[r] += both * inside[l];
                }
            }
        }
    }

    /// Adds the expected uses of the rule at a node, for each pair of substates of the children those of the parent's.
    fn add_use(&self, node: usize, sums: &mut [f32]) {
        let Some(RuleUse { left, right, .. }) = self.rule_use(node) else { return };
        let above = &self.outside[self.range(node)];
        let factor = self.factors[node];
        let of = |range: Range<usize>| (&self.inside[range.clone()], &self.outside[range]);
        let (left, left_outside) = of(left);
        let (right, right_outside) = right.map_or((&[1.0][..], &[1.0][..]), of);
        let mut rows = sums.chunks_exact_mut(above.len());
        for (&l, &l_outside) in left.iter().zip(left_outside) {
            for ((&r, &r_outside), row) in right.iter().zip(right_outside).zip(&mut rows) {
                if l_outside > 0.0 && r_outside > 0.0 {
                    SumSemiring::add_scaled(row, factor * l * r, above);
                }
            }
        }
    }
}

/// Has each shard of the trees looked at, and adds up what came of it, in order.
pub(crate) fn over_trees<P, A>(
    trees: &GrammarTrees,
    scores: TreeScores<'_>,
    watch: &Watch<'_>,
    look: impl Fn(&[TreeValues<'_>]) -> P + Sync,
    total: A,
    add: impl FnMut(&mut A, P),
) -> A
where
    P: Send + Serialize + DeserializeOwned,
    A: Serialize + DeserializeOwned,
{
    let compute = |shard: &[Range<u32>]| {
        let values: Vec<TreeValues<'_>> =
            shard.iter().map(|tree| TreeValues::new(trees, scores, tree)).collect();
        look(&values)
    };
    watch.sum(&Chunks { items: &trees.trees, size: SHARD, compute }, &(), total, add)
}

/// For each tree the logarithm of its likelihood.
pub(crate) fn log_likelihoods(trees: &GrammarTrees, scores: TreeScores<'_>, watch: &Watch<'_>) -> Vec<f64> {
    let look = |values: &[TreeValues<'_>]| values.iter().map(|it| it.log_likelihood).collect::<Vec<f64>>();
    over_trees(trees, scores, watch, look, Vec::with_capacity(trees.trees.len()), Vec::extend)
}

/// The expected counts of all trees.
pub(crate) fn expect(trees: &GrammarTrees, scores: TreeScores<'_>, watch: &Watch<'_>) -> Counts {
    let grammar = scores.grammar;
    let counts = Counts {
        rules: vec![0.0; grammar.values().len()],
        leaves: vec![0.0; scores.leaves.values.len()],
        substates: vec![0.0; grammar.num_substates()],
        log_likelihood: 0.0,
    };
    // Not all nodes: conditional training leaves out trees that no longer have a parse.
    let mut nodes = trees.trees.iter().flat_map(|tree| &trees.nodes[tree.start as usize..tree.end as usize]);
    over_trees(trees, scores, watch, ShardCounts::new, counts, |counts, shard| {
        counts.log_likelihood = shard.log_likelihoods.iter().fold(counts.log_likelihood, |sum, it| sum + it);
        add_nodes(nodes.by_ref().take(shard.num_nodes), scores, &shard.posteriors, counts);
        let mut sums = shard.rule_counts.iter();
        for rule in shard.rules {
            let range = grammar.values_of(rule as usize);
            counts.rules[range].iter_mut().zip(&mut sums).for_each(|(count, &sum)| *count += f64::from(sum));
        }
    })
}

/// What a shard of the trees adds to the counts.
#[derive(Serialize, Deserialize)]
struct ShardCounts {
    log_likelihoods: Vec<f64>,
    num_nodes: usize,
    /// For each node the posterior probabilities of its substates.
    posteriors: Vec<f32>,
    /// The rules that occur, in order, and the counts of all their numbers.
    rules: Vec<u32>,
    rule_counts: Vec<f32>,
}

impl ShardCounts {
    fn new(trees: &[TreeValues<'_>]) -> Self {
        let mut counts = Self {
            log_likelihoods: trees.iter().map(|tree| tree.log_likelihood).collect(),
            num_nodes: trees.iter().map(|tree| tree.nodes.len()).sum(),
            posteriors: Vec::new(),
            rules: Vec::new(),
            rule_counts: Vec::new(),
        };
        for tree in trees {
            let both = tree.inside.iter().zip(&tree.outside);
            counts.posteriors.extend(both.map(|(inside, outside)| inside * outside));
        }
        let Some(grammar) = trees.first().map(|tree| tree.scores.grammar) else { return counts };
        let (starts, uses) = uses_by_rule(trees, grammar.rules().len());
        for (rule, range) in (0..).zip(starts.windows(2)).filter(|(_, range)| range[0] < range[1]) {
            let start = counts.rule_counts.len();
            counts.rules.push(rule);
            counts.rule_counts.resize(start + grammar.values_of(rule as usize).len(), 0.0);
            for &[number, node] in &uses[range[0] as usize..range[1] as usize] {
                trees[number as usize].add_use(node as usize, &mut counts.rule_counts[start..]);
            }
        }
        counts
    }
}

/// The tree and the node of each use of a rule, by rule and in the order of the trees, and where those of each rule
/// begin. A counting sort: sorting by comparison took a tenth of the instructions of EM on the sample.
fn uses_by_rule(trees: &[TreeValues<'_>], num_rules: usize) -> (Vec<u32>, Vec<[u32; 2]>) {
    let rule_of = |node: &BinaryNode| match node.kind {
        NodeKind::Leaf { .. } => None,
        NodeKind::Unary { rule, .. } | NodeKind::Binary { rule, .. } => Some(rule as usize),
    };
    let mut starts = vec![0; num_rules + 1];
    for rule in trees.iter().flat_map(|tree| tree.nodes).filter_map(rule_of) {
        starts[rule + 1] += 1;
    }
    for rule in 0..num_rules {
        starts[rule + 1] += starts[rule];
    }
    let mut next = starts.clone();
    let mut uses = vec![[0; 2]; starts[num_rules] as usize];
    for (number, tree) in (0..).zip(trees) {
        for (node, rule) in (0..).zip(tree.nodes).filter_map(|(node, it)| Some((node, rule_of(it)?))) {
            uses[next[rule] as usize] = [number, node];
            next[rule] += 1;
        }
    }
    (starts, uses)
}

/// Adds up what concerns single nodes.
fn add_nodes<'n>(
    nodes: impl Iterator<Item = &'n BinaryNode>,
    scores: TreeScores<'_>,
    posteriors: &[f32],
    counts: &mut Counts,
) {
    let mut rest = posteriors;
    for node in nodes {
        let range = scores.grammar.substates(node.symbol);
        let (own, others) = rest.split_at(range.len());
        rest = others;
        let add = |(sum, &posterior): (&mut f64, &f32)| *sum += f64::from(posterior);
        counts.substates[range].iter_mut().zip(own).for_each(add);
        if let NodeKind::Leaf { leaf } = node.kind {
            let start = scores.leaves.starts[leaf as usize] as usize;
            counts.leaves[start..].iter_mut().zip(own).for_each(add);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::split::split;
    use super::super::state::GrammarState;
    use super::*;
    use crate::learn::run::Silent;
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
        let counts = expect(&trees, state.scores(), &Watch::new(&Silent));
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
    fn trees_that_are_left_out_count_nothing() {
        let (trees, state) = example();
        let all = expect(&trees, state.scores(), &Watch::new(&Silent));
        let (mut leaves, mut substates) = (vec![0.0; all.leaves.len()], vec![0.0; all.substates.len()]);
        for tree in &trees.trees {
            let only = GrammarTrees { trees: vec![tree.clone()], ..trees.clone() };
            let counts = expect(&only, state.scores(), &Watch::new(&Silent));
            leaves.iter_mut().zip(&counts.leaves).for_each(|(sum, count)| *sum += count);
            substates.iter_mut().zip(&counts.substates).for_each(|(sum, count)| *sum += count);
        }
        let is_same = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
        assert!(is_same(&leaves, &all.leaves) && is_same(&substates, &all.substates));
    }

    #[test]
    fn the_likelihood_never_falls() {
        let (trees, mut state) = example();
        let mut last = f64::NEG_INFINITY;
        for _ in 0..30 {
            let counts = expect(&trees, state.scores(), &Watch::new(&Silent));
            assert!(counts.log_likelihood >= last - 1e-4, "{} {last}", counts.log_likelihood);
            last = counts.log_likelihood;
            state.maximize(&trees, &counts, &exact(), None);
        }
        assert!(last > -5.0, "{last}");
    }
}
