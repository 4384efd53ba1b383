//! Training trees as numbers, each phrase behind its children.

use std::collections::BTreeMap;
use std::ops::Range;

use super::annotations::{Annotations, Marks, marks, temporal_spans};
use super::lexicon::LeafScores;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Grammar, RuleBlock, Symbol, Symbols, WordClasses};
use crate::tree::transform::Pipeline;
use crate::tree::{Binarization, Tree, WalkEvent, binarize};
use crate::vocab::Vocab;

/// The label of the root.
const ROOT: &str = "TOP";

/// What is done to trees first.
const NO_TRACES: &str = "remove-traces";

/// And then: labels without functions, one root, no phrase over itself.
const PREPARATION: &str = "strip-functions,root=TOP,remove-unary-to-self";

/// A chain of more unary rules than this is no model for others.
const MAX_CHAIN: usize = 4;

/// More substates of a symbol than this, no annotation of English makes.
const MAX_SUBSTATES: usize = 1 << 10;

/// A phrase, or a word with its tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BinaryNode {
    pub(crate) symbol: Symbol,
    /// The substate that its annotations make it; 0 without any.
    pub(crate) substate: u16,
    pub(crate) kind: NodeKind,
}

/// What is below; children are places in the list of all nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NodeKind {
    Leaf { leaf: u32 },
    Unary { rule: u32, child: u32 },
    Binary { rule: u32, children: [u32; 2] },
}

/// A word with a tag, and the class that it would have were it unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Leaf {
    pub(crate) word: u32,
    pub(crate) tag: Symbol,
    pub(crate) class: u32,
}

/// A treebank to learn a grammar from.
#[derive(Debug, Clone)]
pub(crate) struct GrammarTrees {
    pub(crate) symbols: Symbols,
    /// How many substates the annotations make of each symbol.
    pub(crate) sizes: Vec<u16>,
    pub(crate) words: Vocab,
    pub(crate) classes: Vocab,
    /// How often each word occurs.
    pub(crate) word_counts: Vec<u32>,
    pub(crate) nodes: Vec<BinaryNode>,
    pub(crate) trees: Vec<Range<u32>>,
    /// Parent and children, in the order of the rules of a [`Grammar`].
    pub(crate) rules: Vec<(Symbol, Symbol, Option<Symbol>)>,
    pub(crate) leaves: Vec<Leaf>,
    pub(crate) max_chain: usize,
}

/// A rule as grammars order it.
type Key = (bool, Symbol, Option<Symbol>, Symbol);

/// A treebank in binary form, whose symbols and substates are numbered once for all parts of it.
#[derive(Debug, Clone)]
pub(crate) struct BinaryTrees {
    pub(crate) symbols: Symbols,
    /// How many substates the annotations make of each symbol.
    pub(crate) sizes: Vec<u16>,
    trees: Vec<Tree>,
    /// The substates of the nodes of each tree, in the order of its tokens and of the ends of its phrases.
    substates: Vec<Vec<u16>>,
}

impl BinaryTrees {
    /// Prepares and binarises trees; those without words, or with a word without a tag, are left out.
    ///
    /// # Errors
    /// If there is nothing to learn from, names get too long, or the annotations are not for such trees.
    pub(crate) fn new(trees: &[Tree], how: &Binarization, annotations: &Annotations) -> Result<Self> {
        let (no_traces, pipeline) = (NO_TRACES.parse::<Pipeline>()?, PREPARATION.parse::<Pipeline>()?);
        let (mut binary, mut all_marks) = (Vec::with_capacity(trees.len()), Vec::with_capacity(trees.len()));
        for tree in trees {
            let mut tree = tree.clone();
            let _ = no_traces.apply(&mut tree);
            let temporal = temporal_spans(&tree);
            let _ = pipeline.apply(&mut tree);
            if !tree.is_empty() && tree.tokens().all(|token| !token.tag.is_empty()) {
                binary.push(binarize(&tree, how)?);
                all_marks.push(marks(annotations, &tree, &temporal).of_binary(&binary[binary.len() - 1]));
            }
        }
        if binary.is_empty() {
            return Err(Error::new(ErrorKind::Argument, "expected tagged trees to learn from, found none"));
        }
        annotations.check(trees)?;
        let symbols = collect_symbols(&binary)?;
        let mut numbering = vec![Vocab::new(); symbols.len()];
        let number = |(tree, marks)| number_marks(tree, marks, &symbols, &mut numbering);
        let substates = binary.iter().zip(&all_marks).map(number).collect();
        let size = |marks: &Vocab| marks.len().clamp(1, MAX_SUBSTATES) as u16;
        Ok(Self { sizes: numbering.iter().map(size).collect(), symbols, trees: binary, substates })
    }

