//! Binarisation: no phrase with more than two children, and the exact inverse.
//!
//! The version a student would write replaces `X → A B C` by `X → A @X` and `@X → B C`, recursively. That is
//! [`Binarization::x_bar`]. The refinements say more in the names of phrases, so that a grammar read off the trees
//! knows more: which children are already there (horizontal markovisation), which phrases are above (vertical), and
//! where to begin: left, right, or at the head. All three are one algorithm: a phrase grows child by child from a
//! *seed*, first to the right, then to the left, and the seed is the first child, the last, or the head.
//!
//! ```
//! use boughs::tree::{Binarization, Branching, Tree, binarize, debinarize};
//!
//! let tree: Tree = "(VP (RB soon) (VB tell) (NP (PRP me)) (NP (NN more)))".parse()?;
//! let names = |branching, horizontal| {
//!     let how = Binarization { branching, horizontal, ..Binarization::default() };
//!     let binary = binarize(&tree, &how).unwrap();
//!     assert_eq!(debinarize(&binary).unwrap(), tree);
//!     binary.to_string()
//! };
//! assert_eq!(
//!     names(Branching::Right, None),
//!     "(VP (RB soon) (@VP|NP<NP<VB (VB tell) (@VP|NP<NP (NP (PRP me)) (NP (NN more)))))"
//! );
//! assert_eq!(
//!     names(Branching::Left, Some(1)),
//!     "(VP (@VP>NP (@VP>VB (RB soon) (VB tell)) (NP (PRP me))) (NP (NN more)))"
//! );
//! let english = Branching::Head(boughs::tree::heads::HeadRules::english());
//! assert_eq!(
//!     names(english, Some(2)),
//!     "(VP (RB soon) (@VP>NP>NP (@VP|VB>NP (VB tell) (NP (PRP me))) (NP (NN more))))"
//! );
//! # Ok::<(), boughs::Error>(())
//! ```
//!
//! # Names
//!
//! | name | is |
//! |---|---|
//! | `NP` | a phrase of the original tree |
//! | `S+VP` | an `S` whose only child is a `VP`, joined ([`Unaries`]) |
//! | `NP^S`, `NP^S^VP` | an `NP` below an `S` (below a `VP`) |
//! | `@NP` | an intermediate phrase: a part of an `NP` |
//! | `@VP\|VB>NP>PP<RB` | a part of a `VP` that grew from the seed `VB` by `NP` and `PP` on the right, then by `RB` on the left; of these the last `horizontal` are written |
//! | `@VP^S>PP` | both |
//!
//! Children are named by their labels, or tags, and without annotations. In labels of the original tree the characters
//! `@ ^ | < > +` and `\` are written after a `\`, so any label comes back, whatever it is made of.
//!
//! # The inverse
//!
//! [`debinarize`] needs no options: intermediate phrases vanish, annotations are cut, chains are taken apart. It
//! works on the name of each phrase by itself, so the output of a parser, where the annotation of a child need not
//! agree with its parent, gives a tree too; so does any other tree.

use super::heads::HeadRules;
use super::symbol::{labels, push_escaped, push_intermediate};
use super::unary::bottoms;
use super::{Child, NodeId, Tree, TreeBuilder, Unaries, WalkEvent, collapse_unaries};
use crate::error::{Error, ErrorKind, Result};

/// Where a phrase begins to grow.
#[derive(Debug, Clone, Default)]
pub enum Branching {
    /// At the first child: `((a b) c)`.
    Left,
    /// At the last child: `(a (b c))`.
    #[default]
    Right,
    /// At the head, which takes the children on its right, then those on its left.
    Head(HeadRules),
}

/// How to binarise. The default, right-branching with infinite memory, leaves the rules of the treebank's grammar
/// as they are.
#[derive(Debug, Clone)]
pub struct Binarization {
    /// Where a phrase begins to grow. Default: right.
    pub branching: Branching,
    /// How many of the children already there an intermediate phrase remembers, those that came last; none to
    /// remember all. Default: none. Names then grow with the square of the number of children.
    pub horizontal: Option<usize>,
    /// How many generations are in a name: 1 for the phrase alone, 2 for phrase and parent, and so on; 0 is the same
    /// as 1. Default: 1. Tags of tokens are not annotated.
    pub vertical: usize,
    /// What to do with unary chains, before all else. Default: keep.
    pub unaries: Unaries,
}

