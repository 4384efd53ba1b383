//! Links between words carried over to the source tree: what each word becomes, and which phrases swap their parts.
//!
//! The naive form looks at the target words of both parts of a phrase: if all of one stand before all of the other,
//! the phrase keeps or swaps its parts. This says nothing where a part has no links. Where the words of the parts are
//! mixed, the order is that of most pairs of words. Both kinds are counted.

use super::binary::{BinaryPart, BinaryTree};
use super::links::Link;
use boughs::tree::Tree;

/// The order of a phrase's parts in the translation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum PartOrder {
    /// As in the source.
    Straight,
    /// The other way round.
    Inverted,
}

/// A source tree and what links say about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TreeAlignment {
    /// By source word: the index of the target word that it becomes.
    pub(crate) words: Vec<Option<u32>>,
    /// By phrase: the order of its parts, unless one has no links.
    pub(crate) orders: Vec<Option<PartOrder>>,
    /// By phrase: whether the words of its parts are mixed. The order is then that of most pairs of words; straight if
    /// there are as many of each.
    pub(crate) is_mixed: Vec<bool>,
}

/// What became of words and phrases, over any number of trees.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TreeCounts {
    /// Source words.
    pub words: u64,
    /// Source words with a link.
    pub linked_words: u64,
    /// Target words.
    pub target_words: u64,
    /// Phrases of two parts that keep their order.
    pub straight: u64,
    /// Those that swap them.
    pub inverted: u64,
    /// Those of which a part has no links, so that nothing is known.
    pub unlinked: u64,
    /// Those whose parts are mixed, so that no order is quite right.
    pub mixed: u64,
}

impl TreeAlignment {
    /// What links of which no two share a word say about a tree.
    pub(crate) fn new(tree: &BinaryTree, links: &[Link]) -> Self {
        let mut words = vec![None; tree.num_words];
        for link in links {
            if let Some(word) = words.get_mut(link.source as usize) {
                *word = Some(link.target);
            }
        }
        let mut alignment = Self { words, orders: Vec::new(), is_mixed: Vec::new() };
        // The first and the last target word of each phrase.
        let mut ranges: Vec<Option<(u32, u32)>> = Vec::new();
        for node in &tree.nodes {
            let range = |part| match part {
                BinaryPart::Word(word) => alignment.words[word as usize].map(|target| (target, target)),
                BinaryPart::Node(node) => ranges[node as usize],
            };
            let (left, right) = (range(node.left), range(node.right));
            let (order, is_mixed) = match (left, right) {
                (Some((_, last)), Some((first, _))) if last < first => (Some(PartOrder::Straight), false),
                (Some((first, _)), Some((_, last))) if last < first => (Some(PartOrder::Inverted), false),
                (Some(_), Some(_)) => (Some(alignment.majority(tree, node.left, node.right)), true),
                _ => (None, false),
            };
            alignment.orders.push(order);
            alignment.is_mixed.push(is_mixed);
            ranges.push(join(left, right));
        }
        alignment
    }

    fn majority(&self, tree: &BinaryTree, left: BinaryPart, right: BinaryPart) -> PartOrder {
        let targets = |part| {
            let (start, end) = tree.span(part);
            self.words[start as usize..end as usize].iter().flatten().copied()
        };
        let mut rights: Vec<u32> = targets(right).collect();
        rights.sort_unstable();
        let num_inverted: usize =
            targets(left).map(|word| rights.partition_point(|&other| other < word)).sum();
        if 2 * num_inverted > targets(left).count() * rights.len() {
            PartOrder::Inverted
        } else {
            PartOrder::Straight
        }
    }
}

fn join(one: Option<(u32, u32)>, other: Option<(u32, u32)>) -> Option<(u32, u32)> {
    match (one, other) {
        (Some(one), Some(other)) => Some((one.0.min(other.0), one.1.max(other.1))),
        _ => one.or(other),
    }
}

impl TreeCounts {
    /// Adds a source tree, links of which no two share a word, and the number of target words.
    pub fn add(&mut self, tree: &Tree, links: &[Link], num_target: usize) {
        let alignment = TreeAlignment::new(&BinaryTree::new(tree), links);
        self.words += alignment.words.len() as u64;
        self.linked_words += alignment.words.iter().flatten().count() as u64;
        self.target_words += num_target as u64;
        for (order, &is_mixed) in alignment.orders.iter().zip(&alignment.is_mixed) {
            let count = match order {
                _ if is_mixed => &mut self.mixed,
                None => &mut self.unlinked,
                Some(PartOrder::Straight) => &mut self.straight,
                Some(PartOrder::Inverted) => &mut self.inverted,
            };
            *count += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::links::parse_links;
    use super::*;

    fn align(text: &str, links: &str) -> TreeAlignment {
        let tree = BinaryTree::new(&text.parse().unwrap());
        TreeAlignment::new(&tree, &parse_links(links, None).unwrap())
    }

    #[test]
    fn links_order_the_parts() {
        let tree = "(NP (DT a) (JJ white) (NN dog))";
        let alignment = align(tree, "0-0 1-2 2-1");
        assert_eq!(alignment.orders, [Some(PartOrder::Inverted), Some(PartOrder::Straight)]);
        assert_eq!(align(tree, "0-0 1-2").orders, [None, Some(PartOrder::Straight)]);
        assert_eq!(align(tree, "").orders, [None, None]);
    }

    #[test]
    fn mixed_parts_follow_the_majority_and_are_counted() {
        let (tree, links) = ("(X (Y (A a) (B b)) (Z (C c) (D d)))", "0-0 1-2 2-1 3-3");
        let alignment = align(tree, links);
        assert_eq!(alignment.orders.iter().flatten().count(), 3);
        assert_eq!(alignment.is_mixed, [false, false, true]);
        assert_eq!(alignment.orders[2], Some(PartOrder::Straight));
        let mut counts = TreeCounts::default();
        counts.add(&tree.parse().unwrap(), &parse_links(links, None).unwrap(), 5);
        assert_eq!((counts.straight, counts.mixed, counts.linked_words, counts.target_words), (2, 1, 4, 5));
    }
}
