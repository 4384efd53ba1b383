//! The results of all rows, by name, and what the development data chose among them.

use std::collections::BTreeMap;

use crate::compare::{Difference, p_value};
use crate::outcome::{Measurement, RowResult};
use crate::spec::{Choice, Experiment, On};
use boughs_learn::run::Figure;

/// The results of all rows.
#[derive(Debug, Default)]
pub(crate) struct Results {
    rows: BTreeMap<String, RowResult>,
    chosen: BTreeMap<String, String>,
}

impl Results {
    pub(crate) fn new(experiment: &Experiment, results: Vec<RowResult>) -> Self {
        let rows = results.into_iter().map(|result| (result.name.clone(), result)).collect();
        let mut found = Self { rows, chosen: BTreeMap::new() };
        for choice in &experiment.choices {
            let best = found.best(choice).map(str::to_owned);
            found.chosen.extend(best.map(|best| (choice.name.clone(), best)));
        }
        found
    }

    /// The row with the highest figure on the development data, the first of equals; none if none was
    /// measured.
    fn best<'c>(&self, choice: &'c Choice) -> Option<&'c str> {
        let value = |name: &String| {
            let row = self.rows.get(name)?;
            Some(row.figure(&choice.figure, &row.dev)?.value)
        };
        let measured = choice.among.iter().rev().filter_map(|name| Some((name, value(name)?)));
        measured.max_by(|one, other| one.1.total_cmp(&other.1)).map(|(name, _)| name.as_str())
    }

    /// The row that a name stands for.
    pub(crate) fn resolve<'n>(&'n self, name: &'n str) -> &'n str {
        self.chosen.get(name).map_or(name, String::as_str)
    }

    /// The row that a choice stands for.
    pub(crate) fn chosen(&self, choice: &str) -> Option<&str> {
        self.chosen.get(choice).map(String::as_str)
    }

    /// The result of a row, of a part of one, or of what a choice stands for.
    pub(crate) fn get(&self, name: &str) -> Option<&RowResult> {
        self.rows.get(self.resolve(name))
    }

    pub(crate) fn set_test(&mut self, name: &str, measured: Measurement) {
        if let Some(row) = self.rows.get_mut(name) {
            row.test = Some(measured);
        }
    }

    /// A row as it was measured on some data.
    pub(crate) fn measured(&self, name: &str, on: On) -> Option<(&RowResult, &Measurement)> {
        let row = self.get(name)?;
        match on {
            On::Dev => Some((row, &row.dev)),
            On::Test => Some((row, row.test.as_ref()?)),
        }
    }

    /// A figure of a row on some data.
    pub(crate) fn figure(&self, name: &str, on: On, figure: &str) -> Option<Figure> {
        let (row, measured) = self.measured(name, on)?;
        row.figure(figure, measured)
    }

    /// The difference of a figure between two rows.
    pub(crate) fn difference(&self, one: &str, other: &str, on: On, figure: &str) -> Option<Difference> {
        let value = self.figure(one, on, figure)?.value - self.figure(other, on, figure)?.value;
        let p = p_value(figure, self.measured(one, on)?.1, self.measured(other, on)?.1);
        Some(Difference { value, p })
    }
}
