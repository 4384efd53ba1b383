//! Steps of a run, and what is known of each.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::model::About;

/// A named number, for tables and curves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// Its name, as the head of a column.
    pub name: Cow<'static, str>,
    /// The number.
    pub value: f64,
    /// How many digits behind the point are worth showing.
    pub digits: usize,
}

impl Figure {
    /// A whole number.
    pub fn count(name: &'static str, value: usize) -> Self {
        Self { name: name.into(), value: value as f64, digits: 0 }
    }

    /// A number of which some digits are worth showing.
    pub fn new(name: &'static str, value: f64, digits: usize) -> Self {
        Self { name: name.into(), value, digits }
    }

    /// The number as text.
    pub fn text(&self) -> String {
        format!("{:.*}", self.digits, self.value)
    }
}

/// How good a model is on development data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// What models are chosen by: larger is better.
    pub criterion: f64,
    /// Everything that was measured.
    pub figures: Vec<Figure>,
}

impl Scores {
    /// One of the figures.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.figures.iter().find(|figure| figure.name == name).map(|figure| figure.value)
    }

    /// Writes the figures into the description of a model.
    pub fn describe(&self, about: &mut About) {
        for figure in &self.figures {
            let name = format!("dev-{}", figure.name.to_lowercase().replace(' ', "-"));
            about.settings.insert(name, format!("{:.*}", figure.digits.max(4), figure.value));
        }
    }
}

/// What a step has to do with the model that comes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// There is no model yet.
    Preparation,
    /// There is a model that will be a part of the one that comes out: the best of its phase is.
    Part,
    /// There is a model that may be the one that comes out.
    Candidate,
}

/// A step of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The phase that it belongs to, counted from 0.
    pub phase: usize,
    /// What it has to do with the model that comes out.
    pub role: Role,
    /// Whether its phase ends with it, however good it is.
    pub is_last: bool,
    /// How many steps follow at most, in this phase and those to come, as far as the recipe knows.
    pub num_left: Option<usize>,
    /// What it brought: the number of the step, sizes, objectives.
    pub figures: Vec<Figure>,
    /// How good the model is, if that was measured.
    pub scores: Option<Scores>,
}

impl Step {
    /// A step that gave a model, which may be the one that comes out.
    pub fn candidate(phase: usize, figures: Vec<Figure>) -> Self {
        Self { phase, role: Role::Candidate, is_last: false, num_left: None, figures, scores: None }
    }

    /// A step before there is a model.
    pub fn preparation(phase: usize, figures: Vec<Figure>) -> Self {
        Self { role: Role::Preparation, ..Self::candidate(phase, figures) }
    }

    /// One of its figures.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.figures.iter().find(|figure| figure.name == name).map(|figure| figure.value)
    }
}
