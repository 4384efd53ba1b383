//! Rows that are classifiers of rows of features.

use super::{RowOutcome, RowTask, no_recipe};
use crate::data::{Data, filled};
use crate::external::{Booster, Trained as External, best};
use crate::method::Slot;
use crate::outcome::{Measurement, RowResult};
use crate::recipe::{ExternalConfig, RowRecipe};
use boughs_learn::error::Result;
use boughs_learn::recipes::measure;
use boughs_learn::svmlight::LabelledRows;

impl RowTask<'_> {
    pub(super) fn run_rows(&self, data: &Data) -> Result<RowOutcome> {
        let rows = filled(data.rows.as_ref(), Slot::Rows)?;
        let (train, dev) = (&rows.train, &rows.dev);
        let trained = match self.recipe()? {
            RowRecipe::BoostedRows(recipe) => self.train(&recipe, train, dev)?,
            RowRecipe::LogisticRows(recipe) => self.train(&*recipe, train, dev)?,
            RowRecipe::External(config) => return self.run_external(config, train, dev),
            other => return Err(no_recipe(&other)),
        };
        let Some((model, course)) = trained else { return Ok(RowOutcome::Interrupted) };
        Ok(self
            .done(course, Measurement { figures: measure(&model, dev)?.figures, ..Measurement::default() }))
    }

    fn run_external(
        &self,
        config: ExternalConfig,
        train: &LabelledRows,
        dev: &LabelledRows,
    ) -> Result<RowOutcome> {
        let directory = self.path("")?;
        let booster = Booster { method: self.experiment.method(self.row), config, directory: &directory };
        Ok(match booster.train(train, dev, self.observer)? {
            External::Done { version, steps, seconds } => {
                let kept = best(&steps);
                let scores = kept.and_then(|kept| steps[kept].scores.clone());
                let figures = scores.map(|scores| scores.figures).unwrap_or_default();
                let dev = Measurement { figures, ..Measurement::default() };
                let (name, made_by) = (self.row.name.clone(), Some(version));
                let result = RowResult { name, steps, kept, made_by, margins: Vec::new(), dev, test: None };
                RowOutcome::Done { results: vec![result], seconds: Some(seconds) }
            }
            External::Missing(why) => RowOutcome::Skipped(why),
            External::Interrupted => RowOutcome::Interrupted,
        })
    }

    pub(super) fn test_rows(&self, data: &Data) -> Result<Vec<Measurement>> {
        let test = filled(data.rows.as_ref().and_then(|rows| rows.test.as_ref()), Slot::Rows)?;
        let model = self.model_of(&self.row.name)?;
        Ok(vec![Measurement { figures: measure(&model, test)?.figures, ..Measurement::default() }])
    }
}
