//! EVALB, the C program (Sekine and Collins 1997, in its version of 2008), byte for byte.
//!
//! The whole program is: read a line of each file, count the brackets that both have, print a row, add up.
//! Nothing is cleaned first: a missing bracket, an empty line or another word is reported as EVALB does, and
//! the sentence is left out of all figures. Its oddities are kept, since published figures contain them:
//! a root that the settings do not delete counts as a bracket, each side deletes words by its own tags, and
//! the run ends at the second error beyond `MAX_ERROR`.
//!
//! What is not kept are its limits. Where EVALB would write beyond its arrays (a line of 5,000 bytes,
//! 200 words or brackets, a word of 100 bytes, a label of 30) this goes on; where it would read beyond
//! its line, the line ends.
//!
//! ```
//! use boughs::eval::{Parameters, evalb};
//!
//! let gold = "(S (NP (PRP We)) (VP (VBP go)))\n";
//! let test = "(S (NP (PRP We)) (VBP go))\n";
//! let (mut out, mut err) = (Vec::new(), Vec::new());
//! let parameters = Parameters::default();
//! let ending = evalb::run(gold.as_bytes(), test.as_bytes(), &parameters, &mut out, &mut err)?;
//! assert_eq!(ending, evalb::EvalbEnd::Finished);
//! let row = String::from_utf8_lossy(&out).lines().nth(3).unwrap().to_owned();
//! assert_eq!(row, "   1    2    0   66.67 100.00     2      3    2      0      2     2   100.00");
//! # Ok::<(), std::io::Error>(())
//! ```

mod debug;
mod log;
mod sentence;
mod table;

use std::io::{self, BufRead, Write};

use super::brackets::{Bracket, Crossing, Matcher};
use super::labels::{Convention, LabelId, LabelTable};
use super::{Brackets, Parameters};
use log::{EvalbStop, Log};
use sentence::{EvalbLine, EvalbResult};
use table::{LineCounts, LineStatus, Sums};

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EvalbEnd {
    /// With a summary; EVALB's exit status is 0.
    Finished,
    /// At one error too many, without a summary; EVALB's exit status is 1.
    TooManyErrors,
}

/// Scores the lines of `test` against those of `gold`. The table goes to `out`, complaints go to `err`.
///
/// # Errors
/// Only of the streams.
pub fn run(
    gold: impl BufRead,
    test: impl BufRead,
    parameters: &Parameters,
    mut out: impl Write,
    mut err: impl Write,
) -> io::Result<EvalbEnd> {
    let mut evalb = Evalb::new(parameters, &mut out, &mut err);
    let ending = match evalb.run(gold, test) {
        Ok(()) => EvalbEnd::Finished,
        Err(EvalbStop::TooManyErrors) => EvalbEnd::TooManyErrors,
        Err(EvalbStop::Io(error)) => return Err(error),
    };
    out.flush()?;
    err.flush()?;
    Ok(ending)
}

struct Evalb<'p> {
    parameters: &'p Parameters,
    labels: LabelTable,
    log: Log<'p>,
    gold: EvalbLine,
    test: EvalbLine,
    pairing: Pairing,
    all: Sums,
    short: Sums,
}

/// The brackets that count of both sides.
#[derive(Default)]
struct Pairing {
    gold: Counting,
    test: Counting,
    matcher: Matcher,
    crossing: Crossing,
}

/// The brackets that count of one side, and where they stand among all.
#[derive(Default)]
struct Counting {
    brackets: Vec<Bracket>,
    index: Vec<usize>,
}

impl<'p> Evalb<'p> {
    fn new(parameters: &'p Parameters, out: &'p mut dyn Write, err: &'p mut dyn Write) -> Self {
        let log = Log {
            out,
            err,
            debug: parameters.debug,
            max_errors: parameters.max_errors,
            num_errors: 0,
            line: 0,
            failed: false,
        };
        Self {
            parameters,
            labels: LabelTable::new(parameters.clone(), Convention::Evalb),
            log,
            gold: EvalbLine::default(),
            test: EvalbLine::default(),
            pairing: Pairing::default(),
            all: Sums::default(),
            short: Sums::default(),
        }
    }

    fn run(&mut self, mut gold: impl BufRead, mut test: impl BufRead) -> Result<(), EvalbStop> {
        table::write_head(self.log.out)?;
        loop {
            self.log.next_line();
            if !read_line(&mut gold, &mut self.gold.line)? {
                break;
            }
            self.gold.read(&mut self.labels, &mut self.log)?;
            if !read_line(&mut test, &mut self.test.line)? {
                self.log.error("Number of lines unmatch (too many lines in gold file)")?;
                break;
            }
            self.test.read(&mut self.labels, &mut self.log)?;
            self.score()?;
        }
        if read_line(&mut test, &mut self.test.line)? {
            self.log.error("Number of lines unmatch (too many lines in test file)")?;
        }
        let cutoff_length = self.parameters.cutoff_length;
        Ok(table::write_summary(self.log.out, &self.all, &self.short, cutoff_length)?)
    }

