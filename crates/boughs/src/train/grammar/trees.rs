//! Training trees as numbers, each phrase behind its children.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::error::{Error, ErrorKind, Result};
use crate::model::{Block, Grammar, Symbol, Symbols, WordClasses};
use crate::tree::transform::Pipeline;
use crate::tree::{Binarization, Event, Tree, binarize};
use crate::vocab::Vocab;

/// The label of the root.
const ROOT: &str = "TOP";

/// What is done to trees first: labels without functions, no traces, one root, no phrase over itself.
const PREPARATION: &str = "strip-functions,remove-traces,root=TOP,remove-unary-to-self";

/// A chain of more unary rules than this is no model for others.
const MAX_CHAIN: usize = 4;

/// A phrase, or a word with its tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::train) struct TreeNode {
    pub(in crate::train) symbol: Symbol,
    pub(in crate::train) kind: NodeKind,
}

/// What is below; children are places in the list of all nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::train) enum NodeKind {
    Leaf { leaf: u32 },
    Unary { rule: u32, child: u32 },
    Binary { rule: u32, children: [u32; 2] },
}

/// A word with a tag, and the class that it would have were it unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::train) struct Leaf {
    pub(in crate::train) word: u32,
    pub(in crate::train) tag: Symbol,
    pub(in crate::train) class: u32,
}

/// A treebank to learn a grammar from.
#[derive(Debug, Clone)]
pub(in crate::train) struct GrammarTrees {
    pub(in crate::train) symbols: Symbols,
    pub(in crate::train) words: Vocab,
    pub(in crate::train) classes: Vocab,
    /// How often each word occurs.
    pub(in crate::train) word_counts: Vec<u32>,
    pub(in crate::train) nodes: Vec<TreeNode>,
    pub(in crate::train) trees: Vec<Range<u32>>,
    /// Parent and children, in the order of the rules of a [`Grammar`].
    pub(in crate::train) rules: Vec<(Symbol, Symbol, Option<Symbol>)>,
    pub(in crate::train) leaves: Vec<Leaf>,
    pub(in crate::train) max_chain: usize,
}

/// A rule as grammars order it.
type Key = (bool, Symbol, Option<Symbol>, Symbol);

impl GrammarTrees {
    /// Prepares and binarises trees.
    ///
    /// # Errors
    /// If there is nothing to learn from, or names get too long.
    pub(in crate::train) fn new(
        trees: &[Tree],
        how: &Binarization,
        classifier: &WordClasses,
    ) -> Result<Self> {
        let pipeline = Pipeline::parse(PREPARATION)?;
        let mut binary = Vec::with_capacity(trees.len());
        for tree in trees {
            let mut tree = tree.clone();
            let _ = pipeline.apply(&mut tree);
            if !tree.is_empty() && tree.tokens().all(|token| !token.tag.is_empty()) {
                binary.push(binarize(&tree, how)?);
            }
        }
        if binary.is_empty() {
            return Err(Error::new(ErrorKind::Argument, "expected tagged trees to learn from, found none"));
        }
        let mut words = Vocab::new();
        let mut word_counts = Vec::new();
        for word in binary.iter().flat_map(Tree::words) {
            let number = words.intern(word) as usize;
            word_counts.resize(words.len(), 0);
            word_counts[number] += 1;
        }
        let mut reader = Reader::new(&words, classifier, &binary)?;
        binary.iter().for_each(|tree| reader.read(tree));
        Ok(reader.finish(word_counts))
    }

    /// The grammar whose rules are as likely as they are frequent.
    pub(in crate::train) fn relative_frequencies(&self) -> Grammar {
        let mut counts = vec![0.0f64; self.rules.len()];
        let mut totals = vec![0.0f64; self.symbols.len()];
        for node in &self.nodes {
            if let NodeKind::Unary { rule, .. } | NodeKind::Binary { rule, .. } = node.kind {
                counts[rule as usize] += 1.0;
                totals[node.symbol.index()] += 1.0;
            }
        }
        let blocks = self.rules.iter().zip(&counts).map(|(&(parent, left, right), count)| Block {
            parent,
            left,
            right,
            rows: vec![[0, 0]],
            values: vec![(count / totals[parent.index()]) as f32],
        });
        Grammar::new(vec![1; self.symbols.len()], blocks.collect(), self.max_chain)
    }

    /// How often each symbol occurs.
    pub(in crate::train) fn symbol_counts(&self) -> Vec<f64> {
        let mut counts = vec![0.0; self.symbols.len()];
        self.nodes.iter().for_each(|node| counts[node.symbol.index()] += 1.0);
        counts
    }
}

fn collect_symbols(trees: &[Tree]) -> Result<Symbols> {
    let (mut tags, mut phrases) = (Vocab::new(), Vocab::new());
    phrases.intern(ROOT);
    for tree in trees {
        tree.tokens().for_each(|token| _ = tags.intern(token.tag));
        tree.nodes().for_each(|node| _ = phrases.intern(node.label));
    }
    Symbols::new(tags, phrases)
}

struct Reader<'r> {
    classifier: &'r WordClasses,
    words: &'r Vocab,
    symbols: Symbols,
    classes: Vocab,
    leaves: BTreeMap<Leaf, u32>,
    rules: BTreeMap<Key, u32>,
    nodes: Vec<TreeNode>,
    trees: Vec<Range<u32>>,
    max_chain: usize,
}

