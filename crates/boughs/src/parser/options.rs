//! How a parser parses: its own options, which its file carries, and what a user puts in their place.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Model;
use super::combined::CombinedOptions;
use crate::chart::ChartOptions;
use crate::eval::ConfidenceCurve;
use crate::neural::NeuralOptions;
use crate::transition::TransitionOptions;

/// Words beyond which a chart is not filled unless the user says otherwise: its time grows with the cube of the
/// length, and what is so long is rarely a sentence.
const MAX_CHART_LENGTH: usize = 250;

/// The same for neural parsers, whose charts have one number per span and label: more than this takes gigabytes.
const MAX_NEURAL_LENGTH: usize = 1000;

/// How to parse. A [`Parser`](super::Parser) brings options of its own; others are put in their place explicitly.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ParseOptions {
    /// How many different parses of a sentence are wanted. Default: 1.
    pub num_best: usize,
    /// The most tokens of a sentence that is parsed; a longer one gets a fallback tree. Default: 250 with a
    /// grammar, 1,000 with a neural model, else no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_length: Option<usize>,
    /// The time after which the best that was found is taken; what depends on time may differ from run to run.
    /// Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Duration>,
    /// From the posteriors of phrases to how often they are right. Default: posteriors are taken as they are; see
    /// [`Parser::calibrated`](super::Parser::calibrated).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence_curve: Option<ConfidenceCurve>,
    /// What only the kind of the parser has.
    pub engine: EngineOptions,
}

/// The options of each kind of parser: those of another kind cannot be given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EngineOptions {
    /// Of a transition parser.
    Transition(TransitionOptions),
    /// Of a chart parser.
    Chart(ChartOptions),
    /// Of a neural parser.
    Neural(NeuralOptions),
    /// Of several parsers in one.
    Combined(CombinedOptions),
}

impl ParseOptions {
    /// The options that a parser with a model has if nobody gives it others.
    pub fn of(model: &Model) -> Self {
        let (max_length, engine) = match model {
            Model::Transition(_) => (None, EngineOptions::Transition(TransitionOptions::default())),
            Model::Chart(_) => (Some(MAX_CHART_LENGTH), EngineOptions::Chart(ChartOptions::default())),
            Model::Neural(_) => (Some(MAX_NEURAL_LENGTH), EngineOptions::Neural(NeuralOptions::default())),
            Model::Combined(model) => {
                (model.max_length(), EngineOptions::Combined(CombinedOptions::new(model.parsers().len())))
            }
        };
        Self { num_best: 1, max_length, timeout: None, confidence_curve: None, engine }
    }

    /// Those of a chart parser, if it is one.
    pub fn chart(&self) -> Option<&ChartOptions> {
        match &self.engine {
            EngineOptions::Chart(options) => Some(options),
            _ => None,
        }
    }

    /// Those of a transition parser, if it is one.
    pub fn transition(&self) -> Option<&TransitionOptions> {
        match &self.engine {
            EngineOptions::Transition(options) => Some(options),
            _ => None,
        }
    }

    /// Those of a neural parser, if it is one.
    pub fn neural(&self) -> Option<&NeuralOptions> {
        match &self.engine {
            EngineOptions::Neural(options) => Some(options),
            _ => None,
        }
    }

    /// Whether they are for parsers with such a model.
    pub(super) fn fit(&self, model: &Model) -> bool {
        let engine_fits = match (&self.engine, model) {
            (EngineOptions::Transition(_), Model::Transition(_))
            | (EngineOptions::Chart(_), Model::Chart(_)) => true,
            // With a negative one the worst tree would be the best.
            (EngineOptions::Neural(options), Model::Neural(_)) => {
                options.temperature > 0.0 && options.temperature.is_finite()
            }
            (EngineOptions::Combined(options), Model::Combined(model)) => {
                options.are_for(model.parsers().len())
            }
            _ => false,
        };
        engine_fits && self.confidence_curve.as_ref().is_none_or(ConfidenceCurve::is_sound)
    }
}
