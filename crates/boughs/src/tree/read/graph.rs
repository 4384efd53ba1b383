//! A sentence as the graph formats give it, tokens and nodes with parents, on its way to a [`Tree`].
//!
//! The naive form: give every node the span from its first token to its last. That is the tree, if the parents
//! lead to the root without a circle, no node is without children, and no phrase has a gap; so most of
//! this file checks. A gap is an error, or is closed by `continuous.rs`.
//!
//! Everything without a parent hangs from the root, `VROOT`. The edge label of a phrase becomes its function tag,
//! as in `NP-SB`. The edge label of a token is not kept: its tag is what a tagger predicts.

use super::message::{shorten, syntax};
use crate::error::{Error, ErrorKind, Result};
use crate::span::Span;
use crate::tree::{Token, Tree, from_spans};

/// The label of the root.
pub(super) const ROOT_LABEL: &str = "VROOT";

/// How the graph formats write that there is no tag, label or edge label.
pub(super) const NO_VALUE: &str = "--";

/// The edge labels of the child that is the head.
const HEAD_EDGES: [&str; 2] = ["HD", "hd"];

/// Tokens in the order of the sentence; nodes in the order of the file.
#[derive(Default)]
pub(super) struct SentenceGraph {
    pub(super) tokens: Vec<GraphTerminal>,
    pub(super) nodes: Vec<GraphPhrase>,
}

pub(super) struct GraphTerminal {
    pub(super) word: String,
    tag: String,
    pub(super) edge: GraphEdge,
}

pub(super) struct GraphPhrase {
    label: String,
    pub(super) edge: GraphEdge,
    line: u64,
}

/// The edge from a token or node to its parent; none is the root.
#[derive(Clone, Copy, Default)]
pub(super) struct GraphEdge {
    pub(super) parent: Option<usize>,
    pub(super) is_head: bool,
}

/// A token or a node, by its index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GraphItem {
    Token(usize),
    Node(usize),
}

/// The tokens below a node.
#[derive(Clone, Copy)]
struct Yield {
    start: usize,
    end: usize,
    num_tokens: usize,
}

impl Yield {
    const EMPTY: Self = Self { start: usize::MAX, end: 0, num_tokens: 0 };

    fn add(&mut self, other: Self) {
        self.start = self.start.min(other.start);
        self.end = self.end.max(other.end);
        self.num_tokens += other.num_tokens;
    }

    fn has_gap(self) -> bool {
        self.end - self.start != self.num_tokens
    }
}

impl SentenceGraph {
    /// Adds the next token of the sentence.
    pub(super) fn token(&mut self, word: &str, tag: &str) -> GraphItem {
        let tag = value(tag).to_owned();
        self.tokens.push(GraphTerminal { word: word.to_owned(), tag, edge: GraphEdge::default() });
        GraphItem::Token(self.tokens.len() - 1)
    }

    /// Adds a node, which is defined on a line of the file.
    pub(super) fn node(&mut self, label: &str, line: u64) -> GraphItem {
        self.nodes.push(GraphPhrase { label: value(label).to_owned(), edge: GraphEdge::default(), line });
        GraphItem::Node(self.nodes.len() - 1)
    }

    /// Puts an item below a node, or below the root.
    pub(super) fn attach(&mut self, item: GraphItem, parent: Option<usize>, edge_label: &str) {
        let edge = GraphEdge { parent, is_head: HEAD_EDGES.contains(&edge_label) };
        match item {
            GraphItem::Token(index) => self.tokens[index].edge = edge,
            GraphItem::Node(index) => {
                let node = &mut self.nodes[index];
                node.edge = edge;
                if !value(edge_label).is_empty() {
                    node.label.push('-');
                    node.label.push_str(edge_label);
                }
            }
        }
    }

    /// The tree. Of a phrase with a gap, either the gap is closed or it is an error that names `sentence`.
    pub(super) fn tree(&mut self, sentence: &str, attach_discontinuous: bool) -> Result<Tree> {
        self.check_size()?;
        self.check_children()?;
        let bottom_up = self.bottom_up()?;
        let yields = self.yields(&bottom_up);
        let spans = match yields.iter().position(|tokens| tokens.has_gap()) {
            None => yields.iter().map(|tokens| span(tokens.start, tokens.end)).collect(),
            Some(_) if attach_discontinuous => self.continuous_spans(&bottom_up),
            Some(node) => return Err(self.discontinuous(node, yields[node], &bottom_up, sentence)),
        };
        self.build(&spans, &bottom_up)
    }

    fn build(&self, spans: &[Span], bottom_up: &[usize]) -> Result<Tree> {
        if self.tokens.is_empty() {
            return Ok(Tree::empty());
        }
        let tokens = self.tokens.iter();
        let tokens = tokens.map(|token| Token { word: &token.word, tag: &token.tag, place: None });
        let root = (span(0, self.tokens.len()), ROOT_LABEL);
        let top_down = bottom_up.iter().rev();
        let phrases = top_down.map(|&node| (spans[node], self.nodes[node].label.as_str()));
        from_spans(tokens, std::iter::once(root).chain(phrases))
    }

    fn check_size(&self) -> Result<()> {
        match u32::try_from(self.tokens.len()) {
            Ok(_) => Ok(()),
            Err(_) => Err(Error::new(ErrorKind::TooLarge, "a sentence of over four billion tokens")),
        }
    }

