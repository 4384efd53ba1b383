//! What a run of an experiment says while it runs: a line for each row that is done, and on a terminal a line
//! for each row that runs, with the time left for all.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use boughs_experiment::{Experiment, ExperimentObserver, Method, RowEvent, RowResult};
use boughs_learn::run::{Event, Step};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use crate::interrupt;
use crate::output::{report, report_line};
use crate::training::show_time;

/// How often a run says where it stands if nobody watches a terminal.
const QUIET_TIME: Duration = Duration::from_secs(30);

/// Watches all rows; threads share it.
pub(super) struct Board {
    start: Instant,
    is_quiet: bool,
    /// Draws only on a terminal.
    lines: MultiProgress,
    total: ProgressBar,
    style: ProgressStyle,
    shared: Mutex<Shared>,
}

struct Shared {
    /// Rows that are not done, and how they are made.
    waiting: BTreeMap<String, Method>,
    running: BTreeMap<String, Running>,
    /// How long rows took that are done.
    durations: Vec<(Method, f64)>,
    num_done: usize,
    num_rows: usize,
    last_line: Instant,
    name_width: usize,
}

/// A row that runs.
struct Running {
    method: Method,
    start: Instant,
    line: ProgressBar,
    /// Where it stands, as it said last.
    text: String,
}

impl Running {
    /// About how many seconds it still takes. A row that has taken longer than others of its method is taken to be half
    /// done.
    fn time_left(&self, durations: &[(Method, f64)]) -> Option<f64> {
        let (mean, elapsed) = (mean_of(durations, self.method)?, self.start.elapsed().as_secs_f64());
        Some(if elapsed < mean { mean - elapsed } else { elapsed })
    }
}

impl Board {
    pub(super) fn new(experiment: &Experiment, is_quiet: bool) -> Result<Self> {
        let lines = MultiProgress::new();
        let style = ProgressStyle::with_template("{spinner} {wide_msg}").context("a sound template")?;
        let total = lines.add(ProgressBar::new_spinner().with_style(style.clone()));
        let start = Instant::now();
        let waiting: BTreeMap<String, Method> =
            experiment.rows.iter().map(|row| (row.name.clone(), experiment.method(row))).collect();
        let shared = Shared {
            name_width: waiting.keys().map(String::len).max().unwrap_or(0),
            num_rows: waiting.len(),
            waiting,
            running: BTreeMap::new(),
            durations: Vec::new(),
            num_done: 0,
            last_line: start,
        };
        Ok(Self { start, is_quiet, lines, total, style, shared: Mutex::new(shared) })
    }

    pub(super) fn finish(&self) {
        self.total.finish_and_clear();
    }

    fn say(&self, line: &str) {
        if !self.is_quiet {
            self.lines.suspend(|| report_line(line));
        }
    }

    /// A line for a row that is done.
    fn tell_row(&self, shared: &Shared, name: &str, what: &str) {
        let width = shared.name_width;
        self.say(&format!("{name:<width$}  {what}"));
    }

    fn start_row(&self, shared: &mut Shared, name: &str) {
        let Some(method) = shared.waiting.remove(name) else { return };
        let line = ProgressBar::new_spinner().with_style(self.style.clone());
        let line = self.lines.insert_before(&self.total, line);
        shared
            .running
            .insert(name.to_owned(), Running { method, start: Instant::now(), line, text: String::new() });
    }

    fn end_row(&self, shared: &mut Shared, name: &str) -> f64 {
        shared.num_done += 1;
        shared.waiting.remove(name);
        let Some(running) = shared.running.remove(name) else { return 0.0 };
        running.line.finish_and_clear();
        let seconds = running.start.elapsed().as_secs_f64();
        shared.durations.push((running.method, seconds));
        seconds
    }

    fn show_row(&self, shared: &mut Shared, name: &str, text: String) {
        let width = shared.name_width;
        let Some(running) = shared.running.get_mut(name).filter(|_| !self.is_quiet) else { return };
        let seconds = show_time(running.start.elapsed().as_secs_f64());
        running.line.set_message(format!("{name:<width$}  {seconds}: {text}"));
        running.line.tick();
        running.text = text;
    }