    /// Judges the sentence at hand, prints its row and adds it up.
    fn score(&mut self) -> Result<(), EvalbStop> {
        if self.log.debug > 1 {
            writeln!(self.log.out)?;
        }
        let counts = self.count()?;
        let status = match (&counts, self.log.failed) {
            (None, _) if self.test.words.is_empty() => LineStatus::Skipped,
            (_, true) => LineStatus::Error,
            (_, false) => LineStatus::Valid,
        };
        let counts = counts.unwrap_or_default();
        self.all.add(status, counts);
        if self.gold.length <= self.parameters.cutoff_length {
            self.short.add(status, counts);
        }
        table::write_row(self.log.out, self.log.line, self.gold.length, status, counts)?;
        if self.log.debug >= 1 {
            table::write_details(self.log.out, &self.labels, &self.gold, &self.test)?;
        }
        Ok(())
    }

    /// The counts of two sentences with the same words.
    fn count(&mut self) -> Result<Option<LineCounts>, EvalbStop> {
        if self.test.words.is_empty() || !self.have_same_words()? {
            return Ok(None);
        }
        judge_deleted(&mut self.gold, &self.labels);
        judge_deleted(&mut self.test, &self.labels);
        let any_label = (!self.parameters.labeled).then(|| self.labels.id(b""));
        self.pairing.gold.collect(&self.gold, any_label);
        self.pairing.test.collect(&self.test, any_label);
        if self.log.debug > 1 {
            self.show_pairing()?;
        }
        let matched = self.pair();
        let Pairing { gold, test, crossing, .. } = &mut self.pairing;
        let (num_gold, num_test) = (gold.brackets.len() as u64, test.brackets.len() as u64);
        let brackets = Brackets { matched, gold: num_gold, test: num_test };
        let crossing = crossing.count(&gold.brackets, &test.brackets);
        if self.log.debug > 1 {
            self.show_crossing()?;
        }
        let words = self.gold.words.len() as u64;
        Ok(Some(LineCounts { brackets, crossing, words, tags: self.count_tags() }))
    }

    fn have_same_words(&mut self) -> Result<bool, EvalbStop> {
        if self.gold.words.len() != self.test.words.len() {
            self.put_back_quotes()?;
        }
        let (num_gold, num_test) = (self.gold.words.len(), self.test.words.len());
        if num_gold != num_test {
            self.log.error(format!("Length unmatch ({num_gold}|{num_test})"))?;
            return Ok(false);
        }
        for (one, other) in self.gold.words.iter().zip(&self.test.words) {
            let (one, other) = (self.gold.text(&one.text), self.test.text(&other.text));
            if !self.labels.same_word(one, other) {
                self.log.error([b"Words unmatch (", one, b"|", other, b")"].concat())?;
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Puts back the quotation marks that only one side deletes.
    fn put_back_quotes(&mut self) -> Result<(), EvalbStop> {
        if self.log.debug > 1 {
            self.show_quotes()?;
        }
        for j in 0..self.test.quotes.len() {
            // Not read again below, though putting back moves it: EVALB does not either.
            let index = self.test.quotes[j].index;
            for i in 0..self.gold.quotes.len() {
                let (one, other) = (&self.gold.quotes[i], &self.test.quotes[j]);
                if one.index != index || one.label == other.label {
                    continue;
                }
                let deleted = |label| self.labels.facts(label).deletes_word;
                match (deleted(one.label), deleted(other.label)) {
                    (true, false) => self.gold.put_back(i, &mut self.log)?,
                    (false, true) => self.test.put_back(j, &mut self.log)?,
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn pair(&mut self) -> u64 {
        let Pairing { gold, test, matcher, .. } = &mut self.pairing;
        let mut matched = 0;
        matcher.pair(&gold.brackets, &test.brackets, &self.labels, |i, j| {
            self.gold.phrases[gold.index[i]].result = EvalbResult::Matched;
            self.test.phrases[test.index[j]].result = EvalbResult::Matched;
            matched += 1;
        });
        matched
    }

    fn count_tags(&mut self) -> u64 {
        let mut correct = 0;
        for (one, other) in self.gold.words.iter_mut().zip(&mut self.test.words) {
            let same = self.labels.same(one.label, other.label);
            one.result = if same { EvalbResult::Matched } else { EvalbResult::Unmatched };
            other.result = one.result;
            correct += u64::from(same);
        }
        correct
    }
}

impl Counting {
    /// Takes over the brackets that count; `any_label` replaces all labels.
    fn collect(&mut self, side: &EvalbLine, any_label: Option<LabelId>) {
        self.brackets.clear();
        self.index.clear();
        for (at, phrase) in side.phrases.iter().enumerate() {
            if phrase.result != EvalbResult::Deleted {
                let label = any_label.unwrap_or(phrase.label);
                self.brackets.push(Bracket { start: phrase.start, end: phrase.end, label });
                self.index.push(at);
            }
        }
    }
}

/// Cuts function tags off, and marks the brackets that do not count.
fn judge_deleted(side: &mut EvalbLine, labels: &LabelTable) {
    for phrase in &mut side.phrases {
        phrase.result = EvalbResult::Deleted;
        if phrase.start != phrase.end {
            let facts = labels.facts(phrase.label);
            phrase.label = facts.bare;
            if !facts.deletes_bracket {
                phrase.result = EvalbResult::Unmatched;
            }
        }
    }
}

/// Reads a line with its end; false at the end of the file.
fn read_line(file: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    Ok(file.read_until(b'\n', line)? > 0)
}
