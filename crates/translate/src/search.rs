//! Search: a chart over the source tree, from the words up.
//!
//! Every word and every phrase has a cell of items: a translation of it, with its cost. A phrase combines each item of
//! its left part with each of its right part, in both orders. The naive form keeps them all, and their number grows
//! exponentially; here a cell keeps the cheapest. What an item costs to add may depend on the whole source, but of the
//! translation only on the head words of the two parts.
//!
//! Where all words of a part are left out, order means nothing: the cheaper one is charged, and there is one item.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::lexicon::ERASED;
use crate::align::{BinaryNode, BinaryPart, BinaryTree, PartOrder};

/// How many translations of a phrase the search keeps. Every [`Transducer`](crate::Transducer) has its own.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SearchLimits {
    /// Items that cost more than so many times the cheapest are dropped. Default: 1000, as in the paper.
    pub max_cost_ratio: f64,
    /// The most items of a cell; at least 1. Default: 40, as in the paper.
    pub max_items: usize,
}

impl Default for SearchLimits {
    fn default() -> Self {
        Self { max_cost_ratio: 1e3, max_items: 40 }
    }
}

/// Below this, costs are as good as nothing, and ratios mean nothing.
const MIN_COST: f64 = 1e-6;

/// A translation of a whole tree.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct TreeDerivation {
    /// The sum of the costs of all choices.
    pub(super) cost: f64,
    /// By source word: which of its choices was taken.
    pub(super) words: Vec<u32>,
    /// By phrase: the order of its parts.
    pub(super) orders: Vec<PartOrder>,
}

/// A translation of a word: its number, or [`ERASED`], and its cost.
pub(super) type Choice = (u32, f64);

#[derive(Debug, Clone, Copy)]
struct CellItem {
    cost: f64,
    /// The translation of the head.
    head: u32,
    /// The items that it was made of; of a word, the choice.
    left: u32,
    right: u32,
    order: PartOrder,
    is_empty: bool,
}

/// The cheapest translations, the cheapest first; of equals that of earlier choices. `orders` gives the cost of both
/// orders of a phrase, given the translations of the heads of its parts; infinity rules an order out.
pub(super) fn search(
    tree: &BinaryTree,
    choices: &[Vec<Choice>],
    mut orders: impl FnMut(usize, u32, u32) -> [f64; 2],
    limits: SearchLimits,
) -> Vec<TreeDerivation> {
    let Some(root) = tree.root else { return Vec::new() };
    let mut cells: Vec<Vec<CellItem>> = choices.iter().map(|choices| word_cell(choices, limits)).collect();
    let cell_of = |part: BinaryPart| cell_of(part, choices.len());
    for (index, node) in tree.nodes.iter().enumerate() {
        let (left, right) = (&cells[cell_of(node.left)], &cells[cell_of(node.right)]);
        let cell = node_cell(node, left, right, |one, other| orders(index, one, other), limits);
        cells.push(cell);
    }
    let num_items = cells[cell_of(root)].len();
    (0..num_items).map(|item| trace(tree, &cells, choices.len(), cell_of(root), item)).collect()
}

/// Cells of phrases stand behind those of words.
fn cell_of(part: BinaryPart, num_words: usize) -> usize {
    match part {
        BinaryPart::Word(word) => word as usize,
        BinaryPart::Node(node) => num_words + node as usize,
    }
}

fn word_cell(choices: &[Choice], limits: SearchLimits) -> Vec<CellItem> {
    let item = |(index, &(head, cost)): (usize, &Choice)| {
        let order = PartOrder::Straight;
        CellItem { cost, head, left: index as u32, right: 0, order, is_empty: head == ERASED }
    };
    pruned(choices.iter().enumerate().map(item).collect(), limits)
}

fn node_cell(
    node: &BinaryNode,
    left_items: &[CellItem],
    right_items: &[CellItem],
    mut orders: impl FnMut(u32, u32) -> [f64; 2],
    limits: SearchLimits,
) -> Vec<CellItem> {
    let mut items = Vec::with_capacity(2 * left_items.len() * right_items.len());
    for (left, one) in left_items.iter().enumerate() {
        for (right, other) in right_items.iter().enumerate() {
            let [straight, inverted] = orders(one.head, other.head);
            let head = if node.is_head_left { one.head } else { other.head };
            let is_empty = one.is_empty && other.is_empty;
            let mut push = |order: PartOrder, cost: f64| {
                let cost = one.cost + other.cost + cost;
                items.push(CellItem { cost, head, left: left as u32, right: right as u32, order, is_empty });
            };
            if one.is_empty || other.is_empty {
                push(PartOrder::Straight, straight.min(inverted));
            } else {
                push(PartOrder::Straight, straight);
                push(PartOrder::Inverted, inverted);
            }
        }
    }
    pruned(items, limits)
}

fn compare(one: &CellItem, other: &CellItem) -> Ordering {
    let key = |item: &CellItem| (item.left, item.right, item.order);
    one.cost.total_cmp(&other.cost).then_with(|| key(one).cmp(&key(other)))
}

fn pruned(mut items: Vec<CellItem>, limits: SearchLimits) -> Vec<CellItem> {
    items.retain(|item| item.cost < f64::INFINITY);
    let max_items = limits.max_items.max(1);
    if items.len() > max_items {
        items.select_nth_unstable_by(max_items, compare);
        items.truncate(max_items);
    }
    items.sort_unstable_by(compare);
    let most = items.first().map_or(0.0, |item| item.cost.max(MIN_COST) * limits.max_cost_ratio);
    items.truncate(items.partition_point(|item| item.cost <= most));
    items
}

