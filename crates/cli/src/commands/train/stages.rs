//! What the training of a log-linear grammar says while it runs.

use anyhow::Result;
use boughs::train::latent::{ConditionalEvent, ConditionalPoint};

use super::columns::{self, line, scores};
use super::monitor::show;
use super::ticker::Ticker;
use crate::cpu;
use crate::output::report_line;

/// A stage takes about so many times as long as the one before.
const GROWTH: f64 = 3.0;

/// Watches a run.
pub(super) struct Stages {
    ticker: Ticker,
    max_stages: usize,
    max_iterations: u64,
    num_resumed: usize,
}

impl Stages {
    pub(super) fn new(max_stages: usize, max_iterations: u64, resumed: &[ConditionalPoint]) -> Result<Self> {
        report_line(&head());
        resumed.iter().for_each(|point| report_line(&row(point, None)));
        Ok(Self { ticker: Ticker::new()?, max_stages, max_iterations, num_resumed: resumed.len() })
    }

    pub(super) fn see(&mut self, event: &ConditionalEvent<'_>) {
        match *event {
            ConditionalEvent::Pruned { stage, num_sentences, num_left, num_parameters } => {
                let left = num_left as f64 / num_sentences.max(1) as f64;
                self.ticker.tell(format!(
                    "stage {stage}: {num_sentences} sentences with {left:.0} symbols each left after pruning, {num_parameters} parameters"
                ));
            }
            ConditionalEvent::Iteration { stage, iteration, objective, num_nonzero, .. } => {
                let left = self.time_left(stage, iteration as f64 / self.max_iterations as f64);
                self.ticker.tell(format!(
                    "{:.0} s, at most about {} left; stage {stage} of at most {}, iteration {iteration} of at most {}, objective {objective:.1}, \
                     {num_nonzero} parameters not zero",
                    self.ticker.elapsed(),
                    show(left),
                    self.max_stages,
                    self.max_iterations
                ));
            }
            ConditionalEvent::Stage { point, .. } => self.ticker.keep(&row(point, cpu::seconds())),
        }
    }

    fn time_left(&self, stage: usize, part: f64) -> f64 {
        let stages = |number: usize| (0..number).map(|it| GROWTH.powi(it as i32)).sum::<f64>();
        let before = stages(self.num_resumed);
        let done = stages(stage - 1) + part * GROWTH.powi(stage as i32 - 1) - before;
        self.ticker.elapsed() * ((stages(self.max_stages) - before) / done - 1.0)
    }

    pub(super) fn finish(&self) {
        self.ticker.finish();
    }
}

const WIDTHS: [usize; 10] = [5, 12, 11, 9, 11, 12, 7, 7, 7, 9];

fn head() -> String {
    let names = [
        "stage",
        "sub-symbols",
        "parameters",
        "not 0",
        "iterations",
        "objective",
        "F1",
        "exact",
        "tags",
        "CPU s",
    ];
    line(&names.map(str::to_owned), WIDTHS)
}

fn row(point: &ConditionalPoint, seconds: Option<f64>) -> String {
    let [_, _, f1, exact, tags] = scores(point.scores);
    let columns = [
        point.stage.to_string(),
        point.num_substates.to_string(),
        point.num_parameters.to_string(),
        point.num_nonzero.to_string(),
        point.iterations.to_string(),
        format!("{:.1}", point.objective),
        f1,
        exact,
        tags,
        columns::cpu(seconds),
    ];
    line(&columns, WIDTHS)
}
