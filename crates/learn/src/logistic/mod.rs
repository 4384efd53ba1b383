//! Logistic regression over sparse binary features, with two classes or many.
//!
//! The probability of a class is `exp(score) / Σ exp(score)`, where the score is the class's bias plus its weights for
//! the active features. Training finds the weights that make the observed classes most probable, less a penalty
//! ([`LogisticConfig`] has the formula): a convex problem, solved by L-BFGS or OWL-QN ([`optimize`](super::optimize)).
//! The frozen result is a [`Linear`] model.
//!
//! ```
//! use boughs_learn::DatasetBuilder;
//! use boughs_learn::logistic::{Labels, Logistic, LogisticConfig};
//!
//! let mut builder = DatasetBuilder::new();
//! for row in [&[0, 1][..], &[0], &[1, 2], &[2]] {
//!     builder.push_row(row)?;
//! }
//! let (dataset, labels) = (builder.finish(), Labels::new(vec![0, 0, 1, 1], 2)?);
//! let model = Logistic::fit(&dataset, &labels, &LogisticConfig::default())?;
//! let mut probabilities = [0.0; 2];
//! model.probabilities(&[2], &mut probabilities);
//! assert!(probabilities[1] > probabilities[0]);
//! # Ok::<(), boughs_learn::Error>(())
//! ```

mod config;
mod labels;
mod layout;
mod pass;

pub use config::{LogisticConfig, WeightPairs};
pub use labels::Labels;

use super::Dataset;
use super::optimize::{L1, OptimizerProgress, OptimizerState, OptimizerStop, add_scaled, dot, minimize};
use crate::model::Linear;
use crate::{Error, ErrorKind, Result};
use layout::{ClassPairs, OneClass, WeightLayout};
use pass::Pass;
use std::borrow::Cow;
use std::ops::ControlFlow;

/// A logistic regression problem: rows, their classes, and settings.
#[derive(Debug, Clone)]
pub struct Logistic<'a> {
    dataset: Cow<'a, Dataset>,
    labels: Cow<'a, Labels>,
    config: LogisticConfig,
    weights: AnyLayout,
}

#[derive(Debug, Clone)]
enum AnyLayout {
    OneClass(OneClass),
    Pairs(ClassPairs),
}

/// Runs the same generic code on whichever layout there is.
macro_rules! with_layout {
    ($weights:expr, $layout:ident => $body:expr) => {
        match $weights {
            AnyLayout::OneClass($layout) => $body,
            AnyLayout::Pairs($layout) => $body,
        }
    };
}

impl<'a> Logistic<'a> {
    /// The problem of predicting these labels.
    ///
    /// # Errors
    /// If a setting is out of its range, labels and rows differ in number, or a class with a bias has no rows: its
    /// bias would fall for ever.
    pub fn new(dataset: &'a Dataset, labels: &'a Labels, config: &LogisticConfig) -> Result<Self> {
        Self::with_data(Cow::Borrowed(dataset), Cow::Borrowed(labels), config)
    }

