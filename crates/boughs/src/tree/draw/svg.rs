//! The tree as a picture for the web: SVG without scripts, links or fonts of its own.
//!
//! How wide a text will be is known only to the program that shows it, so widths are estimated by kinds of
//! characters, on the generous side. Colours follow the reader's preference for light or dark; the
//! picture has a background of its own, because a page may be dark for a reader who prefers light.

use std::fmt::{self, Write};

use unicode_width::UnicodeWidthChar;

use super::layout::{DrawLayout, DrawPlace, Measure};
use super::{NOTHING, printable, shown_label, turned, without_empty_root};
use crate::tree::{Node, TRACE_TAG, Token, Tree, split_label};

/// Sizes in pixels.
pub(super) const LABEL_SIZE: i64 = 14;
pub(super) const WORD_SIZE: i64 = 16;
/// From level to level; more where lines go far to the side, so that they are not flat.
const LEVEL_HEIGHT: std::ops::RangeInclusive<i64> = 46..=92;
const STEEPNESS: i64 = 8;
/// From the last level of tags to the words.
const WORD_DROP: i64 = 30;
pub(super) const MARGIN: i64 = 18;
/// Within the margins.
const MIN_WIDTH: i64 = 36;
/// Wider trees are drawn with their root at the left, so that sentences of any length can be read on a screen.
const MAX_WIDTH: i64 = 1400;
/// Between two pictures of a sheet.
const SHEET_GAP: i64 = 14;
/// From a baseline to where a line ends above the text or begins below it.
const ABOVE: i64 = LABEL_SIZE + 1;
pub(super) const BELOW: i64 = 7;
/// Lines to words shorter than this are left out.
const SHORT: i64 = 8;

const STYLE: &str = include_str!("../../../data/draw/style.css");

/// A picture of a tree, and its size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawing {
    width: i64,
    height: i64,
    title: String,
    body: String,
}

impl Drawing {
    /// Draws a tree: its root at the top, or at the left if it would be too wide.
    pub fn of(tree: &Tree) -> Self {
        let tree = without_empty_root(tree);
        let layout = DrawLayout::new(&tree, &Pixels);
        let mut body = String::new();
        if layout.width > MAX_WIDTH {
            let (width, height) = turned::draw(&tree, &mut body);
            return Self { width, height, title: title(&tree), body };
        }
        let mut picture = Picture::new(&tree, &layout, &mut body);
        // Strings take all that is written.
        let _ = picture.draw();
        picture.finish()
    }

    /// Writes it as a complete SVG document, with a final line end.
    ///
    /// # Errors
    /// Never: strings take all that is written.
    pub fn write_document(&self, out: &mut String) -> fmt::Result {
        self.open(out, &style_element())?;
        out.write_str("</svg>\n")
    }

    /// Writes it as an element of a page that has the style.
    pub(super) fn write_element(&self, out: &mut String) -> fmt::Result {
        self.open(out, "")?;
        out.write_str("</svg>\n")
    }

    fn open(&self, out: &mut String, style: &str) -> fmt::Result {
        let Self { width, height, title, body } = self;
        writeln!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"boughs\" role=\"img\" \
             width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">"
        )?;
        write!(out, "<title>{title}</title>\n{style}{}{body}", card(*width, *height))
    }
}

fn style_element() -> String {
    format!("<style>{}</style>\n", style())
}

/// The style of pictures, on one line.
pub(super) fn style() -> String {
    STYLE.replace('\n', "")
}

fn card(width: i64, height: i64) -> String {
    let (width, height) = (width - 1, height - 1);
    format!("<rect class=\"card\" x=\"0.5\" y=\"0.5\" width=\"{width}\" height=\"{height}\" rx=\"8\"/>\n")
}

