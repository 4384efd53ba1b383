//! The arguments by which verbs take running text, and the loop that reads its sentences.

use std::io::{self, BufReader, Cursor, Read};
use std::path::PathBuf;

use anyhow::Result;
use boughs::error::Error;
use boughs::text::{Language, SentenceReader, Style, TextSentence, Tokenizer, Unit};
use boughs::tree::read::{Encoding, Input};
use clap::Args;

use crate::Outcome;
use crate::choice::{Choices, choice};
use crate::html::text_of;
use crate::input::{ENCODINGS, each_input, text_inputs};
use crate::output::{counted, report};
use crate::sniff::{LEAST_BYTES, MOST_BYTES, check_text};

/// Running text to go through.
#[derive(Debug, Clone, Args)]
pub(crate) struct TextArgs {
    /// Text files (plain or .gz); `-` or nothing is standard input
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Each line is one sentence, also a blank one
    #[arg(long, group = "unit", help_heading = "Input")]
    pub(crate) lines: bool,

    /// Each line is a paragraph: a line break ends a sentence
    #[arg(long, group = "unit", help_heading = "Input")]
    pub(crate) paragraphs: bool,

    /// The text was wrapped: a line break is a blank. Without any of the three the lengths of the lines tell
    #[arg(long, group = "unit", help_heading = "Input")]
    pub(crate) wrapped: bool,

    /// The text is HTML: strip tags, scripts and styles; offsets then count the text without them
    #[arg(long, help_heading = "Input")]
    pub(crate) html: bool,

    /// Which treebanks' tokens to make
    #[arg(long, default_value = "new", value_parser = choice(STYLES), help_heading = "Input")]
    pub(crate) style: Style,

    /// The language of the text [default: english]
    #[arg(long, value_name = "NAME", value_parser = choice(LANGUAGES), help_heading = "Input")]
    pub(crate) language: Option<Language>,

    /// Character encoding of the input; a byte-order mark overrules it
    #[arg(long, default_value = "utf8", value_parser = choice(ENCODINGS), help_heading = "Input")]
    pub(crate) encoding: Encoding,

    /// Read bytes that are not UTF-8 as U+FFFD; offsets then count the text with these in it
    #[arg(long, help_heading = "Input")]
    pub(crate) lossy: bool,

    /// Report files that cannot be read (to their end), go on with the next, and exit with 1
    #[arg(long, short = 'k', help_heading = "Input")]
    pub(crate) keep_going: bool,
}

pub(crate) const STYLES: Choices<Style> = &[
    ("old", "The Penn Treebank of the 1990s: `well-known` and `and/or` are one token", Style::Old),
    ("new", "OntoNotes, the Web Treebank, GUM, CRAFT: `well - known`, `and / or`", Style::New),
];

pub(crate) const LANGUAGES: Choices<Language> = &[
    ("english", "", Language::English),
    ("spanish", "", Language::Spanish),
    ("french", "", Language::French),
    ("german", "", Language::German),
    ("portuguese", "", Language::Portuguese),
    ("dutch", "", Language::Dutch),
];

impl TextArgs {
    fn options(&self) -> Tokenizer {
        let unit = match (self.lines, self.paragraphs, self.wrapped) {
            (true, ..) => Unit::Line,
            (_, true, _) => Unit::Paragraph,
            (.., true) => Unit::Wrapped,
            _ => Unit::Text,
        };
        Tokenizer { style: self.style, unit, language: self.language.unwrap_or_default() }
    }

    /// Calls `visit` with the name of the file, the number of the sentence in it, from 1, and the sentence, for every
    /// sentence of all files.
    pub(crate) fn each_sentence(
        &self,
        mut visit: impl FnMut(&str, u64, &TextSentence<'_>) -> Result<()>,
    ) -> Result<Outcome> {
        each_input(&text_inputs(&self.files)?, self.keep_going, |input| {
            let name = input.name();
            self.each_of_file(input, |number, sentence| visit(&name, number, sentence))
        })
    }

    /// The outer result is that of `visit`, the inner that of reading.
    fn each_of_file(
        &self,
        input: &Input,
        mut visit: impl FnMut(u64, &TextSentence<'_>) -> Result<()>,
    ) -> Result<boughs::Result<()>> {
        let mut reader = match self.reader(input) {
            Ok(reader) => reader,
            Err(error) => return Ok(Err(error)),
        };
        for (number, sentence) in (1..).zip(reader.by_ref()) {
            match sentence {
                Ok(sentence) => visit(number, &sentence)?,
                Err(error) => return Ok(Err(error)),
            }
        }
        if reader.num_replaced() > 0 {
            let places = counted(reader.num_replaced(), "place");
            report(format_args!("{}: not UTF-8 at {places}, replaced by U+FFFD", input.name()));
        }
        Ok(Ok(()))
    }

    fn reader(&self, input: &Input) -> boughs::Result<SentenceReader<BufReader<Box<dyn Read + Send>>>> {
        let is_sure = self.html || self.options().unit != Unit::Text;
        let mut bytes = input.open_with_mark(self.encoding)?;
        let mut head = read_head(&mut bytes, is_sure).map_err(|error| Error::io("read", error))?;
        check_text(&head, is_sure)?;
        if self.html {
            bytes.read_to_end(&mut head).map_err(|error| Error::io("read", error))?;
            head = text_of(&String::from_utf8_lossy(&head)).into_bytes();
        }
        let bytes: Box<dyn Read + Send> = Box::new(Cursor::new(head).chain(bytes));
        let bytes = BufReader::with_capacity(1 << 16, bytes);
        let reader = SentenceReader::new(bytes, self.options());
        Ok(if self.lossy { reader.lossy() } else { reader })
    }
}

/// The first bytes of a file, enough to see what it is: a few if the user has said so, for whoever sends a line may
/// wait for its answer.
fn read_head(input: &mut impl Read, is_sure: bool) -> io::Result<Vec<u8>> {
    let least = if is_sure { 1 } else { LEAST_BYTES };
    let mut head = vec![0; MOST_BYTES];
    let mut len = 0;
    while len < least {
        match input.read(&mut head[len..])? {
            0 => break,
            more => len += more,
        }
    }
    head.truncate(len);
    Ok(head)
}
