//! The invariants of [`Tree`] as a check, for tests of what changes trees.

use boughs::span::Span;
use boughs::tree::{Node, NodeId, Tree};

/// Says which of the invariants of the arena does not hold, if any.
///
/// # Errors
/// A sentence about the first fault.
pub fn check(tree: &Tree) -> Result<(), String> {
    check_root(tree)?;
    let mut open: Vec<NodeId> = Vec::new();
    for node in tree.nodes() {
        while open.last().is_some_and(|&top| tree.span(top).end <= node.span.start) {
            open.pop();
        }
        check_node(tree, node, open.last().copied())?;
        open.push(node.id);
    }
    check_subtree_sizes(tree)
}

fn check_root(tree: &Tree) -> Result<(), String> {
    let all = Span { start: 0, end: tree.num_tokens() as u32 };
    match tree.root() {
        Some(root) if root.span != all => Err(format!("{root:?} is not over {all:?}")),
        None if tree.num_tokens() > 1 => Err("several tokens, but no root".to_owned()),
        _ => Ok(()),
    }
}

/// Checks a phrase against the phrase opened last before it and still open.
fn check_node(tree: &Tree, node: Node<'_>, top: Option<NodeId>) -> Result<(), String> {
    if node.span.start >= node.span.end {
        return Err(format!("{node:?} is empty"));
    }
    if top.is_some_and(|top| !tree.span(top).contains(node.span)) {
        return Err(format!("{node:?} is not nested in pre-order"));
    }
    if node.parent != top {
        return Err(format!("{node:?} should have the parent {top:?}"));
    }
    Ok(())
}

fn check_subtree_sizes(tree: &Tree) -> Result<(), String> {
    let mut num_below = vec![0; tree.num_nodes()];
    for node in tree.nodes().rev() {
        let size = num_below[node.id.index()];
        if tree.descendants(node.id).len() != size {
            return Err(format!("{node:?} should have {size} descendants"));
        }
        if let Some(parent) = node.parent {
            num_below[parent.index()] += size + 1;
        }
    }
    Ok(())
}
