//! The Sinica Treebank of Chinese: a tree a line, between a number and the punctuation behind it.
//!
//! ```text
//! #3:3.[12] S(agent:NP(Head:Nhaa:他)|Head:VC1:住在|goal:NP(Head:Nab:巷子))#，(COMMACATEGORY)
//! ```
//!
//! The role of a phrase becomes a function tag (`NP-agent`); roles of words are not kept. Punctuation is a token of the
//! root, which is named `TOP`.

use std::io::Read;

use super::lines::Lines;
use super::message::shorten;
use super::reader::TreeSource;
use crate::error::{Error, Result, syntax};
use crate::tree::{Tree, TreeBuilder};

/// The trees of a file in the format of the Sinica Treebank; blank lines are passed over.
pub(super) struct SinicaLines<R> {
    lines: Lines<R>,
    builder: TreeBuilder,
}

impl<R: Read> SinicaLines<R> {
    pub(super) fn new(input: R) -> Self {
        Self { lines: Lines::new(input), builder: TreeBuilder::new() }
    }
}

impl<R: Read> TreeSource for SinicaLines<R> {
    fn find(&mut self) -> Result<bool> {
        while self.lines.advance()? {
            if !self.lines.is_blank() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn read(&mut self) -> Result<Tree> {
        let line = self.lines.text()?;
        self.builder.clear();
        self.builder.open("TOP");
        let built = body(line).and_then(|(tree, rest)| {
            build(tree, &mut self.builder)?;
            punctuation(rest, &mut self.builder)
        });
        built.map_err(|error| error.at_line(self.lines.number))?;
        self.builder.finish()
    }
}

/// Whether a line begins as those of the format do: `#12:`.
pub(super) fn is_sinica(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"#") else { return false };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    digits > 0 && rest.get(digits) == Some(&b':')
}

/// The tree of a line, and what stands behind it.
fn body(line: &str) -> Result<(&str, &str)> {
    let line = line.trim();
    let start = line.strip_prefix('#').and_then(|line| line.split_once(char::is_whitespace));
    let (_, tree) = start.ok_or_else(|| malformed("a number, a blank and a tree", line))?;
    tree.trim().split_once('#').ok_or_else(|| malformed("a `#` behind the tree", tree))
}

fn malformed(expected: &str, found: &str) -> Error {
    syntax(format!("expected {expected}, found `{}`", shorten(found)))
        .hint("a line is as in `#1:1.[2] NP(Head:Nab:word)#`")
}

fn build(tree: &str, builder: &mut TreeBuilder) -> Result<()> {
    let mut rest = tree;
    let mut depth = 0_usize;
    while !rest.is_empty() {
        let end = rest.find(['(', ')', '|']).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        match after.chars().next() {
            Some('(') => {
                builder.open(&phrase_label(name));
                depth += 1;
            }
            _ if !name.is_empty() => token(name, builder)?,
            _ => {}
        }
        if after.starts_with(')') {
            depth = depth.checked_sub(1).ok_or_else(|| malformed("a bracket that closes a phrase", rest))?;
            if !builder.close() {
                return Err(malformed("a phrase with words", rest));
            }
        }
        rest = after.get(1..).unwrap_or_default();
    }
    if depth > 0 { Err(malformed("a `)` for each `(`", tree)) } else { Ok(()) }
}

/// `agent:NP` is `NP-agent`.
fn phrase_label(name: &str) -> String {
    match name.rsplit_once(':') {
        Some((role, label)) => format!("{label}-{role}"),
        None => name.to_owned(),
    }
}

/// `Head:Nab:word`, or without the role.
fn token(name: &str, builder: &mut TreeBuilder) -> Result<()> {
    let parts: Vec<&str> = name.splitn(3, ':').collect();
    let (tag, word) = match parts[..] {
        [_, tag, word] | [tag, word] => (tag, word),
        _ => return Err(malformed("a word as in `Head:Nab:word`", name)),
    };
    if word.is_empty() || tag.is_empty() {
        return Err(malformed("a tag and a word", name));
    }
    builder.token(word, tag);
    Ok(())
}

/// `，(COMMACATEGORY)`, several or none.
fn punctuation(rest: &str, builder: &mut TreeBuilder) -> Result<()> {
    let mut rest = rest.trim();
    while !rest.is_empty() {
        let found = rest.split_once('(').and_then(|(mark, rest)| Some((mark, rest.split_once(')')?)));
        let (mark, (tag, after)) =
            found.ok_or_else(|| malformed("punctuation as in `，(COMMACATEGORY)`", rest))?;
        if mark.is_empty() || tag.is_empty() {
            return Err(malformed("punctuation and its tag", rest));
        }
        builder.token(mark, tag);
        rest = after.trim_start();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::read::{Format, TreeReader};

    fn read(text: &str) -> Vec<Result<Tree>> {
        TreeReader::new(text.as_bytes(), Format::Sinica).collect()
    }

    #[test]
    fn trees_with_roles_and_punctuation() {
        let line = "#1:1.[7] S(agent:NP(Head:Nhaa:他)|Head:VC1:看|goal:NP(quantifier:DM:兩本|Head:Nab:書))#。(PERIODCATEGORY)";
        let tree = read(line).remove(0).expect("a tree");
        let expected =
            "(TOP (S (NP-agent (Nhaa 他)) (VC1 看) (NP-goal (DM 兩本) (Nab 書))) (PERIODCATEGORY 。))";
        assert_eq!(tree.to_string(), expected);
        assert_eq!(TreeReader::new(line.as_bytes(), crate::tree::read::ReadOptions::default()).count(), 1);
        assert_eq!(
            read("#2:2.[8] Head:Nab:書#\n")[0].as_ref().expect("a tree").to_string(),
            "(TOP (Nab 書))"
        );
    }

    #[test]
    fn bad_lines_are_told_and_passed_over() {
        for (line, part) in [
            ("#1:1.[7]", "a number, a blank and a tree"),
            ("#1:1.[7] NP(Head:Nab:a)", "a `#` behind the tree"),
            ("#1:1.[7] NP(Head:Nab:a#", "a `)` for each `(`"),
            ("#1:1.[7] Head:Nab:a)#", "closes a phrase"),
            ("#1:1.[7] NP()#", "a phrase with words"),
            ("#1:1.[7] NP(a)#", "Head:Nab:word"),
            ("#1:1.[7] NP(Head:Nab:)#", "a tag and a word"),
            ("#1:1.[7] NP(Head:Nab:a)#,", "COMMACATEGORY"),
        ] {
            let results = read(&format!("{line}\n#2:2.[8] NP(Head:Nab:b)#"));
            let error = results[0].as_ref().expect_err(line).to_string();
            assert!(error.starts_with("line 1: tree 1: ") && error.contains(part), "{line}: {error}");
            assert!(results[1].is_ok(), "{line}");
        }
    }
}
