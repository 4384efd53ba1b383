//! What the training of a latent-variable grammar says while it runs.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use boughs::train::latent::{LatentEvent, Point};
use indicatif::{ProgressBar, ProgressStyle};

use super::monitor::show;
use crate::cpu;
use crate::output::{report, report_line};

/// How often a run says where it stands if nobody watches a terminal.
const QUIET_TIME: Duration = Duration::from_secs(30);

/// A round takes about so many times as long as the one before.
const GROWTH: f64 = 2.0;

/// Watches a run.
pub(super) struct Rounds {
    /// Draws only on a terminal.
    bar: ProgressBar,
    max_rounds: usize,
    start: Instant,
    last_line: Instant,
    num_resumed: usize,
}

impl Rounds {
    pub(super) fn new(max_rounds: usize, resumed: &[Point]) -> Result<Self> {
        let bar = ProgressBar::new_spinner();
        bar.set_style(ProgressStyle::with_template("{spinner} {wide_msg}").context("a sound template")?);
        let start = Instant::now();
        report_line(&head());
        resumed.iter().for_each(|point| report_line(&row(point, None)));
        Ok(Self { bar, max_rounds, start, last_line: start, num_resumed: resumed.len() })
    }

    pub(super) fn see(&mut self, event: &LatentEvent<'_>) {
        match *event {
            LatentEvent::Iteration { round, iteration, num_iterations, log_likelihood } => {
                let left = self.time_left(round, iteration as f64 / num_iterations as f64);
                let text = format!(
                    "round {round} of at most {}, iteration {iteration} of {num_iterations}, log-likelihood {log_likelihood:.0}; \
                     {:.0} s; at most about {} left",
                    self.max_rounds,
                    self.start.elapsed().as_secs_f64(),
                    show(left)
                );
                self.tell(text);
            }
            LatentEvent::Round { point, .. } => {
                self.bar.suspend(|| report_line(&row(point, cpu::seconds())));
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

    fn time_left(&self, round: usize, part: f64) -> f64 {
        let rounds = |number: usize| (0..number).map(|it| GROWTH.powi(it as i32)).sum::<f64>();
        let before = rounds(self.num_resumed);
        let done = rounds(round - 1) + part * GROWTH.powi(round as i32 - 1) - before;
        self.start.elapsed().as_secs_f64() * ((rounds(self.max_rounds) - before) / done - 1.0)
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

fn head() -> String {
    let names = ["round", "sub-symbols", "rules", "log-lik.", "P", "R", "F1", "exact", "tags", "CPU s"];
    line(&names.map(str::to_owned))
}

fn row(point: &Point, cpu: Option<f64>) -> String {
    let scores = match point.scores {
        Some(it) => [it.precision, it.recall, it.f1, it.exact, it.tags].map(|figure| format!("{figure:.2}")),
        None => ["-"; 5].map(str::to_owned),
    };
    let [precision, recall, f1, exact, tags] = scores;
    line(&[
        point.round.to_string(),
        point.num_substates.to_string(),
        point.num_rules.to_string(),
        format!("{:.0}", point.log_likelihood),
        precision,
        recall,
        f1,
        exact,
        tags,
        cpu.map_or_else(|| "-".to_owned(), |cpu| format!("{cpu:.1}")),
    ])
}

fn line(columns: &[String; 10]) -> String {
    let widths = [5, 12, 9, 10, 7, 7, 7, 7, 7, 9];
    let columns = columns.iter().zip(widths).map(|(column, width)| format!("{column:>width$}"));
    columns.collect::<Vec<_>>().join(" ")
}
