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

use super::graph::{Edge, Graph, span};
use crate::span::Span;

/// A child while its parent is being made continuous.
#[derive(Clone, Copy)]
struct Piece {
    span: Span,
    is_head: bool,
    /// Whether it comes from a node further down.
    is_raised: bool,
}

impl Graph {
    /// The spans of the nodes once all gaps are closed.
    pub(super) fn continuous_spans(&mut self, bottom_up: &[usize]) -> Vec<Span> {
        self.lower_punctuation(bottom_up);
        self.raise(bottom_up)
    }

    fn lower_punctuation(&mut self, bottom_up: &[usize]) {
        let depths = self.depths(bottom_up);
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
                let parent = self.lowest_common_ancestor(left, right, &depths);
                for token in &mut self.tokens[start..end] {
                    token.edge = Edge { parent, is_head: false };
                }
            } else {
                left = self.tokens[end - 1].edge.parent;
            }
            start = end;
        }
    }

    /// The number of steps to the root.
    fn depths(&self, bottom_up: &[usize]) -> Vec<usize> {
        let mut depths = vec![0; self.nodes.len()];
        for &node in bottom_up.iter().rev() {
            depths[node] = 1 + self.nodes[node].edge.parent.map_or(0, |parent| depths[parent]);
        }
        depths
    }

    fn lowest_common_ancestor(
        &self,
        mut one: Option<usize>,
        mut other: Option<usize>,
        depths: &[usize],
    ) -> Option<usize> {
        let depth = |node: Option<usize>| node.map_or(0, |node| depths[node]);
        let parent = |node: Option<usize>| node.and_then(|node| self.nodes[node].edge.parent);
        while one != other {
            if depth(one) < depth(other) {
                other = parent(other);
            } else {
                one = parent(one);
            }
        }
        one
    }

    fn raise(&self, bottom_up: &[usize]) -> Vec<Span> {
        let mut spans = vec![span(0, 0); self.nodes.len()];
        let mut pieces: Vec<Vec<Piece>> = vec![Vec::new(); self.nodes.len()];
        for (index, token) in self.tokens.iter().enumerate() {
            if let Some(parent) = token.edge.parent {
                let span = span(index, index + 1);
                pieces[parent].push(Piece { span, is_head: token.edge.is_head, is_raised: false });
            }
        }
        for &node in bottom_up {
            let mut children = std::mem::take(&mut pieces[node]);
            children.sort_unstable_by_key(|child| child.span);
            let kept = kept_block(&children);
            spans[node] = kept;
            let edge = self.nodes[node].edge;
            if let Some(parent) = edge.parent {
                let raised = children.iter().filter(|child| !kept.contains(child.span));
                pieces[parent].extend(raised.map(|child| Piece {
                    is_head: false,
                    is_raised: true,
                    ..*child
                }));
                pieces[parent].push(Piece { span: kept, is_head: edge.is_head, is_raised: false });
            }
        }
        spans
    }
}

/// The block of a node's children that stays.
fn kept_block(children: &[Piece]) -> Span {
    let mut most = (false, 0);
    let mut kept = span(0, 0);
    for block in children.chunk_by(|one, next| one.span.end == next.span.start) {
        let has_head = block.iter().any(|child| child.is_head);
        let own = block.iter().filter(|child| !child.is_raised);
        let weight = (has_head, own.map(|child| child.span.len()).sum());
        // Not `>=`: of equal blocks the leftmost stays.
        if weight > most {
            most = weight;
            kept = Span::new(block[0].span.start, block[block.len() - 1].span.end);
        }
    }
    kept
}

fn is_punctuation(word: &str) -> bool {
    !word.contains(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::super::graph::Item;
    use super::*;

    /// Tokens as `word:parent`, nodes as `label:parent:edge`; `-` is the root.
    fn continuous(tokens: &str, nodes: &str) -> String {
        let parent = |field: &str| field.parse().ok();
        let mut graph = Graph::default();
        for node in nodes.split_whitespace() {
            graph.node(node.split(':').next().expect("a label"), 1);
        }
        for (index, node) in nodes.split_whitespace().enumerate() {
            let fields: Vec<&str> = node.split(':').collect();
            graph.attach(Item::Node(index), parent(fields[1]), fields.get(2).unwrap_or(&"--"));
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
}