impl Default for Binarization {
    fn default() -> Self {
        Self { branching: Branching::Right, horizontal: None, vertical: 1, unaries: Unaries::Keep }
    }
}

impl Binarization {
    /// The X-bar binarisation that latent-variable grammars start from (Petrov and Klein 2007): right-branching,
    /// horizontal 0, vertical 1, so that the parts of an `NP` are all `@NP`, and splitting finds out what they should
    /// remember.
    pub fn x_bar() -> Self {
        Self { horizontal: Some(0), ..Self::default() }
    }
}

/// Gives every phrase at most two children, phrases or tokens. [`debinarize`] is the exact inverse.
///
/// # Errors
/// [`ErrorKind::TooLarge`] if the names get longer than 64 MiB together, which takes a phrase of thousands of children
/// and infinite horizontal memory, or a like height and vertical memory.
pub fn binarize(tree: &Tree, how: &Binarization) -> Result<Tree> {
    let seeds = match &how.branching {
        Branching::Head(rules) => head_indices(tree, rules, how.unaries),
        Branching::Left | Branching::Right => Vec::new(),
    };
    let tree = collapse_unaries(tree, how.unaries);
    match tree.root().map(|root| root.id) {
        Some(root) => Binarizer::new(&tree, how, seeds).run(root),
        None => Ok(tree),
    }
}

/// Undoes [`binarize`] and [`collapse_unaries`], whatever their options were. Any tree will do, see the
/// [module documentation](self).
///
/// # Errors
/// [`ErrorKind::TooLarge`] over 4 GiB.
pub fn debinarize(tree: &Tree) -> Result<Tree> {
    let mut builder = TreeBuilder::new();
    // The depth at which each open phrase started; it may stand for several, or for none.
    let mut depths: Vec<usize> = Vec::new();
    for event in tree.events() {
        match event {
            WalkEvent::Open(id) => {
                depths.push(builder.depth());
                labels(tree.label(id)).for_each(|label| builder.open(&label));
            }
            WalkEvent::Token(index) => {
                let token = tree.token(index);
                builder.token_at(token.word, token.tag, token.place);
            }
            WalkEvent::Close(_) => {
                let depth = depths.pop().unwrap_or(0);
                while builder.depth() > depth {
                    builder.close();
                }
            }
        }
    }
    builder.finish()
}

/// The index of the head among the children of every phrase that is left when chains are collapsed.
fn head_indices(tree: &Tree, rules: &HeadRules, unaries: Unaries) -> Vec<usize> {
    let index = |node: NodeId| {
        let head = rules.head_child(tree, node);
        tree.children(node).position(|child| child == head).unwrap_or(0)
    };
    bottoms(tree, unaries).map(|node| index(node.id)).collect()
}

/// The children `start..end` of a phrase, as indices into [`Binarizer::children`], which grew from `seed`.
#[derive(Debug, Clone, Copy)]
struct ChildRange {
    node: NodeId,
    start: usize,
    end: usize,
    seed: usize,
}

impl ChildRange {
    fn len(self) -> usize {
        self.end - self.start
    }

    /// The child that came at some time, 0 for the seed, and the mark of where it was put.
    fn grown(self, time: usize) -> (char, usize) {
        let num_right = self.end - 1 - self.seed;
        match time {
            0 => ('|', self.seed),
            _ if time <= num_right => ('>', self.seed + time),
            _ => ('<', self.seed - (time - num_right)),
        }
    }
}

/// What is still to be written, the last first.
enum BinarizerTask {
    Child(Child),
    Intermediate(ChildRange),
    Close,
}

struct Binarizer<'a> {
    tree: &'a Tree,
    how: &'a Binarization,
    /// For head-outward branching.
    head_indices: Vec<usize>,
    /// The children of all phrases, one phrase after the other in pre-order.
    children: Vec<Child>,
    /// Where the children of each phrase begin, and the end.
    first_child: Vec<usize>,
    builder: TreeBuilder,
    work: Vec<BinarizerTask>,
    symbol: String,
    num_bytes: usize,
}

const MOST_BYTES: usize = 1 << 26;