    /// The numbers of some of the trees. Words are those of these trees alone: to a model of them the others are
    /// unknown.
    pub(crate) fn number(&self, classifier: &WordClasses, is_kept: impl Fn(usize) -> bool) -> GrammarTrees {
        let kept: Vec<usize> = (0..self.trees.len()).filter(|&place| is_kept(place)).collect();
        let mut words = Vocab::new();
        let mut word_counts = Vec::new();
        for word in kept.iter().flat_map(|&place| self.trees[place].words()) {
            let number = words.intern(word) as usize;
            word_counts.resize(words.len(), 0);
            word_counts[number] += 1;
        }
        let mut reader = Reader::new(&words, classifier, &self.symbols);
        kept.iter().for_each(|&place| reader.read(&self.trees[place], &self.substates[place]));
        reader.finish(self.sizes.clone(), word_counts)
    }
}

impl GrammarTrees {
    /// Prepares, binarises and numbers all trees.
    #[cfg(test)]
    pub(crate) fn new(trees: &[Tree], how: &Binarization, classifier: &WordClasses) -> Result<Self> {
        Ok(BinaryTrees::new(trees, how, &Annotations::none())?.number(classifier, |_| true))
    }

    /// The grammar whose rules are as likely as they are frequent.
    pub(crate) fn relative_frequencies(&self) -> Grammar {
        let mut rows: Vec<BTreeMap<[u16; 2], Vec<f64>>> = vec![BTreeMap::new(); self.rules.len()];
        let substate = |child: u32| self.nodes[child as usize].substate;
        let size = |symbol: Symbol| usize::from(self.sizes[symbol.index()]);
        for node in &self.nodes {
            let (rule, row) = match node.kind {
                NodeKind::Leaf { .. } => continue,
                NodeKind::Unary { rule, child } => (rule, [substate(child), 0]),
                NodeKind::Binary { rule, children } => (rule, children.map(substate)),
            };
            let counts = rows[rule as usize].entry(row).or_insert_with(|| vec![0.0; size(node.symbol)]);
            counts[usize::from(node.substate)] += 1.0;
        }
        let (starts, totals) = self.substate_counts();
        let blocks = self.rules.iter().zip(rows).map(|(&(parent, left, right), rows)| {
            let totals = &totals[starts[parent.index()]..];
            let share = |(count, total): (f64, &f64)| if *total > 0.0 { (count / total) as f32 } else { 0.0 };
            let (rows, counts): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
            let values = counts.into_iter().flat_map(|counts| counts.into_iter().zip(totals).map(share));
            RuleBlock { parent, left, right, values: values.collect(), rows }
        });
        Grammar::new(self.sizes.clone(), blocks.collect(), self.max_chain)
    }

    /// How often each substate occurs, those of one symbol after those of the other, and where those of each symbol
    /// begin.
    pub(crate) fn substate_counts(&self) -> (Vec<usize>, Vec<f64>) {
        let mut starts = vec![0];
        for &size in &self.sizes {
            starts.push(starts[starts.len() - 1] + usize::from(size));
        }
        let mut counts = vec![0.0; starts[self.sizes.len()]];
        for node in &self.nodes {
            counts[starts[node.symbol.index()] + usize::from(node.substate)] += 1.0;
        }
        (starts, counts)
    }

