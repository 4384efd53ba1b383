//! One line of a file as EVALB reads it: words and brackets, whatever the line holds.

use std::io::{self, Write};
use std::ops::Range;

use super::log::{EvalbStop, Log};
use crate::eval::labels::{LabelId, LabelTable};

/// A word that counts.
#[derive(Debug, Clone)]
pub(super) struct Word {
    pub(super) text: Range<usize>,
    pub(super) label: LabelId,
    pub(super) result: EvalbResult,
}

/// A bracket above words or brackets.
#[derive(Debug, Clone)]
pub(super) struct EvalbPhrase {
    /// The number of words before it.
    pub(super) start: i32,
    /// The number of words up to its end; -1 if nothing closes it.
    pub(super) end: i32,
    pub(super) label: LabelId,
    /// From the end of the label to the closing bracket.
    pub(super) text: Range<usize>,
    pub(super) result: EvalbResult,
}

/// What became of a word or bracket, in EVALB's numbers, which `DEBUG` shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EvalbResult {
    Unmatched = 0,
    Matched = 1,
    Deleted = 5,
    Unknown = 9,
}

/// A quotation mark with a tag of `QUOTE_LABEL`, remembered in case it has to be put back.
#[derive(Debug, Clone)]
pub(super) struct Quote {
    pub(super) text: Range<usize>,
    pub(super) label: LabelId,
    /// The number of words before it.
    pub(super) index: usize,
    /// The number of brackets before it.
    num_phrases: usize,
    /// The brackets around it.
    open: Vec<usize>,
}

/// The words and brackets of a line; the memory is used again for the next.
#[derive(Debug, Default)]
pub(super) struct EvalbLine {
    pub(super) line: Vec<u8>,
    pub(super) words: Vec<Word>,
    pub(super) phrases: Vec<EvalbPhrase>,
    pub(super) quotes: Vec<Quote>,
    /// The words that count in the length.
    pub(super) length: i64,
    open: Vec<usize>,
    /// Brackets opened less brackets closed, which too many closing ones make negative.
    depth: i64,
}

impl EvalbLine {
    pub(super) fn text(&self, range: &Range<usize>) -> &[u8] {
        &self.line[range.clone()]
    }

    /// Reads `self.line`.
    pub(super) fn read(&mut self, labels: &mut LabelTable, log: &mut Log<'_>) -> Result<(), EvalbStop> {
        self.clear();
        let mut at = 0;
        while let Some(&byte) = self.line.get(at) {
            match byte {
                b'(' => at = self.open_bracket(at + 1, labels, log)?,
                b')' => {
                    self.close_bracket(at, log)?;
                    at += 1;
                }
                byte if is_blank(byte) => at += 1,
                // EVALB does not move on, so the same error comes until there are too many.
                _ => log.error("Reading sentence")?,
            }
        }
        if self.depth != 0 {
            log.error("Bracketing is unbalanced (too many open bracket)")?;
        }
        Ok(())
    }

    fn clear(&mut self) {
        // To EVALB a line is a C string.
        if let Some(end) = memchr::memchr(0, &self.line) {
            self.line.truncate(end);
        }
        self.words.clear();
        self.phrases.clear();
        self.quotes.clear();
        self.open.clear();
        self.length = 0;
        self.depth = 0;
    }

    /// Reads a label and, if one word and a closing bracket follow, these; returns where to go on.
    fn open_bracket(
        &mut self,
        label_start: usize,
        labels: &mut LabelTable,
        log: &mut Log<'_>,
    ) -> Result<usize, EvalbStop> {
        let label_end = self.word_end(label_start);
        let label = labels.id(&self.line[label_start..label_end]);
        if self.line.get(label_end).is_some_and(|&byte| is_blank(byte)) {
            let word = self.word_after(label_end);
            if log.debug > 1 {
                self.show_bracket(label_start..label_end, &word, log.out)?;
            }
            match self.line.get(word.end) {
                Some(b')') => {
                    let end = word.end + 1;
                    self.add_word(word, label, labels);
                    return Ok(end);
                }
                Some(b'(') => {}
                _ => log.error("More than two elements in a bracket")?,
            }
        }
        self.depth += 1;
        self.open.push(self.phrases.len());
        self.phrases.push(EvalbPhrase {
            start: self.words.len() as i32,
            end: -1,
            label,
            text: label_end..self.line.len(),
            result: EvalbResult::Unknown,
        });
        Ok(label_end)
    }

    fn word_end(&self, start: usize) -> usize {
        let ends = |&byte: &u8| byte == b'(' || byte == b')' || is_blank(byte);
        self.line[start..].iter().position(ends).map_or(self.line.len(), |length| start + length)
    }

    fn word_after(&self, start: usize) -> Range<usize> {
        let blanks = self.line[start..].iter().take_while(|&&byte| is_blank(byte)).count();
        start + blanks..self.word_end(start + blanks)
    }

    fn show_bracket(&self, label: Range<usize>, word: &Range<usize>, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"label=")?;
        out.write_all(&self.line[label])?;
        out.write_all(b", word=")?;
        out.write_all(self.text(word))?;
        writeln!(out, ", wid={}", self.words.len())
    }

    fn add_word(&mut self, text: Range<usize>, label: LabelId, labels: &LabelTable) {
        let facts = labels.facts(label);
        self.length += i64::from(facts.counts_in_length);
        if facts.is_quote && matches!(self.text(&text), b"'" | b"\"" | b"/") {
            self.quotes.push(Quote {
                text: text.clone(),
                label,
                index: self.words.len(),
                num_phrases: self.phrases.len(),
                open: self.open.clone(),
            });
        }
        if !facts.deletes_word {
            self.words.push(Word { text, label, result: EvalbResult::Unknown });
        }
    }

    fn close_bracket(&mut self, at: usize, log: &mut Log<'_>) -> Result<(), EvalbStop> {
        // The first bracket too many makes the depth negative; EVALB notices at the second.
        if self.depth < 0 {
            log.error("Bracketing unbalance (too many close bracket)")?;
        }
        self.depth -= 1;
        if let Some(index) = self.open.pop() {
            let phrase = &mut self.phrases[index];
            phrase.end = self.words.len() as i32;
            phrase.text.end = at;
        }
        Ok(())
    }

    /// Puts a deleted quotation mark back among the words.
    pub(super) fn put_back(&mut self, quote: usize, log: &mut Log<'_>) -> Result<(), EvalbStop> {
        let Quote { text, label, index, num_phrases, open } = self.quotes[quote].clone();
        self.words.insert(index, Word { text, label, result: EvalbResult::Unknown });
        if log.debug > 1 {
            self.show_put_back(num_phrases, index, open.len(), log.out)?;
        }
        for phrase in &mut self.phrases[num_phrases..] {
            phrase.start += 1;
            phrase.end += 1;
        }
        for index in open {
            self.phrases[index].end += 1;
        }
        for quote in &mut self.quotes[quote..] {
            quote.index += 1;
        }
        Ok(())
    }

    fn show_put_back(
        &self,
        num_phrases: usize,
        index: usize,
        num_open: usize,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        writeln!(out, "bra={num_phrases}, ind={index}")?;
        for (number, phrase) in self.phrases.iter().enumerate() {
            writeln!(out, "bracket[{number}]={{{},{}}}", phrase.start, phrase.end)?;
        }
        writeln!(out, "endslen={num_open}")
    }
}

/// What `isspace` of C says.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0B | 0x0C)
}
