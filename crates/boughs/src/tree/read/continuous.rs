//! Closing the gaps of discontinuous phrases, in two steps.
//!
//! 1. *Punctuation at the root* that interrupts a phrase is lowered. NEGRA and TIGER attach all punctuation to
//!    the root, so a comma is enough to make a clause discontinuous. A token without letters and digits
//!    below the root goes to the lowest node that holds both its neighbours (punctuation at the root not counted).
//!    Between phrases and at the edges of the sentence that node is the root: there it stays.
//! 2. *Raising* closes the other gaps (Boyd 2007, "Discontinuity revisited"). From the bottom up, the children of
//!    every node form blocks without gaps. One block stays: that of the head (edge label `HD`), without
//!    a head that with the most tokens, the leftmost of several; what was raised to the node itself does not count.
//!    The children in the other blocks move up to the parent, where the same happens, until they reach a
//!    node in which they leave no gap.
//!
//! A phrase keeps at least one token; a tree without gaps is not changed.
//!
//! The naive form of the first step walks up from both neighbours, that of the second hands every raised child
//! from node to node; on n tokens under n nodes both take n² steps. Here ancestors are found by jumps (Myers 1983,
//! "An applicative random-access stack"), and what is raised is kept as a set of intervals: neighbours become
//! one, for they never part again, and the smaller set is poured into the larger. Both take n steps but for
//! logarithmic factors.

use std::collections::BTreeMap;

use super::graph::{GraphEdge, SentenceGraph, span};
use crate::span::Span;

/// A child while its parent is being made continuous.
#[derive(Clone, Copy)]
struct ChildPiece {
    span: Span,
    is_head: bool,
}

impl SentenceGraph {
    /// The spans of the nodes once all gaps are closed.
    pub(super) fn continuous_spans(&mut self, bottom_up: &[usize]) -> Vec<Span> {
        self.lower_punctuation(bottom_up);
        self.raise(bottom_up)
    }

    fn lower_punctuation(&mut self, bottom_up: &[usize]) {
        let ancestors = Ancestors::new(self, bottom_up);
        let is_loose: Vec<bool> = self
            .tokens
            .iter()
            .map(|token| token.edge.parent.is_none() && is_punctuation(&token.word))
            .collect();
        let mut left = None;
        let mut start = 0;
        for run in is_loose.chunk_by(|one, next| one == next) {
            let end = start + run.len();
            if run[0] {
                let right = self.tokens.get(end).and_then(|token| token.edge.parent);
                let parent = ancestors.lowest_common(left, right);
                for token in &mut self.tokens[start..end] {
                    token.edge = GraphEdge { parent, is_head: false };
                }
            } else {
                left = self.tokens[end - 1].edge.parent;
            }
            start = end;
        }
    }

    fn raise(&self, bottom_up: &[usize]) -> Vec<Span> {
        let mut spans = vec![span(0, 0); self.nodes.len()];
        let mut children: Vec<Vec<ChildPiece>> = vec![Vec::new(); self.nodes.len()];
        let mut raised: Vec<Intervals> = vec![Intervals::default(); self.nodes.len()];
        for (index, token) in self.tokens.iter().enumerate() {
            if let Some(parent) = token.edge.parent {
                children[parent]
                    .push(ChildPiece { span: span(index, index + 1), is_head: token.edge.is_head });
            }
        }
        for &node in bottom_up {
            let mut own = std::mem::take(&mut children[node]);
            let mut others = std::mem::take(&mut raised[node]);
            own.sort_unstable_by_key(|child| child.span);
            let kept = kept_block(&own, &others);
            spans[node] = kept;
            let edge = self.nodes[node].edge;
            if let Some(parent) = edge.parent {
                others.remove_within(kept);
                for child in own.iter().filter(|child| !kept.contains(child.span)) {
                    others.insert(child.span);
                }
                raised[parent].merge(others);
                children[parent].push(ChildPiece { span: kept, is_head: edge.is_head });
            }
        }
        spans
    }
}

/// The block that stays of a node's own children, in order, and those that were raised to it.
fn kept_block(own: &[ChildPiece], raised: &Intervals) -> Span {
    let mut most = (false, 0);
    let mut kept = span(0, 0);
    for block in own.chunk_by(|one, next| raised.end_after(one.span.end) == next.span.start) {
        let has_head = block.iter().any(|child| child.is_head);
        let weight = (has_head, block.iter().map(|child| child.span.len()).sum());
        // Not `>=`: of equal blocks the leftmost stays.
        if weight > most {
            most = weight;
            let start = raised.start_before(block[0].span.start);
            kept = Span::new(start, raised.end_after(block[block.len() - 1].span.end));
        }
    }
    kept
}

