//! Counts sentence by sentence.

use std::io::{self, Write};

use boughs::eval::{SentenceScore, Verdict};

use crate::table::figure;

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