impl<'r> Reader<'r> {
    fn new(words: &'r Vocab, classifier: &'r WordClasses, trees: &[Tree]) -> Result<Self> {
        Ok(Self {
            classifier,
            words,
            symbols: collect_symbols(trees)?,
            // The class of those that are like no other.
            classes: ["UNK-"].into_iter().collect(),
            leaves: BTreeMap::new(),
            rules: BTreeMap::new(),
            nodes: Vec::new(),
            trees: Vec::new(),
            max_chain: 0,
        })
    }

    fn read(&mut self, tree: &Tree) {
        let first = self.nodes.len() as u32;
        // Of each open phrase, its children and the unary rules in a row below it.
        let mut open: Vec<(Vec<u32>, usize)> = vec![(Vec::new(), 0)];
        for event in tree.events() {
            match event {
                Event::Open(_) => open.push((Vec::new(), 0)),
                Event::Token(index) => {
                    let leaf = self.leaf(tree, index);
                    self.add(&mut open, leaf, 0);
                }
                Event::Close(id) => {
                    let Some((children, chain)) = open.pop() else { continue };
                    let symbol = self.symbols.phrase(tree.label(id)).unwrap_or(self.symbols.root());
                    let node = TreeNode { symbol, kind: self.kind(symbol, &children) };
                    let chain = if children.len() == 1 { chain + 1 } else { 0 };
                    self.max_chain = self.max_chain.max(chain);
                    self.add(&mut open, node, chain);
                }
            }
        }
        self.trees.push(first..self.nodes.len() as u32);
    }

    fn add(&mut self, open: &mut [(Vec<u32>, usize)], node: TreeNode, chain: usize) {
        if let Some((siblings, below)) = open.last_mut() {
            siblings.push(self.nodes.len() as u32);
            *below = chain;
        }
        self.nodes.push(node);
    }

    fn leaf(&mut self, tree: &Tree, index: usize) -> TreeNode {
        let token = tree.token(index);
        let symbol = self.symbols.tag(token.tag).unwrap_or(Symbol(0));
        let class = self.classifier.class(token.word, index == 0, |lower| self.words.get(lower).is_some());
        let word = self.words.get(token.word).unwrap_or(0);
        let leaf = Leaf { word, tag: symbol, class: self.classes.intern(&class) };
        let next = self.leaves.len() as u32;
        let leaf = *self.leaves.entry(leaf).or_insert(next);
        TreeNode { symbol, kind: NodeKind::Leaf { leaf } }
    }

    fn kind(&mut self, parent: Symbol, children: &[u32]) -> NodeKind {
        let symbol = |child: u32| self.nodes[child as usize].symbol;
        let next = self.rules.len() as u32;
        match *children {
            [left, right, ..] => {
                let key = (false, symbol(left), Some(symbol(right)), parent);
                NodeKind::Binary { rule: *self.rules.entry(key).or_insert(next), children: [left, right] }
            }
            _ => {
                let child = children.first().copied().unwrap_or(0);
                let key = (true, symbol(child), None, parent);
                NodeKind::Unary { rule: *self.rules.entry(key).or_insert(next), child }
            }
        }
    }

    /// Numbers rules and leaves anew, in order.
    fn finish(self, word_counts: Vec<u32>) -> GrammarTrees {
        let rule_order = order(self.rules.values());
        let leaf_order = order(self.leaves.values());
        let renumber = |mut node: TreeNode| {
            match &mut node.kind {
                NodeKind::Leaf { leaf } => *leaf = leaf_order[*leaf as usize],
                NodeKind::Unary { rule, .. } | NodeKind::Binary { rule, .. } => {
                    *rule = rule_order[*rule as usize];
                }
            }
            node
        };
        GrammarTrees {
            symbols: self.symbols,
            words: self.words.clone(),
            classes: self.classes,
            word_counts,
            nodes: self.nodes.into_iter().map(renumber).collect(),
            trees: self.trees,
            rules: self.rules.into_keys().map(|(_, left, right, parent)| (parent, left, right)).collect(),
            leaves: self.leaves.into_keys().collect(),
            max_chain: self.max_chain.clamp(1, MAX_CHAIN),
        }
    }
}

/// The place of each number in a list.
fn order<'n>(numbers: impl ExactSizeIterator<Item = &'n u32>) -> Vec<u32> {
    let mut order = vec![0; numbers.len()];
    for (place, &number) in (0..).zip(numbers) {
        order[number as usize] = place;
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_come_first_and_rules_are_in_order() {
        let trees: Vec<Tree> =
            vec!["( (S (NP-SBJ (DT the) (JJ old) (NN dog)) (VP (VBZ sleeps))))".parse().unwrap()];
        let trees = GrammarTrees::new(&trees, &Binarization::x_bar(), &WordClasses::english()).unwrap();
        let names: Vec<&str> = trees.nodes.iter().map(|node| trees.symbols.name(node.symbol)).collect();
        assert_eq!(names, ["DT", "JJ", "NN", "@NP", "NP", "VBZ", "VP", "S", "TOP"]);
        assert_eq!(trees.nodes[7].kind, NodeKind::Binary { rule: 2, children: [4, 6] });
        let grammar = trees.relative_frequencies();
        let found: Vec<_> = grammar.rules().iter().map(|rule| (rule.parent, rule.left, rule.right)).collect();
        assert_eq!(found, trees.rules);
        assert_eq!((trees.max_chain, trees.trees[0].clone()), (1, 0..9));
        assert_eq!(trees.leaves.len(), 4);
    }
}
