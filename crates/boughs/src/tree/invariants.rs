//! The invariants of [`Tree`] as a check, for tests of what changes trees.

use super::{Node, NodeId, Tree};
use crate::span::Span;

impl Tree {
    /// Says which of the invariants of the arena does not hold, if any.
    ///
    /// # Errors
    /// A sentence about the first fault.
    #[doc(hidden)]
    pub fn check_invariants(&self) -> Result<(), String> {
        self.check_root()?;
        let mut open: Vec<NodeId> = Vec::new();
        for node in self.nodes() {
            while open.last().is_some_and(|&top| self.span(top).end <= node.span.start) {
                open.pop();
            }
            self.check_node(node, open.last().copied())?;
            open.push(node.id);
        }
        self.check_subtree_sizes()
    }

    fn check_root(&self) -> Result<(), String> {
        let all = Span { start: 0, end: self.num_tokens() as u32 };
        match self.root() {
            Some(root) if root.span != all => Err(format!("{root:?} is not over {all:?}")),
            None if self.num_tokens() > 1 => Err("several tokens, but no root".to_owned()),
            _ => Ok(()),
        }
    }

    /// Checks a phrase against the phrase opened last before it and still open.
    fn check_node(&self, node: Node<'_>, top: Option<NodeId>) -> Result<(), String> {
        if node.span.start >= node.span.end {
            return Err(format!("{node:?} is empty"));
        }
        if top.is_some_and(|top| !self.span(top).contains(node.span)) {
            return Err(format!("{node:?} is not nested in pre-order"));
        }
        if node.parent != top {
            return Err(format!("{node:?} should have the parent {top:?}"));
        }
        Ok(())
    }

    fn check_subtree_sizes(&self) -> Result<(), String> {
        let mut num_below = vec![0; self.num_nodes()];
        for node in self.nodes().rev() {
            let size = num_below[node.id.index()];
            if self.descendants(node.id).len() != size {
                return Err(format!("{node:?} should have {size} descendants"));
            }
            if let Some(parent) = node.parent {
                num_below[parent.index()] += size + 1;
            }
        }
        Ok(())
    }
}
