//! What a run says while it runs: a line of a table for each step, and in between where it stands and the time left.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use boughs::model::ModelFile;
use boughs_learn::run::{Event, Figure, Observer, Step};
use indicatif::{ProgressBar, ProgressStyle};

use crate::output::{report, report_line};
use crate::{cpu, interrupt};

/// How often a run says where it stands if nobody watches a terminal.
const QUIET_TIME: Duration = Duration::from_secs(30);

/// A step may take longer than the one before, but in guessing no more than by this.
const MAX_GROWTH: f64 = 4.0;

/// Nor does any step to come take longer than the last one by more than this: a second grammar begins with short rounds
/// again, and without a bound the guess for two grammars was 39 hours where 2 minutes were left.
const MAX_TOTAL_GROWTH: f64 = 10.0;

/// Rounds of splitting and steps along a path are few, and each takes longer than the one before; where more are left
/// they are epochs, which do not.
const MOST_GROWING: usize = 8;

/// Watches a run; threads share it.
pub(crate) struct Progress {
    start: Instant,
    /// Draws only on a terminal.
    bar: ProgressBar,
    is_quiet: bool,
    /// Where the model goes.
    out: Option<PathBuf>,
    shared: Mutex<Shared>,
}

struct Shared {
    last_line: Instant,
    step_start: Instant,
    /// How long the steps took, in seconds.
    durations: Vec<f64>,
    /// How many steps follow at most, if that is known.
    num_left: Option<usize>,
    /// The names of the columns that were printed last.
    columns: Vec<String>,
    /// The CPU seconds of the run so far without those of measuring, for each step of this run.
    cpu_of_steps: Vec<Option<f64>>,
    cpu_of_measuring: f64,
    cpu_before_measuring: Option<f64>,
    /// Steps of an earlier run.
    num_resumed: usize,
}

impl Progress {
    pub(crate) fn new(is_quiet: bool) -> Result<Self> {
        let bar = ProgressBar::new_spinner();
        bar.set_style(ProgressStyle::with_template("{spinner} {wide_msg}").context("a sound template")?);
        let start = Instant::now();
        let shared = Shared {
            last_line: start,
            step_start: start,
            durations: Vec::new(),
            num_left: None,
            columns: Vec::new(),
            cpu_of_steps: Vec::new(),
            cpu_of_measuring: 0.0,
            cpu_before_measuring: None,
            num_resumed: 0,
        };
        Ok(Self { start, bar, is_quiet, out: None, shared: Mutex::new(shared) })
    }

