//! What the training of a latent-variable grammar says while it runs.

use anyhow::Result;
use boughs::train::latent::{LatentEvent, Point};

use super::columns::{self, line, scores};
use super::monitor::show;
use super::ticker::Ticker;
use crate::cpu;
use crate::output::report_line;

/// A round takes about so many times as long as the one before.
const GROWTH: f64 = 2.0;

/// Watches a run.
pub(super) struct Rounds {
    ticker: Ticker,
    max_rounds: usize,
    num_resumed: usize,
    /// Grammars to be trained after this one.
    num_later: usize,
}

impl Rounds {
    pub(super) fn new(max_rounds: usize, resumed: &[Point], num_later: usize) -> Result<Self> {
        report_line(&head());
        resumed.iter().for_each(|point| report_line(&row(point, None)));
        Ok(Self { ticker: Ticker::new()?, max_rounds, num_resumed: resumed.len(), num_later })
    }

    pub(super) fn see(&mut self, event: &LatentEvent<'_>) {
        match *event {
            LatentEvent::Iteration { round, iteration, num_iterations, log_likelihood } => {
                let left = self.time_left(round, iteration as f64 / num_iterations as f64);
                let text = format!(
                    "{:.0} s, at most about {} left; round {round} of at most {}, iteration {iteration} of {num_iterations}, \
                     log-likelihood {log_likelihood:.0}",
                    self.ticker.elapsed(),
                    show(left),
                    self.max_rounds
                );
                self.ticker.tell(text);
            }
            LatentEvent::Round { point, .. } => {
                self.ticker.keep(&row(point, cpu::seconds()));
            }
        }
    }

    fn time_left(&self, round: usize, part: f64) -> f64 {
        let rounds = |number: usize| (0..number).map(|it| GROWTH.powi(it as i32)).sum::<f64>();
        let before = rounds(self.num_resumed);
        let done = rounds(round - 1) + part * GROWTH.powi(round as i32 - 1) - before;
        let all = (1 + self.num_later) as f64 * rounds(self.max_rounds);
        self.ticker.elapsed() * ((all - before) / done - 1.0)
    }

    pub(super) fn finish(&self) {
        self.ticker.finish();
    }
}

const WIDTHS: [usize; 10] = [5, 12, 9, 10, 7, 7, 7, 7, 7, 9];

fn head() -> String {
    let names = ["round", "sub-symbols", "rules", "log-lik.", "P", "R", "F1", "exact", "tags", "CPU s"];
    line(&names.map(str::to_owned), WIDTHS)
}

fn row(point: &Point, seconds: Option<f64>) -> String {
    let [precision, recall, f1, exact, tags] = scores(point.scores);
    let columns = [
        point.round.to_string(),
        point.num_substates.to_string(),
        point.num_rules.to_string(),
        format!("{:.0}", point.log_likelihood),
        precision,
        recall,
        f1,
        exact,
        tags,
        columns::cpu(seconds),
    ];
    line(&columns, WIDTHS)
}
