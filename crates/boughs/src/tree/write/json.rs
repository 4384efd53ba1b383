//! Trees as JSON lines: one object a tree, for programs that should not have to parse brackets.
//!
//! ```json
//! {"tokens":[{"word":"I","tag":"PRP"},{"word":"go","tag":"VBP"}],
//!  "nodes":[{"label":"S","start":0,"end":2,"parent":null},
//!           {"label":"NP","start":0,"end":1,"parent":0},
//!           {"label":"VP","start":1,"end":2,"parent":0}]}
//! ```
//!
//! (On one line.) Tokens are in the order of the sentence, phrases in pre-order: parents before children,
//! left before right. `start` and `end` count tokens from 0, `end` is exclusive; `parent` is an index into
//! `nodes`. Tokens whose place in the original text is known have `byte_start` and `byte_end`, which count bytes of
//! UTF-8, and `char_start` and `char_end`, which count characters (Unicode scalar values, as Python does); so have
//! phrases whose first and last tokens do. Words are as in the text, with brackets unescaped; a token
//! without a tag has an empty one. The fields are in this order, and later versions may add others at the end.

use std::fmt::{self, Write};
use std::ops::Range;

use serde::Serialize;

use crate::span::Span;
use crate::tree::{NodeId, Tree};

/// Writes a tree as a JSON object on one line, without a line end:
/// [`TreeReader`](crate::tree::read::TreeReader) reads it back.
///
/// # Errors
/// Never: strings take all that is written.
///
/// ```
/// let tree: boughs::tree::Tree = "(INTJ (UH Yes))".parse()?;
/// let mut line = String::new();
/// boughs::tree::write::write_json(&tree, &mut line).unwrap();
/// assert_eq!(
///     line,
///     r#"{"tokens":[{"word":"Yes","tag":"UH"}],"nodes":[{"label":"INTJ","start":0,"end":1,"parent":null}]}"#
/// );
/// # Ok::<(), boughs::Error>(())
/// ```
pub fn write_json(tree: &Tree, out: &mut String) -> fmt::Result {
    write_json_with(tree, |_| None::<()>, None::<()>, out)
}

/// The same with more fields at the end of each phrase, and at the end of the object: those of any structure that
/// serialises to an object.
pub(crate) fn write_json_with<N: Serialize>(
    tree: &Tree,
    of_node: impl Fn(NodeId) -> N,
    of_tree: impl Serialize,
    out: &mut String,
) -> fmt::Result {
    let place = |span: Span| Some(Place::new(tree.bytes(span)?, tree.chars(span)?));
    let tokens = tree.tokens().map(|token| TokenOutput {
        word: token.word,
        tag: token.tag,
        place: token.place.map(|place| Place::new(place.bytes(), place.chars())),
    });
    let nodes = tree.nodes().map(|node| NodeOutput {
        label: node.label,
        start: node.span.start,
        end: node.span.end,
        parent: node.parent.map(NodeId::index),
        place: place(node.span),
        more: of_node(node.id),
    });
    let object = TreeOutput { tokens: tokens.collect(), nodes: nodes.collect(), more: of_tree };
    let line = serde_json::to_string(&object);
    out.write_str(&line.map_err(|_| fmt::Error)?)
}

#[derive(Serialize)]
struct TreeOutput<'a, N, M> {
    tokens: Vec<TokenOutput<'a>>,
    nodes: Vec<NodeOutput<'a, N>>,
    #[serde(flatten)]
    more: M,
}

#[derive(Serialize)]
struct TokenOutput<'a> {
    word: &'a str,
    tag: &'a str,
    #[serde(flatten)]
    place: Option<Place>,
}

#[derive(Serialize)]
struct NodeOutput<'a, N> {
    label: &'a str,
    start: u32,
    end: u32,
    parent: Option<usize>,
    #[serde(flatten)]
    place: Option<Place>,
    #[serde(flatten)]
    more: N,
}

/// Where something stands in a text, as JSON has it.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Place {
    byte_start: u64,
    byte_end: u64,
    char_start: u64,
    char_end: u64,
}

impl Place {
    pub(crate) fn new(bytes: Range<u64>, chars: Range<u64>) -> Self {
        Self { byte_start: bytes.start, byte_end: bytes.end, char_start: chars.start, char_end: chars.end }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::TextSpan;

    #[test]
    fn places_are_given_where_they_are_known() {
        let mut tree: Tree = "(X (A ab) (Y (_ \"-LRB-)))".parse().expect("a tree");
        tree.set_place(1, Some(TextSpan { start: 6, char_start: 5, len: 2, char_len: 2 }));
        let mut line = String::new();
        write_json(&tree, &mut line).expect("strings do not fail");
        let expected = concat!(
            r#"{"tokens":[{"word":"ab","tag":"A"},{"word":"\"(","tag":"","byte_start":6,"byte_end":8,"char_start":5,"char_end":7}],"#,
            r#""nodes":[{"label":"X","start":0,"end":2,"parent":null},"#,
            r#"{"label":"Y","start":1,"end":2,"parent":0,"byte_start":6,"byte_end":8,"char_start":5,"char_end":7}]}"#,
        );
        assert_eq!(line, expected);
    }

    #[test]
    fn more_fields_come_last() {
        #[derive(Serialize)]
        struct More {
            confidence: f64,
        }
        let tree: Tree = "(X (A a))".parse().expect("a tree");
        let mut line = String::new();
        let more = |confidence| More { confidence };
        write_json_with(&tree, |_| more(0.5), more(1.0), &mut line).expect("strings do not fail");
        let expected = concat!(
            r#"{"tokens":[{"word":"a","tag":"A"}],"#,
            r#""nodes":[{"label":"X","start":0,"end":1,"parent":null,"confidence":0.5}],"confidence":1.0}"#,
        );
        assert_eq!(line, expected);
    }

    #[test]
    fn an_empty_tree() {
        let mut line = String::new();
        write_json(&Tree::empty(), &mut line).expect("strings do not fail");
        assert_eq!(line, r#"{"tokens":[],"nodes":[]}"#);
    }
}
