//! What is known of a row once it is done.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::spec::MarginsOf;
use boughs::eval::Brackets;
use boughs_learn::run::{Figure, Step};

/// What a model is worth on some data.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// Named numbers.
    pub figures: Vec<Figure>,
    /// What a test of significance needs, sentence by sentence.
    pub units: Units,
}

/// What was measured of each sentence, for tests of significance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Units {
    /// Brackets: matched, gold and test.
    Brackets(Vec<[u64; 3]>),
    /// By figure: a number for each sentence.
    Numbers(BTreeMap<String, Vec<f64>>),
}

impl Default for Units {
    fn default() -> Self {
        Self::Numbers(BTreeMap::new())
    }
}

impl Units {
    /// The brackets of sentences.
    pub(crate) fn of_brackets(brackets: impl IntoIterator<Item = Brackets>) -> Self {
        Self::Brackets(brackets.into_iter().map(|it| [it.matched, it.gold, it.test]).collect())
    }
}

/// The margins of a classifier over training examples of one kind, at a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MarginCurve {
    /// What the classifier decides on.
    pub of: MarginsOf,
    /// The penalty of the step.
    pub penalty: f64,
    /// Below the nth of these is n percent of the weight.
    pub percentiles: Vec<f64>,
}

/// What came of a row, or of a part of one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RowResult {
    /// The name of the row, or of the part.
    pub name: String,
    /// The steps of its run; none if nothing was trained.
    pub steps: Vec<Step>,
    /// The step that was kept.
    pub kept: Option<usize>,
    /// The program of others that made it, and its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_by: Option<String>,
    /// How sure its classifiers are, where a plot asks for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub margins: Vec<MarginCurve>,
    /// What it is worth on the development data.
    pub dev: Measurement,
    /// What it is worth on the test data, if it was scored there.
    pub test: Option<Measurement>,
}

impl RowResult {
    /// A figure of the measurement, or else of the step that was kept.
    pub fn figure(&self, name: &str, measured: &Measurement) -> Option<Figure> {
        let step = self.kept.and_then(|kept| self.steps.get(kept));
        let of_step = step.into_iter().flat_map(|step| &step.figures);
        measured.figures.iter().chain(of_step).find(|figure| figure.name == name).cloned()
    }
}

/// A figure of a step, or of what was measured after it.
pub(crate) fn figure_of_step(step: &Step, name: &str) -> Option<f64> {
    step.get(name).or_else(|| step.scores.as_ref()?.get(name))
}