    /// The same for a run whose model goes into this file.
    pub(crate) fn into_file(self, out: &Path) -> Self {
        Self { out: Some(out.to_owned()), ..self }
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// The CPU seconds of the run up to a step, those of measuring not counted; none for steps of an earlier run.
    pub(crate) fn cpu_at(&self, step: usize) -> Option<f64> {
        let shared = self.lock();
        shared.cpu_of_steps.get(step.checked_sub(shared.num_resumed)?).copied().flatten()
    }

    /// Says which step was kept.
    pub(crate) fn tell_best(&self, steps: &[Step], best: usize) {
        let Some(step) = steps.get(best).filter(|_| !self.is_quiet) else { return };
        let seconds = show(self.start.elapsed().as_secs_f64());
        let name = step.figures.first().map_or_else(String::new, |it| format!("{} {}", it.name, it.text()));
        let Some(scores) = &step.scores else {
            report(format_args!("nothing to measure on: the last step is kept; {seconds} of training"));
            return;
        };
        // What decided, or if that is none of the figures, all of them.
        let figures = &scores.figures;
        let deciding = figures.iter().position(|figure| figure.value == scores.criterion);
        let told = deciding.map_or(&figures[..], |place| &figures[place..=place]);
        let told: Vec<String> = told.iter().map(|it| format!("{} {}", it.name, it.text())).collect();
        report(format_args!("best: {name}, {}; {seconds} of training", told.join(", ")));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn row(&self, shared: &mut Shared, step: &Step, cpu: Option<f64>) {
        if self.is_quiet {
            return;
        }
        let mut figures: Vec<&Figure> = step.figures.iter().collect();
        figures.extend(step.scores.iter().flat_map(|scores| &scores.figures));
        let names: Vec<String> = figures.iter().map(|figure| figure.name.to_string()).collect();
        let cpu = cpu.map_or_else(|| "-".to_owned(), |seconds| format!("{seconds:.1}"));
        let cells = figures.iter().map(|figure| figure.text()).chain([cpu]);
        self.bar.suspend(|| {
            if shared.columns != names {
                let head = names.iter().map(String::as_str).chain(["CPU s"]);
                report_line(&line(head.map(|name| (name, name.to_owned()))));
            }
            let widths = names.iter().map(String::as_str).chain(["CPU s"]);
            report_line(&line(widths.zip(cells)));
        });
        shared.columns = names;
    }

    fn tick(&self, shared: &mut Shared, share: Option<f64>, text: std::fmt::Arguments<'_>) {
        let line = || {
            let elapsed = self.start.elapsed().as_secs_f64();
            let left = shared
                .time_left(share)
                .map_or_else(String::new, |left| format!("; at most about {} left", show(left)));
            format!("{text}; {}{left}", show(elapsed))
        };
        if !self.bar.is_hidden() {
            self.bar.set_message(line());
            self.bar.tick();
        } else if shared.last_line.elapsed() >= QUIET_TIME {
            report(format_args!("{}", line()));
            shared.last_line = Instant::now();
        }
    }
}

impl Observer for Progress {
    fn keep_unmeasured(&self, model: &dyn Fn() -> boughs::Result<ModelFile>) -> boughs::Result<()> {
        let Some(out) = &self.out else { return Ok(()) };
        model()?.save(out)?;
        if !self.is_quiet {
            let name = out.display();
            let text = format_args!("{name}: written, and now measured (Ctrl-C twice keeps it unmeasured)");
            self.bar.suspend(|| report(text));
        }
        Ok(())
    }

    fn see(&self, event: &Event<'_>) {
        let mut shared = self.lock();
        let shared = &mut *shared;
        match event {
            Event::Note(_) | Event::Progress { .. } if self.is_quiet => {}
            Event::Note(text) => self.bar.suspend(|| report(*text)),
            Event::Progress { share, text } => self.tick(shared, *share, *text),
            Event::Resumed { steps } => {
                shared.num_resumed = steps.len();
                shared.num_left = steps.last().and_then(|step| step.num_left);
                steps.iter().for_each(|step| self.row(shared, step, None));
                shared.step_start = Instant::now();
            }
            Event::Measuring => shared.cpu_before_measuring = cpu::seconds(),
            Event::Step { steps } => {
                let Some(step) = steps.last() else { return };
                let cpu = cpu::seconds();
                if let (Some(before), Some(now)) = (shared.cpu_before_measuring.take(), cpu) {
                    shared.cpu_of_measuring += now - before;
                }
                let of_training = cpu.map(|seconds| seconds - shared.cpu_of_measuring);
                shared.cpu_of_steps.push(of_training);
                shared.durations.push(shared.step_start.elapsed().as_secs_f64());
                shared.step_start = Instant::now();
                shared.num_left = step.num_left;
                self.row(shared, step, cpu);
            }
        }
    }

    fn is_interrupted(&self) -> bool {
        interrupt::is_interrupted()
    }
}

impl Shared {
    /// The seconds that are left at most: of this step, of which a share may be known, and of those that follow.
    fn time_left(&self, share: Option<f64>) -> Option<f64> {
        let elapsed = self.step_start.elapsed().as_secs_f64();
        let this = share.filter(|share| *share > 0.01).map(|share| elapsed / share);
        estimate(&self.durations, self.num_left.unwrap_or(1), this).map(|all| (all - elapsed).max(0.0))
    }
}

/// The seconds of so many steps, the first of which takes `this` if that is known: each as much longer than the one
/// before as the last one was.
fn estimate(durations: &[f64], num_left: usize, this: Option<f64>) -> Option<f64> {
    let all: Vec<f64> = durations.iter().copied().chain(this).collect();
    let (last, growth) = match all[..] {
        [] => return None,
        [only] => (only, 1.5),
        [.., last] if num_left > MOST_GROWING => (last, 1.0),
        [.., before, last] => (last, (last / before.max(1e-9)).clamp(1.0, MAX_GROWTH)),
    };
    let first = usize::from(this.is_none());
    let power = |step: usize| growth.powi(i32::try_from(step).unwrap_or(i32::MAX)).min(MAX_TOTAL_GROWTH);
    Some((first..num_left + first).map(|step| last * power(step)).sum())
}

/// Cells as wide as the heads of their columns, or as a number.
fn line<'c>(cells: impl Iterator<Item = (&'c str, String)>) -> String {
    let cells = cells.map(|(head, cell)| format!("{cell:>width$}", width = head.len().max(8)));
    cells.collect::<Vec<_>>().join(" ")
}

/// A duration for people.
pub(crate) fn show(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 120.0 => format!("{seconds:.0} s"),
        seconds if seconds < 7200.0 => format!("{:.0} min", seconds / 60.0),
        seconds => format!("{:.1} h", seconds / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_grow_as_they_did() {
        assert_eq!(estimate(&[], 3, None), None);
        assert_eq!(estimate(&[], 1, Some(8.0)), Some(8.0));
        assert_eq!(estimate(&[2.0, 4.0], 2, None), Some(8.0 + 16.0));
        assert_eq!(estimate(&[2.0], 2, Some(4.0)), Some(4.0 + 8.0));
        assert_eq!(estimate(&[1.0, 100.0], 1, None), Some(400.0), "but not faster than so");
        assert_eq!(estimate(&[1.0, 4.0], 3, None), Some(16.0 + 40.0 + 40.0), "nor for long");
        assert_eq!(estimate(&[1.0, 2.0], 20, None), Some(40.0), "and epochs do not");
    }
}
