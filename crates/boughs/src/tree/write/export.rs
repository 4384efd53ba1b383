//! Trees in NEGRA export format.

use std::borrow::Cow;
use std::fmt::{self, Write};

use super::table::fill_blanks;
use crate::tree::escape::NO_BREAK_SPACE;
use crate::tree::read::{ExportVersion, FIRST_NODE, is_taken_for_markup};
use crate::tree::{NodeId, Tree, WalkEvent, is_root_label};

const NO_VALUE: &str = "--";

/// Writes a tree from `#BOS` to `#EOS`, without a final line end. A file starts with [`ExportVersion::header`].
///
/// Phrases are numbered from 500 in the order in which they end. A root by any
/// [convention](crate::tree::is_root_label) is the root of the format, which has no row; reading names it `VROOT`.
/// What follows the first hyphen of a phrase's label is its edge label: `NP-SB` is written as `NP` and `SB`.
///
/// A blank within a word becomes a no-break space, and a word such as `#500`, which could not
/// be told from a node, gets one in front.
///
/// # Errors
/// Never: strings take all that is written.
pub fn write_export(tree: &Tree, sentence: u64, version: ExportVersion, out: &mut String) -> fmt::Result {
    let ends = phrases_by_end(tree);
    let mut numbers = vec![0; tree.num_nodes()];
    for (number, id) in (FIRST_NODE..).zip(&ends) {
        numbers[id.index()] = number;
    }
    let number = |id: Option<NodeId>| id.map_or(0, |id| numbers[id.index()]);
    writeln!(out, "#BOS {sentence}")?;
    for (token, parent) in tree.tokens().zip(token_parents(tree)) {
        write_row(out, version, &word(token.word), token.tag, NO_VALUE, number(parent))?;
    }
    for &id in &ends {
        let node = tree.node(id);
        let (label, edge_label) = split_label(node.label);
        let name = format!("#{}", number(Some(id)));
        write_row(out, version, &name, label, edge_label, number(node.parent))?;
    }
    write!(out, "#EOS {sentence}")
}

fn write_row(
    out: &mut String,
    version: ExportVersion,
    name: &str,
    label: &str,
    edge_label: &str,
    parent: u64,
) -> fmt::Result {
    let lemma = if version == ExportVersion::V4 { "\t--" } else { "" };
    let (label, edge_label) = (value(label), fill_blanks(edge_label));
    writeln!(out, "{name}{lemma}\t{label}\t{NO_VALUE}\t{edge_label}\t{parent}")
}

/// The phrases with a row, in the order in which they end: all but the root.
fn phrases_by_end(tree: &Tree) -> Vec<NodeId> {
    let has_row = |id: NodeId| tree.node(id).parent.is_some() || !is_root_label(tree.label(id));
    let closed = tree.events().filter_map(|event| match event {
        WalkEvent::Close(id) if has_row(id) => Some(id),
        _ => None,
    });
    closed.collect()
}

/// The lowest phrase over each token.
fn token_parents(tree: &Tree) -> impl Iterator<Item = Option<NodeId>> {
    let mut lowest = None;
    tree.events().filter_map(move |event| match event {
        WalkEvent::Open(id) => {
            lowest = Some(id);
            None
        }
        WalkEvent::Token(_) => Some(lowest),
        WalkEvent::Close(id) => {
            lowest = tree.node(id).parent;
            None
        }
    })
}

/// Label and edge label. What could not be joined again by reading is not split.
fn split_label(label: &str) -> (&str, &str) {
    match label.split_once('-') {
        Some((label, edge_label)) if !label.is_empty() && !matches!(edge_label, "" | NO_VALUE) => {
            (label, edge_label)
        }
        _ => (label, NO_VALUE),
    }
}

fn value(field: &str) -> Cow<'_, str> {
    if field.is_empty() { Cow::Borrowed(NO_VALUE) } else { fill_blanks(field) }
}

fn word(word: &str) -> Cow<'_, str> {
    match fill_blanks(word) {
        empty if empty.is_empty() => Cow::Borrowed("\"\""),
        word if is_taken_for_markup(&word) => Cow::Owned(format!("{NO_BREAK_SPACE}{word}")),
        word => word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str, version: ExportVersion) -> String {
        let tree: Tree = text.parse().expect("a tree");
        let mut out = String::new();
        write_export(&tree, 7, version, &mut out).expect("strings do not fail");
        out
    }

    #[test]
    fn version_3() {
        let text = "(TOP (S (NP-SBJ-1 (PRP She)) (VP (VBZ reads) (NP (_ it)))) (. .))";
        let expected = "\
#BOS 7
She\tPRP\t--\t--\t500
reads\tVBZ\t--\t--\t502
it\t--\t--\t--\t501
.\t.\t--\t--\t0
#500\tNP\t--\tSBJ-1\t503
#501\tNP\t--\t--\t502
#502\tVP\t--\t--\t503
#503\tS\t--\t--\t0
#EOS 7";
        assert_eq!(written(text, ExportVersion::V3), expected);
    }

    #[test]
    fn version_4_has_a_column_for_lemmas() {
        let expected = "#BOS 7\ngo\t--\tVB\t--\t--\t500\n#500\t--\tVP\t--\t--\t0\n#EOS 7";
        assert_eq!(written("(VP (VB go))", ExportVersion::V4), expected);
    }

    #[test]
    fn trees_without_phrases() {
        assert_eq!(written("(UH Yes)", ExportVersion::V3), "#BOS 7\nYes\tUH\t--\t--\t0\n#EOS 7");
        assert_eq!(written("()", ExportVersion::V3), "#BOS 7\n#EOS 7");
    }

    #[test]
    fn words_are_not_taken_for_markup() {
        let row = |text: &str| written(text, ExportVersion::V3).lines().nth(1).map(str::to_owned);
        assert_eq!(row("(X #500)").as_deref(), Some("\u{A0}#500\tX\t--\t--\t0"));
        assert_eq!(row("(X #EOS)").as_deref(), Some("\u{A0}#EOS\tX\t--\t--\t0"));
        assert_eq!(row("(X #1)").as_deref(), Some("#1\tX\t--\t--\t0"));
    }

    #[test]
    fn labels_are_split_only_if_they_can_be_joined() {
        for label in ["NP", "NP-", "NP---", "-NONE-", ""] {
            assert_eq!(split_label(label), (label, NO_VALUE));
        }
        assert_eq!(split_label("NP-SB"), ("NP", "SB"));
        assert_eq!(split_label("NP--"), ("NP", "-"));
    }
}