/// A set of tokens as the longest spans without gaps, from start to end.
#[derive(Clone, Default)]
struct Intervals(BTreeMap<u32, u32>);

impl Intervals {
    /// The end of the interval that starts at a token, or that token.
    fn end_after(&self, token: u32) -> u32 {
        self.0.get(&token).copied().unwrap_or(token)
    }

    /// The start of the interval that ends before a token, or that token.
    fn start_before(&self, token: u32) -> u32 {
        match self.0.range(..token).next_back() {
            Some((&start, &end)) if end == token => start,
            _ => token,
        }
    }

    /// Adds tokens that are not there.
    fn insert(&mut self, span: Span) {
        let start = self.start_before(span.start);
        let end = self.0.remove(&span.end).unwrap_or(span.end);
        self.0.insert(start, end);
    }

    /// Removes the intervals within a span; none may cross it.
    fn remove_within(&mut self, span: Span) {
        while let Some((&start, _)) = self.0.range(span.start..span.end).next() {
            self.0.remove(&start);
        }
    }

    fn merge(&mut self, mut other: Self) {
        if self.0.len() < other.0.len() {
            std::mem::swap(self, &mut other);
        }
        for (start, end) in other.0 {
            self.insert(Span::new(start, end));
        }
    }
}

/// The ancestors of every node: its parent, and one far up, so that any is reached in a logarithmic number of steps.
struct Ancestors {
    /// The number of steps to the root, which is the last.
    depths: Vec<usize>,
    parents: Vec<usize>,
    jumps: Vec<usize>,
}

impl Ancestors {
    fn new(graph: &SentenceGraph, bottom_up: &[usize]) -> Self {
        let root = graph.nodes.len();
        let mut all =
            Self { depths: vec![0; root + 1], parents: vec![root; root + 1], jumps: vec![root; root + 1] };
        for &node in bottom_up.iter().rev() {
            let parent = graph.nodes[node].edge.parent.unwrap_or(root);
            all.depths[node] = all.depths[parent] + 1;
            all.parents[node] = parent;
            all.jumps[node] = all.jump_below(parent);
        }
        all
    }

    /// Where a child of `parent` jumps to: over two jumps of the parent if they are equally long, else to it.
    fn jump_below(&self, parent: usize) -> usize {
        let one = self.jumps[parent];
        let two = self.jumps[one];
        if self.depths[parent] - self.depths[one] == self.depths[one] - self.depths[two] {
            two
        } else {
            parent
        }
    }

    /// The lowest node above or equal to both; none is the root.
    fn lowest_common(&self, one: Option<usize>, other: Option<usize>) -> Option<usize> {
        let root = self.depths.len() - 1;
        let (one, other) = (one.unwrap_or(root), other.unwrap_or(root));
        let depth = self.depths[one].min(self.depths[other]);
        let (mut one, mut other) = (self.at_depth(one, depth), self.at_depth(other, depth));
        while one != other {
            // Jumps from the same depth are equally long.
            let up = if self.jumps[one] == self.jumps[other] { &self.parents } else { &self.jumps };
            (one, other) = (up[one], up[other]);
        }
        (one != root).then_some(one)
    }

    fn at_depth(&self, mut node: usize, depth: usize) -> usize {
        while self.depths[node] > depth {
            let jump = self.jumps[node];
            node = if self.depths[jump] < depth { self.parents[node] } else { jump };
        }
        node
    }
}

