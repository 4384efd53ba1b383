//! The Floresta Sintá(c)tica of Portuguese: brackets with labels of the form `FUNCTION+category`.
//!
//! ```text
//! #2 CP1-2 O cão dorme.
//! (STA+fcl (SUBJ+np (>N+art O)
//!                   (H+n cão))
//!          (P+v-fin dorme)
//!          (.))
//! ```
//!
//! The function of a phrase becomes a function tag (`np-SUBJ`), that of a word is not kept. Lines that start with `#`
//! are comments and end a sentence. Punctuation alone in a bracket is its own tag; braces stand for round brackets,
//! which the format cannot hold. A hyphen at the edge of a label marks a part of a discontinuous phrase, and goes. A
//! sentence of one word has no closing bracket. Lines that are no UTF-8 are read as ISO 8859-1, in which the treebank
//! is published.

use std::borrow::Cow;
use std::io::Read;

use super::lines::Lines;
use super::message::{shorten, syntax};
use super::reader::TreeSource;
use crate::error::{Error, Result};
use crate::tree::{Tree, TreeBuilder};

/// The trees of a file in the format of the Floresta.
pub(super) struct FlorestaTrees<R> {
    lines: Lines<R>,
    builder: TreeBuilder,
}

impl<R: Read> FlorestaTrees<R> {
    pub(super) fn new(input: R) -> Self {
        Self { lines: Lines::new(input), builder: TreeBuilder::new() }
    }

    /// The text of the tree that starts in the present line: up to the bracket that closes it, or else to the next
    /// comment, where the rest of the treebank goes on.
    fn block(&mut self) -> Result<Block> {
        let mut block = Block { first_line: self.lines.number, ..Block::default() };
        loop {
            block.add(&text_of(&self.lines.line));
            if block.depth <= 0 || !self.lines.advance()? {
                return Ok(block);
            }
            if self.lines.line.starts_with(b"#") {
                self.lines.unread();
                return Ok(block);
            }
        }
    }
}

impl<R: Read> TreeSource for FlorestaTrees<R> {
    fn find(&mut self) -> Result<bool> {
        while self.lines.advance()? {
            match self.lines.line.trim_ascii_start().first() {
                None | Some(b'#') => {}
                Some(b'(') => return Ok(true),
                Some(_) => return Err(stray(&text_of(&self.lines.line)).at_line(self.lines.number)),
            }
        }
        Ok(false)
    }

    fn read(&mut self) -> Result<Tree> {
        let block = self.block()?;
        self.builder.clear();
        block.build(&mut self.builder)?;
        self.builder.finish()
    }
}

/// Whether a line begins as trees of the treebank do: a function in capitals or signs, `+`, a category in small
/// letters.
pub(super) fn is_floresta(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"(") else { return false };
    let end = rest.iter().position(|byte| b" ()\t\r".contains(byte)).unwrap_or(rest.len());
    let Some(plus) = rest[..end].iter().rposition(|&byte| byte == b'+') else { return false };
    let (function, category) = (&rest[..plus], &rest[plus + 1..end]);
    let is_category = |byte: &u8| byte.is_ascii_lowercase() || b"-?".contains(byte);
    let is_function = !function.is_empty() && !function.iter().any(u8::is_ascii_lowercase);
    is_function && category.iter().any(u8::is_ascii_lowercase) && category.iter().all(is_category)
}

#[derive(Default)]
struct Block {
    text: String,
    first_line: u64,
    /// Brackets that are open at the end.
    depth: i64,
}

impl Block {
    fn add(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
        let count = |bracket: u8| line.bytes().filter(|&byte| byte == bracket).count() as i64;
        self.depth += count(b'(') - count(b')');
    }

