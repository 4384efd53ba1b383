//! Counting what is in a treebank.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::tree::{TRACE_TAG, Tree, base_label, functions};

/// The counts of a treebank, one tree added after the other. Memory grows with the vocabulary only.
#[derive(Debug, Default)]
pub struct Stats {
    /// Trees.
    pub trees: u64,
    /// Trees without a token.
    pub empty_trees: u64,
    /// Tokens, traces left out.
    pub tokens: u64,
    /// Traces and other empty elements.
    pub traces: u64,
    /// Phrases, roots left out.
    pub phrases: u64,
    /// Phrases with one child.
    pub unary_phrases: u64,
    /// Tokens a sentence, traces left out.
    pub length: Distribution,
    /// Levels of phrases below the root.
    pub depth: Distribution,
    /// Children a phrase.
    pub children: Distribution,
    /// Phrase labels without function tags.
    pub labels: BTreeMap<String, u64>,
    /// Function tags.
    pub functions: BTreeMap<String, u64>,
    /// Parts of speech.
    pub tags: BTreeMap<String, u64>,
    /// Root labels; trees without a root count for none.
    pub roots: BTreeMap<String, u64>,
    words: FxHashMap<String, u64>,
}

/// How often each of some small numbers occurred.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Distribution {
    counts: BTreeMap<u64, u64>,
}

impl Distribution {
    /// Counts one more occurrence of a number.
    pub fn add(&mut self, value: u64) {
        *self.counts.entry(value).or_default() += 1;
    }

    /// The numbers that occurred and how often, in rising order.
    pub fn counts(&self) -> impl Iterator<Item = (u64, u64)> {
        self.counts.iter().map(|(&value, &count)| (value, count))
    }

    /// The smallest number that occurred.
    pub fn min(&self) -> Option<u64> {
        self.counts.keys().next().copied()
    }

    /// The largest number that occurred.
    pub fn max(&self) -> Option<u64> {
        self.counts.keys().next_back().copied()
    }

    /// The average; none if nothing was counted.
    pub fn mean(&self) -> Option<f64> {
        let (sum, num) =
            self.counts().fold((0, 0), |(sum, num), (value, count)| (sum + value * count, num + count));
        (num > 0).then(|| sum as f64 / num as f64)
    }

    /// The smallest number that at least half of the occurrences do not exceed.
    pub fn median(&self) -> Option<u64> {
        let half = self.counts.values().sum::<u64>().div_ceil(2);
        let mut seen = 0;
        self.counts().find_map(|(value, count)| {
            seen += count;
            (seen >= half).then_some(value)
        })
    }
}

impl Stats {
    /// Counts of nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tree.
    pub fn add(&mut self, tree: &Tree) {
        self.trees += 1;
        self.empty_trees += u64::from(tree.is_empty());
        self.add_tokens(tree);
        self.add_phrases(tree);
    }

    fn add_tokens(&mut self, tree: &Tree) {
        let mut length = 0;
        for token in tree.tokens() {
            if token.tag == TRACE_TAG {
                self.traces += 1;
                continue;
            }
            length += 1;
            increment(&mut self.tags, token.tag);
            match self.words.get_mut(token.word) {
                Some(count) => *count += 1,
                None => {
                    self.words.insert(token.word.to_owned(), 1);
                }
            }
        }
        self.tokens += length;
        self.length.add(length);
    }

    fn add_phrases(&mut self, tree: &Tree) {
        let has_root = tree.has_root();
        if let Some(root) = tree.root().filter(|_| has_root) {
            increment(&mut self.roots, root.label);
        }
        let first = usize::from(has_root);
        for node in tree.nodes().skip(first) {
            self.phrases += 1;
            let children = tree.children(node.id).count() as u64;
            self.unary_phrases += u64::from(children == 1);
            self.children.add(children);
            self.add_label(node.label);
        }
        let levels = tree.depths().into_iter().max().map_or(0, |deepest| u64::from(deepest) + 1);
        self.depth.add(levels.saturating_sub(first as u64));
    }

    fn add_label(&mut self, label: &str) {
        increment(&mut self.labels, base_label(label));
        for function in functions(label) {
            increment(&mut self.functions, function);
        }
    }

    /// The number of different words.
    pub fn vocabulary(&self) -> usize {
        self.words.len()
    }

    /// The number of words that occur once.
    pub fn hapaxes(&self) -> usize {
        self.words.values().filter(|&&count| count == 1).count()
    }
}

fn increment(counts: &mut BTreeMap<String, u64>, key: &str) {
    match counts.get_mut(key) {
        Some(count) => *count += 1,
        None => {
            counts.insert(key.to_owned(), 1);
        }
    }
}

/// Names and how often they occurred, most frequent first, then by name.
pub fn by_count(counts: &BTreeMap<String, u64>) -> Vec<(&str, u64)> {
    let mut sorted: Vec<_> = counts.iter().map(|(key, &count)| (key.as_str(), count)).collect();
    sorted.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_two_trees() {
        let mut stats = Stats::new();
        for text in ["( (S (NP-SBJ-1 (NN dog)) (VP (VBZ barks) (NP (-NONE- *-1)))))", "()"] {
            stats.add(&text.parse().expect("a tree"));
        }
        assert_eq!((stats.trees, stats.empty_trees, stats.tokens, stats.traces), (2, 1, 2, 1));
        assert_eq!((stats.phrases, stats.unary_phrases), (4, 2));
        assert_eq!(by_count(&stats.labels), [("NP", 2), ("S", 1), ("VP", 1)]);
        assert_eq!(by_count(&stats.functions), [("SBJ", 1)]);
        assert_eq!(by_count(&stats.tags), [("NN", 1), ("VBZ", 1)]);
        assert_eq!(by_count(&stats.roots), [("", 1)]);
        assert_eq!((stats.vocabulary(), stats.hapaxes()), (2, 2));
        assert_eq!((stats.depth.max(), stats.length.mean()), (Some(3), Some(1.0)));
    }

    #[test]
    fn median_of_even_and_odd() {
        let mut numbers = Distribution::default();
        assert_eq!(numbers.median(), None);
        for value in [5, 1, 3] {
            numbers.add(value);
        }
        assert_eq!(numbers.median(), Some(3));
        numbers.add(9);
        assert_eq!(numbers.median(), Some(3));
    }
}