    /// The same problem with data of its own.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn owning(dataset: Dataset, labels: Labels, config: &LogisticConfig) -> Result<Self> {
        Self::with_data(Cow::Owned(dataset), Cow::Owned(labels), config)
    }

    fn with_data(
        dataset: Cow<'a, Dataset>,
        labels: Cow<'a, Labels>,
        config: &LogisticConfig,
    ) -> Result<Self> {
        config.check()?;
        check_fit(&dataset, &labels)?;
        if config.bias {
            check_classes(&labels)?;
        }
        let num_classes = labels.num_classes();
        let num_features = layout::check_size(&dataset, num_classes)?;
        let weights = match config.pairs {
            WeightPairs::Standard if num_classes == 2 => AnyLayout::OneClass(OneClass { num_features }),
            WeightPairs::Standard | WeightPairs::All => {
                AnyLayout::Pairs(ClassPairs::all(num_features, num_classes))
            }
            WeightPairs::Observed => AnyLayout::Pairs(ClassPairs::observed(&dataset, &labels)),
        };
        Ok(Self { dataset, labels, config: config.clone(), weights })
    }

    /// Solves the problem from scratch.
    ///
    /// # Errors
    /// As [`new`](Self::new) and [`run`](Self::run).
    pub fn fit(dataset: &Dataset, labels: &Labels, config: &LogisticConfig) -> Result<Linear> {
        let problem = Logistic::new(dataset, labels, config)?;
        let mut state = problem.start();
        problem.run(&mut state, |_| ControlFlow::Continue(()))?;
        problem.freeze(&state)
    }

    /// The number of weights, biases apart.
    pub fn num_weights(&self) -> usize {
        let num_features = self.dataset.num_features() as u32;
        with_layout!(&self.weights, layout => layout.range(num_features).start)
    }

    /// The number of weights and biases; the biases come last.
    pub fn num_parameters(&self) -> usize {
        self.num_weights() + self.num_biases()
    }

    fn num_biases(&self) -> usize {
        match self.weights {
            _ if !self.config.bias => 0,
            AnyLayout::OneClass(_) => 1,
            AnyLayout::Pairs(_) => self.labels.num_classes(),
        }
    }

    /// Where to start: weights 0, and the biases that are best then.
    pub fn start(&self) -> OptimizerState {
        let mut point = vec![0.0; self.num_weights()];
        let num_biases = self.num_biases();
        if num_biases > 0 {
            let logs: Vec<f64> = self.labels.class_weights().iter().map(|weight| weight.ln()).collect();
            let zero =
                if num_biases < logs.len() { logs[0] } else { logs.iter().sum::<f64>() / logs.len() as f64 };
            point.extend(logs[logs.len() - num_biases..].iter().map(|log| log - zero));
        }
        OptimizerState::new(point)
    }

    /// Goes on from a state until the optimiser stops. Uses the threads of the current rayon pool; their number does
    /// not change a bit of the result.
    ///
    /// # Errors
    /// If the state is one of another problem, or a number is not finite.
    pub fn run(
        &self,
        state: &mut OptimizerState,
        watch: impl FnMut(&OptimizerProgress<'_>) -> ControlFlow<()>,
    ) -> Result<OptimizerStop> {
        self.check_state(state)?;
        let l1 = L1::blocks([(self.num_weights(), self.config.l1)])?;
        with_layout!(&self.weights, layout => {
            let mut pass = Pass::new(&self.dataset, &self.labels, layout, self.num_biases());
            let objective = |point: &[f64], gradient: &mut [f64]| {
                pass.evaluate(point, gradient) + self.add_l2(point, gradient)
            };
            minimize(objective, state, &l1, &self.config.optimizer, watch)
        })
    }

    /// The smooth part of what is minimised, all but the L1 penalty, and its gradient.
    ///
    /// # Panics
    /// If `point` or `gradient` are not as long as there are parameters.
    pub fn evaluate(&self, point: &[f64], gradient: &mut [f64]) -> f64 {
        assert_eq!(point.len(), self.num_parameters(), "one number a parameter");
        assert_eq!(gradient.len(), self.num_parameters(), "one number a parameter");
        let loss = with_layout!(&self.weights, layout => {
            Pass::new(&self.dataset, &self.labels, layout, self.num_biases()).evaluate(point, gradient)
        });
        loss + self.add_l2(point, gradient)
    }

    fn add_l2(&self, point: &[f64], gradient: &mut [f64]) -> f64 {
        let weights = &point[..self.num_weights()];
        if self.config.l2 == 0.0 {
            return 0.0;
        }
        add_scaled(&mut gradient[..weights.len()], self.config.l2, weights);
        0.5 * self.config.l2 * dot(weights, weights)
    }

    /// The model of a state.
    ///
    /// # Errors
    /// If the state is one of another problem, or the model is too large.
    pub fn freeze(&self, state: &OptimizerState) -> Result<Linear> {
        self.check_state(state)?;
        let (weights, biases) = state.point.split_at(self.num_weights());
        let mut all_biases = vec![0.0; self.labels.num_classes() - biases.len()];
        all_biases.extend(biases);
        let mut model = Linear::new(all_biases)?;
        with_layout!(&self.weights, layout => {
            for feature in 0..self.dataset.num_features() as u32 {
                let range = layout.range(self.dataset.numbering.place(feature));
                let weights = weights[range.clone()].iter().enumerate();
                model.push_feature(weights.map(|(place, &weight)| (layout.class(&range, place), weight)))?;
            }
        });
        Ok(model)
    }

    fn check_state(&self, state: &OptimizerState) -> Result<()> {
        let (expected, found) = (self.num_parameters(), state.point.len());
        if expected == found {
            return Ok(());
        }
        let message = format!("expected a state of {expected} parameters, found {found}");
        Err(Error::new(ErrorKind::Mismatch, message).hint("resume with the same data and settings"))
    }
}

fn check_fit(dataset: &Dataset, labels: &Labels) -> Result<()> {
    if dataset.num_variants() > 0 {
        let message = format!("expected rows without variants, found {} variants", dataset.num_variants());
        return Err(Error::new(ErrorKind::Argument, message)
            .hint("logistic regression sees common parts only: make a row of each variant, or boost"));
    }
    let (rows, found) = (dataset.num_rows(), labels.num_rows());
    if rows == found {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Mismatch, format!("expected labels for {rows} rows, found {found}")))
}

fn check_classes(labels: &Labels) -> Result<()> {
    match labels.class_weights().iter().position(|&weight| weight == 0.0) {
        None => Ok(()),
        Some(class) => {
            let message =
                format!("expected rows of all {} classes, found none of class {class}", labels.num_classes());
            Err(Error::new(ErrorKind::Argument, message)
                .hint("number only classes that occur, or learn without biases"))
        }
    }
}
