//! Searching trees by pattern, in the syntax that TGrep2 and Tregex share.
//!
//! ```
//! use boughs::tree::Tree;
//! use boughs::tree::search::TreePattern;
//!
//! let tree: Tree = "(S (NP (DT The) (NN bough)) (VP (VBZ bends) (PP (IN in) (NP (NN wind)))))".parse()?;
//! let pattern: TreePattern = "NP !<< /^DT/ > PP".parse()?;
//! let found: Vec<String> = pattern.matches(&tree).map(|hit| hit.subtree(&tree).to_string()).collect();
//! assert_eq!(found, ["(NP (NN wind))"]);
//! # Ok::<(), boughs::Error>(())
//! ```
//!
//! Nodes are phrases, tags and words. A node is described by its label (`NP`), several (`NP|VP`), a label without its
//! function tags (`@NP`), a regular expression (`/^NP/`, with `i` behind it for either case), a text in quotation
//! marks, or anything (`*`, `__`). Relations follow, and all must hold of the node:
//!
//! | relation | the first node | relation | the first node |
//! |---|---|---|---|
//! | `A < B` | is the parent of B | `A > B` | is a child of B |
//! | `A <N B`, `A <-N B` | has B as its Nth child, from the left or right | `A >N B`, `A >-N B` | is the Nth child of B |
//! | `A <, B`, `` A <` B `` | has B as its first, last child | `A >, B`, `` A >` B `` | is the first, last child of B |
//! | `A <: B` | has B as its only child | `A >: B` | is the only child of B |
//! | `A << B` | dominates B | `A >> B` | is dominated by B |
//! | `A <<, B`, ``A <<` B`` | begins, ends with its descendant B | `A >>, B`, ``A >>` B`` | is a descendant that B begins, ends with |
//! | `A <<: B` | dominates B by a chain of only children | `A >>: B` | is dominated so |
//! | `A . B` | stands right before B | `A , B` | stands right behind B |
//! | `A .. B` | stands before B | `A ,, B` | stands behind B |
//! | `A $ B` | is a sister of B | `A $. B`, `A $, B` | is the sister right before, right behind B |
//! | `A $.. B` | is a sister before B | `A $,, B` | is a sister behind B |
//!
//! `$+`, `$-`, `$++` and `$--` are other names of the last four; `%` may stand for `$`, and `'` for `` ` ``. A `!`
//! before a relation says that it holds of no such
//! node, a `?` that it may hold or not. Relations are joined by `&` or nothing, or by `|`, and grouped by `[` and `]`;
//! brackets make a node of a pattern: `NP < (NN $ DT)`. `NP=n` names a node, and `=n` elsewhere is the same node.

mod matcher;
mod parse;
mod places;
#[cfg(test)]
mod reference;

use regex::Regex;

use matcher::Matcher;
use places::Places;

use super::{Child, NodeId, Tree, TreeBuilder, WalkEvent};

/// A pattern of nodes: see the [module documentation](self).
#[derive(Debug, Clone)]
pub struct TreePattern {
    root: NodePattern,
    names: Vec<String>,
}

/// A node and what must hold of it.
#[derive(Debug, Clone)]
struct NodePattern {
    test: NodeTest,
    /// The number of its name.
    name: Option<usize>,
    condition: Condition,
}

#[derive(Debug, Clone)]
enum NodeTest {
    Any,
    /// One of these labels; a label without function tags is told by the flag.
    Labels(Vec<(String, bool)>),
    Regex(Regex),
}

#[derive(Debug, Clone)]
enum Condition {
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Relation { relation: Relation, mode: Mode, target: Box<NodePattern> },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Holds,
    HoldsNot,
    Optional,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    ParentOf,
    ChildOf,
    /// From 1, or from the right if below 0.
    HasNthChild(i32),
    IsNthChild(i32),
    HasOnlyChild,
    IsOnlyChild,
    Dominates,
    DominatedBy,
    BeginsWith,
    EndsWith,
    Begins,
    Ends,
    ChainTo,
    ChainFrom,
    RightBefore,
    RightBehind,
    Before,
    Behind,
    Sister,
    SisterRightBefore,
    SisterRightBehind,
    SisterBefore,
    SisterBehind,
}

/// A node that a pattern was found at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hit {
    /// A phrase.
    Phrase(NodeId),
    /// The tag of a token.
    Tag(usize),
    /// The word of a token.
    Word(usize),
}

impl TreePattern {
    /// The nodes of a tree that the pattern fits, each once: phrases in pre-order, then tags, then words.
    pub fn matches<'a>(&'a self, tree: &'a Tree) -> impl Iterator<Item = Hit> + 'a {
        let may_fit =
            (0..Places::count(tree)).any(|place| self.root.test.fits(Places::label_of(tree, place)));
        let matcher = may_fit.then(|| Matcher::new(tree, self.names.len()));
        matcher.into_iter().flat_map(move |mut matcher| {
            let found: Vec<Hit> = (0..Places::count(tree))
                .filter(|&place| matcher.fits(&self.root, place))
                .map(|place| Places::hit(tree, place))
                .collect();
            found
        })
    }

    /// The nodes that names stand for where the pattern fits a node; names of optional nodes may stand for none.
    pub fn names<'a>(&'a self, tree: &Tree, hit: Hit) -> Vec<(&'a str, Hit)> {
        let mut matcher = Matcher::new(tree, self.names.len());
        let found = matcher.named(&self.root, Places::of_hit(tree, hit));
        let named = self.names.iter().zip(found);
        named.filter_map(|(name, place)| Some((name.as_str(), Places::hit(tree, place?)))).collect()
    }
}

impl NodeTest {
    fn fits(&self, label: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Labels(labels) => labels
                .iter()
                .any(|(wanted, is_base)| wanted == if *is_base { super::base_label(label) } else { label }),
            Self::Regex(regex) => regex.is_match(label),
        }
    }
}

impl Hit {
    /// The tree below the node: a word or a tag is that of its token.
    pub fn subtree(self, tree: &Tree) -> Tree {
        let mut builder = TreeBuilder::new();
        match self {
            Self::Tag(index) | Self::Word(index) => push_token(tree, index, &mut builder),
            Self::Phrase(id) => copy(tree, id, &mut builder),
        }
        let mut found = builder.finish().expect("it is no larger than the tree");
        found.copy_source(tree.sentence());
        found
    }
}

fn push_token(tree: &Tree, index: usize, builder: &mut TreeBuilder) {
    let token = tree.token(index);
    builder.token_at(token.word, token.tag, token.place);
}

fn copy(tree: &Tree, top: NodeId, builder: &mut TreeBuilder) {
    let last = tree.descendants(top).last().unwrap_or(top);
    let is_within = |id: NodeId| top <= id && id <= last;
    for event in tree.events() {
        match event {
            WalkEvent::Open(id) if is_within(id) => builder.open(tree.label(id)),
            WalkEvent::Close(id) if is_within(id) => drop(builder.close()),
            WalkEvent::Token(index) if tree.span(top).range().contains(&index) => {
                push_token(tree, index, builder);
            }
            _ => {}
        }
    }
}

impl From<Hit> for Child {
    fn from(hit: Hit) -> Self {
        match hit {
            Hit::Phrase(id) => Self::Node(id),
            Hit::Tag(index) | Hit::Word(index) => Self::Token(index),
        }
    }
}
