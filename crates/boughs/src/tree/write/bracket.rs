//! Trees as brackets: on one line, or indented for reading.

use std::fmt::{self, Write};

use super::Nested;
use crate::tree::escape::{escape, escape_label};
use crate::tree::{NO_TAG, Token, Tree};

/// Deeper phrases are indented as far as this: else a tree of n levels would take n² blanks.
const MOST_INDENTED: usize = 60;

/// Writes a tree on one line without a line end: `(S (NP (PRP I)) (VP (VBP read)))`. The empty tree is `()`.
///
/// # Errors
/// Never: strings take all that is written.
pub fn write_line(tree: &Tree, out: &mut String) -> fmt::Result {
    BracketWriter { out, pretty: false, depth: 0, last: Last::Open }.write(tree)
}

/// Writes a tree over several lines, without a final line end: every phrase starts a line, and the tokens
/// before the first phrase stay beside their parent.
///
/// # Errors
/// Never: strings take all that is written.
pub fn write_pretty(tree: &Tree, out: &mut String) -> fmt::Result {
    BracketWriter { out, pretty: true, depth: 0, last: Last::Open }.write(tree)
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = String::new();
        write_line(self, &mut line)?;
        f.write_str(&line)
    }
}

struct BracketWriter<'a> {
    out: &'a mut String,
    pretty: bool,
    depth: usize,
    last: Last,
}

/// What was written last.
#[derive(PartialEq)]
enum Last {
    Open,
    /// A bracket without a label, as the root of `( (S …))`; what follows stays on its line.
    OpenNameless,
    Token,
    Close,
}

impl BracketWriter<'_> {
    fn write(mut self, tree: &Tree) -> fmt::Result {
        if tree.is_empty() {
            return self.out.write_str("()");
        }
        self.everything_in(tree)
    }

    fn separate(&mut self, new_line: bool) -> fmt::Result {
        match self.depth {
            0 => Ok(()),
            depth if new_line => write!(self.out, "\n{:1$}", "", 2 * depth.min(MOST_INDENTED)),
            _ => self.out.write_char(' '),
        }
    }
}

impl Nested for BracketWriter<'_> {
    fn open_phrase(&mut self, label: &str) -> fmt::Result {
        self.separate(self.pretty && self.last != Last::OpenNameless)?;
        self.out.write_char('(')?;
        self.out.write_str(&escape_label(label))?;
        self.depth += 1;
        self.last = if label.is_empty() { Last::OpenNameless } else { Last::Open };
        Ok(())
    }

    fn close_phrase(&mut self) -> fmt::Result {
        self.depth -= 1;
        self.last = Last::Close;
        self.out.write_char(')')
    }

    fn token(&mut self, token: Token<'_>) -> fmt::Result {
        self.separate(self.pretty && self.last == Last::Close)?;
        let tag = if token.tag.is_empty() { NO_TAG } else { token.tag };
        self.out.write_char('(')?;
        self.out.write_str(&escape_label(tag))?;
        self.out.write_char(' ')?;
        self.out.write_str(&escape(token.word))?;
        // NLTK takes a bracket after a backslash for a part of the word.
        self.out.write_str(if token.word.ends_with('\\') { " )" } else { ")" })?;
        self.last = Last::Token;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pretty_trees() {
        let tree: Tree = "( (S (NP (DT The) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (PRP me)))) (. .)))"
            .parse()
            .expect("a tree");
        let mut pretty = String::new();
        write_pretty(&tree, &mut pretty).expect("strings do not fail");
        let expected = "\
( (S
    (NP (DT The) (NN cat))
    (VP (VBD sat)
      (PP (IN on)
        (NP (PRP me))))
    (. .)))";
        assert_eq!(pretty, expected);
        assert_eq!(pretty.parse::<Tree>().expect("a tree"), tree);
    }

    #[test]
    fn backslashes_escape_no_bracket() {
        let tree: Tree = Tree::flat([("\\", "SYM"), ("a\\b", "NN")].into_iter().collect());
        assert_eq!(tree.to_string(), "( (SYM \\ ) (NN a\\b))");
        assert_eq!(tree.to_string().parse::<Tree>().expect("a tree"), tree);
    }

    #[test]
    fn what_brackets_cannot_hold_is_escaped() {
        let tree = Tree::flat([("(", "-LRB-"), ("16 000", "CD"), ("x", "")].into_iter().collect());
        assert_eq!(tree.to_string(), "( (-LRB- -LRB-) (CD 16\u{A0}000) (_ x))");
        let mut read: Tree = tree.to_string().parse().expect("a tree");
        assert_eq!(read.token(0).word, "(");
        assert_eq!(read.token(2).tag, "");
        read.set_word(1, "16 000");
        assert_eq!(read, tree);
    }
}