/// Writes pictures one below the other as one SVG document, with a final line end; a single one is as
/// [`write_svg`] writes it.
///
/// ```
/// use boughs::tree::{Tree, draw::{Drawing, write_sheet}};
///
/// let trees: [Tree; 2] = ["(S (VP (VB Go)))".parse()?, "(NP (NNS Boughs))".parse()?];
/// let mut sheet = String::new();
/// write_sheet(&trees.map(|tree| Drawing::of(&tree)), &mut sheet).unwrap();
/// assert_eq!((sheet.matches("<style>").count(), sheet.matches("</svg>").count()), (1, 3));
/// # Ok::<(), boughs::Error>(())
/// ```
///
/// # Errors
/// Never: strings take all that is written.
pub fn write_sheet(drawings: &[Drawing], out: &mut String) -> fmt::Result {
    if let [drawing] = drawings {
        return drawing.write_document(out);
    }
    let width = drawings.iter().map(|drawing| drawing.width).max().unwrap_or(MIN_WIDTH);
    let height = drawings.iter().map(|drawing| drawing.height + SHEET_GAP).sum::<i64>();
    let height = (height - SHEET_GAP).max(MIN_WIDTH);
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"boughs\" \
         width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n{}",
        style_element().trim_end()
    )?;
    let mut y = 0;
    for Drawing { width, height, title, body } in drawings {
        writeln!(
            out,
            "<svg y=\"{y}\" width=\"{width}\" height=\"{height}\" role=\"img\">\n<title>{title}</title>"
        )?;
        writeln!(out, "{}{body}</svg>", card(*width, *height))?;
        y += height + SHEET_GAP;
    }
    out.write_str("</svg>\n")
}

/// The sentence, for those who cannot see the picture.
fn title(tree: &Tree) -> String {
    let words = tree.tokens().filter(|token| token.tag != TRACE_TAG);
    let words: Vec<String> = words.map(|token| Escaped(token.word).to_string()).collect();
    words.join(" ")
}

/// Draws a tree as a complete SVG document, with a final line end: its root at the top, or at the left if it would be
/// too wide.
///
/// The picture's title is the sentence. Traces, function tags and indices are drawn fainter than the rest.
///
/// ```
/// let tree: boughs::tree::Tree = "(S (NP (NNS Boughs)) (VP (VBP bend)))".parse()?;
/// let mut picture = String::new();
/// boughs::tree::draw::write_svg(&tree, &mut picture).unwrap();
/// assert!(picture.starts_with("<svg xmlns=") && picture.contains("<title>Boughs bend</title>"));
/// # Ok::<(), boughs::Error>(())
/// ```
///
/// # Errors
/// Never: strings take all that is written.
pub fn write_svg(tree: &Tree, out: &mut String) -> fmt::Result {
    Drawing::of(tree).write_document(out)
}

/// Measures in estimated pixels.
pub(super) struct Pixels;

impl Measure for Pixels {
    const GAP: i64 = 14;
    const SNAP: i64 = 6;

    fn node(&self, node: Node<'_>) -> i64 {
        estimate(&shown_label(node.label), LABEL_SIZE) * 21 / 20
    }

    fn token(&self, token: Token<'_>) -> i64 {
        estimate(token.tag, LABEL_SIZE).max(estimate(token.word, WORD_SIZE))
    }
}

/// The width of a text, in the unit of the font size.
pub(super) fn estimate(text: &str, font_size: i64) -> i64 {
    text.chars().map(percent_of_em).sum::<i64>() * font_size / 100 + 1
}

fn percent_of_em(c: char) -> i64 {
    match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | '`' | '’' | '‘' => 32,
        'f' | 't' | 'r' | 'I' | '(' | ')' | '[' | ']' | '-' | '/' | '"' | ' ' => 43,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 98,
        'A'..='Z' | '&' | '+' | '=' => 74,
        '\0'..='\u{24F}' => 62,
        _ => match c.width() {
            Some(0) => 0,
            Some(2) => 105,
            _ => 72,
        },
    }
}

pub(super) struct Picture<'a> {
    tree: &'a Tree,
    pub(super) layout: &'a DrawLayout,
    /// The width of the picture.
    pub(super) width: i64,
    /// The height of what stands below the words.
    pub(super) lower_height: i64,
    /// By level; that of the words is the last.
    baselines: Vec<i64>,
    pub(super) out: &'a mut String,
}

