//! Penn-style brackets: `( (S (NP (DT the) (NN bough)) …))` in all the forms found in the wild.
//!
//! What is accepted: any root (`( (S …))`, `(TOP …)`, `(ROOT …)`, `(S1 …)`, `(S …)`, several phrases under one empty
//! root); one tree a line or any layout; any white space and line ends; lines of comment between trees that start
//! with `*x*`, `;`, `%` or `#`. A tree without tokens, such as `()`, `(())` or `(TOP )`, is the empty tree: that is
//! how parsers mark a failure. Escaped brackets in words and labels are unescaped. Several words under one tag, `(NN
//! New York)`, are one token with no-break spaces, which is also how the writer writes a blank in a word.
//!
//! After an error the reader goes on with the next tree. Where that begins is certain if the brackets of the bad tree
//! balance. If they do not, a new tree is taken to begin at a `(` in the first column: at once if it opens a root (`(
//! (`, `(TOP` and the like) as the bad tree did, otherwise when the end of the file shows that a bracket is missing.

use std::borrow::Cow;
use std::io::Read;

use super::BlankLines;
use super::message::{not_utf8, shorten, syntax};
use super::reader::TreeSource;
use super::scanner::{Scanner, ScannerMark};
use crate::error::{Error, ErrorKind, Result};
use crate::tree::escape::{NO_BREAK_SPACE, unescape, unescape_label};
use crate::tree::{NO_TAG, Tree, TreeBuilder, is_root_label};

/// A tree of more bytes is built only once its last bracket is found: most likely one is missing, and the
/// rest of the file is no tree.
const LARGE_TREE: u64 = 1 << 20;

/// The trees of a bracket file.
pub(super) struct Brackets<R> {
    scanner: Scanner<R>,
    builder: TreeBuilder,
    label: String,
    word: String,
    blank_lines: BlankLines,
    /// Whether the tree found is a blank line.
    is_at_blank_line: bool,
    /// The first bracket of the tree with nothing in it; only an empty tree may have any.
    empty_bracket: Option<ScannerMark>,
    /// Whether the tree opens a root in the first column.
    is_rooted: bool,
    /// Whether the end of the tree was looked for, because it is large.
    looked_for_end: bool,
    /// Where the tree after one with a fault starts, if that is known.
    resume: Option<ScannerMark>,
    /// Set once a bracket was found missing: from then on a `(` in the first column starts a tree.
    trees_start_lines: bool,
}

impl<R: Read> TreeSource for Brackets<R> {
    fn find(&mut self) -> Result<bool> {
        self.skip_gap()
    }

    fn read(&mut self) -> Result<Tree> {
        if std::mem::take(&mut self.is_at_blank_line) {
            return Ok(Tree::empty());
        }
        let start = self.scanner.mark();
        let tree = self.read_tree(start).and_then(|()| self.end_tree());
        if tree.as_ref().is_err_and(|error| error.kind() != ErrorKind::Io) {
            self.recover(start)?;
        }
        tree
    }
}

impl<R: Read> Brackets<R> {
    pub(super) fn new(input: R, blank_lines: BlankLines) -> Self {
        Self {
            scanner: Scanner::new(input),
            builder: TreeBuilder::new(),
            label: String::new(),
            word: String::new(),
            blank_lines,
            is_at_blank_line: false,
            empty_bracket: None,
            is_rooted: false,
            looked_for_end: false,
            resume: None,
            trees_start_lines: false,
        }
    }

    /// Passes over white space and comments up to a tree, or a line that stands for one; false at the end.
    fn skip_gap(&mut self) -> Result<bool> {
        self.scanner.skip_byte_order_mark()?;
        loop {
            let at_line_start = self.scanner.here.column() == 1;
            match self.scanner.skip_blank_in_line()? {
                None => return Ok(false),
                Some(b'(') => return Ok(true),
                Some(b'\n') => {
                    self.scanner.new_line();
                    if at_line_start && self.blank_lines == BlankLines::AreEmptyTrees {
                        self.is_at_blank_line = true;
                        return Ok(true);
                    }
                }
                Some(b';' | b'%' | b'#') if at_line_start => self.scanner.skip_line()?,
                Some(b'*') if at_line_start && self.scanner.starts_with(b"*x*")? => {
                    self.scanner.skip_line()?;
                }
                Some(byte) => return Err(self.stray(byte)?),
            }
        }
    }

    /// Passes over what cannot start a tree, up to a bracket or the end of the line.
    fn stray(&mut self, first: u8) -> Result<Error> {
        let here = self.scanner.here;
        let found = match first {
            b')' => ")".to_owned(),
            _ => String::from_utf8_lossy(self.scanner.word()?).into_owned(),
        };
        while let Some(byte) = self.scanner.skip_blank_in_line()? {
            match byte {
                b'(' | b'\n' => break,
                b')' => self.scanner.bump(),
                _ => {
                    self.scanner.word()?;
                }
            }
        }
        let error = match first {
            b')' => syntax("`)` closes nothing")
                .hint("the tree before it is complete: remove the `)`, or is a `(` missing?"),
            _ => syntax(format!("expected a tree, found `{}`", shorten(&found)))
                .hint("a tree starts with `(`; is this a bracket file?"),
        };
        Ok(error.at(here.line, here.column()))
    }