    /// How often each leaf has each substate of its tag.
    pub(crate) fn leaf_counts(&self, grammar: &Grammar) -> LeafScores {
        let mut counts = LeafScores::zeros(self, grammar);
        for node in &self.nodes {
            if let NodeKind::Leaf { leaf } = node.kind {
                let first = counts.starts[leaf as usize] as usize;
                counts.values[first + usize::from(node.substate)] += 1.0;
            }
        }
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

/// The substates of the nodes of a tree, numbered for each symbol as its marks come; the last number stands for all
/// that are too many.
fn number_marks(tree: &Tree, marks: &Marks, symbols: &Symbols, numbering: &mut [Vocab]) -> Vec<u16> {
    let mut number = |symbol: Symbol, mark: &str| {
        let known = &mut numbering[symbol.index()];
        known.intern(mark).min(MAX_SUBSTATES as u32 - 1) as u16
    };
    let of_event = |event| match event {
        WalkEvent::Open(_) => None,
        WalkEvent::Token(index) => {
            Some(number(tag_of(symbols, tree.token(index).tag), &marks.of_tags[index]))
        }
        WalkEvent::Close(id) => {
            Some(number(phrase_of(symbols, tree.label(id)), &marks.of_phrases[id.index()]))
        }
    };
    tree.events().filter_map(of_event).collect()
}

fn tag_of(symbols: &Symbols, name: &str) -> Symbol {
    symbols.tag(name).unwrap_or(Symbol(0))
}

fn phrase_of(symbols: &Symbols, name: &str) -> Symbol {
    symbols.phrase(name).unwrap_or(symbols.root())
}

struct Reader<'r> {
    classifier: &'r WordClasses,
    words: &'r Vocab,
    symbols: Symbols,
    classes: Vocab,
    leaves: BTreeMap<Leaf, u32>,
    rules: BTreeMap<Key, u32>,
    nodes: Vec<BinaryNode>,
    trees: Vec<Range<u32>>,
    max_chain: usize,
}

impl<'r> Reader<'r> {
    fn new(words: &'r Vocab, classifier: &'r WordClasses, symbols: &Symbols) -> Self {
        Self {
            classifier,
            words,
            symbols: symbols.clone(),
            // The class of those that are like no other.
            classes: ["UNK-"].into_iter().collect(),
            leaves: BTreeMap::new(),
            rules: BTreeMap::new(),
            nodes: Vec::new(),
            trees: Vec::new(),
            max_chain: 0,
        }
    }

    fn read(&mut self, tree: &Tree, substates: &[u16]) {
        let first = self.nodes.len() as u32;
        let mut substates = substates.iter().copied();
        let mut substate = || substates.next().unwrap_or(0);
        // Of each open phrase, its children and the unary rules in a row below it.
        let mut open: Vec<(Vec<u32>, usize)> = vec![(Vec::new(), 0)];
        for event in tree.events() {
            match event {
                WalkEvent::Open(_) => open.push((Vec::new(), 0)),
                WalkEvent::Token(index) => {
                    let leaf = self.leaf(tree, index, substate());
                    self.add(&mut open, leaf, 0);
                }
                WalkEvent::Close(id) => {
                    let Some((children, chain)) = open.pop() else { continue };
                    let symbol = phrase_of(&self.symbols, tree.label(id));
                    let node =
                        BinaryNode { symbol, substate: substate(), kind: self.kind(symbol, &children) };
                    let chain = if children.len() == 1 { chain + 1 } else { 0 };
                    self.max_chain = self.max_chain.max(chain);
                    self.add(&mut open, node, chain);
                }
            }
        }
        self.trees.push(first..self.nodes.len() as u32);
    }

    fn add(&mut self, open: &mut [(Vec<u32>, usize)], node: BinaryNode, chain: usize) {
        if let Some((siblings, below)) = open.last_mut() {
            siblings.push(self.nodes.len() as u32);
            *below = chain;
        }
        self.nodes.push(node);
    }

