//! Trees for the LaTeX package `forest`.

use std::borrow::Cow;
use std::fmt::{self, Write};

use super::Nested;
use crate::tree::draw::without_empty_root;
use crate::tree::{Token, Tree};

/// What comes before the trees of a document; each tree becomes a page of its own size. It is meant for
/// any engine, but only LuaLaTeX and XeLaTeX know scripts beyond Latin.
pub const LATEX_PREAMBLE: &str = "\
\\documentclass[multi=forest,border=4pt]{standalone}
\\usepackage{iftex}
\\iftutex
  \\usepackage{fontspec}
\\else
  \\usepackage[T1]{fontenc}
\\fi
\\usepackage{forest}
\\begin{document}
";

/// What comes after them.
pub const LATEX_END: &str = "\\end{document}\n";

/// Deeper lines are not indented further, so that the output of a deep tree does not grow with the square of its
/// depth.
const MAX_INDENT: usize = 40;

/// Writes a tree as a `forest` environment, with a final line end. The words stand on one line at the bottom. What
/// TeX would take for a command is escaped; the ligatures of quotation marks and dashes are left to TeX.
///
/// ```
/// let tree: boughs::tree::Tree = "(NP (CD 50) (NN %))".parse()?;
/// let mut latex = String::new();
/// boughs::tree::write::write_latex(&tree, &mut latex).unwrap();
/// assert_eq!(latex, r"\begin{forest}
///   where n children=0{tier=word}{}
///   [NP [CD [50]] [NN [{\%}]]]
/// \end{forest}
/// ");
/// # Ok::<(), boughs::Error>(())
/// ```
///
/// # Errors
/// Never: strings take all that is written.
pub fn write_latex(tree: &Tree, out: &mut String) -> fmt::Result {
    out.write_str("\\begin{forest}\n  where n children=0{tier=word}{}\n  ")?;
    ForestWriter { out, depth: 0, after_phrase: false }.write(&without_empty_root(tree))?;
    out.write_str("\n\\end{forest}\n")
}

struct ForestWriter<'a> {
    out: &'a mut String,
    depth: usize,
    /// Whether a phrase was closed last: what follows then starts a line.
    after_phrase: bool,
}

impl ForestWriter<'_> {
    fn write(mut self, tree: &Tree) -> fmt::Result {
        if tree.is_empty() {
            return self.out.write_str("[{}]");
        }
        self.everything_in(tree)
    }

    fn new_line(&mut self) -> fmt::Result {
        let indent = 2 + 2 * self.depth.min(MAX_INDENT);
        write!(self.out, "\n{:indent$}", "")
    }
}

impl Nested for ForestWriter<'_> {
    fn open_phrase(&mut self, label: &str) -> fmt::Result {
        if self.depth > 0 {
            self.new_line()?;
        }
        self.depth += 1;
        self.after_phrase = false;
        write!(self.out, "[{}", content(label))
    }

    fn close_phrase(&mut self) -> fmt::Result {
        self.depth -= 1;
        self.after_phrase = true;
        self.out.write_char(']')
    }

    fn token(&mut self, token: Token<'_>) -> fmt::Result {
        match self.after_phrase {
            true => self.new_line()?,
            false if self.depth == 0 => {}
            false => self.out.write_char(' ')?,
        }
        self.after_phrase = false;
        match token.tag {
            "" => write!(self.out, "[{}]", content(token.word)),
            tag => write!(self.out, "[{} [{}]]", content(tag), content(token.word)),
        }
    }
}

/// A label or word as the content of a node: in braces unless it is plain.
fn content(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    if !text.is_empty() && text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 2);
    escaped.push('{');
    for c in text.chars() {
        match command(c) {
            Some(command) => escaped.push_str(command),
            None => escaped.push(c),
        }
    }
    escaped.push('}');
    Cow::Owned(escaped)
}

/// What typesets a character that means something else to TeX.
fn command(c: char) -> Option<&'static str> {
    Some(match c {
        '&' => "\\&",
        '%' => "\\%",
        '$' => "\\$",
        '#' => "\\#",
        '_' => "\\_",
        '{' => "\\{",
        '}' => "\\}",
        '~' => "\\textasciitilde{}",
        '^' => "\\textasciicircum{}",
        '\\' => "\\textbackslash{}",
        '<' => "\\textless{}",
        '>' => "\\textgreater{}",
        '|' => "\\textbar{}",
        '\u{A0}' => "~",
        c if c.is_control() => " ",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn latex(tree: &Tree) -> String {
        let mut latex = String::new();
        write_latex(tree, &mut latex).expect("strings do not fail");
        latex
    }

    #[test]
    fn phrases_start_lines() {
        let tree = "( (S (CC And) (NP-SBJ (DT the) (NN cat)) (VP (VBD sat)) (. .)))".parse().expect("a tree");
        let expected = r"\begin{forest}
  where n children=0{tier=word}{}
  [S [CC [And]]
    [NP-SBJ [DT [the]] [NN [cat]]]
    [VP [VBD [sat]]]
    [. [.]]]
\end{forest}
";
        assert_eq!(latex(&tree), expected);
    }

    #[test]
    fn specials_are_escaped() {
        assert_eq!(
            content(r"\a{b}_[c],d=~^"),
            r"{\textbackslash{}a\{b\}\_[c],d=\textasciitilde{}\textasciicircum{}}"
        );
        assert_eq!(content("R&D#1 50%$"), r"{R\&D\#1 50\%\$}");
        assert_eq!(content("a\nb"), "{a b}");
        assert_eq!(content(""), "{}");
    }

    #[test]
    fn small_trees() {
        assert!(latex(&"(UH Yes)".parse().expect("a tree")).contains("\n  [UH [Yes]]\n"));
        assert!(latex(&"(_ Yes)".parse().expect("a tree")).contains("\n  [Yes]\n"));
        assert!(latex(&Tree::empty()).contains("\n  [{}]\n"));
    }

    #[test]
    fn a_chain_of_a_hundred_thousand_phrases_is_not_indented_forever() {
        let depth = 100_000;
        let tree: Tree =
            format!("{}(A a){}", "(X ".repeat(depth), ")".repeat(depth)).parse().expect("a tree");
        assert!(latex(&tree).len() < 100 * depth);
    }
}
