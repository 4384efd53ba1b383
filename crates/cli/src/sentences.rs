//! The arguments by which verbs take sentences in any form, and the loop that reads them.

use std::path::PathBuf;

use anyhow::Result;
use boughs::parser::Sentence;
use boughs::text::{Language, Style};
use boughs::tree::Tree;
use boughs::tree::profile::Profile;
use boughs::tree::read::{Format, Input, ReadOptions};
use clap::Args;

use crate::Outcome;
use crate::choice::choice;
use crate::input::{ReadArgs, Trees, each_input, text_inputs};
use crate::lines::Lines;
use crate::text::{LANGUAGES, STYLES, TextArgs};

#[derive(Debug, Clone, Args)]
pub(crate) struct SentenceArgs {
    /// Files (plain or .gz); `-` or nothing is standard input. Running text, unless one of the options below says
    /// otherwise
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Running text, each line one sentence, also a blank one
    #[arg(long, group = "mode", help_heading = "Input")]
    lines: bool,

    /// Running text, each line a paragraph: a line break ends a sentence
    #[arg(long, group = "mode", help_heading = "Input")]
    paragraphs: bool,

    /// Running text that was wrapped: a line break is a blank. Without any of these the lengths of the lines tell
    #[arg(long, group = "mode", help_heading = "Input")]
    wrapped: bool,

    /// One sentence a line, its tokens separated by blanks
    #[arg(long, group = "mode", help_heading = "Input")]
    tokenized: bool,

    /// The same with a tag behind the last `_` or `/` of a token; tokens without one are tagged
    #[arg(long, group = "mode", help_heading = "Input")]
    tagged: bool,

    /// A token a line, a blank line after a sentence: CoNLL-U, word and tag, or word
    #[arg(long, group = "mode", help_heading = "Input")]
    table: bool,

    /// The words of a treebank, with their tags; `@sample` is the built-in treebank
    #[arg(long, group = "mode", help_heading = "Input")]
    pub(crate) trees: bool,

    /// The text is HTML: strip tags, scripts and styles; offsets then count the text without them
    #[arg(long, help_heading = "Input", conflicts_with_all = ["tokenized", "tagged", "table", "trees"])]
    html: bool,

    /// Which treebanks' tokens to make of running text
    #[arg(long, default_value = "new", value_parser = choice(STYLES), help_heading = "Input")]
    style: Style,

    /// The language of running text: its abbreviations, decimal commas, elisions [default: that of the model's
    /// treebank, or english]
    #[arg(long, value_name = "NAME", value_parser = choice(LANGUAGES), help_heading = "Input")]
    language: Option<Language>,

    /// Read bytes that are not UTF-8 as U+FFFD
    #[arg(long, help_heading = "Input")]
    lossy: bool,

    #[command(flatten)]
    pub(crate) read: ReadArgs,

    /// The conventions of the trees, which are those that the model learned from.
    #[arg(skip)]
    profile: Profile,
}

/// A sentence and where it comes from.
pub(crate) struct Item {
    /// The file.
    pub(crate) document: String,
    /// The number of the sentence in it, from 1.
    pub(crate) number: u64,
    /// Its number over all documents, from 1.
    pub(crate) position: u64,
    pub(crate) sentence: Sentence,
    /// The tree that it was taken from, if it was.
    pub(crate) gold: Option<Tree>,
}

impl Item {
    pub(crate) fn num_words(&self) -> usize {
        self.sentence.tokens().len()
    }
}

/// What is done with a sentence: its document, its number there, itself, and the tree that it was taken from.
trait Visit: FnMut(&str, u64, Sentence, Option<Tree>) -> Result<()> {}

impl<F: FnMut(&str, u64, Sentence, Option<Tree>) -> Result<()>> Visit for F {}

impl SentenceArgs {
    /// The same for a model of trees with this profile.
    pub(crate) fn for_profile(&self, profile: Profile) -> Self {
        Self { profile, ..self.clone() }
    }

