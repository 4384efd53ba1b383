//! The picture with the root at the left and the words below each other at the right, for long sentences: as upright,
//! with rows in the place of columns. So a word more is a line more, and the width is that of the labels.

use std::fmt::{self, Write};

use super::layout::{DrawLayout, DrawPlace, Measure};
use super::shown_label;
use super::svg::{Escaped, LABEL_SIZE, MARGIN, WORD_SIZE, estimate, write_label};
use crate::tree::{Child, Node, TRACE_TAG, Token, Tree};

const ROW_HEIGHT: i64 = 20;
/// From the end of the widest label of a level to the next level.
const LEVEL_GAP: i64 = 26;
/// Between a text and a line.
const LINE_GAP: i64 = 5;
/// From the baseline of a text to the line that leads to it.
const RISE: i64 = 5;

struct Rows;

impl Measure for Rows {
    const GAP: i64 = 4;
    const SNAP: i64 = 4;

    fn node(&self, _: Node<'_>) -> i64 {
        ROW_HEIGHT
    }

    fn token(&self, _: Token<'_>) -> i64 {
        ROW_HEIGHT
    }
}

/// Draws a tree and returns the width and height of the picture.
pub(super) fn draw(tree: &Tree, out: &mut String) -> (i64, i64) {
    let layout = DrawLayout::new(tree, &Rows);
    let picture = Turned { tree, columns: columns(tree, &layout), layout: &layout };
    // Strings take all that is written.
    let _ = picture.draw(out);
    let words = tree.words().map(|word| estimate(word, WORD_SIZE)).max().unwrap_or(0);
    (picture.word_column() + words + MARGIN, layout.width + 2 * MARGIN)
}

struct Turned<'a> {
    tree: &'a Tree,
    layout: &'a DrawLayout,
    /// Where each level begins; that of the words is the last.
    columns: Vec<i64>,
}

fn columns(tree: &Tree, layout: &DrawLayout) -> Vec<i64> {
    let mut widths = vec![0; layout.num_levels as usize];
    let nodes = tree.nodes().zip(&layout.nodes).map(|(node, place)| (place, label_width(node.label)));
    let tags =
        tree.tokens().zip(&layout.tokens).map(|(token, place)| (place, estimate(token.tag, LABEL_SIZE)));
    for (place, width) in nodes.chain(tags) {
        let widest = &mut widths[place.level as usize];
        *widest = width.max(*widest);
    }
    let mut at = MARGIN;
    let mut columns = vec![at];
    for width in widths {
        at += width + LEVEL_GAP;
        columns.push(at);
    }
    columns
}

fn label_width(label: &str) -> i64 {
    estimate(&shown_label(label), LABEL_SIZE) * 21 / 20
}

impl Turned<'_> {
    fn draw(&self, out: &mut String) -> fmt::Result {
        self.branches(out)?;
        self.lines_to_words(out)?;
        out.write_str("<g class=\"label\" text-anchor=\"start\">\n")?;
        for (node, &place) in self.tree.nodes().zip(&self.layout.nodes) {
            write_label(node.label, self.x(place), self.y(place), out)?;
        }
        out.write_str("</g>\n")?;
        self.token_texts("tag", |token| token.tag, |place| self.x(place), out)?;
        self.token_texts("word", |token| token.word, |_| self.word_column(), out)
    }

    fn branches(&self, out: &mut String) -> fmt::Result {
        out.write_str("<path class=\"edge\" d=\"")?;
        for node in self.tree.nodes() {
            let parent = self.layout.nodes[node.id.index()];
            let from = self.x(parent) + label_width(node.label) + LINE_GAP;
            for child in self.tree.children(node.id) {
                let place = self.layout.place(child);
                let has_text = !matches!(child, Child::Token(index) if self.tree.token(index).tag.is_empty());
                let to = if has_text { self.x(place) } else { self.word_column() } - LINE_GAP;
                write!(out, "M{from} {}L{to} {}", self.y(parent) - RISE, self.y(place) - RISE)?;
            }
        }
        out.write_str("\"/>\n")
    }

    fn lines_to_words(&self, out: &mut String) -> fmt::Result {
        out.write_str("<path class=\"edge drop\" d=\"")?;
        let end = self.word_column() - LINE_GAP;
        for (token, &place) in self.tree.tokens().zip(&self.layout.tokens) {
            let start = self.x(place) + estimate(token.tag, LABEL_SIZE) + LINE_GAP;
            if !token.tag.is_empty() && start < end {
                write!(out, "M{start} {}H{end}", self.y(place) - RISE)?;
            }
        }
        out.write_str("\"/>\n")
    }

    fn token_texts(
        &self,
        class: &str,
        text: fn(Token<'_>) -> &str,
        x: impl Fn(DrawPlace) -> i64,
        out: &mut String,
    ) -> fmt::Result {
        writeln!(out, "<g class=\"{class}\" text-anchor=\"start\">")?;
        for (token, &place) in self.tree.tokens().zip(&self.layout.tokens) {
            if text(token).is_empty() {
                continue;
            }
            let class = if token.tag == TRACE_TAG { " class=\"faint\"" } else { "" };
            let (x, y, text) = (x(place), self.y(place), Escaped(text(token)));
            writeln!(out, "<text{class} x=\"{x}\" y=\"{y}\">{text}</text>")?;
        }
        out.write_str("</g>\n")
    }

    fn x(&self, place: DrawPlace) -> i64 {
        self.columns[place.level as usize]
    }

    /// The baseline of the text at a place.
    fn y(&self, place: DrawPlace) -> i64 {
        place.x + MARGIN + RISE
    }

    fn word_column(&self) -> i64 {
        self.columns[self.columns.len() - 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_has_a_line_of_its_own() {
        let tree: Tree = "(S (NP (DT The) (NN dog)) (_ <) (VP (VBZ sleeps)))".parse().expect("a tree");
        let mut body = String::new();
        let (width, height) = draw(&tree, &mut body);
        let words = body.split("<g class=\"word\"").nth(1).expect("words");
        let y = |line: &str| line.split("y=\"").nth(1)?.split('"').next()?.parse::<i64>().ok();
        let lines: Vec<i64> = words.lines().filter_map(y).collect();
        assert!(
            lines.len() == 4 && lines.windows(2).all(|pair| pair[0] + ROW_HEIGHT <= pair[1]),
            "{lines:?}"
        );
        assert!(lines.iter().all(|&y| y < height) && width > 100 && words.contains(">&lt;</text>"));
    }
}
