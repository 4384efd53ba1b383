//! What EVALB shows of its work with `DEBUG 2`: its loops, literally, because it prints each of their steps.

use std::io::{self, Write};

use super::Evalb;
use super::sentence::{EvalbLine, EvalbPhrase, EvalbResult};

impl Evalb<'_> {
    pub(super) fn show_quotes(&mut self) -> io::Result<()> {
        let (gold, test) = (&self.gold, &self.test);
        for index in 0..gold.quotes.len().max(test.quotes.len()) {
            for side in [gold, test] {
                if let Some(quote) = side.quotes.get(index) {
                    write!(self.log.out, "{}: ", quote.index)?;
                    let parts = [self.labels.name(quote.label), b" - ", side.text(&quote.text), b"\n"];
                    self.log.out.write_all(&parts.concat())?;
                }
            }
        }
        Ok(())
    }

    /// Shows each comparison of the matching loop, and then what matched nothing.
    pub(super) fn show_pairing(&mut self) -> io::Result<()> {
        let mut results: Vec<EvalbResult> = self.test.phrases.iter().map(|phrase| phrase.result).collect();
        let mut mislabeled = vec![false; results.len()];
        for i in 0..self.gold.phrases.len() {
            let found = self.show_search(i, &mut results, &mut mislabeled)?;
            let one = &self.gold.phrases[i];
            if !found && one.result != EvalbResult::Deleted {
                show(self.log.out, "BRACKET", &self.gold, one)?;
            }
        }
        for ((other, result), mislabeled) in self.test.phrases.iter().zip(results).zip(mislabeled) {
            if result == EvalbResult::Unmatched && !mislabeled {
                show(self.log.out, "EXTRA", &self.test, other)?;
            }
        }
        Ok(())
    }

    /// Shows the search for the partner of a gold bracket; returns whether one with its span was unused.
    fn show_search(
        &mut self,
        i: usize,
        results: &mut [EvalbResult],
        mislabeled: &mut [bool],
    ) -> io::Result<bool> {
        let one = &self.gold.phrases[i];
        let mut found = false;
        for (j, other) in self.test.phrases.iter().enumerate() {
            show_comparison(self.log.out, one, other, results[j])?;
            let same_span = (one.start, one.end) == (other.start, other.end);
            if one.result == EvalbResult::Deleted || results[j] != EvalbResult::Unmatched || !same_span {
                continue;
            }
            found = true;
            if !self.parameters.labeled || self.labels.same(one.label, other.label) {
                results[j] = EvalbResult::Matched;
                break;
            }
            show(self.log.out, "LABEL", &self.gold, one)?;
            mislabeled[j] = true;
        }
        Ok(found)
    }

    /// Shows the gold brackets that are crossed, once for all test brackets in a row that find the same one.
    pub(super) fn show_crossing(&mut self) -> io::Result<()> {
        let counts = |phrase: &&EvalbPhrase| phrase.result != EvalbResult::Deleted;
        let mut last = None;
        for other in self.test.phrases.iter().filter(counts) {
            let crossed = |(_, one): &(usize, &EvalbPhrase)| counts(one) && cross(one, other);
            if let Some((i, one)) = self.gold.phrases.iter().enumerate().find(crossed)
                && last != Some(i)
            {
                show(self.log.out, "CROSSING", &self.gold, one)?;
                last = Some(i);
            }
        }
        Ok(())
    }
}

fn cross(one: &EvalbPhrase, other: &EvalbPhrase) -> bool {
    (one.start < other.start && one.end > other.start && one.end < other.end)
        || (one.start > other.start && one.start < other.end && one.end > other.end)
}

/// Shows two brackets about to be compared; the gold one has no partner yet.
fn show_comparison(
    out: &mut dyn Write,
    one: &EvalbPhrase,
    other: &EvalbPhrase,
    result: EvalbResult,
) -> io::Result<()> {
    write!(out, "1.res={}, 2.res={}, ", one.result as u8, result as u8)?;
    write!(out, "1.start={}, 2.start={}, ", one.start, other.start)?;
    writeln!(out, "1.end={}, 2.end={}", one.end, other.end)
}

fn show(out: &mut dyn Write, what: &str, side: &EvalbLine, phrase: &EvalbPhrase) -> io::Result<()> {
    write!(out, "  {what}[{}-{}]: ", phrase.start, phrase.end - 1)?;
    out.write_all(side.text(&phrase.text))?;
    writeln!(out)
}
