//! JSON lines as [`write_json`](crate::tree::write::write_json) writes them, or another program does.
//!
//! Needed are `tokens`, each with a `word`, and for phrases a `label`, `start` and `end`. A missing `tag` is empty
//! and missing `nodes` are none. Phrases may be in any order; among those with equal spans the upper one is told by
//! `parent`, an index into `nodes`, or if no phrase has one it is the first. Parents that do not agree with the spans
//! are errors. Offsets, text and heads of phrases follow from the tokens and are not read; nor are fields of other
//! names.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::fmt;
use std::io::Read;

use serde::Deserialize;

use super::lines::Lines;
use super::reader::TreeSource;
use crate::error::{Error, ErrorKind, Result, syntax};
use crate::span::{Span, TextSpan};
use crate::tree::{Token, Tree, from_spans};

/// The trees of a file of JSON lines; blank lines are passed over.
pub(super) struct JsonLines<R>(Lines<R>);

impl<R: Read> JsonLines<R> {
    pub(super) fn new(input: R) -> Self {
        Self(Lines::new(input))
    }
}

impl<R: Read> TreeSource for JsonLines<R> {
    fn find(&mut self) -> Result<bool> {
        while self.0.advance()? {
            if !self.0.is_blank() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn read(&mut self) -> Result<Tree> {
        read_line(&self.0.line, self.0.number)
    }
}

#[derive(Deserialize)]
struct TreeInput<'a> {
    #[serde(borrow)]
    tokens: Vec<TokenInput<'a>>,
    #[serde(borrow, default)]
    nodes: Vec<NodeInput<'a>>,
}

#[derive(Deserialize)]
struct TokenInput<'a> {
    #[serde(borrow)]
    word: Cow<'a, str>,
    #[serde(borrow, default)]
    tag: Cow<'a, str>,
    byte_start: Option<u64>,
    byte_end: Option<u64>,
    char_start: Option<u64>,
    char_end: Option<u64>,
}

#[derive(Deserialize)]
struct NodeInput<'a> {
    #[serde(borrow)]
    label: Cow<'a, str>,
    start: u32,
    end: u32,
    parent: Option<usize>,
}

fn read_line(line: &[u8], line_number: u64) -> Result<Tree> {
    let text = str::from_utf8(line).map_err(|error| {
        Error::new(ErrorKind::Encoding, "not UTF-8")
            .hint("JSON is always in UTF-8")
            .at(line_number, 1 + String::from_utf8_lossy(&line[..error.valid_up_to()]).chars().count() as u64)
    })?;
    let object = serde_json::from_str(text).map_err(|error| bad_json(text, line_number, &error))?;
    tree_of(&object).map_err(|error| error.at_line(line_number))
}

