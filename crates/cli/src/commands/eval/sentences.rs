//! Counts sentence by sentence.

use std::io::{self, Write};

use boughs::eval::SentenceScore;

use crate::table::figure;

const HEAD: &str = "sentence\tlength\tstatus\tmatched\tgold\ttest\tunlabeled\tcrossing\twords\ttags\tf1";

/// A row of tab-separated counts; the first comes under a line of names.
pub(super) fn write_row(
    out: &mut impl Write,
    is_first: bool,
    number: u64,
    score: &SentenceScore,
) -> io::Result<()> {
    if is_first {
        writeln!(out, "{HEAD}")?;
    }
    let (counts, status) = (&score.counts, score.verdict.name());
    write!(out, "{number}\t{}\t{status}\t", score.length)?;
    write!(out, "{}\t{}\t{}\t{}\t", counts.matched, counts.gold, counts.test, score.unlabeled)?;
    writeln!(out, "{}\t{}\t{}\t{}", score.crossing, score.words, score.tags, figure(score.f1()))
}