    fn build(&self, builder: &mut TreeBuilder) -> Result<()> {
        let is_one_word = self.depth == 1 && self.text.matches('(').count() == 1;
        if self.depth > 0 && !is_one_word {
            return Err(self.unclosed());
        }
        let mut scanner = BlockScanner { rest: &self.text, line: self.first_line };
        loop {
            match scanner.next() {
                Some("(") => read_bracket(&mut scanner, builder),
                Some(")") if builder.depth() > 0 && builder.close() => Ok(()),
                Some(other) => Err(stray(other)),
                None => return Ok(()),
            }
            .map_err(|error| error.at_line(scanner.line))?;
            if builder.depth() == 0 {
                return scanner.next().map_or(Ok(()), |found| Err(stray(found).at_line(scanner.line)));
            }
        }
    }

    fn unclosed(&self) -> Error {
        let (brackets, are) = if self.depth == 1 { ("bracket", "is") } else { ("brackets", "are") };
        let message = format!("{} {brackets} {are} still open where the next sentence starts", self.depth);
        syntax(message).hint("this is where the tree starts; close it with `)`").at_line(self.first_line)
    }
}

/// Brackets and words of a text, and their lines.
struct BlockScanner<'t> {
    rest: &'t str,
    line: u64,
}

impl<'t> BlockScanner<'t> {
    fn next(&mut self) -> Option<&'t str> {
        let start = self.rest.find(|c: char| !c.is_ascii_whitespace())?;
        self.line += self.rest[..start].matches('\n').count() as u64;
        let rest = &self.rest[start..];
        let end = match rest.starts_with(['(', ')']) {
            true => 1,
            false => rest.find(|c: char| c.is_ascii_whitespace() || "()".contains(c)).unwrap_or(rest.len()),
        };
        self.rest = &rest[end..];
        Some(&rest[..end])
    }

    fn peek(&self) -> Option<&'t str> {
        BlockScanner { rest: self.rest, line: self.line }.next()
    }
}

/// What follows a `(`: a phrase is opened, a token is read whole.
fn read_bracket(scanner: &mut BlockScanner<'_>, builder: &mut TreeBuilder) -> Result<()> {
    let name = match scanner.next() {
        Some(name) if !["(", ")"].contains(&name) => name,
        found => return Err(expected("a label as in `SUBJ+np`", found)),
    };
    match scanner.peek() {
        Some("(") => builder.open(&phrase_label(name)),
        // Only a sentence of one word ends without a bracket.
        None | Some(")") => {
            scanner.next();
            if name.contains(char::is_alphanumeric) || name.len() > 1 && name.contains('+') {
                return Err(expected("a word or a bracket behind the label", Some(name)));
            }
            mark(name, builder);
        }
        Some(_) => {
            let word = scanner.next().unwrap_or_default();
            builder.token(&word_of(word), tag(name));
            match scanner.next() {
                None | Some(")") => {}
                found => return Err(expected("a `)` behind the word", found)),
            }
        }
    }
    Ok(())
}

fn expected(what: &str, found: Option<&str>) -> Error {
    syntax(format!("expected {what}, found `{}`", shorten(found.unwrap_or("the end"))))
        .hint("a word is written as in `(H+n word)`, punctuation as in `(,)`")
}

fn stray(found: &str) -> Error {
    syntax(format!("expected a tree or a comment, found `{}`", shorten(found.trim())))
        .hint("a tree starts with `(`, a comment with `#`")
}

/// Punctuation, which is its own tag; dashes are `:`, since `--` means no tag elsewhere.
fn mark(written: &str, builder: &mut TreeBuilder) {
    let is_dash = written.bytes().all(|byte| byte == b'-');
    builder.token(&word_of(written), if is_dash { ":" } else { written });
}

fn word_of(written: &str) -> Cow<'_, str> {
    match written {
        "{" => "(".into(),
        "}" => ")".into(),
        _ => written.into(),
    }
}

/// `SUBJ+np` is `np-SUBJ`; a function that is not known, `?`, is none.
fn phrase_label(name: &str) -> String {
    match name.trim_matches('-').rsplit_once('+') {
        Some(("?", category)) => category.to_owned(),
        Some((function, category)) => format!("{category}-{function}"),
        None => name.to_owned(),
    }
}

/// `H+n` is `n`.
fn tag(name: &str) -> &str {
    name.rsplit_once('+').map_or(name, |(_, category)| category.trim_matches('-'))
}

