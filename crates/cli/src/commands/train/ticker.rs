//! One line that says where a run stands.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};

use crate::output::{report, report_line};

/// How often a run says where it stands if nobody watches a terminal.
const QUIET_TIME: Duration = Duration::from_secs(30);

/// A line at the foot of a terminal; elsewhere a line now and then.
pub(super) struct Ticker {
    /// Draws only on a terminal.
    bar: ProgressBar,
    start: Instant,
    last_line: Instant,
}

impl Ticker {
    pub(super) fn new() -> Result<Self> {
        let bar = ProgressBar::new_spinner();
        bar.set_style(ProgressStyle::with_template("{spinner} {wide_msg}").context("a sound template")?);
        let start = Instant::now();
        Ok(Self { bar, start, last_line: start })
    }

    /// The seconds since the beginning.
    pub(super) fn elapsed(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    pub(super) fn tell(&mut self, text: String) {
        if !self.bar.is_hidden() {
            self.bar.set_message(text);
            self.bar.tick();
        } else if self.last_line.elapsed() >= QUIET_TIME {
            report(format_args!("{text}"));
            self.last_line = Instant::now();
        }
    }

    /// A message that stays.
    pub(super) fn report(&self, text: std::fmt::Arguments<'_>) {
        self.bar.suspend(|| report(text));
    }

    /// A line of a table, which stays.
    pub(super) fn keep(&self, line: &str) {
        self.bar.suspend(|| report_line(line));
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