impl<'a> Binarizer<'a> {
    fn new(tree: &'a Tree, how: &'a Binarization, head_indices: Vec<usize>) -> Self {
        let mut children = Vec::with_capacity(tree.num_nodes() + tree.num_tokens());
        let mut first_child = Vec::with_capacity(tree.num_nodes() + 1);
        for node in tree.nodes() {
            first_child.push(children.len());
            children.extend(tree.children(node.id));
        }
        first_child.push(children.len());
        Self {
            tree,
            how,
            head_indices,
            children,
            first_child,
            builder: TreeBuilder::new(),
            work: Vec::new(),
            symbol: String::new(),
            num_bytes: 0,
        }
    }

    fn run(mut self, root: NodeId) -> Result<Tree> {
        self.work.push(BinarizerTask::Child(Child::Node(root)));
        while let Some(work) = self.work.pop() {
            match work {
                BinarizerTask::Child(Child::Node(node)) => {
                    self.symbol.clear();
                    self.push_generations(node);
                    self.open(self.whole(node))?;
                }
                BinarizerTask::Child(Child::Token(index)) => {
                    let token = self.tree.token(index);
                    self.builder.token_at(token.word, token.tag, token.place);
                }
                BinarizerTask::Intermediate(part) => {
                    self.symbol.clear();
                    push_intermediate(&mut self.symbol);
                    self.push_generations(part.node);
                    self.push_memory(part);
                    self.open(part)?;
                }
                BinarizerTask::Close => {
                    self.builder.close();
                }
            }
        }
        self.builder.finish()
    }

    /// All children of a phrase.
    fn whole(&self, node: NodeId) -> ChildRange {
        let (start, end) = (self.first_child[node.index()], self.first_child[node.index() + 1]);
        let seed = match self.how.branching {
            Branching::Left => start,
            Branching::Right => end - 1,
            Branching::Head(_) => start + self.head_indices[node.index()],
        };
        ChildRange { node, start, end, seed }
    }

    /// Opens a phrase and leaves its two children, or its only one, to be written.
    fn open(&mut self, part: ChildRange) -> Result<()> {
        self.num_bytes += self.symbol.len();
        if self.num_bytes > MOST_BYTES {
            return Err(too_large());
        }
        self.builder.open(&self.symbol);
        self.work.push(BinarizerTask::Close);
        let child = |index: usize| BinarizerTask::Child(self.children[index]);
        match part.len() {
            0..=2 => self.work.extend((part.start..part.end).rev().map(child)),
            _ if part.start < part.seed => {
                let rest = ChildRange { start: part.start + 1, ..part };
                self.work.extend([BinarizerTask::Intermediate(rest), child(part.start)]);
            }
            _ => {
                let rest = ChildRange { end: part.end - 1, ..part };
                self.work.extend([child(rest.end), BinarizerTask::Intermediate(rest)]);
            }
        }
        Ok(())
    }

    /// Writes the name of a phrase and of as many phrases above it as `vertical` says.
    fn push_generations(&mut self, node: NodeId) {
        self.symbol.push_str(self.tree.label(node));
        let mut above = self.tree.node(node).parent;
        for _ in 1..self.how.vertical {
            let Some(id) = above else { break };
            self.symbol.push('^');
            self.symbol.push_str(self.tree.label(id));
            above = self.tree.node(id).parent;
        }
    }

    /// Writes the children that came last.
    fn push_memory(&mut self, part: ChildRange) {
        let num_remembered = self.how.horizontal.map_or(part.len(), |most| most.min(part.len()));
        for time in part.len() - num_remembered..part.len() {
            let (mark, index) = part.grown(time);
            self.symbol.push(mark);
            match self.children[index] {
                Child::Node(node) => self.symbol.push_str(self.tree.label(node)),
                Child::Token(token) => push_escaped(&mut self.symbol, self.tree.token(token).tag),
            }
        }
    }
}

