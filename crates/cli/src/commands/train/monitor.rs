//! What a training run says while it runs.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use boughs::train::transition::{Event, Point, TransitionConfig};
use indicatif::{ProgressBar, ProgressStyle};

use crate::cpu;
use crate::output::{report, report_line};

/// How often a run says where it stands if nobody watches a terminal.
const QUIET_TIME: Duration = Duration::from_secs(30);

/// A stage may take longer than the one before, but in guessing no more than by this.
const MAX_GROWTH: f64 = 4.0;

/// Watches a run; threads share it.
pub(super) struct Monitor {
    start: Instant,
    /// Draws only on a terminal.
    bar: ProgressBar,
    /// Stages from the first to the end of the path.
    num_stages: usize,
    shared: Mutex<Shared>,
}

struct Shared {
    last_line: Instant,
    stage_start: Instant,
    stage_penalty: f64,
    /// How long the stages took, in seconds.
    stages: Vec<f64>,
    /// What an earlier run has done.
    resumed: Vec<Point>,
}

impl Monitor {
    pub(super) fn new(config: &TransitionConfig, resumed: &[Point]) -> Result<Self> {
        let bar = ProgressBar::new_spinner();
        bar.set_style(ProgressStyle::with_template("{spinner} {wide_msg}").context("a sound template")?);
        let is_before_end = |stage: &usize| config.stage_penalty(*stage) > config.final_penalty();
        let start = Instant::now();
        Ok(Self {
            start,
            bar,
            num_stages: (0..).take_while(is_before_end).count() + 1,
            shared: Mutex::new(Shared {
                last_line: start,
                stage_start: start,
                stage_penalty: config.first_penalty,
                stages: Vec::new(),
                resumed: resumed.to_vec(),
            }),
        })
    }

    pub(super) fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    pub(super) fn see(&self, event: &Event<'_>) {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Examples { summary, num_rows, num_features, num_bytes } => {
                report(format_args!(
                    "{} states, {num_rows} places, {} examples, {num_features} features, {} MiB; \
                     {} gold inferences break the rules",
                    summary.num_states,
                    summary.num_examples,
                    num_bytes >> 20,
                    summary.num_illegal
                ));
                report_line(&head());
                shared.resumed.iter().for_each(|point| report_line(&row(point, None)));
            }
            Event::Stage { penalty } => {
                (shared.stage_start, shared.stage_penalty) = (Instant::now(), *penalty);
            }
            Event::Tree { label, progress } => {
                let text = format!("{label}: {} trees, at {:.3}", progress.num_trees, progress.penalty);
                self.tick(&mut shared, &text);
            }
            Event::Point { point, .. } => {
                let seconds = shared.stage_start.elapsed().as_secs_f64();
                shared.stages.push(seconds);
                self.bar.suspend(|| report_line(&row(point, cpu::seconds())));
            }
        }
    }

    fn tick(&self, shared: &mut Shared, text: &str) {
        let text = || {
            let left = self.time_left(shared).map_or_else(String::new, |left| format!("; {left}"));
            format!("to penalty {:.3}, {text}; {:.0} s{left}", shared.stage_penalty, self.seconds())
        };
        if !self.bar.is_hidden() {
            self.bar.set_message(text());
            self.bar.tick();
        } else if shared.last_line.elapsed() >= QUIET_TIME {
            report(format_args!("{}", text()));
            shared.last_line = Instant::now();
        }
    }

    fn time_left(&self, shared: &Shared) -> Option<String> {
        let num_left = self.num_stages.saturating_sub(shared.resumed.len() + shared.stages.len());
        let elapsed = shared.stage_start.elapsed().as_secs_f64();
        estimate(&shared.stages, num_left, elapsed)
            .map(|seconds| format!("at most about {} left", show(seconds)))
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// The seconds that so many stages will take, the first of which has taken `elapsed` already: each as much longer
/// than the one before as the last one was.
fn estimate(stages: &[f64], num_left: usize, elapsed: f64) -> Option<f64> {
    let (last, growth) = match stages {
        [] => return None,
        [only] => (*only, 1.5),
        [.., before, last] => (*last, (last / before.max(1e-9)).clamp(1.0, MAX_GROWTH)),
    };
    let power = |stage: usize| growth.powi(i32::try_from(stage).unwrap_or(i32::MAX));
    let total: f64 = (1..=num_left).map(|stage| last * power(stage)).sum();
    Some((total - elapsed).max(0.0))
}

pub(super) fn show(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 120.0 => format!("{seconds:.0} s"),
        seconds if seconds < 7200.0 => format!("{:.0} min", seconds / 60.0),
        seconds => format!("{:.1} h", seconds / 3600.0),
    }
}

fn head() -> String {
    let names = ["penalty", "trees", "active", "P", "R", "F1", "exact", "CPU s"];
    format!(
        "{:>9} {:>8} {:>8} {:>7} {:>7} {:>7} {:>7} {:>9}",
        names[0], names[1], names[2], names[3], names[4], names[5], names[6], names[7]
    )
}

fn row(point: &Point, cpu: Option<f64>) -> String {
    let Point { penalty, num_trees, num_active, scores } = point;
    let scores = match scores {
        Some(it) => [it.precision, it.recall, it.f1, it.exact].map(|figure| format!("{figure:.2}")),
        None => ["-"; 4].map(str::to_owned),
    };
    let cpu = cpu.map_or_else(|| "-".to_owned(), |cpu| format!("{cpu:.1}"));
    let [precision, recall, f1, exact] = scores;
    format!(
        "{penalty:>9.4} {num_trees:>8} {num_active:>8} {precision:>7} {recall:>7} {f1:>7} {exact:>7} {cpu:>9}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use boughs::train::transition::DevScores;

    #[test]
    fn later_stages_take_longer() {
        assert_eq!(estimate(&[], 3, 0.0), None);
        assert_eq!(estimate(&[10.0], 2, 0.0), Some(15.0 + 22.5));
        assert_eq!(estimate(&[5.0, 10.0], 2, 4.0), Some(20.0 + 40.0 - 4.0));
        assert_eq!(estimate(&[1.0, 10.0], 1, 100.0), Some(0.0));
        assert_eq!([90.0, 600.0, 9000.0].map(show), ["90 s", "10 min", "2.5 h"]);
    }

    #[test]
    fn columns_line_up() {
        let scores = Some(DevScores { precision: 88.0, recall: 87.5, f1: 87.75, exact: 30.0 });
        let point = Point { penalty: 0.8, num_trees: 655, num_active: 878, scores };
        let rows = [head(), row(&point, Some(48.25)), row(&Point { scores: None, ..point }, None)];
        assert!(rows.iter().all(|row| row.chars().count() == rows[0].len()), "{rows:?}");
        assert!(rows[1].contains("878   88.00   87.50   87.75   30.00      48.2"), "{}", rows[1]);
    }
}
