//! Walking through trees: over the children of a phrase, or over everything from left to right.

use super::{Child, NodeId, Tree};

impl Tree {
    /// The children of a phrase from left to right.
    pub fn children(&self, id: NodeId) -> Children<'_> {
        let node = &self.nodes[id.index()];
        Children {
            tree: self,
            next_node: id.0 + 1,
            end_node: node.next,
            next_token: node.span.start,
            end_token: node.span.end,
        }
    }

    /// The tree from left to right as brackets show it: phrases open, tokens stand, phrases close.
    pub fn events(&self) -> Events<'_> {
        Events { tree: self, open: Vec::new(), next_node: 0, next_token: 0 }
    }
}

/// The children of a phrase; made by [`Tree::children`].
#[derive(Clone)]
pub struct Children<'a> {
    tree: &'a Tree,
    next_node: u32,
    end_node: u32,
    next_token: u32,
    end_token: u32,
}

impl Iterator for Children<'_> {
    type Item = Child;

    fn next(&mut self) -> Option<Child> {
        if self.next_node < self.end_node {
            let node = &self.tree.nodes[self.next_node as usize];
            if node.span.start == self.next_token {
                let child = Child::Node(NodeId(self.next_node));
                self.next_node = node.next;
                self.next_token = node.span.end;
                return Some(child);
            }
        }
        if self.next_token == self.end_token {
            return None;
        }
        self.next_token += 1;
        Some(Child::Token(self.next_token as usize - 1))
    }
}

/// A step through a tree from left to right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WalkEvent {
    /// A phrase starts.
    Open(NodeId),
    /// A token, by its index in the sentence.
    Token(usize),
    /// A phrase ends.
    Close(NodeId),
}

/// The steps through a tree; made by [`Tree::events`].
#[derive(Clone)]
pub struct Events<'a> {
    tree: &'a Tree,
    open: Vec<NodeId>,
    next_node: u32,
    next_token: u32,
}

impl Iterator for Events<'_> {
    type Item = WalkEvent;

    fn next(&mut self) -> Option<WalkEvent> {
        if let Some(id) = self.open.pop_if(|id| self.tree.span(*id).end == self.next_token) {
            return Some(WalkEvent::Close(id));
        }
        let next = self.tree.nodes.get(self.next_node as usize);
        if next.is_some_and(|node| node.span.start == self.next_token) {
            let id = NodeId(self.next_node);
            self.next_node += 1;
            self.open.push(id);
            return Some(WalkEvent::Open(id));
        }
        if self.next_token as usize == self.tree.tokens.len() {
            return None;
        }
        self.next_token += 1;
        Some(WalkEvent::Token(self.next_token as usize - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::Span;

    fn tree(text: &str) -> Tree {
        text.parse().expect("a tree")
    }

    #[test]
    fn children_mix_phrases_and_tokens() {
        let tree = tree("(S (CC And) (NP (DT the) (NN cat)) (VBD sat) (. .))");
        let children: Vec<_> = tree.children(NodeId(0)).collect();
        use Child::{Node, Token};
        assert_eq!(children, [Token(0), Node(NodeId(1)), Token(3), Token(4)]);
        assert_eq!(tree.span(NodeId(1)), Span::new(1, 3));
    }

    #[test]
    fn events_are_the_brackets() {
        use WalkEvent::{Close, Open, Token};
        let [top, s, np] = [0, 1, 2].map(NodeId);
        let events: Vec<WalkEvent> = tree("(TOP (S (NP (A a)) (B b)))").events().collect();
        let expected = [Open(top), Open(s), Open(np), Token(0), Close(np), Token(1), Close(s), Close(top)];
        assert_eq!(events, expected);
        assert_eq!(Tree::empty().events().next(), None);
    }
}
