//! From items to trees.

use super::item::{ItemId, Items};
use super::symbols::{Label, TransitionSymbols};
use crate::span::Span;
use crate::tree::{Tree, from_spans};

/// The tree below an item, over the tokens of `sentence`.
///
/// # Panics
/// If the items are those of another sentence.
pub fn to_tree(items: &Items, root: ItemId, symbols: &TransitionSymbols, sentence: &Tree) -> Tree {
    let mut spans = Vec::new();
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        let item = items.get(id);
        if item.is_terminal() {
            continue;
        }
        spans.push((Span::new(item.start, item.end), symbols.label_name(Label(item.symbol.0))));
        stack.extend(items.children(id).iter().rev());
    }
    from_spans(sentence.tokens(), spans).expect("items never cross")
}
