//! Counts sentence by sentence, and columns that line up.

use std::io::{self, Write};

use boughs::eval::{SentenceScore, Verdict};

const HEAD: &str = "sentence\tlength\tstatus\tmatched\tgold\ttest\tunlabeled\tcrossing\twords\ttags\tf1";

/// Writes tab-separated counts under a line of names.
pub(super) fn write_sentences(out: &mut impl Write, sentences: &[(u64, SentenceScore)]) -> io::Result<()> {
    writeln!(out, "{HEAD}")?;
    for (number, score) in sentences {
        let (counts, status) = (&score.counts, status(&score.verdict));
        write!(out, "{number}\t{}\t{status}\t", score.length)?;
        write!(out, "{}\t{}\t{}\t{}\t", counts.matched, counts.gold, counts.test, score.unlabeled)?;
        writeln!(out, "{}\t{}\t{}\t{}", score.crossing, score.words, score.tags, figure(score.f1()))?;
    }
    Ok(())
}

/// One word for a verdict.
pub(super) fn status(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Scored => "scored",
        Verdict::NoWords => "no-words",
        Verdict::Error(_) => "error",
    }
}

/// Rows of cells; the first column is set left, the others right.
pub(super) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn new(head: &[&str]) -> Self {
        Self { rows: vec![head.iter().map(|&cell| cell.to_owned()).collect()] }
    }

    pub(super) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let widths = self.widths();
        for row in &self.rows {
            let mut line = String::new();
            for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                match column {
                    0 => line.push_str(&format!("{cell:width$}")),
                    _ => line.push_str(&format!("  {cell:>width$}")),
                }
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }

    fn widths(&self) -> Vec<usize> {
        let num_columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell: &String| cell.chars().count()).max().unwrap_or(0)
        };
        (0..num_columns).map(width).collect()
    }
}

/// A percentage or average with two digits; `-` if there is none.
pub(super) fn figure(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2}"))
}
