//! JSON lines as [`write_json`](crate::tree::write::write_json) writes them, or another program does.
//!
//! Needed are `tokens`, each with a `word`, and for phrases a `label`, `start` and `end`. A missing `tag` is empty and
//! missing `nodes` are none. Parents and the bytes of phrases follow from the spans and are not read; nor
//! are fields of other names. Phrases may be in any order; among those with equal spans the first is the upper one.

use std::borrow::Cow;
use std::io::Read;

use serde::Deserialize;

use super::lines::Lines;
use super::next_until_failure;
use crate::error::{Error, ErrorKind, Result};
use crate::span::{ByteSpan, Span};
use crate::tree::{Token, Tree, from_spans};

/// Reads trees from JSON lines, one at a time; memory is that of one tree. After an error in a line
/// reading goes on with the next.
///
/// ```
/// use boughs::tree::read::JsonReader;
///
/// let text = r#"{"tokens":[{"word":"go","tag":"VB"}],"nodes":[{"label":"VP","start":0,"end":1}]}"#;
/// let tree = JsonReader::new(text.as_bytes()).next().unwrap()?;
/// assert_eq!(tree.to_string(), "(VP (VB go))");
/// # Ok::<(), boughs::Error>(())
/// ```
pub struct JsonReader<R> {
    lines: Lines<R>,
    num_trees: u64,
    /// Set by an error of the operating system, after which nothing more can be read.
    failed: bool,
}

impl<R: Read> JsonReader<R> {
    /// A reader that passes over blank lines.
    pub fn new(input: R) -> Self {
        Self { lines: Lines::new(input), num_trees: 0, failed: false }
    }

    /// Goes to the next line that is not blank; false at the end.
    fn next_line(&mut self) -> Result<bool> {
        while self.lines.advance()? {
            if !self.lines.is_blank() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn read(&mut self) -> Result<Option<Tree>> {
        if !self.next_line()? {
            return Ok(None);
        }
        self.num_trees += 1;
        let tree = read_line(self.lines.bytes(), self.lines.number());
        tree.map(Some).map_err(|error| error.in_tree(self.num_trees))
    }
}

impl<R: Read> Iterator for JsonReader<R> {
    type Item = Result<Tree>;

    fn next(&mut self) -> Option<Result<Tree>> {
        next_until_failure(self, |reader| &mut reader.failed, Self::read)
    }
}

#[derive(Deserialize)]
struct TreeObject<'a> {
    #[serde(borrow)]
    tokens: Vec<TokenObject<'a>>,
    #[serde(borrow, default)]
    nodes: Vec<NodeObject<'a>>,
}

#[derive(Deserialize)]
struct TokenObject<'a> {
    #[serde(borrow)]
    word: Cow<'a, str>,
    #[serde(borrow, default)]
    tag: Cow<'a, str>,
    byte_start: Option<u64>,
    byte_end: Option<u64>,
}

#[derive(Deserialize)]
struct NodeObject<'a> {
    #[serde(borrow)]
    label: Cow<'a, str>,
    start: u32,
    end: u32,
}

fn read_line(line: &[u8], line_number: u64) -> Result<Tree> {
    let text = str::from_utf8(line).map_err(|error| {
        Error::new(ErrorKind::Encoding, "not UTF-8")
            .hint("JSON is always in UTF-8")
            .at(line_number, 1 + String::from_utf8_lossy(&line[..error.valid_up_to()]).chars().count() as u64)
    })?;
    let object = serde_json::from_str(text).map_err(|error| syntax(text, line_number, &error))?;
    tree_of(&object).map_err(|error| error.at_line(line_number))
}

/// An error of the JSON reader, which counts columns in bytes and lines within this line.
fn syntax(text: &str, line_number: u64, error: &serde_json::Error) -> Error {
    let place = format!(" at line {} column {}", error.line(), error.column());
    let message = error.to_string().replace(&place, "");
    let before = text.get(..error.column().saturating_sub(1)).unwrap_or(text);
    Error::new(ErrorKind::Syntax, message)
        .hint(r#"expected one tree a line, as {"tokens":[{"word":…,"tag":…}],"nodes":[{"label":…,"start":…,"end":…}]}"#)
        .at(line_number, before.chars().count() as u64 + 1)
}

fn tree_of(object: &TreeObject<'_>) -> Result<Tree> {
    let tokens: Vec<_> = object.tokens.iter().map(token_of).collect::<Result<_>>()?;
    let spans: Vec<_> = object.nodes.iter().map(span_of).collect::<Result<_>>()?;
    from_spans(tokens, spans)
}

fn token_of<'a>(token: &'a TokenObject<'_>) -> Result<Token<'a>> {
    let bytes = match (token.byte_start, token.byte_end) {
        (None, None) => None,
        (Some(start), Some(end)) => Some(byte_span(start, end)?),
        _ => return Err(invalid("a token with only one of `byte_start` and `byte_end`")),
    };
    Ok(Token { word: &token.word, tag: &token.tag, bytes })
}

fn byte_span(start: u64, end: u64) -> Result<ByteSpan> {
    let len = end.checked_sub(start).and_then(|len| u32::try_from(len).ok());
    match len {
        Some(len) => Ok(ByteSpan { start, len }),
        None => Err(invalid(format!("a token at bytes {start}..{end}"))),
    }
}

fn span_of<'a>(node: &'a NodeObject<'_>) -> Result<(Span, &'a str)> {
    match node.start < node.end {
        true => Ok((Span::new(node.start, node.end), &*node.label)),
        false => Err(invalid(format!("`{}` at tokens {}..{}", node.label, node.start, node.end))
            .hint("a phrase has at least one token; `end` is one past its last")),
    }
}

fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Syntax, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        JsonReader::new(text.as_bytes()).find_map(Result::err).expect("an error").to_string()
    }

    #[test]
    fn only_words_and_spans_are_needed() {
        let text =
            r#"{"id":7,"tokens":[{"word":"I"},{"word":"go"}],"nodes":[{"label":"VP","start":1,"end":2}]}"#;
        let tree = JsonReader::new(text.as_bytes()).next().expect("one").expect("a tree");
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
        assert!(bytes(r#""byte_start":3"#).contains("only one of"));
        assert!(bytes(r#""byte_start":3,"byte_end":2"#).contains("bytes 3..2"));
    }

    #[test]
    fn reading_goes_on_after_an_error() {
        let text = "oops\n{\"tokens\":[]}\n\u{FEFF}\n";
        let kinds: Vec<_> = JsonReader::new(text.as_bytes()).map(|tree| tree.is_ok()).collect();
        assert_eq!(kinds, [false, true, false]);
        let mut trees = JsonReader::new(&b"{\"tokens\":[{\"word\":\"\xFF\"}]}"[..]);
        assert_eq!(trees.next().expect("one").expect_err("not UTF-8").kind(), ErrorKind::Encoding);
    }
}
