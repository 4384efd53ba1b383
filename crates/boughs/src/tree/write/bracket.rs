//! Trees as brackets: on one line, or indented for reading.

use std::fmt;

use crate::tree::escape::{escape, escape_label};
use crate::tree::{NO_TAG, Node, NodeId, Token, Tree};

/// Deeper phrases are indented as far as this: else a tree of n levels would take n² blanks.
const MOST_INDENTED: usize = 60;

/// Writes a tree on one line without a line end: `(S (NP (PRP I)) (VP (VBP read)))`. The empty tree is `()`.
///
/// # Errors
/// Those of `out`.
pub fn write_line(tree: &Tree, out: &mut impl fmt::Write) -> fmt::Result {
    BracketWriter { out, pretty: false, open: Vec::new(), last: Last::Open }.write(tree)
}

/// Writes a tree over several lines, without a final line end: every phrase starts a line, and the tokens
/// before the first phrase stay beside their parent.
///
/// # Errors
/// Those of `out`.
pub fn write_pretty(tree: &Tree, out: &mut impl fmt::Write) -> fmt::Result {
    BracketWriter { out, pretty: true, open: Vec::new(), last: Last::Open }.write(tree)
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_line(self, f)
    }
}

struct BracketWriter<'a, W> {
    out: &'a mut W,
    pretty: bool,
    open: Vec<NodeId>,
    last: Last,
}

/// What was written last.
#[derive(PartialEq)]
enum Last {
    Open,
    Token,
    Close,
}

impl<W: fmt::Write> BracketWriter<'_, W> {
    fn write(mut self, tree: &Tree) -> fmt::Result {
        if tree.is_empty() {
            return self.out.write_str("()");
        }
        let mut nodes = tree.nodes().peekable();
        for (index, token) in tree.tokens().enumerate() {
            while let Some(node) = nodes.next_if(|node| node.span.start as usize == index) {
                self.open_phrase(tree, node)?;
            }
            self.token(token)?;
            while self.open.last().is_some_and(|&top| tree.span(top).end as usize == index + 1) {
                self.open.pop();
                self.out.write_char(')')?;
                self.last = Last::Close;
            }
        }
        Ok(())
    }

    fn open_phrase(&mut self, tree: &Tree, node: Node<'_>) -> fmt::Result {
        let first_of_nameless =
            self.last == Last::Open && self.open.last().is_some_and(|&top| tree.label(top).is_empty());
        self.separate(self.pretty && !first_of_nameless)?;
        self.out.write_char('(')?;
        self.out.write_str(&escape_label(node.label))?;
        self.open.push(node.id);
        self.last = Last::Open;
        Ok(())
    }

    fn token(&mut self, token: Token<'_>) -> fmt::Result {
        self.separate(self.pretty && self.last == Last::Close)?;
        let tag = if token.tag.is_empty() { NO_TAG } else { token.tag };
        self.out.write_char('(')?;
        self.out.write_str(&escape_label(tag))?;
        self.out.write_char(' ')?;
        self.out.write_str(&escape(token.word))?;
        self.out.write_char(')')?;
        self.last = Last::Token;
        Ok(())
    }

    fn separate(&mut self, new_line: bool) -> fmt::Result {
        match self.open.len() {
            0 => Ok(()),
            depth if new_line => write!(self.out, "\n{:1$}", "", 2 * depth.min(MOST_INDENTED)),
            _ => self.out.write_char(' '),
        }
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
    fn what_brackets_cannot_hold_is_escaped() {
        let tree = Tree::flat([("(", "-LRB-"), ("16 000", "CD"), ("x", "")]).expect("small");
        assert_eq!(tree.to_string(), "( (-LRB- -LRB-) (CD 16\u{A0}000) (_ x))");
        let mut read: Tree = tree.to_string().parse().expect("a tree");
        assert_eq!(read.token(0).word, "(");
        assert_eq!(read.token(2).tag, "");
        read.set_word(1, "16 000");
        assert_eq!(read, tree);
    }
}
