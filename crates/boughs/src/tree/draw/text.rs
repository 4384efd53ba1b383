//! Trees for a terminal: upright if there is room, otherwise sideways.

use std::borrow::Cow;
use std::fmt::{self, Write};

use unicode_width::UnicodeWidthStr;

use super::layout::DrawLayout;
use super::{NOTHING, printable, shown_label, sideways, upright, without_empty_root};
use crate::tree::{Token, Tree};

/// No upright drawing is wider or higher than this: nobody could look at it.
const MAX_COLUMNS: usize = 10_000;
const MAX_LEVELS: u32 = 1_000;

/// How to draw a tree as text.
#[derive(Debug, Clone)]
pub struct TextOptions {
    /// The most columns to use if possible, 100 by default and at most 10,000. A tree that needs more is drawn
    /// sideways, with a word a line; one that is too deep even for that, indented.
    pub max_width: usize,
    /// Whether lines are drawn with ASCII characters only; labels and words are always as they are.
    pub ascii: bool,
}

impl Default for TextOptions {
    fn default() -> Self {
        Self { max_width: 100, ascii: false }
    }
}

/// Draws a tree with box-drawing characters; every line, also the last, ends with a line end.
///
/// ```
/// use boughs::tree::Tree;
/// use boughs::tree::draw::{TextOptions, write_text};
///
/// let tree: Tree = "(S (NP (DT The) (NN bough)) (VP (VBZ bends)))".parse()?;
/// let mut picture = String::new();
/// write_text(&tree, &TextOptions::default(), &mut picture).unwrap();
/// let expected = "
///          S
///     ┌────┴────┐
///     NP        VP
///  ┌──┴──┐      │
///  DT    NN    VBZ
/// The  bough  bends
/// ";
/// assert_eq!(picture, expected.trim_start_matches('\n'));
/// # Ok::<(), boughs::Error>(())
/// ```
///
/// # Errors
/// Never: strings take all that is written.
pub fn write_text(tree: &Tree, options: &TextOptions, out: &mut String) -> fmt::Result {
    if tree.is_empty() {
        return writeln!(out, "{NOTHING}");
    }
    let tree = without_empty_root(tree);
    let max_width = options.max_width.min(MAX_COLUMNS);
    let fits = |width: usize| width <= max_width;
    let layout = DrawLayout::new(&tree, &upright::Columns);
    if fits(layout.width as usize) && layout.num_levels <= MAX_LEVELS {
        upright::write(&tree, &layout, options.ascii, out)
    } else {
        let is_narrow = fits(sideways::width(&tree));
        let strokes = if is_narrow { &sideways::SIDE_BY_SIDE } else { &sideways::INDENTED };
        sideways::write(&tree, strokes, options.ascii, out)
    }
}

/// The number of columns a text takes in a terminal.
pub(super) fn columns(text: &str) -> usize {
    text.width()
}

/// A token on one line.
pub(super) fn shown_token(token: Token<'_>) -> Cow<'_, str> {
    match token.tag {
        "" => printable(token.word),
        tag => Cow::Owned(format!("{} {}", shown_label(tag), printable(token.word))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(text: &str, max_width: usize, ascii: bool) -> String {
        let tree: Tree = text.parse().expect("a tree");
        let mut picture = String::from("\n");
        write_text(&tree, &TextOptions { max_width, ascii }, &mut picture).expect("strings do not fail");
        picture
    }

    const CAT: &str = "( (S (NP-SBJ (DT The) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (PRP me)))) (. .)))";

    #[test]
    fn upright_if_there_is_room() {
        let expected = "
              S
   ┌──────────┼─────────┐
 NP-SBJ       VP        .
 ┌─┴──┐    ┌──┴──┐      ┊
 DT   NN  VBD    PP     ┊
 ┊    ┊    ┊   ┌─┴──┐   ┊
 ┊    ┊    ┊   IN   NP  ┊
 ┊    ┊    ┊   ┊    │   ┊
 ┊    ┊    ┊   ┊   PRP  ┊
The  cat  sat  on   me  .
";
        assert_eq!(draw(CAT, 25, false), expected);
        let expected = "
              S
   +----------+---------+
 NP-SBJ       VP        .
 +-+--+    +--+--+      :
 DT   NN  VBD    PP     :
 :    :    :   +-+--+   :
 :    :    :   IN   NP  :
 :    :    :   :    |   :
 :    :    :   :   PRP  :
The  cat  sat  on   me  .
";
        assert_eq!(draw(CAT, 25, true), expected);
    }

    #[test]
    fn sideways_if_too_wide() {
        let text = "(S (NP-SBJ (DT The) (JJ old) (NN cat)) (VP (VBD sat) (ADVP (RB down))) (. .))";
        let expected = "
S ┬ NP-SBJ ┬ DT The
  │        ├ JJ old
  │        └ NN cat
  ├ VP ┬ VBD sat
  │    └ ADVP ─ RB down
  └ . .
";
        assert_eq!(draw(text, 24, false), expected);
        let expected = "
S + NP-SBJ + DT The
  |        + JJ old
  |        + NN cat
  + VP + VBD sat
  |    + ADVP - RB down
  + . .
";
        assert_eq!(draw(text, 24, true), expected);
    }

    #[test]
    fn indented_if_too_deep() {
        let expected = "
S
├─ NP-SBJ
│  ├─ DT The
│  └─ NN cat
├─ VP
│  ├─ VBD sat
│  └─ PP
│     ├─ IN on
│     └─ NP ─ PRP me
└─ . .
";
        assert_eq!(draw(CAT, 21, false), expected);
        let expected = "
S
|- NP-SBJ
|  |- DT The
|  `- NN cat
|- VP
|  |- VBD sat
|  `- PP
|     |- IN on
|     `- NP - PRP me
`- . .
";
        assert_eq!(draw(CAT, 21, true), expected);
    }

    #[test]
    fn wide_and_combining_characters_keep_their_columns() {
        let expected = "
     IP
 ┌───┴────┐
 NP       VP
 │     ┌──┴──┐
 NR    VV    NN
上海  开放  e\u{301}te\u{301}
";
        let text = "(IP (NP (NR 上海)) (VP (VV 开放) (NN e\u{301}te\u{301})))";
        assert_eq!(draw(text, 80, false), expected);
    }

    #[test]
    fn small_trees() {
        assert_eq!(draw("( (UH Yes))", 80, false), "\n UH\nYes\n");
        assert_eq!(draw("(_ word)", 80, false), "\nword\n");
        assert_eq!(draw("()", 80, false), "\n()\n");
        assert_eq!(draw("( (A a) (B b))", 80, false), "\n •\n┌┴─┐\nA  B\na  b\n");
    }

    #[test]
    fn what_is_too_deep_to_indent_is_listed() {
        let depth = 100_000;
        let text = format!("{}(C c){}", "(X (A a) ".repeat(depth), ")".repeat(depth));
        let picture = draw(&text, 80, false);
        assert_eq!(picture.lines().count(), 502);
        assert!(picture.ends_with("a a c\n"));
        let chain = draw(&format!("{}(A a){}", "(X ".repeat(depth), ")".repeat(depth)), 80, false);
        assert_eq!(chain.lines().count(), 2);
    }
}
