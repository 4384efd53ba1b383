//! Rows that are transducers.

use super::{Course, MODEL, RowOutcome, RowTask, no_recipe};
use crate::data::{Data, filled};
use crate::measure::measure_transducer;
use crate::method::Slot;
use crate::outcome::{Measurement, RowResult, Units};
use crate::recipe::{RowRecipe, WordsConfig};
use boughs_learn::error::{Error, ErrorKind, Result};
use boughs_learn::run::{Figure, Model};
use boughs_translate::{AlignedPair, Transducer, WordAccuracy, compare_words};

impl RowTask<'_> {
    pub(super) fn run_pairs(&self, data: &Data) -> Result<RowOutcome> {
        let pairs = filled(data.pairs.as_ref(), Slot::Pairs)?;
        let (train, dev) = (&pairs.train[..], &pairs.dev[..]);
        let trained = match self.recipe()? {
            RowRecipe::Words(config) => {
                let results = self.words(config, [train, dev, dev])?;
                return Ok(RowOutcome::Done { results, seconds: None });
            }
            RowRecipe::Discriminative(recipe) => self.train(&*recipe, train, dev)?,
            RowRecipe::Generative(recipe) => self.train(&recipe, train, dev)?,
            RowRecipe::Plain {} => {
                let transducer = Transducer::most_frequent(train)?;
                transducer.to_file()?.save(&self.path(MODEL)?)?;
                Some((transducer, Course::default()))
            }
            other => return Err(no_recipe(&other)),
        };
        let Some((transducer, course)) = trained else { return Ok(RowOutcome::Interrupted) };
        Ok(self.done(course, measure_transducer(&transducer, dev)))
    }

    pub(super) fn test_pairs(&self, data: &Data) -> Result<Vec<Measurement>> {
        let pairs = filled(data.pairs.as_ref(), Slot::Pairs)?;
        let test = filled(pairs.test.as_ref(), Slot::Pairs)?;
        match self.recipe()? {
            RowRecipe::Words(config) => {
                let results = self.words(config, [&pairs.train, &pairs.dev, test])?;
                Ok(results.into_iter().map(|result| result.dev).collect())
            }
            _ => {
                let transducer = Transducer::from_file(&self.model_of(&self.row.name)?)?;
                Ok(vec![measure_transducer(&transducer, test)])
            }
        }
    }

    /// Compares learners on words: a result for each.
    fn words(&self, config: WordsConfig, parts: [&[AlignedPair]; 3]) -> Result<Vec<RowResult>> {
        let from = self.row.from.as_deref().unwrap_or_default();
        let row = self.experiment.row(from);
        let recipe = row.map(|row| self.experiment.recipe(row, self.is_quick)).transpose()?;
        let Some(RowRecipe::Discriminative(recipe)) = recipe else {
            let message = format!("expected a row of the method `discriminative`, found `{from}`");
            return Err(Error::new(ErrorKind::Argument, message));
        };
        let transducer = Transducer::from_file(&self.model_of(from)?)?;
        let found = compare_words(parts, &transducer, &recipe.candidates, config.l2)?;
        let num_words = found.num_words.max(1) as f64;
        let results = found.learners.into_iter().zip(self.experiment.parts(self.row));
        let result = |(learner, name): (WordAccuracy, String)| {
            let figures = vec![
                Figure::new("accuracy", 100.0 * learner.num_right as f64 / num_words, 2),
                Figure::count("active", learner.num_active),
            ];
            let right = learner.right_by_pair.into_iter().map(f64::from).collect();
            let units = Units::Numbers([("accuracy".to_owned(), right)].into());
            let dev = Measurement { figures, units };
            RowResult {
                name,
                steps: Vec::new(),
                kept: None,
                made_by: None,
                margins: Vec::new(),
                dev,
                test: None,
            }
        };
        Ok(results.map(result).collect())
    }
}