fn too_large() -> Error {
    Error::new(ErrorKind::TooLarge, "the names of the binarised phrases take over 64 MiB")
        .hint("make the horizontal or the vertical memory smaller")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &str) -> Tree {
        text.parse().expect("a tree")
    }

    fn binary(text: &str, how: &Binarization) -> String {
        let tree = tree(text);
        let binary = binarize(&tree, how).expect("small");
        assert_eq!(debinarize(&binary).expect("small"), tree);
        binary.to_string()
    }

    #[test]
    fn x_bar() {
        assert_eq!(
            binary("(NP (DT a) (JJ b) (JJ c) (NN d))", &Binarization::x_bar()),
            "(NP (DT a) (@NP (JJ b) (@NP (JJ c) (NN d))))"
        );
    }

    #[test]
    fn small_phrases_stay() {
        for text in ["()", "(NN a)", "(NP (NN a))", "(NP (DT a) (NN b))", "(S (NP (NN a)) (VP (VB b)))"] {
            assert_eq!(binary(text, &Binarization::default()), text);
        }
    }

    #[test]
    fn head_takes_its_right_before_its_left() {
        let rules = "X left H".parse().expect("rules");
        let how = Binarization { branching: Branching::Head(rules), ..Binarization::default() };
        assert_eq!(
            binary("(X (A a) (B b) (H h) (C c) (D d))", &how),
            "(X (A a) (@X|H>C>D<B (B b) (@X|H>C>D (@X|H>C (H h) (C c)) (D d))))"
        );
    }

    #[test]
    fn memory_keeps_what_came_last() {
        let rules = "X left H".parse().expect("rules");
        let how = Binarization {
            branching: Branching::Head(rules),
            horizontal: Some(2),
            ..Binarization::default()
        };
        assert_eq!(
            binary("(X (A a) (B b) (H h) (C c))", &how),
            "(X (A a) (@X>C<B (B b) (@X|H>C (H h) (C c))))"
        );
    }

    #[test]
    fn generations() {
        let text = "(TOP (S (NP (NN a)) (VP (VB b)) (. .)))";
        let how = |vertical| Binarization { vertical, ..Binarization::x_bar() };
        assert_eq!(binary(text, &how(0)), binary(text, &how(1)));
        assert_eq!(binary(text, &how(2)), "(TOP (S^TOP (NP^S (NN a)) (@S^TOP (VP^S (VB b)) (. .))))");
        assert_eq!(binary(text, &how(3)), "(TOP (S^TOP (NP^S^TOP (NN a)) (@S^TOP (VP^S^TOP (VB b)) (. .))))");
    }

    #[test]
    fn chains_and_the_head_below_them() {
        let how = Binarization {
            branching: Branching::Head(HeadRules::english()),
            unaries: Unaries::CollapseBelowRoot,
            vertical: 2,
            ..Binarization::default()
        };
        assert_eq!(
            binary("(TOP (S (VP (RB a) (VB b) (S (VP (VB c))))))", &how),
            "(TOP (S+VP^TOP (RB a) (@S+VP^TOP|VB>S+VP (VB b) (S+VP^S+VP (VB c)))))"
        );
    }

    #[test]
    fn nasty_labels_are_escaped() {
        assert_eq!(
            binary(r"(A^B (@ a) (\ b) (X (<> c)))", &Binarization::default()),
            r"(A\^B (@ a) (@A\^B|X<\\ (\ b) (X (<> c))))"
        );
    }

    #[test]
    fn parser_output_gives_a_tree_whatever_its_names() {
        for (text, expected) in [
            ("(@S (NP^Q (NN a)) (@VP>X (VB b) (RB c)))", "( (NP (NN a)) (VB b) (RB c))"),
            ("(@S (NN a))", "(NN a)"),
            ("(TOP (@S+VP (@NP (A a) (B b)) (C c)))", "(TOP (A a) (B b) (C c))"),
            ("(S^^|+ (X a))", "(S (X a))"),
            ("(+ (X a))", "( ( (X a)))"),
            (r"(S\ (X a))", r"(S\ (X a))"),
        ] {
            assert_eq!(debinarize(&tree(text)).expect("small").to_string(), expected, "{text}");
        }
    }

    #[test]
    fn wide_and_deep_trees() {
        let wide = Tree::flat(std::iter::repeat_n(("a", "X"), 100_000).collect());
        let binary = binarize(&wide, &Binarization::x_bar()).expect("fits");
        assert_eq!(debinarize(&binary).expect("fits"), wide);
        let error = binarize(&wide, &Binarization::default()).expect_err("too long");
        assert_eq!(error.kind(), ErrorKind::TooLarge);
        let depth = 100_000;
        let deep = tree(&format!("{}(X a){}", "(A ".repeat(depth), ")".repeat(depth)));
        for unaries in [Unaries::Keep, Unaries::Collapse] {
            let how = Binarization { unaries, vertical: 2, ..Binarization::default() };
            let binary = binarize(&deep, &how).expect("fits");
            assert_eq!(debinarize(&binary).expect("fits"), deep);
        }
    }
}
