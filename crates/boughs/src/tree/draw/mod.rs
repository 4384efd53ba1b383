//! Trees as pictures: [text for a terminal](write_text) and [SVG](write_svg), also [several in one
//! document](write_sheet), [in a web page](write_html) and [above a translation](write_pair_svg).
//!
//! The naive drawing puts every label above the middle of its words. Labels then run into each other as soon as one
//! is longer than what it covers, and lines run through labels. Here a layout is computed first, the same for columns
//! and for pixels: every subtree owns a strip of the paper that nothing else enters, a label stands over the middle
//! of its children, siblings stand on one level, and the words stand on one line at the bottom. The layout takes time
//! linear in the size of the tree; an upright drawing in text takes as much as it has columns times rows, which is
//! bounded.
//!
//! What a picture changes: an empty root above one phrase is not shown, any other empty label is a bullet,
//! and a character that cannot be shown (control characters) is U+FFFD.

mod html;
mod layout;
mod pair;
mod sideways;
mod svg;
mod text;
mod turned;
mod upright;

use std::borrow::Cow;

use super::Tree;
use super::escape::replace_unfit;

pub use html::{HTML_END, html_start, write_html};
pub use pair::write_pair_svg;
pub use svg::{Drawing, write_sheet, write_svg};
pub use text::{TextOptions, write_text};

/// What stands for a label that is empty.
const BULLET: &str = "•";

/// The picture of a tree without tokens.
const NOTHING: &str = "()";

/// The tree without the empty root of `( (S …))`, if that holds only one phrase or token.
pub(super) fn without_empty_root(tree: &Tree) -> Cow<'_, Tree> {
    let is_superfluous = tree.root().is_some_and(|root| {
        root.label.is_empty() && (tree.num_tokens() == 1 || tree.unary_child(root.id).is_some())
    });
    if !is_superfluous {
        return Cow::Borrowed(tree);
    }
    let mut shown = tree.clone();
    shown.retain_nodes(|node| node.parent.is_some());
    Cow::Owned(shown)
}

fn shown_label(label: &str) -> Cow<'_, str> {
    match label {
        "" => Cow::Borrowed(BULLET),
        _ => printable(label),
    }
}

/// The text with U+FFFD for what neither a terminal nor XML can hold.
fn printable(text: &str) -> Cow<'_, str> {
    let cannot_be_shown = |c: char| c.is_control() || matches!(c, '\u{FFFE}' | '\u{FFFF}');
    replace_unfit(text, cannot_be_shown, char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_superfluous_root_is_hidden() {
        for (text, shown) in [
            ("( (S (VB go)))", "(S (VB go))"),
            ("( (VB go))", "(VB go)"),
            ("( (NP (NN a)) (. .))", "( (NP (NN a)) (. .))"),
            ("(TOP (S (VB go)))", "(TOP (S (VB go)))"),
            ("()", "()"),
        ] {
            let tree: Tree = text.parse().expect("a tree");
            assert_eq!(without_empty_root(&tree).to_string(), shown);
        }
    }

    #[test]
    fn control_characters_are_replaced() {
        assert_eq!(printable("a\tb\u{0}"), "a\u{FFFD}b\u{FFFD}");
        assert_eq!(printable("größe"), "größe");
    }
}