/// A line as text: UTF-8 if it is, otherwise ISO 8859-1 (read as Windows-1252, which contains it).
fn text_of(line: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(line) {
        Ok(text) => text.into(),
        Err(_) => encoding_rs::WINDOWS_1252.decode_without_bom_handling(line).0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::read::{Format, ReadOptions, TreeReader};

    fn read(text: &[u8], options: impl Into<ReadOptions>) -> Vec<Result<String, String>> {
        TreeReader::new(text, options)
            .map(|tree| tree.map(|tree| tree.to_string()).map_err(|error| error.to_string()))
            .collect()
    }

    const TEXT: &str = "\
##########
#Floresta de exemplo

#1 X1-1 O cão {preto} não dorme.
(STA+fcl (SUBJ+np (>N+art O)
                  (H+n cão)
                  (N<+ap ({)
                         (H+adj preto)
                         (})))
         (?+vp- (AUX+adv não)
             (MV+v-fin dorme))
         (.))

#2 X1-2 Ana
(UTT+prop Ana
#3 X1-3 Sim, venha
(CMD+fcl (--) (-P+v-fin venha))
";

    #[test]
    fn functions_comments_and_one_word() {
        let expected = [
            "(fcl-STA (np-SUBJ (art O) (n cão) (ap-N< ({ -LRB-) (adj preto) (} -RRB-))) (vp (adv não) (v-fin dorme)) (. .))",
            "(prop Ana)",
            "(fcl-CMD (: --) (v-fin venha))",
        ];
        let found = read(TEXT.as_bytes(), Format::Floresta);
        assert_eq!(found, expected.map(|tree| Ok(tree.to_owned())));
        assert_eq!(read(TEXT.as_bytes(), ReadOptions::default()), found, "its first tree tells the format");
    }

    #[test]
    fn latin1_needs_no_option() {
        let latin1: Vec<u8> = TEXT.chars().map(|c| u8::try_from(c).expect("latin1")).collect();
        assert_eq!(read(&latin1, ReadOptions::default()), read(TEXT.as_bytes(), Format::Floresta));
    }

    #[test]
    fn faults_name_the_line_and_the_next_tree_is_read() {
        for (tree, message) in [
            (
                "(STA+fcl (H+n a)\n (H+n b",
                "line 2: tree 1: 2 brackets are still open where the next sentence",
            ),
            (
                "(STA+fcl\n (H+n))",
                "line 3: tree 1: expected a word or a bracket behind the label, found `H+n`",
            ),
            ("(STA+fcl\n (H+n a b))", "line 3: tree 1: expected a `)` behind the word, found `b`"),
            ("(STA+fcl ( (H+n a)))", "line 2: tree 1: expected a label as in `SUBJ+np`, found `(`"),
            ("(H+n a))", "line 2: tree 1: expected a tree or a comment, found `)`"),
            ("(STA+fcl\n (H+n a) b)", "line 3: tree 1: expected a tree or a comment, found `b`"),
            ("(?+?", "line 2: tree 1: "),
        ] {
            let found = read(format!("#1\n{tree}\n#2\n(H+n a)\n").as_bytes(), Format::Floresta);
            let error = found[0].as_ref().expect_err(tree);
            assert!(error.starts_with(message), "{tree}: {error}");
            assert_eq!(found[1..], [Ok("(n a)".to_owned())], "{tree}");
        }
        let stray = read(b"texto\n(H+n a)\n", Format::Floresta);
        assert!(stray[0].as_ref().is_err_and(|error| error.starts_with("line 1: expected a tree")));
        assert_eq!(stray.len(), 2);
    }

    #[test]
    fn other_brackets_are_not_taken_for_it() {
        for line in ["(S (NP", "(S+VP (VB", "( (S", "(TOP", "(A+b+ (x", "(a+b (c d))"] {
            assert!(!is_floresta(line.as_bytes()), "{line}");
        }
        for line in ["(STA+fcl (SUBJ+np", "(UTT+prop", "(?+np (", "(-P<+icl- ("] {
            assert!(is_floresta(line.as_bytes()), "{line}");
        }
    }
}
