//! EVALB's tables: the line of a sentence, the summary, and what `DEBUG` shows.

use std::io::{self, Write};

use super::sentence::{EvalbLine, EvalbPhrase};
use crate::eval::labels::LabelTable;
use crate::eval::{Brackets, Figures};

const RULE: &str = "============================================================================";

/// What EVALB counts in a sentence.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LineCounts {
    pub(super) brackets: Brackets,
    pub(super) crossing: u64,
    pub(super) words: u64,
    pub(super) tags: u64,
}

/// How EVALB judges a sentence, in its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineStatus {
    Valid = 0,
    Error = 1,
    Skipped = 2,
}

/// The sums over the sentences of a summary.
#[derive(Debug, Default)]
pub(super) struct Sums {
    sentences: u64,
    errors: u64,
    skipped: u64,
    valid: Figures,
}

impl Sums {
    pub(super) fn add(&mut self, status: LineStatus, counts: LineCounts) {
        let LineCounts { brackets, crossing, words, tags } = counts;
        self.sentences += 1;
        match status {
            LineStatus::Error => self.errors += 1,
            LineStatus::Skipped => self.skipped += 1,
            LineStatus::Valid => self.valid.add(brackets, crossing, [words, tags]),
        }
    }
}

/// `part` of `whole` in percent; 0 of nothing.
fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}

pub(super) fn write_head(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "  Sent.                        Matched  Bracket   Cross        Correct Tag")?;
    writeln!(out, " ID  Len.  Stat. Recal  Prec.  Bracket gold test Bracket Words  Tags Accracy")?;
    writeln!(out, "{RULE}")
}

pub(super) fn write_row(
    out: &mut dyn Write,
    line: u64,
    length: i64,
    status: LineStatus,
    counts: LineCounts,
) -> io::Result<()> {
    let LineCounts { brackets: Brackets { matched, gold, test }, crossing, words, tags } = counts;
    write!(out, "{line:4}  {length:3}    {}  ", status as u8)?;
    write!(out, "{:6.2} {:6.2}   ", percent(matched, gold), percent(matched, test))?;
    write!(out, "{matched:3}    {gold:3}  {test:3}    {crossing:3}")?;
    writeln!(out, "   {words:4}  {tags:4}   {:6.2}", percent(tags, words))
}

pub(super) fn write_summary(
    out: &mut dyn Write,
    all: &Sums,
    short: &Sums,
    cutoff_length: i64,
) -> io::Result<()> {
    writeln!(out, "{RULE}")?;
    write_total_row(out, &all.valid)?;
    writeln!(out, "=== Summary ===")?;
    writeln!(out, "\n-- All --")?;
    write_sums(out, all)?;
    writeln!(out, "\n-- len<={cutoff_length} --")?;
    write_sums(out, short)
}

fn write_total_row(out: &mut dyn Write, figures: &Figures) -> io::Result<()> {
    let &Figures { labeled: Brackets { matched, gold, test }, crossing, words, tags, .. } = figures;
    if gold > 0 && test > 0 {
        write!(out, "                {:6.2} {:6.2}", percent(matched, gold), percent(matched, test))?;
        write!(out, " {matched:6} {gold:5} {test:5}  {crossing:5}")?;
    }
    writeln!(out, "  {words:5} {tags:5}   {:6.2}", percent(tags, words))
}

fn write_sums(out: &mut dyn Write, sums: &Sums) -> io::Result<()> {
    let (valid, or_zero) = (&sums.valid, Option::<f64>::unwrap_or_default);
    let (recall, precision) = (or_zero(valid.recall()), or_zero(valid.precision()));
    writeln!(out, "Number of sentence        = {:6}", sums.sentences)?;
    writeln!(out, "Number of Error sentence  = {:6}", sums.errors)?;
    writeln!(out, "Number of Skip  sentence  = {:6}", sums.skipped)?;
    writeln!(out, "Number of Valid sentence  = {:6}", valid.sentences)?;
    writeln!(out, "Bracketing Recall         = {recall:6.2}")?;
    writeln!(out, "Bracketing Precision      = {precision:6.2}")?;
    writeln!(out, "Bracketing FMeasure       = {}", f_measure(precision, recall))?;
    writeln!(out, "Complete match            = {:6.2}", or_zero(valid.exact_match()))?;
    writeln!(out, "Average crossing          = {:6.2}", or_zero(valid.mean_crossing()))?;
    writeln!(out, "No crossing               = {:6.2}", or_zero(valid.without_crossing()))?;
    writeln!(out, "2 or less crossing        = {:6.2}", or_zero(valid.with_few_crossing()))?;
    writeln!(out, "Tagging accuracy          = {:6.2}", or_zero(valid.tag_accuracy()))
}

/// Zero by zero is what C on x86 makes of it, its sign included.
fn f_measure(precision: f64, recall: f64) -> String {
    let sum = precision + recall;
    if sum == 0.0 { "  -nan".to_owned() } else { format!("{:6.2}", 2.0 * precision * recall / sum) }
}

/// The words and brackets of both sides in two columns.
pub(super) fn write_details(
    out: &mut dyn Write,
    labels: &LabelTable,
    gold: &EvalbLine,
    test: &EvalbLine,
) -> io::Result<()> {
    let [(w1, b1), (w2, b2)] = [gold, test].map(|side| (side.words.len(), side.phrases.len()));
    write!(out, "-<1>---(wn1={w1:3}, bn1={b1:3})-           ")?;
    writeln!(out, "-<2>---(wn2={w2:3}, bn2={b2:3})-")?;
    for index in 0..w1.max(w2) {
        let columns = [gold, test].map(|side| word_cell(index, side, labels));
        write_columns(out, &columns, 40)?;
    }
    writeln!(out)?;
    for index in 0..b1.max(b2) {
        let columns = [gold, test].map(|side| phrase_cell(index, side, labels));
        write_columns(out, &columns, 32)?;
    }
    writeln!(out, "\n========")
}

/// Writes two cells; an empty one on the left is `width` blanks.
fn write_columns(out: &mut dyn Write, [left, right]: &[Vec<u8>; 2], width: usize) -> io::Result<()> {
    if left.is_empty() {
        write!(out, "{:width$}", "")?;
    } else {
        out.write_all(left)?;
        out.write_all(b"      ")?;
    }
    out.write_all(right)?;
    writeln!(out)
}

fn word_cell(index: usize, side: &EvalbLine, labels: &LabelTable) -> Vec<u8> {
    let Some(word) = side.words.get(index).filter(|word| !word.text.is_empty()) else {
        return Vec::new();
    };
    let mut cell = format!("{index:3} : {} : ", word.result as u8).into_bytes();
    push_padded(&mut cell, labels.name(word.label), 6);
    cell.extend_from_slice(b"  ");
    push_padded(&mut cell, side.text(&word.text), 16);
    cell
}

fn phrase_cell(index: usize, side: &EvalbLine, labels: &LabelTable) -> Vec<u8> {
    let Some(EvalbPhrase { start, end, label, result, .. }) = side.phrases.get(index) else {
        return Vec::new();
    };
    let mut cell = format!("{index:3} : {} : {start:3}  {end:3}  ", *result as u8).into_bytes();
    push_padded(&mut cell, labels.name(*label), 6);
    cell
}

/// C pads by bytes.
fn push_padded(cell: &mut Vec<u8>, text: &[u8], width: usize) {
    cell.extend_from_slice(text);
    cell.resize(cell.len() + width.saturating_sub(text.len()), b' ');
}
