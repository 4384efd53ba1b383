//! The phrases of a parse as rows of a table, for spreadsheets.

use std::fmt::{self, Write};

use super::{Parse, ParseRecord};
use crate::tree::Phrase;
use crate::tree::escape::replace_unfit;
use crate::tree::heads::HeadRules;

/// The names of the columns, separated by tabs.
pub const PHRASE_COLUMNS: &str = "sentence\tlabel\ttext\tstart\tend\thead\tconfidence\tdocument";

impl Parse {
    /// The phrases of the tree in pre-order, with the confidence of the parser in each.
    pub fn phrases(&self, rules: &HeadRules) -> impl ExactSizeIterator<Item = Phrase<'_>> {
        self.tree.phrases(rules).map(|phrase| Phrase { confidence: self.confidence(phrase.id), ..phrase })
    }
}

impl ParseRecord<'_> {
    /// Writes a line for every phrase for which `is_wanted` holds, in the order of [`PHRASE_COLUMNS`]. `start` and
    /// `end` count characters of the document; a value that is not known is empty. A tab or line end within a text is a
    /// blank, and a text with quotation marks is quoted, as in CSV.
    ///
    /// # Errors
    /// Never: strings take all that is written.
    pub fn write_phrases(
        &self,
        parse: &Parse,
        rules: &HeadRules,
        is_wanted: impl Fn(&Phrase<'_>) -> bool,
        out: &mut String,
    ) -> fmt::Result {
        for phrase in parse.phrases(rules).filter(is_wanted) {
            let (label, text) = (cell(phrase.label), cell(&phrase.text));
            let (start, end) = phrase.chars.map(|chars| (chars.start, chars.end)).unzip();
            let head = cell(parse.tree.word(phrase.head));
            let (start, end) = (known(start), known(end));
            let (confidence, document) = (known(phrase.confidence.map(Rounded)), cell(self.document));
            let sentence = self.sentence;
            writeln!(out, "{sentence}\t{label}\t{text}\t{start}\t{end}\t{head}\t{confidence}\t{document}")?;
        }
        Ok(())
    }
}

struct Rounded(f64);

impl fmt::Display for Rounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.4}", self.0)
    }
}

fn known(value: Option<impl fmt::Display>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// Spreadsheets take a quotation mark for the beginning of a cell, which may go on over many lines: so a text with one
/// stands in quotation marks, and those within it are doubled.
fn cell(text: &str) -> String {
    let text = replace_unfit(text, |c| matches!(c, '\t' | '\n' | '\r'), ' ').to_string();
    if text.contains('"') { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::Status;
    use crate::span::TextSpan;
    use crate::tree::Tree;

    #[test]
    fn a_row_for_each_phrase() {
        let mut tree: Tree = "(S (NP (DT Die) (NN Größe)) (VP (VBZ zählt)))".parse().unwrap();
        for (index, (start, char_start)) in [(0, 0), (4, 4), (12, 10)].into_iter().enumerate() {
            let word = tree.word(index);
            let (len, char_len) = (word.len() as u32, word.chars().count() as u32);
            tree.set_place(index, Some(TextSpan { start, char_start, len, char_len }));
        }
        tree.set_source("Die\tGröße\nzählt", 0);
        let parse = Parse { tree, cost: None, confidences: vec![Some(1.0), Some(0.25), None] };
        let record = ParseRecord::new("a.txt", 7, 1, Status::Pruned);
        let written = |wanted: fn(&Phrase<'_>) -> bool| {
            let mut out = String::new();
            record.write_phrases(&parse, &HeadRules::english(), wanted, &mut out).unwrap();
            out
        };
        let expected = "\
7\tS\tDie Größe zählt\t0\t15\tzählt\t1.0000\ta.txt
7\tNP\tDie Größe\t0\t9\tGröße\t0.2500\ta.txt
7\tVP\tzählt\t10\t15\tzählt\t\ta.txt
";
        assert_eq!(written(|_| true), expected);
        assert_eq!(written(|phrase| phrase.label == "VP").lines().count(), 1);
        assert_eq!(cell("the \"best\""), "\"the \"\"best\"\"\"");
        assert_eq!(PHRASE_COLUMNS.split('\t').count(), expected.lines().next().unwrap().split('\t').count());
    }
}