    fn read_tree(&mut self, start: ScannerMark) -> Result<()> {
        self.builder.clear();
        self.empty_bracket = None;
        self.looked_for_end = false;
        self.is_rooted = self.starts_root(start)?;
        self.read_bracket(start)?;
        while self.builder.depth() > 0 {
            match self.scanner.skip_blank()? {
                Some(b'(') => {
                    let here = self.scanner.here;
                    if here.column() == 1 && self.starts_tree()? {
                        self.resume = Some(here);
                        let found = format!("the next tree starts at line {}", here.line);
                        return Err(self.unclosed(start, &found));
                    }
                    self.find_end(start)?;
                    self.read_bracket(start)?;
                }
                Some(b')') => {
                    self.scanner.bump();
                    self.builder.close();
                }
                Some(_) => return Err(self.bare_word()?),
                None => return Err(self.unclosed(start, "the file ends")),
            }
        }
        Ok(())
    }

    /// Reads from a `(` to what follows its label: a phrase is opened, a token is read whole.
    fn read_bracket(&mut self, tree_start: ScannerMark) -> Result<()> {
        let start = self.scanner.here;
        self.scanner.bump();
        self.label.clear();
        let mut next = self.scanner.skip_blank()?;
        if !matches!(next, Some(b'(' | b')') | None) {
            let here = self.scanner.here;
            self.label.push_str(text(self.scanner.word()?, here)?);
            next = self.scanner.skip_blank()?;
        }
        match next {
            Some(b'(') => self.builder.open(&unescape_label(&self.label)),
            Some(b')') => {
                self.scanner.bump();
                if self.is_bare_mark() {
                    // Export files have no tag `--`: it means none. Dashes are `:`, as in the Penn Treebank.
                    let is_dash = self.label.bytes().all(|byte| byte == b'-');
                    let tag = if is_dash { ":".into() } else { tag_of(&self.label) };
                    self.builder.token(&unescape(&self.label), &tag);
                    return Ok(());
                }
                self.empty_bracket.get_or_insert(start);
                if !is_root_label(&self.label) {
                    return Err(self.nothing_in(start));
                }
            }
            Some(_) => self.read_token(tree_start)?,
            None => return Err(self.unclosed(tree_start, "the file ends")),
        }
        Ok(())
    }

    fn read_token(&mut self, tree_start: ScannerMark) -> Result<()> {
        let start = self.scanner.here;
        self.word.clear();
        self.word.push_str(text(self.scanner.word()?, start)?);
        while !matches!(self.scanner.skip_blank()?, Some(b'(' | b')') | None) {
            let here = self.scanner.here;
            self.word.push(NO_BREAK_SPACE);
            self.word.push_str(text(self.scanner.word()?, here)?);
        }
        self.builder.token(&unescape(&self.word), &tag_of(&self.label));
        match self.scanner.peek()? {
            Some(b'(') => return Err(self.word_and_bracket()),
            Some(_) => self.scanner.bump(),
            None => return Err(self.unclosed(tree_start, "the file ends")),
        }
        Ok(())
    }

    /// Checks what follows the last bracket of a tree on its line.
    fn end_tree(&mut self) -> Result<Tree> {
        if let Some(start) = self.empty_bracket.filter(|_| self.builder.num_tokens() > 0) {
            self.label.clear();
            return Err(self.nothing_in(start));
        }
        match self.scanner.skip_blank_in_line()? {
            Some(b'\n') => self.scanner.new_line(),
            Some(b')') => {
                let error = self.stray(b')')?;
                self.resume = Some(self.scanner.here);
                return Err(error);
            }
            _ => {}
        }
        self.builder.finish()
    }

    /// Whether a `(` in the first column, inside a tree that is not closed, starts another.
    fn starts_tree(&mut self) -> Result<bool> {
        Ok(self.trees_start_lines || self.is_rooted && self.starts_root(self.scanner.here)?)
    }

    /// Whether the `(` here is in the first column and opens a root; it stays.
    fn starts_root(&mut self, here: ScannerMark) -> Result<bool> {
        if here.column() != 1 {
            return Ok(false);
        }
        self.scanner.bump();
        let is_root = match self.scanner.skip_blank()? {
            Some(b'(') => true,
            Some(b')') | None => false,
            Some(_) => str::from_utf8(self.scanner.word()?).is_ok_and(is_root_label),
        };
        self.scanner.rewind(here);
        Ok(is_root)
    }

    /// Looks once for the end of a large tree by counting brackets, without building it.
    fn find_end(&mut self, start: ScannerMark) -> Result<()> {
        let here = self.scanner.here;
        if self.looked_for_end || here.bytes_since(start) < LARGE_TREE {
            return Ok(());
        }
        self.looked_for_end = true;
        self.scanner.rewind(start);
        let num_open = self.skip_balanced()?;
        self.scanner.rewind(here);
        match num_open {
            0 => Ok(()),
            _ => Err(unclosed(start, num_open, "the file ends")),
        }
    }

