//! The invariants of [`Tree`] as a check, for tests of what changes trees.

use super::Tree;
use crate::span::Span;

impl Tree {
    /// Says which of the invariants of the arena does not hold, if any.
    ///
    /// # Errors
    /// A sentence about the first fault.
    #[doc(hidden)]
    pub fn check_invariants(&self) -> Result<(), String> {
        self.check_root()?;
        let mut open: Vec<Span> = Vec::new();
        let mut open_ids = Vec::new();
        for node in self.nodes() {
            if node.span.is_empty() {
                return Err(format!("{node:?} is empty"));
            }
            while open.last().is_some_and(|top| top.end <= node.span.start) {
                open.pop();
                open_ids.pop();
            }
            if open.last().is_some_and(|top| !top.contains(node.span)) {
                return Err(format!("{node:?} is not nested in pre-order"));
            }
            if node.parent != open_ids.last().copied() {
                return Err(format!("{node:?} should have the parent {:?}", open_ids.last()));
            }
            let inside = |id| node.span.contains(self.span(id));
            let num_inside = self.nodes().skip(node.id.index() + 1).take_while(|n| inside(n.id)).count();
            if self.descendants(node.id).len() != num_inside {
                return Err(format!("{node:?} has {num_inside} descendants"));
            }
            open.push(node.span);
            open_ids.push(node.id);
        }
        Ok(())
    }

    fn check_root(&self) -> Result<(), String> {
        let all = Span { start: 0, end: self.num_tokens() as u32 };
        match self.root() {
            Some(root) if root.span != all => Err(format!("{root:?} is not over {all:?}")),
            None if self.num_tokens() > 1 => Err("several tokens, but no root".to_owned()),
            _ => Ok(()),
        }
    }
}