    /// Calls `visit` with every sentence of all files, in order. In the place of a tree that cannot be read there is an
    /// empty sentence.
    pub(crate) fn each(&self, mut visit: impl FnMut(Item) -> Result<()>) -> Result<Outcome> {
        let mut position = 0;
        let visit = |document: &str, number, sentence, gold| {
            position += 1;
            visit(Item { document: document.to_owned(), number, position, sentence, gold })
        };
        if self.trees || self.table {
            self.each_of_trees(visit)
        } else if self.tokenized || self.tagged {
            self.each_of_lines(visit)
        } else {
            self.each_of_text(visit)
        }
    }

    fn each_of_text(&self, mut visit: impl Visit) -> Result<Outcome> {
        let text = TextArgs {
            files: self.files.clone(),
            lines: self.lines,
            paragraphs: self.paragraphs,
            wrapped: self.wrapped,
            html: self.html,
            style: self.style,
            language: self.language.or_else(|| self.profile.text_language()?.parse().ok()),
            encoding: self.read.encoding,
            lossy: self.lossy,
            keep_going: self.read.keep_going,
        };
        text.each_sentence(|document, number, sentence| {
            visit(document, number, Sentence::from_text(sentence), None)
        })
    }

    fn each_of_trees(&self, mut visit: impl Visit) -> Result<Outcome> {
        let mut trees = self.open_trees()?;
        trees.normalize(&self.profile);
        while let Some(tree) = trees.next_or_skipped()? {
            let sentence = tree.as_ref().map(Sentence::from_tree).unwrap_or_default();
            visit(trees.file(), trees.number(), sentence, tree)?;
        }
        Ok(trees.finish())
    }

    fn open_trees(&self) -> Result<Trees> {
        match self.table {
            true => {
                let options = ReadOptions { format: Some(Format::Table), ..self.read.options() };
                self.read.open_with(&self.files, options)
            }
            false => self.read.open(&self.files),
        }
    }

    fn each_of_lines(&self, mut visit: impl Visit) -> Result<Outcome> {
        let inputs = text_inputs(&self.files)?;
        each_input(&inputs, self.read.keep_going, |input| self.each_of_file(input, &mut visit))
    }

    /// The outer result is that of `visit`, the inner that of reading.
    fn each_of_file(&self, input: &Input, mut visit: impl Visit) -> Result<boughs::Result<()>> {
        let mut lines = match Lines::open(input, self.read.options().encoding, self.lossy) {
            Ok(lines) => lines,
            Err(error) => return Ok(Err(error)),
        };
        loop {
            let sentence = match lines.next() {
                Ok(Some(line)) => self.sentence(line),
                Ok(None) => break,
                Err(error) => return Ok(Err(error)),
            };
            visit(&input.name(), lines.number, sentence, None)?;
        }
        lines.report_replaced();
        Ok(Ok(()))
    }

    /// Only ASCII blanks separate tokens: treebanks have words with a no-break space in them.
    fn sentence(&self, line: &str) -> Sentence {
        let tokens = line.split_ascii_whitespace();
        match self.tagged {
            true => Sentence::new(tokens.map(split_tag)),
            false => Sentence::new(tokens.map(|word| (word, ""))),
        }
    }
}

/// Word and tag of `word_TAG` or `word/TAG`; no tag where there is none, or no word before the separator.
fn split_tag(token: &str) -> (&str, &str) {
    match token.rfind(['_', '/']) {
        None | Some(0) => (token, ""),
        Some(place) => (&token[..place], &token[place + 1..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_separator_counts() {
        for (token, word, tag) in [
            ("go_VB", "go", "VB"),
            ("go/VB", "go", "VB"),
            ("and/or_CC", "and/or", "CC"),
            ("snake_case/NN", "snake_case", "NN"),
            ("go", "go", ""),
            ("1/2_", "1/2", ""),
            ("_", "_", ""),
            ("//SYM", "/", "SYM"),
            ("__SYM", "_", "SYM"),
        ] {
            assert_eq!(split_tag(token), (word, tag), "{token}");
        }
    }
}