impl<'a> Picture<'a> {
    pub(super) fn new(tree: &'a Tree, layout: &'a DrawLayout, out: &'a mut String) -> Self {
        let width = layout.width.max(MIN_WIDTH) + 2 * MARGIN;
        Self { tree, layout, width, lower_height: 0, baselines: baselines(tree, layout), out }
    }

    pub(super) fn finish(self) -> Drawing {
        let height = self.word_baseline() + self.lower_height + BELOW + MARGIN;
        let (width, title) = (self.width, title(self.tree));
        Drawing { width, height, title, body: std::mem::take(self.out) }
    }

    pub(super) fn draw(&mut self) -> fmt::Result {
        if self.tree.is_empty() {
            return self.nothing();
        }
        self.branches()?;
        self.lines_to_words()?;
        self.labels()?;
        self.tags()?;
        self.words()
    }

    fn nothing(&mut self) -> fmt::Result {
        let (x, y) = (self.width / 2, self.word_baseline());
        writeln!(self.out, "<text class=\"faint\" x=\"{x}\" y=\"{y}\">{NOTHING}</text>")
    }

    fn branches(&mut self) -> fmt::Result {
        self.out.write_str("<path class=\"edge\" d=\"")?;
        for node in self.tree.nodes() {
            let parent = self.layout.nodes[node.id.index()];
            for child in self.tree.children(node.id) {
                let place = self.layout.place(child);
                let (from, to) = (self.baseline(parent) + BELOW, self.baseline(place) - ABOVE);
                write!(self.out, "M{} {from}L{} {to}", self.x(parent), self.x(place))?;
            }
        }
        self.out.write_str("\"/>\n")
    }

    fn lines_to_words(&mut self) -> fmt::Result {
        let bottom = self.word_baseline() - WORD_SIZE - 2;
        let tree = self.tree;
        self.out.write_str("<path class=\"edge drop\" d=\"")?;
        for (token, &place) in tree.tokens().zip(&self.layout.tokens) {
            let top = self.baseline(place) + if token.tag.is_empty() { -ABOVE } else { BELOW };
            if bottom - top >= SHORT {
                write!(self.out, "M{} {top}V{bottom}", self.x(place))?;
            }
        }
        self.out.write_str("\"/>\n")
    }

    fn labels(&mut self) -> fmt::Result {
        self.out.write_str("<g class=\"label\">\n")?;
        for (node, &place) in self.tree.nodes().zip(&self.layout.nodes) {
            write_label(node.label, self.x(place), self.baseline(place), self.out)?;
        }
        self.out.write_str("</g>\n")
    }

    fn tags(&mut self) -> fmt::Result {
        let tag = |token: Token<'a>| (!token.tag.is_empty()).then_some(token.tag);
        self.token_texts("tag", tag, Self::baseline)
    }

    fn words(&mut self) -> fmt::Result {
        self.token_texts("word", |token| Some(token.word), |picture, _| picture.word_baseline())
    }