    fn check_children(&self) -> Result<()> {
        let mut has_children = vec![false; self.nodes.len()];
        let edges = self.tokens.iter().map(|token| token.edge).chain(self.nodes.iter().map(|node| node.edge));
        for parent in edges.filter_map(|edge| edge.parent) {
            has_children[parent] = true;
        }
        match has_children.iter().position(|has| !has) {
            None => Ok(()),
            Some(node) => Err(syntax(format!("nothing below the node {}", self.name(node)))
                .hint("every node needs a token or another node below it")
                .at_line(self.nodes[node].line)),
        }
    }

    /// The nodes, children before their parents.
    fn bottom_up(&self) -> Result<Vec<usize>> {
        let mut num_open = vec![0usize; self.nodes.len()];
        for parent in self.nodes.iter().filter_map(|node| node.edge.parent) {
            num_open[parent] += 1;
        }
        let mut order: Vec<usize> = (0..self.nodes.len()).filter(|&node| num_open[node] == 0).collect();
        let mut next = 0;
        while let Some(&node) = order.get(next) {
            next += 1;
            if let Some(parent) = self.nodes[node].edge.parent {
                num_open[parent] -= 1;
                if num_open[parent] == 0 {
                    order.push(parent);
                }
            }
        }
        // A node has one parent, so whatever waits for a child forever is itself on a circle.
        match num_open.iter().position(|&num_open| num_open > 0) {
            None => Ok(order),
            Some(node) => Err(syntax(format!("the node {} is its own ancestor", self.name(node)))
                .hint("its parents must lead to the root")
                .at_line(self.nodes[node].line)),
        }
    }

    fn yields(&self, bottom_up: &[usize]) -> Vec<Yield> {
        let mut yields = vec![Yield::EMPTY; self.nodes.len()];
        for (index, token) in self.tokens.iter().enumerate() {
            if let Some(parent) = token.edge.parent {
                yields[parent].add(Yield { start: index, end: index + 1, num_tokens: 1 });
            }
        }
        for &node in bottom_up {
            if let Some(parent) = self.nodes[node].edge.parent {
                let below = yields[node];
                yields[parent].add(below);
            }
        }
        yields
    }

    fn discontinuous(&self, node: usize, tokens: Yield, bottom_up: &[usize], sentence: &str) -> Error {
        let mut is_below = vec![false; self.nodes.len()];
        for &other in bottom_up.iter().rev() {
            let parent = self.nodes[other].edge.parent;
            is_below[other] = other == node || parent.is_some_and(|parent| is_below[parent]);
        }
        let inside = |index: usize| self.tokens[index].edge.parent.is_some_and(|parent| is_below[parent]);
        let gap = (tokens.start..tokens.end).find(|&index| !inside(index)).unwrap_or(tokens.start);
        let place = if sentence.is_empty() { String::new() } else { format!(" in sentence {sentence}") };
        let message = format!(
            "{} is discontinuous{place}: token {}, `{}`, lies within it and belongs elsewhere",
            self.name(node),
            gap + 1,
            shorten(&self.tokens[gap].word),
        );
        Error::new(ErrorKind::Discontinuous, message)
            .hint("option attach-discontinuous closes the gaps by moving the parts up")
            .at_line(self.nodes[node].line)
    }

    fn name(&self, node: usize) -> String {
        format!("`{}`", shorten(&self.nodes[node].label))
    }
}

/// A span within the sentence, whose length [`SentenceGraph::check_size`] has checked.
pub(super) fn span(start: usize, end: usize) -> Span {
    Span::new(start as u32, end as u32)
}

/// The value of a field: nothing for [`NO_VALUE`].
fn value(field: &str) -> &str {
    if field == NO_VALUE { "" } else { field }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A graph of two tokens and nodes with the given parents.
    fn graph(tokens: [Option<usize>; 2], nodes: &[Option<usize>]) -> SentenceGraph {
        let mut graph = SentenceGraph::default();
        for (index, &parent) in nodes.iter().enumerate() {
            let node = graph.node(&format!("N{index}"), 10 + index as u64);
            graph.attach(node, parent, "--");
        }
        for parent in tokens {
            let token = graph.token("w", "--");
            graph.attach(token, parent, "HD");
        }
        graph
    }

    fn error(mut graph: SentenceGraph) -> String {
        graph.tree("1", true).expect_err("not a tree").to_string()
    }

    #[test]
    fn nodes_in_any_order() {
        let mut graph = graph([Some(0), Some(2)], &[Some(1), Some(2), None]);
        let tree = graph.tree("1", false).expect("a tree");
        assert_eq!(tree.to_string(), "(VROOT (N2 (N1 (N0 (_ w))) (_ w)))");
    }

    #[test]
    fn circles_are_found() {
        let around = graph([Some(0), None], &[Some(1), Some(2), Some(1)]);
        assert_eq!(
            error(around),
            "line 11: the node `N1` is its own ancestor (its parents must lead to the root)"
        );
        let itself = graph([Some(0), None], &[Some(0)]);
        assert!(error(itself).contains("`N0` is its own ancestor"));
    }

    #[test]
    fn nodes_need_children() {
        let found = error(graph([None, None], &[None]));
        assert!(found.starts_with("line 10: nothing below the node `N0`"), "{found}");
    }

    #[test]
    fn no_tokens_no_tree() {
        assert_eq!(SentenceGraph::default().tree("1", false).expect("empty"), Tree::empty());
    }
}