/// An error of the JSON reader, which counts columns in bytes and lines within this line.
fn bad_json(text: &str, line_number: u64, error: &serde_json::Error) -> Error {
    let place = format!(" at line {} column {}", error.line(), error.column());
    let message = error.to_string().replace(&place, "");
    let before = text.get(..error.column().saturating_sub(1)).unwrap_or(text);
    syntax(message)
        .hint(r#"expected one tree a line, as {"tokens":[{"word":…,"tag":…}],"nodes":[{"label":…,"start":…,"end":…}]}"#)
        .at(line_number, before.chars().count() as u64 + 1)
}

fn tree_of(object: &TreeInput<'_>) -> Result<Tree> {
    let tokens: Vec<_> = object.tokens.iter().enumerate().map(token_of).collect::<Result<_>>()?;
    let spans: Vec<_> = object.nodes.iter().map(span_of).collect::<Result<_>>()?;
    if object.nodes.iter().all(|node| node.parent.is_none()) {
        return from_spans(tokens, spans);
    }
    let depths = depths(&object.nodes)?;
    let mut order: Vec<usize> = (0..spans.len()).collect();
    order.sort_by_key(|&node| (spans[node].0.start, Reverse(spans[node].0.end), depths[node]));
    let tree = from_spans(tokens, order.iter().map(|&node| spans[node]))?;
    check_parents(&object.nodes, &order)?;
    Ok(tree)
}

/// How many phrases are above each.
fn depths(nodes: &[NodeInput<'_>]) -> Result<Vec<usize>> {
    let last = nodes.len() - 1;
    let mut below = vec![Vec::new(); nodes.len()];
    let mut waiting = Vec::new();
    for (node, NodeInput { parent, .. }) in nodes.iter().enumerate() {
        match *parent {
            None => waiting.push((node, 0)),
            Some(parent) if parent <= last => below[parent].push(node),
            Some(parent) => {
                let message = format!("has parent {parent}, but the last node is {last}");
                return Err(misplaced(nodes, node, message));
            }
        }
    }
    let mut depths = vec![usize::MAX; nodes.len()];
    while let Some((node, depth)) = waiting.pop() {
        depths[node] = depth;
        waiting.extend(below[node].iter().map(|&node| (node, depth + 1)));
    }
    match depths.iter().rposition(|&depth| depth == usize::MAX) {
        Some(node) => Err(misplaced(nodes, node, "is above itself")),
        None => Ok(depths),
    }
}

/// Compares the parents given with those that follow from the spans, of phrases in pre-order.
fn check_parents(nodes: &[NodeInput<'_>], order: &[usize]) -> Result<()> {
    let mut open: Vec<usize> = Vec::new();
    for &node in order {
        while open.last().is_some_and(|&above| nodes[above].end <= nodes[node].start) {
            open.pop();
        }
        let expected = open.last().copied();
        if nodes[node].parent != expected {
            let name = |parent: Option<usize>| parent.map_or_else(|| "none".to_owned(), |it| it.to_string());
            let (given, expected) = (name(nodes[node].parent), name(expected));
            let message = format!("has parent {given}, but by the spans its parent is {expected}");
            return Err(misplaced(nodes, node, message));
        }
        open.push(node);
    }
    Ok(())
}

fn misplaced(nodes: &[NodeInput<'_>], index: usize, message: impl fmt::Display) -> Error {
    let NodeInput { label, start, end, .. } = &nodes[index];
    syntax(format!("node {index} (`{label}` at tokens {start}..{end}) {message}"))
        .hint("`parent` is the index of a node, from 0, or null; leave it out everywhere and the spans tell")
}

fn token_of<'a>((index, token): (usize, &'a TokenInput<'_>)) -> Result<Token<'a>> {
    if token.word.is_empty() {
        return Err(syntax(format!("token {index} has an empty word")).hint("tokens are counted from 0"));
    }
    let place = match (token.byte_start, token.byte_end, token.char_start, token.char_end) {
        (None, None, None, None) => None,
        (Some(start), Some(end), Some(char_start), Some(char_end)) => Some(TextSpan {
            start,
            char_start,
            len: length("bytes", start, end)?,
            char_len: length("characters", char_start, char_end)?,
        }),
        _ => {
            return Err(syntax(format!("token {index} has some of its offsets, but not all"))
                .hint("give `byte_start`, `byte_end`, `char_start` and `char_end`, or none of them"));
        }
    };
    Ok(Token { word: &token.word, tag: &token.tag, place })
}

fn length(unit: &str, start: u64, end: u64) -> Result<u32> {
    let len = end.checked_sub(start).and_then(|len| u32::try_from(len).ok());
    len.ok_or_else(|| syntax(format!("a token at {unit} {start}..{end}")))
}

fn span_of<'a>(node: &'a NodeInput<'_>) -> Result<(Span, &'a str)> {
    match node.start < node.end {
        true => Ok((Span::new(node.start, node.end), &*node.label)),
        false => Err(syntax(format!("`{}` at tokens {}..{}", node.label, node.start, node.end))
            .hint("a phrase has at least one token; `end` is one past its last")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::read::{Format, TreeReader};

    fn error(text: &str) -> String {
        TreeReader::new(text.as_bytes(), Format::Json).find_map(Result::err).expect("an error").to_string()
    }

    #[test]
    fn only_words_and_spans_are_needed() {
        let text =
            r#"{"id":7,"tokens":[{"word":"I"},{"word":"go"}],"nodes":[{"label":"VP","start":1,"end":2}]}"#;
        let tree = TreeReader::new(text.as_bytes(), Format::Json).next().expect("one").expect("a tree");
        assert_eq!(tree.to_string(), "( (_ I) (VP (_ go)))");
    }

    #[test]
    fn errors_name_line_tree_and_column() {
        let good = r#"{"tokens":[]}"#;
        assert!(
            error(&format!("{good}\n\n{{\"tokens\":[}}")).starts_with("line 3:12: tree 2: expected value (")
        );
        assert!(error("{}").starts_with("line 1:2: tree 1: missing field `tokens`"));
        assert!(error("(S (NP").starts_with("line 1:1: tree 1: expected value"));
    }

    #[test]
    fn impossible_spans() {
        let with_nodes = |nodes| error(&format!(r#"{{"tokens":[{{"word":"a"}}],"nodes":[{nodes}]}}"#));
        assert!(with_nodes(r#"{"label":"X","start":1,"end":0}"#).contains("`X` at tokens 1..0"));
        assert_eq!(with_nodes(r#"{"label":"X","start":0,"end":2}"#), "line 1: tree 1: span 0..2 in 1 tokens");
        let bytes = |range: &str| error(&format!(r#"{{"tokens":[{{"word":"a",{range}}}]}}"#));
        assert!(bytes(r#""byte_start":3,"byte_end":4"#).contains("token 0 has some of its offsets"));
        let chars = r#""char_start":1,"char_end":2"#;
        assert!(bytes(&format!(r#""byte_start":3,"byte_end":2,{chars}"#)).contains("bytes 3..2"));
        assert!(
            bytes(r#""byte_start":3,"byte_end":4,"char_start":3,"char_end":2"#).contains("characters 3..2")
        );
    }

    /// A tree over two tokens with nodes of a label, a span and a parent each.
    fn with_parents(nodes: &[(&str, u32, u32, &str)]) -> String {
        let node = |(label, start, end, parent): &(&str, u32, u32, &str)| {
            format!(r#"{{"label":"{label}","start":{start},"end":{end},"parent":{parent}}}"#)
        };
        let nodes: Vec<String> = nodes.iter().map(node).collect();
        format!(r#"{{"tokens":[{{"word":"a"}},{{"word":"b"}}],"nodes":[{}]}}"#, nodes.join(","))
    }

    #[test]
    fn parents_order_phrases_of_equal_spans() {
        let text = with_parents(&[("X", 0, 2, "2"), ("Y", 0, 1, "0"), ("S", 0, 2, "3"), ("T", 0, 2, "null")]);
        let tree = TreeReader::new(text.as_bytes(), Format::Json).next().expect("one").expect("a tree");
        assert_eq!(tree.to_string(), "(T (S (X (Y (_ a)) (_ b))))");
    }

    #[test]
    fn parents_that_do_not_fit() {
        let refused = |nodes: &[_]| error(&with_parents(nodes));
        let missing = refused(&[("S", 0, 2, "null"), ("X", 0, 1, "2")]);
        assert!(
            missing.starts_with(
                "line 1: tree 1: node 1 (`X` at tokens 0..1) has parent 2, but the last node is 1"
            )
        );
        let cycle = refused(&[("S", 0, 2, "null"), ("X", 0, 1, "2"), ("Y", 0, 1, "1")]);
        assert!(cycle.contains("node 2 (`Y` at tokens 0..1) is above itself"), "{cycle}");
        let itself = refused(&[("S", 0, 2, "0")]);
        assert!(itself.contains("is above itself"), "{itself}");
        let outside = refused(&[("S", 0, 2, "null"), ("X", 0, 1, "0"), ("Y", 1, 2, "1")]);
        assert!(
            outside.contains("node 2 (`Y` at tokens 1..2) has parent 1, but by the spans its parent is 0")
        );
        let siblings = refused(&[("S", 0, 2, "null"), ("X", 0, 1, "0"), ("Y", 0, 1, "0")]);
        assert!(siblings.contains("node 2 (`Y` at tokens 0..1) has parent 0"), "{siblings}");
    }

    #[test]
    fn words_are_not_empty() {
        let text = r#"{"tokens":[{"word":"a"},{"word":""}]}"#;
        assert!(error(text).starts_with("line 1: tree 1: token 1 has an empty word"));
    }

    #[test]
    fn reading_goes_on_after_an_error() {
        let text = "oops\n{\"tokens\":[]}\n\u{FEFF}\n";
        let kinds: Vec<_> = TreeReader::new(text.as_bytes(), Format::Json).map(|tree| tree.is_ok()).collect();
        assert_eq!(kinds, [false, true, false]);
        let mut trees = TreeReader::new(&b"{\"tokens\":[{\"word\":\"\xFF\"}]}"[..], Format::Json);
        assert_eq!(trees.next().expect("one").expect_err("not UTF-8").kind(), ErrorKind::Encoding);
    }
}
