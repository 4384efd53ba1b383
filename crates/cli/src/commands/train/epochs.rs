//! What the training of a grammar with features says while it runs.

use std::time::Instant;

use anyhow::Result;
use boughs::train::max_margin::{MaxMarginEvent, MaxMarginPoint};

use super::columns::{self, line, scores};
use super::monitor::show;
use super::ticker::Ticker;
use crate::cpu;

/// Watches a run.
pub(super) struct Epochs {
    ticker: Ticker,
    max_epochs: usize,
    /// When the making of forests began.
    seeing: Option<Instant>,
    /// When the first round began, and how many were done before.
    first: Option<(Instant, usize)>,
    resumed: Vec<MaxMarginPoint>,
}

impl Epochs {
    pub(super) fn new(max_epochs: usize, resumed: &[MaxMarginPoint]) -> Result<Self> {
        Ok(Self { ticker: Ticker::new()?, max_epochs, seeing: None, first: None, resumed: resumed.to_vec() })
    }

    pub(super) fn see(&mut self, event: &MaxMarginEvent<'_>) {
        match *event {
            MaxMarginEvent::Grammar { number, num_grammars } => {
                let seconds = self.ticker.elapsed();
                self.ticker.tell(format!("grammar {number} of {num_grammars}; {seconds:.0} s"));
            }
            MaxMarginEvent::GrammarDone { .. } => self.seeing = Some(Instant::now()),
            MaxMarginEvent::Pass => {}
            MaxMarginEvent::Seen { num_seen, num_sentences } => {
                let seconds = self.seeing.get_or_insert_with(Instant::now).elapsed().as_secs_f64();
                let left = seconds * (num_sentences - num_seen) as f64 / num_seen as f64;
                let left = show(left);
                self.ticker.tell(format!("{num_seen} of {num_sentences} forests; about {left} left"));
            }
            MaxMarginEvent::Forests { num_sentences, num_failed, num_reachable, num_parts, num_features } => {
                self.ticker.report(format_args!(
                    "{num_sentences} forests ({num_failed} sentences without one), {num_reachable} with the right tree, {num_parts} parts, \
                     {num_features} features"
                ));
                self.ticker.keep(&head());
                self.resumed.iter().for_each(|point| self.ticker.keep(&row(point, None)));
                self.first = Some((Instant::now(), self.resumed.len()));
            }
            MaxMarginEvent::Epoch { point, .. } => {
                self.ticker.keep(&row(point, cpu::seconds()));
                let Some((first, num_before)) = self.first else { return };
                let done = (point.epoch - num_before) as f64;
                let left = (self.max_epochs - point.epoch) as f64 * first.elapsed().as_secs_f64() / done;
                self.ticker.tell(format!(
                    "round {} of at most {}; at most about {} left",
                    point.epoch + 1,
                    self.max_epochs,
                    show(left)
                ));
            }
        }
    }

    pub(super) fn finish(&self) {
        self.ticker.finish();
    }
}

const WIDTHS: [usize; 9] = [5, 9, 8, 7, 7, 7, 7, 7, 9];

fn head() -> String {
    line(&["round", "loss", "gap", "P", "R", "F1", "exact", "tags", "CPU s"].map(str::to_owned), WIDTHS)
}

fn row(point: &MaxMarginPoint, seconds: Option<f64>) -> String {
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