    fn leaf(&mut self, tree: &Tree, index: usize, substate: u16) -> BinaryNode {
        let token = tree.token(index);
        let symbol = tag_of(&self.symbols, token.tag);
        let class = self.classifier.class(token.word, index == 0, |lower| self.words.get(lower).is_some());
        let word = self.words.get(token.word).unwrap_or(0);
        let leaf = Leaf { word, tag: symbol, class: self.classes.intern(&class) };
        let next = self.leaves.len() as u32;
        let leaf = *self.leaves.entry(leaf).or_insert(next);
        BinaryNode { symbol, substate, kind: NodeKind::Leaf { leaf } }
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
    fn finish(self, sizes: Vec<u16>, word_counts: Vec<u32>) -> GrammarTrees {
        let rule_order = order(self.rules.values());
        let leaf_order = order(self.leaves.values());
        let renumber = |mut node: BinaryNode| {
            match &mut node.kind {
                NodeKind::Leaf { leaf } => *leaf = leaf_order[*leaf as usize],
                NodeKind::Unary { rule, .. } | NodeKind::Binary { rule, .. } => {
                    *rule = rule_order[*rule as usize];
                }
            }
            node
        };
        GrammarTrees {
            sizes,
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
        let trees = BinaryTrees::new(&trees, &Binarization::x_bar(), &Annotations::none())
            .unwrap()
            .number(&WordClasses::english(), |_| true);
        let names: Vec<&str> = trees.nodes.iter().map(|node| trees.symbols.name(node.symbol)).collect();
        assert_eq!(names, ["DT", "JJ", "NN", "@NP", "NP", "VBZ", "VP", "S", "TOP"]);
        assert_eq!(trees.nodes[7].kind, NodeKind::Binary { rule: 2, children: [4, 6] });
        let grammar = trees.relative_frequencies();
        let found: Vec<_> = grammar.rules().iter().map(|rule| (rule.parent, rule.left, rule.right)).collect();
        assert_eq!(found, trees.rules);
        assert_eq!((trees.max_chain, trees.trees[0].clone()), (1, 0..9));
        assert_eq!(trees.leaves.len(), 4);
    }

    #[test]
    fn annotations_are_substates_and_rules_are_counted_for_each() {
        let trees: Vec<Tree> = vec![
            "( (S (NP (DT That)) (VP (VB is) (NP (DT the) (JJ old) (NN dog)))))".parse().unwrap(),
            "( (S (NP (DT the) (NN dog)) (VP (VB is) (PP (IN in) (NP (NN bed))))))".parse().unwrap(),
        ];
        let annotations = "unary-internal,unary-dt".parse().unwrap();
        let how = Binarization::x_bar();
        let trees = BinaryTrees::new(&trees, &how, &annotations).unwrap();
        let trees = trees.number(&WordClasses::english(), |_| true);
        let size = |symbol: Option<Symbol>| trees.sizes[symbol.unwrap().index()];
        let symbols = &trees.symbols;
        assert_eq!(
            [size(symbols.phrase("NP")), size(symbols.tag("DT")), size(symbols.phrase("@NP"))],
            [2, 2, 1]
        );
        let grammar = trees.relative_frequencies();
        let (np, dt) = (symbols.phrase("NP").unwrap(), symbols.tag("DT").unwrap());
        let rule = grammar.find(np, dt, None).unwrap();
        // Of the two phrases of one word, one is a `DT` by itself; of the others none.
        assert_eq!(grammar.rows(rule).collect::<Vec<_>>(), [([0, 0], &[0.5, 0.0][..])]);
        let counts = trees.leaf_counts(&grammar);
        assert_eq!(counts.values.iter().sum::<f32>(), 10.0);
        let (starts, totals) = trees.substate_counts();
        assert_eq!(&totals[starts[np.index()]..starts[np.index() + 1]], [2.0, 2.0]);
    }
}
