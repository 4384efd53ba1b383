//! The tree as in a textbook: the root at the top, the words on the last line.

use std::borrow::Cow;
use std::fmt::{self, Write};

use super::layout::{DrawLayout, Measure, start_of};
use super::text::columns;
use super::{printable, shown_label};
use crate::tree::{Node, NodeId, Token, Tree};

/// Measures in columns of a terminal.
pub(super) struct Columns;

impl Measure for Columns {
    const GAP: i64 = 2;
    const SNAP: i64 = 3;

    fn node(&self, node: Node<'_>) -> i64 {
        columns(&shown_label(node.label)) as i64
    }

    fn token(&self, token: Token<'_>) -> i64 {
        columns(&printable(token.tag)).max(columns(&printable(token.word))) as i64
    }
}

/// Draws a tree that has been laid out in [`Columns`].
pub(super) fn write(tree: &Tree, layout: &DrawLayout, ascii: bool, out: &mut String) -> fmt::Result {
    let mut levels: Vec<Vec<NodeId>> = vec![Vec::new(); layout.num_levels as usize];
    for node in tree.nodes() {
        levels[layout.nodes[node.id.index()].level as usize].push(node.id);
    }
    let picture = Upright { tree, layout, ascii };
    for (level, nodes) in levels.iter().enumerate() {
        picture.labels(level as u32, nodes).write(out)?;
        if level + 1 < levels.len() {
            picture.branches(level as u32, nodes).write(out)?;
        }
    }
    picture.words().write(out)
}

struct Upright<'a> {
    tree: &'a Tree,
    layout: &'a DrawLayout,
    ascii: bool,
}

impl<'a> Upright<'a> {
    /// A character of lines, in ASCII if that is wanted.
    fn stroke(&self, unicode: &'static str) -> &'static str {
        match unicode {
            _ if !self.ascii => unicode,
            "─" => "-",
            "│" => "|",
            "┊" => ":",
            _ => "+",
        }
    }

    fn labels(&self, level: u32, nodes: &[NodeId]) -> PictureRow<'a> {
        let mut row = self.lines_to_words(level);
        for &id in nodes {
            row.put_centred(self.layout.nodes[id.index()].x, shown_label(self.tree.label(id)));
        }
        for (token, place) in self.tree.tokens().zip(&self.layout.tokens) {
            match token.tag {
                _ if place.level != level => {}
                "" if level == 0 => {}
                "" => row.put(place.x, self.stroke("│").into()),
                tag => row.put_centred(place.x, printable(tag)),
            }
        }
        row
    }

    fn branches(&self, level: u32, nodes: &[NodeId]) -> PictureRow<'a> {
        let mut row = self.lines_to_words(level + 1);
        for &id in nodes {
            let (start, branches) = self.branches_of(id);
            row.put(start, branches);
        }
        row
    }

    /// The lines from a parent to its children, and where they start.
    fn branches_of(&self, id: NodeId) -> (i64, Cow<'a, str>) {
        let children: Vec<i64> = self.tree.children(id).map(|child| self.layout.place(child).x).collect();
        let (first, last) = match children[..] {
            [first, .., last] => (first, last),
            _ => return (self.layout.nodes[id.index()].x, self.stroke("│").into()),
        };
        let mut line = vec!["─"; (last - first + 1) as usize];
        for x in children {
            line[(x - first) as usize] = "┬";
        }
        let middle = &mut line[(self.layout.nodes[id.index()].x - first) as usize];
        *middle = if *middle == "┬" { "┼" } else { "┴" };
        line[0] = "┌";
        line[(last - first) as usize] = "┐";
        (first, line.into_iter().map(|unicode| self.stroke(unicode)).collect())
    }

    /// A row with the lines that lead down from the tags above this level.
    fn lines_to_words(&self, level: u32) -> PictureRow<'a> {
        let mut row = PictureRow::default();
        for place in self.layout.tokens.iter().filter(|place| place.level < level) {
            row.put(place.x, self.stroke("┊").into());
        }
        row
    }

    fn words(&self) -> PictureRow<'a> {
        let mut row = PictureRow::default();
        for (token, place) in self.tree.tokens().zip(&self.layout.tokens) {
            row.put_centred(place.x, printable(token.word));
        }
        row
    }
}

/// A line of the picture: pieces and the columns where they start.
#[derive(Default)]
struct PictureRow<'a> {
    pieces: Vec<(i64, Cow<'a, str>)>,
}

impl<'a> PictureRow<'a> {
    fn put(&mut self, column: i64, piece: Cow<'a, str>) {
        self.pieces.push((column, piece));
    }

    fn put_centred(&mut self, x: i64, piece: Cow<'a, str>) {
        self.put(start_of(x, columns(&piece) as i64), piece);
    }

    fn write(mut self, out: &mut String) -> fmt::Result {
        if self.pieces.is_empty() {
            return Ok(());
        }
        self.pieces.sort_by_key(|&(column, _)| column);
        let mut end = 0;
        for (column, piece) in self.pieces {
            let blanks = usize::try_from(column - end).unwrap_or(0);
            write!(out, "{:blanks$}{piece}", "")?;
            end = column + columns(&piece) as i64;
        }
        out.write_char('\n')
    }
}
