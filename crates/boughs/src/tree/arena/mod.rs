//! [`Tree`]: labelled spans in pre-order over a list of tokens.
//!
//! The version a student would write is a recursive `Node { label, children: Vec<Node> }`. It costs an allocation a
//! node, overflows the stack on a tree a million levels deep, and hides the one thing that parsers and evaluators ask
//! for: which tokens a constituent covers. Here a tree is its [`Tokens`] and a flat array of phrases in reading
//! order, each with its span. Preterminals are not nodes: a token carries its tag. The tokens of a span that no child
//! covers are the phrase's own children, so child lists need not be stored.
//!
//! Invariants, which every public operation keeps:
//! - nodes are in pre-order, and nested: no two spans cross;
//! - no node is empty; a tree without tokens has no nodes;
//! - there is one root, node 0, over all tokens; only a tree of at most one token may have no node.

mod builder;
mod tokens;
mod walk;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

pub use builder::{TreeBuilder, from_spans};
pub use tokens::{Token, Tokens};
pub use walk::{Children, Events, WalkEvent};

use super::TRACE_TAG;
use crate::span::{Span, TextSpan};

/// The index of a phrase in pre-order: a parent's id is smaller than its children's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

impl NodeId {
    /// The id as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The id of the node at an index in pre-order; no tree checks it before it is used.
    pub fn new(index: u32) -> Self {
        Self(index)
    }
}

/// A constituent tree over a tokenised sentence. See the [module documentation](super).
#[derive(Clone, Default)]
pub struct Tree {
    tokens: Tokens,
    /// The text of the labels.
    text: String,
    nodes: Vec<NodeData>,
}

#[derive(Debug, Clone, Copy)]
struct NodeData {
    label: Slice,
    span: Span,
    /// [`NO_PARENT`] for the root.
    parent: u32,
    /// One past the last node below this one.
    next: u32,
}

const NO_PARENT: u32 = u32::MAX;
const _: () = assert!(size_of::<NodeData>() == 24);

/// A piece of a text.
#[derive(Debug, Clone, Copy)]
struct Slice {
    start: u32,
    len: u32,
}

impl Slice {
    fn of(self, text: &str) -> &str {
        &text[self.start as usize..(self.start + self.len) as usize]
    }
}

/// A phrase as a [`Tree`] shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node<'a> {
    /// Its place in pre-order.
    pub id: NodeId,
    /// The label with any function tags and indices; empty for the root bracket of `( (S …))`.
    pub label: &'a str,
    /// The tokens it covers.
    pub span: Span,
    /// Its parent; none for the root.
    pub parent: Option<NodeId>,
}

/// A child of a phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Child {
    /// A phrase.
    Node(NodeId),
    /// A token, by its index in the sentence.
    Token(usize),
}

impl Tree {
    /// The tree of a sentence without tokens.
    pub fn empty() -> Self {
        Self::default()
    }

    /// Whether the sentence has no tokens.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// The number of tokens, traces included.
    pub fn num_tokens(&self) -> usize {
        self.tokens.len()
    }

    /// The number of phrases, the root included and preterminals not.
    pub fn num_nodes(&self) -> usize {
        self.nodes.len()
    }

