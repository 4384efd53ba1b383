//! What the training of a grammar with features says while it runs.

use std::time::Instant;

use anyhow::Result;
use boughs::train::crf::{CrfConfig, CrfEvent, CrfPoint};

use super::columns::{self, line, scores};
use super::monitor::show;
use super::ticker::Ticker;
use crate::cpu;

/// Watches a run.
pub(super) struct Epochs {
    ticker: Ticker,
    max_epochs: usize,
    /// All that are tried.
    c: Vec<f64>,
    /// When the making of forests began.
    seeing: Option<Instant>,
    /// When the first round began.
    first: Option<Instant>,
    /// How many were done since.
    num_done: usize,
    resumed: Vec<CrfPoint>,
}

impl Epochs {
    pub(super) fn new(config: &CrfConfig, resumed: &[CrfPoint]) -> Result<Self> {
        Ok(Self {
            ticker: Ticker::new()?,
            max_epochs: config.max_epochs,
            c: config.c.clone(),
            seeing: None,
            first: None,
            num_done: 0,
            resumed: resumed.to_vec(),
        })
    }

    pub(super) fn see(&mut self, event: &CrfEvent<'_>) {
        match *event {
            CrfEvent::Grammar { number, num_grammars } => {
                let seconds = self.ticker.elapsed();
                self.ticker.tell(format!("grammar {number} of {num_grammars}; {seconds:.0} s"));
            }
            CrfEvent::GrammarDone { .. } => self.seeing = Some(Instant::now()),
            CrfEvent::Pass => {}
            CrfEvent::Seen { num_seen, num_sentences } => {
                let seconds = self.seeing.get_or_insert_with(Instant::now).elapsed().as_secs_f64();
                let left = seconds * (num_sentences - num_seen) as f64 / num_seen as f64;
                let left = show(left);
                self.ticker.tell(format!("{num_seen} of {num_sentences} forests; about {left} left"));
            }
            CrfEvent::Forests { num_sentences, num_failed, num_reachable, num_parts, num_features } => {
                self.ticker.report(format_args!(
                    "{num_sentences} forests ({num_failed} sentences without one), {num_reachable} with the gold tree, {num_parts} parts, \
                     {num_features} features"
                ));
                self.ticker.keep(&head());
                self.resumed.iter().for_each(|point| self.keep(point, None));
                self.first = Some(Instant::now());
            }
            CrfEvent::Epoch { point, .. } => {
                self.keep(point, cpu::seconds());
                self.num_done += 1;
                let Some(first) = self.first else { return };
                let left =
                    self.rounds_left(point) as f64 * first.elapsed().as_secs_f64() / self.num_done as f64;
                self.ticker.tell(format!(
                    "round {} of at most {}; at most about {} left",
                    point.epoch + 1,
                    self.max_epochs,
                    show(left)
                ));
            }
        }
    }

    fn keep(&self, point: &CrfPoint, seconds: Option<f64>) {
        if self.c.len() > 1 && point.epoch == 1 {
            self.ticker.keep(&format!("C = {}", point.c));
        }
        self.ticker.keep(&row(point, seconds));
    }

    /// After a round.
    fn rounds_left(&self, point: &CrfPoint) -> usize {
        let to_come = self.c.iter().skip_while(|c| **c != point.c).skip(1).count();
        self.max_epochs - point.epoch + to_come * self.max_epochs
    }

    pub(super) fn finish(&self) {
        self.ticker.finish();
    }
}

const WIDTHS: [usize; 9] = [5, 9, 8, 7, 7, 7, 7, 7, 9];

fn head() -> String {
    line(&["round", "loss", "gap", "P", "R", "F1", "exact", "tags", "CPU s"].map(str::to_owned), WIDTHS)
}

fn row(point: &CrfPoint, seconds: Option<f64>) -> String {
    let [precision, recall, f1, exact, tags] = scores(point.scores);
    let columns = [
        point.epoch.to_string(),
        format!("{:.4}", point.loss),
        point.gap.map_or_else(|| "-".to_owned(), |gap| format!("{:.2}%", 100.0 * gap)),
        precision,
        recall,
        f1,
        exact,
        tags,
        columns::cpu(seconds),
    ];
    line(&columns, WIDTHS)
}
