//! Logistic regression over labelled rows, all labels at once.
//!
//! The objective is convex and decides when to stop; development rows are measured on, but choose nothing.

use std::ops::ControlFlow;

use super::{MODEL, about, identity, measure};
use crate::error::{Result, require};
use crate::logistic::{Labels, Logistic, LogisticConfig};
use crate::model::{Array, Linear, ModelFile};
use crate::optimize::{OptimizerProgress, OptimizerState, OptimizerStop};
use crate::run::{Figure, Recipe, Scores, Step, Watch};
use crate::svmlight::LabelledRows;

/// A checkpoint is several times as large as the model, so it is not written after every iteration.
const ITERATIONS_OF_STEP: u64 = 10;

/// The array of a checkpoint that holds the optimiser.
const OPTIMIZER: &str = "optimizer";

/// What is learned, and where the optimiser stands.
#[derive(Debug)]
pub struct LogisticState {
    names: Vec<String>,
    labels: Labels,
    optimizer: OptimizerState,
    /// The model after the last step.
    model: Linear,
}

impl Recipe for LogisticConfig {
    type Data = LabelledRows;
    type State = LogisticState;
    type Model = ModelFile;

    fn name(&self) -> &'static str {
        "logistic"
    }

    fn identity(&self, train: &LabelledRows, dev: Option<&LabelledRows>) -> String {
        identity(self, train, dev)
    }

    fn start(&self, train: &LabelledRows, _: &Watch<'_>) -> Result<LogisticState> {
        let names = train.labels.clone();
        require(names.len() >= 2, "two labels or more", names.len())?;
        let labels =
            Labels::new(train.classes.clone(), names.len() as u32)?.with_weights(train.weights.clone())?;
        let problem = Logistic::new(&train.dataset, &labels, self)?;
        let optimizer = problem.start();
        let model = problem.freeze(&optimizer)?;
        Ok(LogisticState { names, labels, optimizer, model })
    }

    fn step(
        &self,
        train: &LabelledRows,
        state: &mut LogisticState,
        watch: &Watch<'_>,
    ) -> Result<Option<Step>> {
        let problem = Logistic::new(&train.dataset, &state.labels, self)?;
        let end = state.optimizer.iteration + ITERATIONS_OF_STEP;
        let mut is_broken_off = false;
        let stop = problem.run(&mut state.optimizer, |progress: &OptimizerProgress<'_>| {
            let text = format_args!("iteration {}, objective {:.4}", progress.iteration, progress.value);
            is_broken_off = watch.progress(None, text).is_break();
            match is_broken_off || progress.iteration >= end {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        })?;
        state.model = problem.freeze(&state.optimizer)?;
        let figures = vec![
            Figure::count("iteration", state.optimizer.iteration as usize),
            Figure::count("active", state.model.num_weights()),
            Figure::new("objective", state.optimizer.value.unwrap_or(f64::NAN), 4),
        ];
        // What is done of a step is saved; the next run goes on from there.
        Ok(Some(match is_broken_off {
            true => Step::preparation(0, figures),
            false => Step { is_last: stop != OptimizerStop::Asked, ..Step::candidate(0, figures) },
        }))
    }

    fn model(&self, state: &LogisticState) -> Result<ModelFile> {
        let mut about = about(self, &state.names)?;
        about.settings.insert("active-features".to_owned(), state.model.num_weights().to_string());
        ModelFile::from_linear(about, &state.model)
    }

    /// The last model is the best: the objective decides.
    fn evaluate(&self, state: &mut LogisticState, model: &ModelFile, dev: &LabelledRows) -> Result<Scores> {
        Ok(Scores { criterion: state.optimizer.iteration as f64, ..measure(model, dev)? })
    }

    fn patience(&self) -> usize {
        usize::MAX
    }

    fn save(&self, state: &LogisticState, file: &mut ModelFile) -> Result<()> {
        file.insert_state(OPTIMIZER, &state.optimizer)?;
        file.insert(MODEL, Array::U8(self.model(state)?.to_bytes()?));
        Ok(())
    }

    fn restore(&self, state: &mut LogisticState, file: &ModelFile) -> Result<()> {
        state.optimizer = file.state(OPTIMIZER)?;
        state.model = super::model_of_checkpoint(file)?.linear()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{is_resumed_to_the_same_bytes, is_the_same_on_threads, rows, train};
    use super::*;

    fn config() -> [LogisticConfig; 2] {
        [(0.0, 0.1), (0.5, 0.0)].map(|(l1, l2)| LogisticConfig { l1, l2, ..LogisticConfig::default() })
    }

    #[test]
    fn threads_change_nothing() {
        config().iter().for_each(is_the_same_on_threads);
    }

    #[test]
    fn interruptions_change_nothing() {
        config().iter().for_each(is_resumed_to_the_same_bytes);
    }

    #[test]
    fn the_model_is_that_of_the_minimum() {
        let (rows, [config, _]) = (rows(300, 1), config());
        let labels = Labels::new(rows.classes.clone(), 3).unwrap();
        let expected = Logistic::fit(&rows.dataset, &labels, &config).unwrap();
        let trained = train(&config, &rows, Some(&rows));
        assert_eq!(trained.model.linear().unwrap(), expected);
        assert_eq!(trained.best, trained.steps.len() - 1);
    }
}