    /// The token at an index.
    ///
    /// # Panics
    /// If there is no such token.
    pub fn token(&self, index: usize) -> Token<'_> {
        self.tokens.get(index)
    }

    /// The sentence below the tree.
    pub fn sentence(&self) -> &Tokens {
        &self.tokens
    }

    /// The sentence below the tree, alone.
    pub fn into_sentence(self) -> Tokens {
        self.tokens
    }

    /// The sentence below the tree without its traces: what was said or written.
    ///
    /// ```
    /// let tree: boughs::tree::Tree = "(S (NP (-NONE- *)) (VP (VB Go)))".parse()?;
    /// assert_eq!(tree.surface(), [("Go", "VB")].into_iter().collect());
    /// # Ok::<(), boughs::Error>(())
    /// ```
    pub fn surface(&self) -> Tokens {
        self.tokens().filter(|token| token.tag != TRACE_TAG).collect()
    }

    /// A tree without phrases: an empty root over a sentence of more than one token.
    pub fn flat(tokens: Tokens) -> Self {
        let mut tree = Self { tokens, ..Self::default() };
        tree.ensure_root();
        tree
    }

    /// The tokens in order.
    pub fn tokens(&self) -> impl ExactSizeIterator<Item = Token<'_>> + DoubleEndedIterator {
        self.tokens.iter()
    }

    /// The words in order.
    pub fn words(&self) -> impl ExactSizeIterator<Item = &str> + DoubleEndedIterator {
        self.tokens.words()
    }

    /// The word of the token at an index.
    ///
    /// # Panics
    /// If there is no such token.
    pub fn word(&self, index: usize) -> &str {
        self.tokens.word(index)
    }

    /// The phrase with an id.
    ///
    /// # Panics
    /// If there is no such phrase.
    pub fn node(&self, id: NodeId) -> Node<'_> {
        let node = &self.nodes[id.index()];
        Node {
            id,
            label: node.label.of(&self.text),
            span: node.span,
            parent: (node.parent != NO_PARENT).then_some(NodeId(node.parent)),
        }
    }

    /// The ids of the phrases in pre-order.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = NodeId> + DoubleEndedIterator + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// The phrases in pre-order.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = Node<'_>> + DoubleEndedIterator {
        self.ids().map(|id| self.node(id))
    }

    /// The phrase over the whole sentence; none for an empty tree and for a bare token.
    pub fn root(&self) -> Option<Node<'_>> {
        (!self.nodes.is_empty()).then(|| self.node(NodeId(0)))
    }

    /// The label of a phrase.
    pub fn label(&self, id: NodeId) -> &str {
        self.nodes[id.index()].label.of(&self.text)
    }

    /// The span of a phrase.
    pub fn span(&self, id: NodeId) -> Span {
        self.nodes[id.index()].span
    }

    /// The ids of the phrases below a phrase, in pre-order, itself excluded.
    pub fn descendants(&self, id: NodeId) -> impl ExactSizeIterator<Item = NodeId> + use<> {
        (id.0 + 1..self.nodes[id.index()].next).map(NodeId)
    }

    /// The only child of a phrase, if it is a phrase over the same span.
    pub fn unary_child(&self, id: NodeId) -> Option<NodeId> {
        let node = &self.nodes[id.index()];
        let child = NodeId(id.0 + 1);
        (child.0 < node.next && self.span(child) == node.span).then_some(child)
    }

    /// The depth of every phrase, 0 for the root, in pre-order.
    pub fn depths(&self) -> Vec<u32> {
        let mut depths: Vec<u32> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            depths.push(match node.parent {
                NO_PARENT => 0,
                parent => depths[parent as usize] + 1,
            });
        }
        depths
    }

    /// The bytes of the original text that a span of tokens covers, if they are known.
    pub fn bytes(&self, span: Span) -> Option<Range<u64>> {
        self.tokens.bytes(span)
    }

    /// The characters of the original text that a span of tokens covers, if they are known.
    pub fn chars(&self, span: Span) -> Option<Range<u64>> {
        self.tokens.chars(span)
    }

    /// The text of a span of tokens: see [`Tokens::text`].
    pub fn text(&self, span: Span) -> Cow<'_, str> {
        self.tokens.text(span)
    }

    /// The tokens of the whole sentence.
    pub fn whole(&self) -> Span {
        Span::new(0, self.tokens.len() as u32)
    }

    /// Changes the label of a phrase.
    pub fn set_label(&mut self, id: NodeId, label: &str) {
        replace_text(&mut self.text, &mut self.nodes[id.index()].label, label);
    }

    /// Changes the word of a token.
    pub fn set_word(&mut self, index: usize, word: &str) {
        self.tokens.set_word(index, word);
    }

    /// Changes the tag of a token.
    pub fn set_tag(&mut self, index: usize, tag: &str) {
        self.tokens.set_tag(index, tag);
    }

    /// Changes where a token stands in its original text.
    pub fn set_place(&mut self, index: usize, place: Option<TextSpan>) {
        self.tokens.set_place(index, place);
    }

    /// Tells what the tokens' places refer to: see [`Tokens::set_source`].
    pub fn set_source(&mut self, text: &str, start: u64) {
        self.tokens.set_source(text, start);
    }

    /// Takes over what the places of tokens refer to.
    pub(crate) fn copy_source(&mut self, tokens: &Tokens) {
        self.tokens.copy_source(tokens);
    }

    /// Removes the tokens for which `keep` is false, and the phrases that have no token left.
    pub fn retain_tokens(&mut self, mut keep: impl FnMut(Token<'_>) -> bool) {
        let kept: Vec<bool> = self.tokens().map(&mut keep).collect();
        if kept.iter().all(|&kept| kept) {
            return;
        }
        let mut new_position = Vec::with_capacity(kept.len() + 1);
        let mut position = 0;
        for &kept in &kept {
            new_position.push(position);
            position += u32::from(kept);
        }
        new_position.push(position);
        let mut kept = kept.into_iter();
        self.tokens.list.retain(|_| kept.next().unwrap_or(true));
        for node in &mut self.nodes {
            node.span.start = new_position[node.span.start as usize];
            node.span.end = new_position[node.span.end as usize];
        }
        self.drop_empty_nodes();
    }

    /// Removes the phrases for which `keep` is false; their children move up to the parent. A root that
    /// holds several children together is replaced by a root with an empty label.
    pub fn retain_nodes(&mut self, mut keep: impl FnMut(Node<'_>) -> bool) {
        let kept: Vec<bool> = self.nodes().map(&mut keep).collect();
        if kept.iter().all(|&kept| kept) {
            return;
        }
        let mut kept = kept.into_iter();
        self.nodes.retain(|_| kept.next().unwrap_or(true));
        self.relink();
        self.ensure_root();
    }

    /// Gives every phrase but the root a new span; phrases whose new span is empty are removed.
    ///
    /// `new_span` must keep the order and the nesting of the phrases: narrowing each span by the
    /// tokens of a kind at its edges does.
    ///
    /// # Panics
    /// If the new spans are not nested in pre-order.
    pub fn narrow_spans(&mut self, mut new_span: impl FnMut(&Self, Node<'_>) -> Span) {
        for index in 1..self.nodes.len() {
            let span = new_span(self, self.node(NodeId(index as u32)));
            self.nodes[index].span = span;
        }
        self.drop_empty_nodes();
    }

    /// Adds a root above everything.
    pub fn add_root(&mut self, label: &str) {
        if self.tokens.is_empty() {
            return;
        }
        let label = push_text(&mut self.text, label);
        let span = Span::new(0, self.tokens.len() as u32);
        self.nodes.insert(0, NodeData::unlinked(label, span));
        self.relink();
    }

    fn drop_empty_nodes(&mut self) {
        self.nodes.retain(|node| !node.span.is_empty());
        self.relink();
    }

    fn ensure_root(&mut self) {
        let all = Span::new(0, self.tokens.len() as u32);
        let rooted = self.nodes.first().is_some_and(|root| root.span == all);
        if !rooted && self.tokens.len() > 1 {
            self.add_root("");
        }
    }

    /// Computes parents and subtree ends from spans in pre-order.
    fn relink(&mut self) {
        let mut open: Vec<usize> = Vec::new();
        for index in 0..self.nodes.len() {
            let span = self.nodes[index].span;
            while let Some(&top) = open.last() {
                if self.nodes[top].span.contains(span) {
                    break;
                }
                assert!(self.nodes[top].span.end <= span.start, "spans must be nested in pre-order");
                self.nodes[top].next = index as u32;
                open.pop();
            }
            self.nodes[index].parent = open.last().map_or(NO_PARENT, |&top| top as u32);
            open.push(index);
        }
        let end = self.nodes.len() as u32;
        for top in open {
            self.nodes[top].next = end;
        }
    }
}

impl NodeData {
    fn unlinked(label: Slice, span: Span) -> Self {
        Self { label, span, parent: NO_PARENT, next: 0 }
    }
}

/// Appends to the text. Whoever builds a tree checks at the end that it did not pass 4 GiB.
fn push_text(text: &mut String, piece: &str) -> Slice {
    let start = text.len() as u32;
    text.push_str(piece);
    Slice { start, len: piece.len() as u32 }
}

/// Puts another text in a place: where the old one stood if it fits, so that changing labels to and fro takes no
/// memory.
fn replace_text(text: &mut String, slice: &mut Slice, new: &str) {
    let old = slice.of(text);
    if old == new {
        return;
    }
    if new.len() <= old.len() && old.is_char_boundary(new.len()) {
        let start = slice.start as usize;
        text.replace_range(start..start + new.len(), new);
        slice.len = new.len() as u32;
        return;
    }
    assert!(
        text.len() + new.len() < u32::MAX as usize,
        "the labels and words of a tree take less than 4 GiB"
    );
    *slice = push_text(text, new);
}

/// Trees are equal if labels, spans and tokens are.
impl PartialEq for Tree {
    fn eq(&self, other: &Self) -> bool {
        let shape = |tree: &Self| (tree.nodes.len(), tree.tokens.len());
        shape(self) == shape(other) && self.tokens == other.tokens && self.nodes().eq(other.nodes())
    }
}

impl Eq for Tree {}

impl fmt::Debug for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tree({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &str) -> Tree {
        text.parse().expect("a tree")
    }

    #[test]
    fn unary_chain_keeps_its_order() {
        let tree = tree("(TOP (S (VP (VB go))))");
        assert_eq!(tree.unary_child(NodeId(0)), Some(NodeId(1)));
        assert_eq!(tree.unary_child(NodeId(2)), None);
        assert_eq!(tree.depths(), [0, 1, 2]);
    }

    #[test]
    fn retaining_tokens_drops_emptied_phrases() {
        let mut tree = tree("(S (NP (-NONE- *)) (VP (VB go) (NP (-NONE- *))))");
        tree.retain_tokens(|token| token.tag != "-NONE-");
        assert_eq!(tree.to_string(), "(S (VP (VB go)))");
        tree.retain_tokens(|_| false);
        assert_eq!(tree, Tree::empty());
    }

    #[test]
    fn retaining_nodes_keeps_one_root() {
        let mut tree = tree("(TOP (S (NP (PRP I)) (VP (VBP go))))");
        tree.retain_nodes(|node| node.label != "S");
        assert_eq!(tree.to_string(), "(TOP (NP (PRP I)) (VP (VBP go)))");
        tree.retain_nodes(|node| node.label != "TOP");
        assert_eq!(tree.to_string(), "( (NP (PRP I)) (VP (VBP go)))");
        tree.retain_nodes(|_| false);
        assert_eq!(tree.to_string(), "( (PRP I) (VBP go))");
    }

    #[test]
    fn changing_labels_to_and_fro_takes_no_memory() {
        let mut tree = tree("(NP-SBJ (A ü))");
        tree.set_label(NodeId(0), "NP");
        tree.set_word(0, "u");
        let size = tree.text.len();
        for label in ["S", "NP", "VP", "X"] {
            tree.set_label(NodeId(0), label);
        }
        tree.set_label(NodeId(0), "NP");
        assert!(tree.text.len() <= size + 4, "{:?}", tree.text);
        assert_eq!(tree.to_string(), "(NP (A u))");
    }

    #[test]
    fn places_and_text_of_a_span() {
        let mut tree = tree("(X (A äb) (A c) (. .))");
        let all = tree.whole();
        assert_eq!((tree.bytes(all), tree.chars(all), &*tree.text(all)), (None, None, "äb c ."));
        for (index, (start, char_start, len, char_len)) in
            [(5, 3, 3, 2), (9, 6, 1, 1), (10, 7, 1, 1)].into_iter().enumerate()
        {
            tree.set_place(index, Some(TextSpan { start, char_start, len, char_len }));
        }
        assert_eq!((tree.bytes(all), tree.chars(all), &*tree.text(all)), (Some(5..11), Some(3..8), "äb c."));
        tree.set_source("äb\nc.", 5);
        assert_eq!((&*tree.text(all), &*tree.text(Span::new(1, 2))), ("äb\nc.", "c"));
        assert_eq!(tree.bytes(Span::new(1, 1)), None);
        // A source that does not hold the tokens is not believed.
        tree.set_source("äb", 5);
        assert_eq!(tree.text(all), "äb c.");
    }
}
