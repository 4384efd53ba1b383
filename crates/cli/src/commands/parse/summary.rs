//! What a run of the parser tells about single sentences, and at its end.

use std::time::{Duration, Instant};

use boughs::parser::{Limit, Status};
use indicatif::ProgressBar;

use super::output::Printed;
use crate::output::{counted, is_watched, report};
use crate::sentences::Item;
use crate::{Outcome, cpu};

/// Sentences of each kind of trouble that are told one by one; the others are only counted.
const MOST_LINES: u64 = 20;

/// How often a terminal is told how far it is.
const TELLING_TIME: Duration = Duration::from_millis(250);

pub(super) struct Summary {
    /// Draws only on a terminal that does not show the trees.
    bar: ProgressBar,
    last_told: Instant,
    is_quiet: bool,
    cpu_before: Option<f64>,
    pub(super) num_sentences: u64,
    num_words: u64,
    num_optimal: u64,
    num_cut_short: u64,
    num_fallbacks: u64,
    num_in_parts: u64,
    num_unmet: u64,
    /// If they are looked for.
    num_search_errors: Option<u64>,
}

impl Summary {
    pub(super) fn new(is_quiet: bool, looks_for_errors: bool) -> Self {
        Self {
            is_quiet,
            cpu_before: cpu::seconds(),
            num_search_errors: looks_for_errors.then_some(0),
            bar: if is_quiet || is_watched() { ProgressBar::hidden() } else { ProgressBar::new_spinner() },
            last_told: Instant::now(),
            num_sentences: 0,
            num_words: 0,
            num_optimal: 0,
            num_cut_short: 0,
            num_fallbacks: 0,
            num_in_parts: 0,
            num_unmet: 0,
        }
    }

    pub(super) fn add(&mut self, item: &Item, printed: &Printed) {
        self.num_sentences += 1;
        self.num_words += printed.num_words as u64;
        if self.last_told.elapsed() >= TELLING_TIME {
            self.bar.set_message(counted(self.num_sentences, "sentence"));
            self.bar.tick();
            self.last_told = Instant::now();
        }
        if let Some(number) = &mut self.num_search_errors {
            *number += u64::from(printed.is_search_error);
        }
        let number = match printed.status {
            Status::Trivial | Status::Greedy | Status::Pruned => return,
            Status::Optimal => &mut self.num_optimal,
            Status::CutShort(_) => &mut self.num_cut_short,
            Status::InParts => &mut self.num_in_parts,
            Status::Fallback(_) | Status::TooLong => &mut self.num_fallbacks,
            Status::ConstraintsUnmet => &mut self.num_unmet,
        };
        *number += 1;
        let is_told = printed.status != Status::Optimal && !self.is_quiet && *number <= MOST_LINES;
        if is_told {
            self.bar.suspend(|| tell(item, printed));
        }
    }

    /// Tells the sums, unless all is well and nobody wants to know.
    pub(super) fn finish(self) -> Outcome {
        self.bar.finish_and_clear();
        let is_complete = self.num_fallbacks + self.num_in_parts + self.num_unmet == 0;
        let outcome = if is_complete { Outcome::Complete } else { Outcome::Partial };
        if let Some(number) = self.num_search_errors {
            let sentences = counted(self.num_sentences, "sentence");
            report(format_args!("search errors: {number} of {sentences} have another tree without pruning"));
        }
        if self.is_quiet {
            return outcome;
        }
        let cpu = self.cpu_before.and_then(|before| Some(cpu::seconds()? - before));
        let speed = cpu.map_or_else(String::new, |cpu| format!("; {cpu:.1} CPU-seconds"));
        let unmet = match self.num_unmet {
            0 => String::new(),
            number => format!(", {number} against the constraints"),
        };
        let in_parts = match self.num_in_parts {
            0 => String::new(),
            number => format!(", {number} in parts"),
        };
        // A chart, or greedy search, claims neither.
        let searched = match (self.num_optimal, self.num_cut_short) {
            (0, 0) => String::new(),
            (optimal, cut_short) => format!("{optimal} optimal, {cut_short} cut short, "),
        };
        report(format_args!(
            "{}, {}: {searched}{} without a complete parse{in_parts}{unmet}{speed}",
            counted(self.num_sentences, "sentence"),
            counted(self.num_words, "word"),
            self.num_fallbacks
        ));
        outcome
    }
}

fn tell(item: &Item, printed: &Printed) {
    let what = match printed.status {
        Status::ConstraintsUnmet => "its tree does not meet the constraints",
        Status::InParts => "longer than --max-length; it was parsed in parts",
        Status::TooLong => "longer than --max-length; its tree is flat",
        Status::Fallback(Some(Limit::Time)) => "no complete parse in time; its tree is a fallback",
        Status::Fallback(_) => "no complete parse; its tree is a fallback",
        Status::CutShort(Limit::Time) => "cut short by --timeout; there may be a better parse",
        Status::CutShort(Limit::Inferences) => "cut short by --max-inferences; there may be a better parse",
        Status::CutShort(Limit::Steps) => "cut short by the limit of steps; there may be a better parse",
        _ => "cut short, since the agenda was full; there may be a better parse",
    };
    let why = printed.unmet.as_ref().map_or_else(String::new, |why| format!(": {why}"));
    let words = counted(printed.num_words as u64, "word");
    report(format_args!("{}: sentence {} ({words}): {what}{why}", item.document, item.number));
}