    /// Goes to where the next tree starts.
    fn recover(&mut self, start: ScannerMark) -> Result<()> {
        if let Some(resume) = self.resume.take() {
            self.scanner.rewind(resume);
            return Ok(());
        }
        self.scanner.rewind(start);
        if self.skip_balanced()? == 0 {
            return Ok(());
        }
        self.trees_start_lines = true;
        self.scanner.rewind(start);
        loop {
            self.scanner.skip_line()?;
            if matches!(self.scanner.peek()?, Some(b'(') | None) {
                return Ok(());
            }
        }
    }

    /// Passes over a tree by counting brackets; returns how many are still open, none unless the file ends first.
    fn skip_balanced(&mut self) -> Result<u64> {
        let mut depth = 0u64;
        loop {
            match self.scanner.skip_blank()? {
                Some(b'(') => {
                    if depth > 0 && self.scanner.here.column() == 1 && self.starts_tree()? {
                        return Ok(0);
                    }
                    depth += 1;
                    self.scanner.bump();
                }
                Some(b')') => {
                    depth -= 1;
                    self.scanner.bump();
                    if depth == 0 {
                        return Ok(0);
                    }
                }
                Some(_) => {
                    self.scanner.word()?;
                }
                None => return Ok(depth),
            }
        }
    }

    fn unclosed(&self, start: ScannerMark, found: &str) -> Error {
        unclosed(start, self.builder.depth().max(1) as u64, found)
    }

    /// Whether a bracket holds punctuation without a tag, as in the Floresta: `(,)`. It becomes its own tag.
    fn is_bare_mark(&self) -> bool {
        self.builder.depth() > 0
            && !self.label.is_empty()
            && !self.label.contains(char::is_alphanumeric)
            && !is_root_label(&self.label)
    }

    fn nothing_in(&self, start: ScannerMark) -> Error {
        syntax(format!("nothing in `({})`", shorten(&self.label)))
            .hint("expected a word, as in `(NN word)`, or another bracket")
            .at(start.line, start.column())
    }

    fn bare_word(&mut self) -> Result<Error> {
        let here = self.scanner.here;
        let word = shorten(text(self.scanner.word()?, here)?);
        Ok(syntax(format!("expected `(` or `)`, found the word `{word}`"))
            .hint("every word needs a bracket and a tag of its own, as in `(NN word)`")
            .at(here.line, here.column()))
    }

    fn word_and_bracket(&self) -> Error {
        let here = self.scanner.here;
        let label = shorten(&self.label);
        syntax(format!("expected `)`, found `(`: `{label}` holds a word and a bracket"))
            .hint("every word needs a bracket and a tag of its own, as in `(NN word)`")
            .at(here.line, here.column())
    }
}

/// The tag that a label in the file stands for.
fn tag_of(label: &str) -> Cow<'_, str> {
    if label == NO_TAG { "".into() } else { unescape_label(label) }
}

fn unclosed(start: ScannerMark, num_open: u64, found: &str) -> Error {
    let (brackets, are) = if num_open == 1 { ("bracket", "is") } else { ("brackets", "are") };
    let message = format!("{num_open} {brackets} {are} still open where {found}");
    syntax(message).hint("this is where the tree starts; close it with `)`").at(start.line, start.column())
}

fn text(bytes: &[u8], start: ScannerMark) -> Result<&str> {
    str::from_utf8(bytes).map_err(|_| not_utf8(bytes).at(start.line, start.column()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::read::{Format, TreeReader};

    #[test]
    fn a_missing_bracket_does_not_make_the_file_a_tree() {
        let num_good = 3 * LARGE_TREE as usize / 16;
        let text = "(S (NP (A a)\n".to_owned() + &"(S (NP (B bbb)))\n".repeat(num_good);
        let mut trees = Brackets::new(text.as_bytes(), BlankLines::Skip);
        assert!(trees.find().expect("a tree"));
        let error = trees.read().expect_err("a bracket is missing");
        assert_eq!(error.message(), "2 brackets are still open where the file ends");
        assert!(trees.builder.num_tokens() <= LARGE_TREE as usize / 16);
        let trees = TreeReader::new(text.as_bytes(), Format::Bracket);
        assert_eq!(trees.filter_map(Result::ok).count(), num_good);
    }

    #[test]
    fn the_end_of_a_large_tree_is_found() {
        let text = format!("(S{})\n(B b)", " (A a)".repeat(LARGE_TREE as usize / 4));
        let trees: Vec<_> =
            TreeReader::new(text.as_bytes(), Format::Bracket).map(|tree| tree.expect("a tree")).collect();
        assert_eq!(trees[0].num_tokens(), LARGE_TREE as usize / 4);
        assert_eq!(trees[1].num_tokens(), 1);
    }
}
