//! A row as a task by itself: it needs the data and the models of the rows before it, and nothing else.

mod pairs;
mod rows;
mod trees;

use std::path::PathBuf;

use crate::data::Data;
use crate::method::Slot;
use crate::outcome::{MarginCurve, Measurement, RowResult};
use crate::recipe::RowRecipe;
use crate::spec::{Experiment, Keep, Row};
use crate::store::{Store, row_file};
use boughs_learn::error::{Error, ErrorKind, Result};
use boughs_learn::model::ModelFile;
use boughs_learn::run::{Model, Observer, Recipe, RunOptions, Step, Trained, remove_checkpoint, run};

/// The files of a row.
pub(crate) const RESULT: &str = "result.json";
pub(crate) const TEST: &str = "test.json";
pub(crate) const MODEL: &str = "model";
const CHECKPOINT: &str = "checkpoint";
pub(crate) const SETTINGS: &str = "settings.toml";

/// A row to run, or to test.
pub struct RowTask<'t> {
    /// The experiment that it belongs to.
    pub experiment: &'t Experiment,
    /// The row.
    pub row: &'t Row,
    /// Whether it is run at toy size.
    pub is_quick: bool,
    /// Where models and results are.
    pub store: &'t Store,
    /// Who is told what happens, and may break off.
    pub observer: &'t dyn Observer,
}

/// What came of a task.
#[derive(Debug)]
pub enum RowOutcome {
    /// What was asked for.
    Done {
        /// A result for each part of the row.
        results: Vec<RowResult>,
        /// The CPU seconds up to each step, if another program did the work.
        seconds: Option<Vec<f64>>,
    },
    /// It cannot be done here, and this is why.
    Skipped(String),
    /// It was broken off; the checkpoint has what was done.
    Interrupted,
}

/// What is kept of a run besides its model.
#[derive(Default)]
struct Course {
    steps: Vec<Step>,
    kept: Option<usize>,
    margins: Vec<MarginCurve>,
}

impl RowTask<'_> {
    /// Runs the row: trains if there is something to train, measures on the development data, and writes the
    /// model and the result.
    ///
    /// # Errors
    /// If a step cannot be made, or a file cannot be read or written.
    pub fn run(&self, data: &Data) -> Result<RowOutcome> {
        let outcome = match self.experiment.method(self.row).slot() {
            Slot::Trees => self.run_trees(data),
            Slot::Pairs => self.run_pairs(data),
            Slot::Rows => self.run_rows(data),
        };
        let outcome = outcome.map_err(|error| self.place(&error))?;
        if let RowOutcome::Done { results, .. } = &outcome {
            self.store.write_json(&row_file(&self.row.name, RESULT), results)?;
            remove_checkpoint(&self.path(CHECKPOINT)?)?;
        }
        Ok(outcome)
    }

    /// Scores the model of a row that was run on the test data, part by part.
    ///
    /// # Errors
    /// If the model cannot be read, or there are no test data.
    pub fn test(&self, data: &Data) -> Result<Vec<Measurement>> {
        let measured = match self.experiment.method(self.row).slot() {
            Slot::Trees => self.test_trees(data),
            Slot::Pairs => self.test_pairs(data),
            Slot::Rows => self.test_rows(data),
        };
        let measured = measured.map_err(|error| self.place(&error))?;
        self.store.write_json(&row_file(&self.row.name, TEST), &measured)?;
        Ok(measured)
    }

    fn place(&self, error: &Error) -> Error {
        Error::new(error.kind(), format!("row `{}`: {error}", self.row.name))
    }

    fn path(&self, name: &str) -> Result<PathBuf> {
        self.store.row_path(&self.row.name, name)
    }

    fn done(&self, course: Course, dev: Measurement) -> RowOutcome {
        let Course { steps, kept, margins } = course;
        let name = self.row.name.clone();
        let result = RowResult { name, steps, kept, made_by: None, margins, dev, test: None };
        RowOutcome::Done { results: vec![result], seconds: None }
    }

    /// Trains, and writes the model; nothing if it was broken off.
    fn train<R: Recipe>(
        &self,
        recipe: &R,
        train: &R::Data,
        dev: &R::Data,
    ) -> Result<Option<(R::Model, Course)>> {
        let checkpoint = self.path(CHECKPOINT)?;
        let options = RunOptions { checkpoint: Some(&checkpoint), resume: true, observer: self.observer };
        let dev = (self.row.keep == Keep::Best).then_some(dev);
        let Some(Trained { model, steps, best }) = run(recipe, train, dev, options)? else { return Ok(None) };
        model.to_file()?.save(&self.path(MODEL)?)?;
        Ok(Some((model, Course { steps, kept: Some(best), ..Course::default() })))
    }

    fn recipe(&self) -> Result<RowRecipe> {
        let recipe = self.experiment.recipe(self.row, self.is_quick)?;
        self.store.write(&row_file(&self.row.name, SETTINGS), recipe.settings()?.as_bytes())?;
        Ok(recipe)
    }

    /// The model of another row.
    fn model_of(&self, row: &str) -> Result<ModelFile> {
        ModelFile::load(&self.store.row_path(row, MODEL)?)
    }
}

/// A method and its recipe belong together, so this is a fault of the program and not of its input.
fn no_recipe(found: &RowRecipe) -> Error {
    Error::new(ErrorKind::Mismatch, format!("expected a recipe for these data, found {found:?}"))
}