    /// Says where all rows stand: at once on a terminal, else now and then.
    fn tick(&self, shared: &mut Shared) {
        if self.is_quiet {
            return;
        }
        let left =
            shared.time_left().map_or_else(String::new, |left| format!("; about {} left", show_time(left)));
        let elapsed = show_time(self.start.elapsed().as_secs_f64());
        let line = format!("{} of {} rows done; {elapsed}{left}", shared.num_done, shared.num_rows);
        if !self.total.is_hidden() {
            self.total.set_message(line);
            self.total.tick();
        } else if shared.last_line.elapsed() >= QUIET_TIME {
            let stands = |(name, running): (&String, &Running)| match running.text.as_str() {
                "" => name.clone(),
                text => format!("{name} ({text})"),
            };
            let running: Vec<String> = shared.running.iter().map(stands).collect();
            let running =
                if running.is_empty() { "none, scoring on the test data" } else { &running.join(", ") };
            report(format_args!("{line}; running: {running}"));
            shared.last_line = Instant::now();
        }
    }
}

impl ExperimentObserver for Board {
    fn see(&self, row: &str, event: &RowEvent<'_>) {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let shared = &mut *shared;
        match event {
            RowEvent::Known(results) => {
                self.end_row(shared, row);
                self.tell_row(shared, row, &format!("done before: {}", summary(results)));
            }
            RowEvent::Started => self.start_row(shared, row),
            RowEvent::Training(Event::Progress { text, .. }) => self.show_row(shared, row, text.to_string()),
            RowEvent::Training(Event::Step { steps }) => {
                self.show_row(shared, row, steps.last().map_or_else(String::new, step_text));
            }
            RowEvent::Training(_) => {}
            RowEvent::Finished(results) => {
                let seconds = show_time(self.end_row(shared, row));
                self.tell_row(shared, row, &format!("{} in {seconds}", summary(results)));
            }
            RowEvent::Skipped(why) => {
                self.end_row(shared, row);
                self.tell_row(shared, row, &format!("not run: {why}"));
            }
            RowEvent::Testing => self.tell_row(shared, row, "scored on the test data"),
        }
        self.tick(shared);
    }

    fn is_interrupted(&self) -> bool {
        interrupt::is_interrupted()
    }
}

/// The figures of a row that tell how good it is.
fn summary(results: &[RowResult]) -> String {
    let told = |result: &RowResult| {
        let is_told =
            |name: &str| name.starts_with("F1") || ["exact", "accuracy", "log-loss"].contains(&name);
        let figures = result.dev.figures.iter().filter(|figure| is_told(&figure.name));
        figures.map(|figure| format!("{} {}", figure.name, figure.text())).collect::<Vec<_>>().join(", ")
    };
    results.iter().map(told).collect::<Vec<_>>().join("; ")
}

fn step_text(step: &Step) -> String {
    let scores = step.scores.iter().flat_map(|scores| &scores.figures);
    let figures = step.figures.iter().chain(scores);
    figures.map(|figure| format!("{} {}", figure.name, figure.text())).collect::<Vec<_>>().join(", ")
}

impl Shared {
    /// The seconds that are left, about, once a row of every method that is left is done: rows take as long as others of
    /// their method did.
    fn time_left(&self) -> Option<f64> {
        if self.waiting.is_empty() && self.running.is_empty() {
            return None;
        }
        let waiting = self.waiting.values().map(|&method| mean_of(&self.durations, method));
        let running = self.running.values().map(|running| running.time_left(&self.durations));
        let seconds: f64 = waiting.chain(running).sum::<Option<f64>>()?;
        Some(seconds / self.running.len().max(1) as f64)
    }
}

/// How long rows of a method took on average, if one is done: those of another method say nothing.
fn mean_of(durations: &[(Method, f64)], method: Method) -> Option<f64> {
    let seconds: Vec<f64> = durations.iter().filter(|(of, _)| *of == method).map(|(_, it)| *it).collect();
    (!seconds.is_empty()).then(|| seconds.iter().sum::<f64>() / seconds.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_take_as_long_as_others_of_their_method() {
        let durations = [(Method::Latent, 4.0), (Method::Latent, 8.0), (Method::Pcfg, 1.0)];
        assert_eq!(mean_of(&durations, Method::Latent), Some(6.0));
        assert_eq!(mean_of(&durations, Method::Pcfg), Some(1.0));
        assert_eq!(mean_of(&durations, Method::Crf), None);
    }

    #[test]
    fn a_row_that_takes_longer_than_others_is_half_done() {
        let start = Instant::now().checked_sub(Duration::from_secs(10)).expect("a machine that ran for long");
        let running =
            Running { method: Method::Latent, start, line: ProgressBar::hidden(), text: String::new() };
        let left = |seconds| running.time_left(&[(Method::Latent, seconds)]).expect("one is done");
        assert!((9.9..=10.0).contains(&left(20.0)) && left(3.0) >= 10.0);
        assert_eq!(running.time_left(&[(Method::Pcfg, 1.0)]), None);
    }
}
