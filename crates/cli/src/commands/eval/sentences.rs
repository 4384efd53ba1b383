//! Counts sentence by sentence.

use std::io::{self, Write};

use boughs::eval::{SentenceScore, Verdict};

use crate::table::figure;

const HEAD: &str = "sentence\tlength\tstatus\tmatched\tgold\ttest\tunlabeled\tcrossing\twords\ttags\tf1";

/// What becomes of the scores of single sentences.
pub(super) enum Sentences<W> {
    NotWanted,
    /// Written at once, so that none is held in memory.
    Table(SentenceTable<W>),
    /// Kept with their numbers.
    Kept(Vec<(u64, SentenceScore)>),
}

impl<W: Write> Sentences<W> {
    pub(super) fn add(&mut self, number: u64, score: SentenceScore) -> io::Result<()> {
        match self {
            Self::NotWanted => {}
            Self::Table(table) => table.row(number, &score)?,
            Self::Kept(scores) => scores.push((number, score)),
        }
        Ok(())
    }
}

/// Tab-separated counts under a line of names, which comes with the first row.
pub(super) struct SentenceTable<W> {
    out: W,
    has_head: bool,
}

impl<W: Write> SentenceTable<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, has_head: false }
    }

    fn row(&mut self, number: u64, score: &SentenceScore) -> io::Result<()> {
        let out = &mut self.out;
        if !std::mem::replace(&mut self.has_head, true) {
            writeln!(out, "{HEAD}")?;
        }
        let (counts, status) = (&score.counts, status(&score.verdict));
        write!(out, "{number}\t{}\t{status}\t", score.length)?;
        write!(out, "{}\t{}\t{}\t{}\t", counts.matched, counts.gold, counts.test, score.unlabeled)?;
        writeln!(out, "{}\t{}\t{}\t{}", score.crossing, score.words, score.tags, figure(score.f1()))
    }
}

/// One word for a verdict.
pub(super) fn status(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Scored => "scored",
        Verdict::NoWords => "no-words",
        Verdict::Error(_) => "error",
    }
}