    fn token_texts(
        &mut self,
        class: &str,
        text: fn(Token<'a>) -> Option<&'a str>,
        y: fn(&Self, DrawPlace) -> i64,
    ) -> fmt::Result {
        writeln!(self.out, "<g class=\"{class}\">")?;
        for (token, &place) in self.tree.tokens().zip(&self.layout.tokens) {
            let Some(text) = text(token) else { continue };
            let class = if token.tag == TRACE_TAG { " class=\"faint\"" } else { "" };
            let (x, y) = (self.x(place), y(self, place));
            writeln!(self.out, "<text{class} x=\"{x}\" y=\"{y}\">{}</text>", Escaped(text))?;
        }
        self.out.write_str("</g>\n")
    }

    pub(super) fn x(&self, place: DrawPlace) -> i64 {
        place.x + (self.width - self.layout.width) / 2
    }

    fn baseline(&self, place: DrawPlace) -> i64 {
        self.baselines[place.level as usize]
    }

    pub(super) fn word_baseline(&self) -> i64 {
        self.baselines[self.baselines.len() - 1]
    }
}

/// A label whose function tags and indices are faint.
pub(super) fn write_label(label: &str, x: i64, y: i64, out: &mut String) -> fmt::Result {
    let label = shown_label(label);
    let (category, rest) = split_label(&label);
    write!(out, "<text x=\"{x}\" y=\"{y}\">{}", Escaped(category))?;
    if !rest.is_empty() {
        write!(out, "<tspan class=\"faint\">{}</tspan>", Escaped(rest))?;
    }
    out.write_str("</text>\n")
}

/// The baselines of all levels, and that of the words.
fn baselines(tree: &Tree, layout: &DrawLayout) -> Vec<i64> {
    let mut reaches = vec![0; layout.num_levels as usize];
    for node in tree.nodes() {
        let parent = layout.nodes[node.id.index()];
        let reach = &mut reaches[parent.level as usize];
        for child in tree.children(node.id) {
            *reach = (layout.place(child).x - parent.x).abs().max(*reach);
        }
    }
    let top = MARGIN + LABEL_SIZE;
    let Some((_, upper)) = reaches.split_last() else { return vec![top] };
    let mut baselines = vec![top];
    let mut baseline = top;
    for reach in upper {
        baseline += (reach / STEEPNESS).clamp(*LEVEL_HEIGHT.start(), *LEVEL_HEIGHT.end());
        baselines.push(baseline);
    }
    baselines.push(baseline + WORD_DROP);
    baselines
}

/// Text as XML holds it.
pub(super) struct Escaped<'a>(pub(super) &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in printable(self.0).chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                _ => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(text: &str) -> String {
        let mut picture = String::new();
        write_svg(&text.parse().expect("a tree"), &mut picture).expect("strings do not fail");
        picture
    }

    fn body(picture: &str) -> &str {
        picture.split_once("</style>\n").expect("a style").1
    }

    #[test]
    fn functions_and_traces_are_faint() {
        let picture = draw("(S (NP-SBJ-1 (-NONE- *)) (VP (VB go)))");
        assert!(picture.contains(">NP<tspan class=\"faint\">-SBJ-1</tspan></text>"));
        assert!(picture.contains("<text class=\"faint\" x="));
        assert!(picture.contains("<title>go</title>"));
    }

    #[test]
    fn labels_are_split_after_the_category() {
        assert_eq!(split_label("NP-SBJ-1"), ("NP", "-SBJ-1"));
        assert_eq!(split_label("NP=2"), ("NP", "=2"));
        assert_eq!(split_label("-NONE-"), ("-NONE-", ""));
        assert_eq!(split_label(""), ("", ""));
    }

    #[test]
    fn what_xml_cannot_hold_is_replaced() {
        let tree = Tree::flat([("<&>\u{1}", "\"")].into_iter().collect());
        let mut picture = String::new();
        write_svg(&tree, &mut picture).expect("strings do not fail");
        assert!(picture.contains(">&lt;&amp;&gt;\u{FFFD}</text>"));
    }

    #[test]
    fn one_word() {
        let expected = r#"<rect class="card" x="0.5" y="0.5" width="71" height="86" rx="8"/>
<path class="edge" d=""/>
<path class="edge drop" d=""/>
<g class="label">
</g>
<g class="tag">
<text x="35" y="32">UH</text>
</g>
<g class="word">
<text x="35" y="62">Yes</text>
</g>
</svg>
"#;
        assert_eq!(body(&draw("(UH Yes)")), expected);
    }

    #[test]
    fn nothing() {
        assert!(body(&draw("()")).contains(">()</text>"));
    }

    #[test]
    fn a_chain_of_a_hundred_thousand_phrases() {
        let depth = 100_000;
        let picture = draw(&format!("{}(A a){}", "(X ".repeat(depth), ")".repeat(depth)));
        assert_eq!(picture.matches(">X</text>").count(), depth);
    }
}
