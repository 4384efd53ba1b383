//! Logistic regression, all labels at once.

use std::ops::ControlFlow;
use std::time::Instant;

use anyhow::Result;
use boughs::model::{About, ModelFile, Predictor};
use boughs_learn::logistic::{Labels, Logistic, LogisticConfig};
use boughs_learn::optimize::{OptimizerProgress, OptimizerState};
use boughs_learn::svmlight::LabelledRows;

use super::checkpoint::CheckpointFile;
use super::monitor::{Monitor, Step};
use super::{Method, TrainArgs, tally};
use crate::interrupt;
use crate::output::report;

/// What is done after every iteration.
struct Watch<'a> {
    problem: &'a Logistic<'a>,
    about: &'a About,
    dev: Option<&'a LabelledRows>,
    monitor: &'a Monitor,
    file: Option<&'a CheckpointFile>,
    saved: Instant,
    penalty: f64,
    num_rows: usize,
}

/// Trains to the end; nothing if the user interrupted it.
pub(super) fn train(
    args: &TrainArgs,
    rows: &LabelledRows,
    dev: Option<&LabelledRows>,
    about: &mut About,
    monitor: &Monitor,
) -> Result<Option<ModelFile>> {
    let penalty = args.lambda.unwrap_or(1.0);
    let (l1, l2) = if args.method == Method::LogisticL1 { (penalty, 0.0) } else { (0.0, penalty) };
    let config = LogisticConfig { l1, l2, ..LogisticConfig::default() };
    let labels =
        Labels::new(rows.classes.clone(), rows.labels.len() as u32)?.with_weights(rows.weights.clone())?;
    let problem = Logistic::new(&rows.dataset, &labels, &config)?;
    let file = CheckpointFile::new(args, rows)?;
    let resumed = file.as_ref().map(CheckpointFile::load_state).transpose()?.flatten();
    let mut state = resumed.unwrap_or_else(|| problem.start());

    let num_rows = rows.dataset.num_rows();
    let (file, saved) = (file.as_ref(), Instant::now());
    let mut watch = Watch { problem: &problem, about, dev, monitor, file, saved, penalty, num_rows };
    let mut failure = None;
    problem.run(&mut state, |progress| match watch.iteration(progress) {
        Ok(()) if interrupt::is_interrupted() => ControlFlow::Break(()),
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => {
            failure = Some(error);
            ControlFlow::Break(())
        }
    })?;
    if let Some(error) = failure {
        return Err(error);
    }
    let model = problem.freeze(&state)?;
    if let Some(file) = file {
        file.save_state(about, &model, &state)?;
    }
    if interrupt::is_interrupted() {
        return Ok(None);
    }
    report(format_args!("{} weights are not zero", model.num_weights()));
    about.settings.insert("penalty".to_owned(), penalty.to_string());
    about.settings.insert("active_features".to_owned(), model.num_weights().to_string());
    Ok(Some(ModelFile::from_linear(about.clone(), &model)?))
}

impl Watch<'_> {
    fn iteration(&mut self, progress: &OptimizerProgress<'_>) -> Result<()> {
        self.monitor.step(&Step {
            task: 0,
            label: "all",
            number: progress.iteration as usize,
            num_active: progress.num_nonzero,
            penalty: self.penalty,
            objective: progress.value,
            dev_loss: self.dev_loss(progress.state)?,
            num_rows: self.num_rows,
            share_done: 0.0,
        })?;
        match self.file {
            Some(file) if self.saved.elapsed() >= file.every() => {
                self.saved = Instant::now();
                file.save_state(self.about, &self.problem.freeze(progress.state)?, progress.state)
            }
            _ => Ok(()),
        }
    }

    fn dev_loss(&self, state: &OptimizerState) -> Result<Option<f64>> {
        let Some(dev) = self.dev else { return Ok(None) };
        let file = ModelFile::from_linear(self.about.clone(), &self.problem.freeze(state)?)?;
        Ok(Some(tally(&Predictor::from_file(&file)?, dev).log_loss()))
    }
}