fn is_punctuation(word: &str) -> bool {
    !word.contains(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::super::graph::GraphItem;
    use super::*;

    /// Tokens as `word:parent`, nodes as `label:parent:edge`; `-` is the root.
    fn continuous(tokens: &str, nodes: &str) -> String {
        let parent = |field: &str| field.parse().ok();
        let mut graph = SentenceGraph::default();
        for node in nodes.split_whitespace() {
            graph.node(node.split(':').next().expect("a label"), 1);
        }
        for (index, node) in nodes.split_whitespace().enumerate() {
            let fields: Vec<&str> = node.split(':').collect();
            graph.attach(GraphItem::Node(index), parent(fields[1]), fields.get(2).unwrap_or(&"--"));
        }
        for token in tokens.split_whitespace() {
            let fields: Vec<&str> = token.split(':').collect();
            let item = graph.token(fields[0], "T");
            graph.attach(item, parent(fields[1]), fields.get(2).unwrap_or(&"--"));
        }
        graph.tree("1", true).expect("a tree").to_string().replace("(T ", "(")
    }

    #[test]
    fn the_block_of_the_head_stays() {
        // Ein Buch hat er gelesen: the object is raised out of the verb phrase.
        let tree = continuous("Ein:2 Buch:2 hat:0:HD er:0 gelesen:1:HD", "S:- VP:0:OC NP:1:OA");
        assert_eq!(tree, "(VROOT (S (NP-OA (Ein) (Buch)) (hat) (er) (VP-OC (gelesen))))");
    }

    #[test]
    fn without_a_head_the_largest_block_stays() {
        let tree = continuous("a:1 x:0 b:1 c:1", "S:- NP:0");
        assert_eq!(tree, "(VROOT (S (a) (x) (NP (b) (c))))");
    }

    #[test]
    fn of_equal_blocks_the_leftmost_stays() {
        let tree = continuous("a:1 x:0 b:1", "S:- NP:0");
        assert_eq!(tree, "(VROOT (S (NP (a)) (x) (b)))");
    }

    #[test]
    fn parts_are_raised_as_far_as_needed() {
        let tree = continuous("a:2 x:0 b:2:HD y:- c:0:HD", "S:- VP:0 NP:1");
        assert_eq!(tree, "(VROOT (a) (x) (VP (NP (b))) (y) (S (c)))");
    }

    #[test]
    fn commas_at_the_root_are_lowered() {
        let tree = continuous("Wer:1 liest:1 ,:- lernt:0 .:-", "S:- S:0:SB");
        assert_eq!(tree, "(VROOT (S (S-SB (Wer) (liest)) (,) (lernt)) (.))");
    }

    #[test]
    fn several_marks_are_lowered_together() {
        let tree = continuous("``:- Ja:0 '':- ,:- sagt:0 er:0", "S:-");
        assert_eq!(tree, "(VROOT (``) (S (Ja) ('') (,) (sagt) (er)))");
    }

    #[test]
    fn marks_between_phrases_stay() {
        let tree = continuous("a:0 ,:- b:1 x:0", "S:- S:-");
        assert_eq!(tree, "(VROOT (S (a)) (,) (S (b)) (x))");
    }

    #[test]
    fn words_at_the_root_are_not_lowered() {
        let tree = continuous("a:0 ja:- b:0 c:0", "S:-");
        assert_eq!(tree, "(VROOT (a) (ja) (S (b) (c)))");
    }

    /// The slow reference: two walks up.
    fn lowest_common_slowly(
        parents: &[Option<usize>],
        one: Option<usize>,
        other: Option<usize>,
    ) -> Option<usize> {
        let path = |node| std::iter::successors(node, |&node: &usize| parents[node]);
        path(one).find(|&node| path(other).any(|other| other == node))
    }

    #[test]
    fn jumps_lead_to_the_same_ancestors() {
        let mut rng = crate::rng::Rng::new(7);
        for reach in [1, 3, 60] {
            let parents: Vec<Option<usize>> =
                (0..60usize).map(|node| node.checked_sub(1 + rng.below(reach) as usize)).collect();
            let mut graph = SentenceGraph::default();
            for &parent in &parents {
                let node = graph.node("X", 1);
                graph.attach(node, parent, "--");
            }
            let ancestors = Ancestors::new(&graph, &(0..60).rev().collect::<Vec<_>>());
            for one in (0..60).map(Some).chain([None]) {
                for other in (0..60).map(Some).chain([None]) {
                    let slow = lowest_common_slowly(&parents, one, other);
                    assert_eq!(ancestors.lowest_common(one, other), slow);
                }
            }
        }
    }

    const MANY: usize = 200_000;

    /// A chain of `MANY` nodes, from the lowest to the highest.
    fn chain() -> SentenceGraph {
        let mut graph = SentenceGraph::default();
        for node in 0..MANY {
            let item = graph.node("X", 1);
            graph.attach(item, Some(node + 1).filter(|&parent| parent < MANY), "--");
        }
        graph
    }

    /// Walking up from both neighbours of each comma would take minutes.
    #[test]
    fn many_marks_far_below_the_root() {
        let mut graph = chain();
        for index in 0..MANY {
            let (word, parent) =
                if index % 2 == 0 { ("a", Some((index / 2 % 2) * (MANY - 1))) } else { (",", None) };
            let token = graph.token(word, "T");
            graph.attach(token, parent, "--");
        }
        let tree = graph.tree("1", true).expect("a tree");
        assert_eq!(tree.num_tokens(), MANY);
    }

    /// Handing every piece from node to node would take hours.
    #[test]
    fn many_pieces_raised_over_many_nodes() {
        let mut graph = chain();
        for index in 0..MANY {
            let token = graph.token("a", "T");
            graph.attach(token, (index % 2 == 0).then_some(0), "--");
        }
        let tree = graph.tree("1", true).expect("a tree");
        assert_eq!(tree.num_nodes(), MANY + 1);
        assert!(tree.nodes().skip(1).all(|node| node.span == span(0, 1)));
    }
}