/// Follows an item of a cell down to the words.
fn trace(
    tree: &BinaryTree,
    cells: &[Vec<CellItem>],
    num_words: usize,
    root: usize,
    item: usize,
) -> TreeDerivation {
    let mut derivation = TreeDerivation {
        cost: cells[root][item].cost,
        words: vec![0; num_words],
        orders: vec![PartOrder::Straight; tree.nodes.len()],
    };
    let mut waiting = vec![(root, item)];
    while let Some((cell, item)) = waiting.pop() {
        let item = cells[cell][item];
        let Some(node) = cell.checked_sub(num_words) else {
            derivation.words[cell] = item.left;
            continue;
        };
        derivation.orders[node] = item.order;
        let BinaryNode { left, right, .. } = tree.nodes[node];
        for (part, item) in [(left, item.left), (right, item.right)] {
            waiting.push((cell_of(part, num_words), item as usize));
        }
    }
    derivation
}

/// The translations of the words that are not left out, in the order of the translation.
pub(super) fn targets(
    tree: &BinaryTree,
    choices: &[Vec<Choice>],
    derivation: &TreeDerivation,
) -> Vec<(u32, u32)> {
    let is_swapped = |node: usize| derivation.orders[node] == PartOrder::Inverted;
    let chosen = |word: u32| (word, choices[word as usize][derivation.words[word as usize] as usize].0);
    tree.reordered(is_swapped).into_iter().map(chosen).filter(|&(_, target)| target != ERASED).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const UNLIMITED: SearchLimits = SearchLimits { max_cost_ratio: f64::INFINITY, max_items: usize::MAX };

    fn binary(num_words: usize, seed: usize) -> BinaryTree {
        let mut text = "(A a)".to_owned();
        for word in 1..num_words {
            text = match (seed >> word) % 2 {
                0 => format!("(X {text} (B b))"),
                _ => format!("(X (B b) {text})"),
            };
        }
        BinaryTree::new(&text.parse().unwrap())
    }

    /// The cost of an order, some function of everything.
    fn order_cost(node: usize, one: u32, other: u32) -> [f64; 2] {
        [0, 1].map(|order| {
            f64::from((7 * node as u32 + 3 * (one % 10) + 5 * (other % 10) + order * 11) % 13) / 8.0 + 0.1
        })
    }

    /// All transductions, one by one: every choice of words and orders, in the order of choices.
    fn all(tree: &BinaryTree, choices: &[Vec<Choice>]) -> Vec<f64> {
        let (num_words, num_nodes) = (choices.len(), tree.nodes.len());
        let mut costs = Vec::new();
        let num_choices: usize = choices.iter().map(Vec::len).product();
        for number in 0..num_choices << num_nodes {
            let (mut rest, bits) = (number >> num_nodes, number);
            let chosen: Vec<Choice> = (0..num_words)
                .map(|word| {
                    let choice = choices[word][rest % choices[word].len()];
                    rest /= choices[word].len();
                    choice
                })
                .collect();
            let mut cost: f64 = chosen.iter().map(|choice| choice.1).sum();
            let is_empty = |part| {
                let (start, end) = tree.span(part);
                chosen[start as usize..end as usize].iter().all(|choice| choice.0 == ERASED)
            };
            let mut is_double = false;
            for (index, node) in tree.nodes.iter().enumerate() {
                let head = |part| chosen[tree.head(part) as usize].0;
                let costs = order_cost(index, head(node.left), head(node.right));
                let order = bits >> index & 1;
                let has_empty = is_empty(node.left) || is_empty(node.right);
                is_double |= has_empty && order == 1;
                cost += if has_empty { costs[0].min(costs[1]) } else { costs[order] };
            }
            if !is_double {
                costs.push(cost);
            }
        }
        costs.sort_by(f64::total_cmp);
        costs
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn the_chart_holds_all_transductions_in_order(
            num_words in 1usize..5,
            seed in 0usize..32,
            numbers in prop::collection::vec((0u32..6, 0u32..20), 12),
        ) {
            let tree = binary(num_words, seed);
            let choices: Vec<Vec<Choice>> = (0..num_words)
                .map(|word| numbers[3 * word..][..1 + (seed + word) % 3].iter()
                    .map(|&(target, cost)| (if target == 0 { ERASED } else { target }, f64::from(cost) / 4.0)).collect())
                .collect();
            let found = search(&tree, &choices, order_cost, UNLIMITED);
            let expected = all(&tree, &choices);
            prop_assert_eq!(found.len(), expected.len());
            for (derivation, cost) in found.iter().zip(expected) {
                prop_assert!((derivation.cost - cost).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn what_costs_too_much_is_dropped() {
        let choices = vec![vec![(1, 1.0), (2, 5.0), (3, 2.0)]];
        let tree = binary(1, 0);
        let words = |limits| -> Vec<u32> {
            search(&tree, &choices, order_cost, limits).iter().map(|derivation| derivation.words[0]).collect()
        };
        assert_eq!(words(UNLIMITED), [0, 2, 1]);
        assert_eq!(words(SearchLimits { max_cost_ratio: 2.0, ..UNLIMITED }), [0, 2]);
        assert_eq!(words(SearchLimits { max_items: 1, ..UNLIMITED }), [0]);
    }

    #[test]
    fn swapped_parts_and_words_left_out() {
        let tree = binary(3, 0);
        let choices = vec![vec![(10, 0.0)], vec![(ERASED, 0.0)], vec![(12, 0.0)]];
        let derivation = &search(&tree, &choices, |_, _, _| [1.0, 0.5], UNLIMITED)[0];
        assert_eq!(targets(&tree, &choices, derivation), [(2, 12), (0, 10)]);
        assert!((derivation.cost - 1.0).abs() < 1e-12);
    }
}
