//! The tree with its root at the left, for sentences wider than the terminal.
//!
//! Two layouts by one loop. Side by side, a phrase has its first child beside it, so there are as many lines
//! as words. Indented, as the tool `tree` lists directories, every phrase with several children has a
//! line of its own; that takes three columns a level whatever the labels are. In both an only
//! child stands beside its parent.

use std::fmt::{self, Write};

use super::shown_label;
use super::text::{columns, shown_token};
use crate::tree::{Child, Children, NodeId, Tree};

/// Below this many phrases with several children, words are listed instead of drawn, because the
/// indentation alone would make the picture grow with the square of the depth.
const MAX_LEVELS: usize = 250;

/// The characters that lines consist of, each as Unicode has it and in ASCII.
pub(super) struct SidewaysStrokes {
    /// Between a parent and its first child, if they stand side by side.
    fork: Option<[&'static str; 2]>,
    child: [&'static str; 2],
    last_child: [&'static str; 2],
    /// Beside what is below a child, and below the last one.
    bar: [&'static str; 2],
    blank: &'static str,
}

const ONLY_CHILD: [&str; 2] = [" ─ ", " - "];

pub(super) const SIDE_BY_SIDE: SidewaysStrokes = SidewaysStrokes {
    fork: Some([" ┬ ", " + "]),
    child: ["├ ", "+ "],
    last_child: ["└ ", "+ "],
    bar: ["│ ", "| "],
    blank: "  ",
};

pub(super) const INDENTED: SidewaysStrokes = SidewaysStrokes {
    fork: None,
    child: ["├─ ", "|- "],
    last_child: ["└─ ", "`- "],
    bar: ["│  ", "|  "],
    blank: "   ",
};

/// The columns of the drawing with parent and first child side by side.
pub(super) fn width(tree: &Tree) -> usize {
    const LINE: usize = " ┬ ".len() - "┬".len() + 1;
    let mut width = 0;
    let mut starts: Vec<usize> = Vec::with_capacity(tree.num_nodes());
    for node in tree.nodes() {
        let start = node.parent.map_or(0, |parent| starts[parent.index()]);
        let end = start + columns(&shown_label(node.label)) + LINE;
        starts.push(end);
        for child in tree.children(node.id) {
            if let Child::Token(index) = child {
                width = width.max(end + columns(&shown_token(tree.token(index))));
            }
        }
    }
    width
}

/// Draws a tree that has tokens.
pub(super) fn write(tree: &Tree, strokes: &SidewaysStrokes, ascii: bool, out: &mut String) -> fmt::Result {
    let root = tree.root().map_or(Child::Token(0), |root| Child::Node(root.id));
    let mut picture =
        Sideways { tree, strokes, set: ascii.into(), margin: String::new(), open: Vec::new(), out };
    let mut next = Some(root);
    while let Some(item) = next {
        next = match item {
            Child::Token(index) => picture.token(index)?,
            Child::Node(id) => picture.phrase(id)?,
        };
    }
    Ok(())
}

struct Sideways<'a> {
    tree: &'a Tree,
    strokes: &'a SidewaysStrokes,
    /// Which of the characters are drawn.
    set: usize,
    /// What stands to the left of the line after this one.
    margin: String,
    open: Vec<OpenPhrase<'a>>,
    out: &'a mut String,
}

/// A phrase with several children, some of which are still to be drawn.
struct OpenPhrase<'a> {
    children: Children<'a>,
    margin_length: usize,
}

impl<'a> Sideways<'a> {
    /// Ends a line with a token, and returns what starts the next.
    fn token(&mut self, index: usize) -> Result<Option<Child>, fmt::Error> {
        writeln!(self.out, "{}", shown_token(self.tree.token(index)))?;
        self.start_line()
    }

    /// Writes a label, and returns what follows it.
    fn phrase(&mut self, id: NodeId) -> Result<Option<Child>, fmt::Error> {
        let label = shown_label(self.tree.label(id));
        self.out.write_str(&label)?;
        if self.open.len() >= MAX_LEVELS {
            return self.list_words(id);
        }
        let mut children = self.tree.children(id);
        let has_one_child = children.clone().nth(1).is_none();
        if has_one_child {
            self.out.write_str(ONLY_CHILD[self.set])?;
            if self.strokes.fork.is_some() {
                self.indent(columns(&label) + columns(ONLY_CHILD[self.set]));
            }
            return Ok(children.next());
        }
        match self.strokes.fork {
            Some(fork) => {
                self.out.write_str(fork[self.set])?;
                self.indent(columns(&label) + 1);
                let first = children.next();
                self.open.push(OpenPhrase { children, margin_length: self.margin.len() });
                self.margin.push_str(self.strokes.bar[self.set]);
                Ok(first)
            }
            None => {
                self.out.write_char('\n')?;
                self.open.push(OpenPhrase { children, margin_length: self.margin.len() });
                self.start_line()
            }
        }
    }

    /// Starts a line for the next child of a phrase, the innermost that has one.
    fn start_line(&mut self) -> Result<Option<Child>, fmt::Error> {
        while let Some(open) = self.open.last_mut() {
            let Some(child) = open.children.next() else {
                self.open.pop();
                continue;
            };
            let is_last = open.children.clone().next().is_none();
            self.margin.truncate(open.margin_length);
            let (line, below) = match is_last {
                true => (self.strokes.last_child[self.set], self.strokes.blank),
                false => (self.strokes.child[self.set], self.strokes.bar[self.set]),
            };
            write!(self.out, "{}{line}", self.margin)?;
            self.margin.push_str(below);
            return Ok(Some(child));
        }
        Ok(None)
    }

    fn list_words(&mut self, id: NodeId) -> Result<Option<Child>, fmt::Error> {
        self.out.write_str(" …")?;
        for index in self.tree.span(id).range() {
            write!(self.out, " {}", super::printable(self.tree.token(index).word))?;
        }
        self.out.write_char('\n')?;
        self.start_line()
    }

    fn indent(&mut self, columns: usize) {
        self.margin.extend(std::iter::repeat_n(' ', columns));
    }
}
