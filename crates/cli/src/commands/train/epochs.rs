//! What the training of a grammar with features says while it runs.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use boughs::train::max_margin::{MaxMarginEvent, MaxMarginPoint};
use indicatif::{ProgressBar, ProgressStyle};

use super::monitor::show;
use crate::cpu;
use crate::output::{report, report_line};

/// How often a run says where it stands if nobody watches a terminal.
const QUIET_TIME: Duration = Duration::from_secs(30);

/// Watches a run.
pub(super) struct Epochs {
    /// Draws only on a terminal.
    bar: ProgressBar,
    max_epochs: usize,
    start: Instant,
    last_line: Instant,
    /// When the first round began, and how many were done before.
    first: Option<(Instant, usize)>,
    resumed: Vec<MaxMarginPoint>,
}

impl Epochs {
    pub(super) fn new(max_epochs: usize, resumed: &[MaxMarginPoint]) -> Result<Self> {
        let bar = ProgressBar::new_spinner();
        bar.set_style(ProgressStyle::with_template("{spinner} {wide_msg}").context("a sound template")?);
        let start = Instant::now();
        Ok(Self { bar, max_epochs, start, last_line: start, first: None, resumed: resumed.to_vec() })
    }

    pub(super) fn see(&mut self, event: &MaxMarginEvent<'_>) {
        match *event {
            MaxMarginEvent::Grammar { number, num_grammars } => {
                let seconds = self.start.elapsed().as_secs_f64();
                self.tell(format!("grammar {number} of {num_grammars}; {seconds:.0} s"));
            }
            MaxMarginEvent::Forests { num_sentences, num_failed, num_reachable, num_parts, num_features } => {
                self.bar.suspend(|| {
                    report(format_args!(
                        "{num_sentences} forests ({num_failed} sentences without one), {num_reachable} with the right tree, {num_parts} parts, \
                         {num_features} features"
                    ));
                    report_line(&head());
                    self.resumed.iter().for_each(|point| report_line(&row(point, None)));
                });
                self.first = Some((Instant::now(), self.resumed.len()));
            }
            MaxMarginEvent::Epoch { point, .. } => {
                self.bar.suspend(|| report_line(&row(point, cpu::seconds())));
                let Some((first, num_before)) = self.first else { return };
                let done = (point.epoch - num_before) as f64;
                let left = (self.max_epochs - point.epoch) as f64 * first.elapsed().as_secs_f64() / done;
                self.tell(format!(
                    "round {} of at most {}; at most about {} left",
                    point.epoch + 1,
                    self.max_epochs,
                    show(left)
                ));
            }
        }
    }

    fn tell(&mut self, text: String) {
        if !self.bar.is_hidden() {
            self.bar.set_message(text);
            self.bar.tick();
        } else if self.last_line.elapsed() >= QUIET_TIME {
            report(format_args!("{text}"));
            self.last_line = Instant::now();
        }
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

fn head() -> String {
    line(&["round", "loss", "gap", "P", "R", "F1", "exact", "tags", "CPU s"].map(str::to_owned))
}

fn row(point: &MaxMarginPoint, cpu: Option<f64>) -> String {
    let scores = match point.scores {
        Some(it) => [it.precision, it.recall, it.f1, it.exact, it.tags].map(|figure| format!("{figure:.2}")),
        None => ["-"; 5].map(str::to_owned),
    };
    let [precision, recall, f1, exact, tags] = scores;
    line(&[
        point.epoch.to_string(),
        format!("{:.4}", point.loss),
        point.gap.map_or_else(|| "-".to_owned(), |gap| format!("{:.2}%", 100.0 * gap)),
        precision,
        recall,
        f1,
        exact,
        tags,
        cpu.map_or_else(|| "-".to_owned(), |cpu| format!("{cpu:.1}")),
    ])
}

fn line(columns: &[String; 9]) -> String {
    let widths = [5, 9, 8, 7, 7, 7, 7, 7, 9];
    let columns = columns.iter().zip(widths).map(|(column, width)| format!("{column:>width$}"));
    columns.collect::<Vec<_>>().join(" ")
}
