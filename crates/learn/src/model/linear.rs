//! Linear models over binary features, as logistic regression leaves them.
//!
//! The naive form is a matrix with a row for each feature and a column for each class; the score of a class is its
//! bias plus its column summed over the active features. Most of the matrix is zero, so each feature keeps only the
//! classes it has something to say about.

use serde::{Deserialize, Serialize};

use crate::{Error, ErrorKind, Result};

/// A score for every class: its bias and the weights of the active features. Zero weights take no room.
///
/// ```
/// use boughs_learn::model::Linear;
///
/// let mut model = Linear::new(vec![0.0, 0.5])?;
/// model.push_feature([(0, 2.0), (1, -1.0)])?;
/// model.push_feature([(1, 0.25)])?;
/// let mut scores = [0.0; 2];
/// model.scores(&[0, 1], &mut scores);
/// assert_eq!(scores, [2.0, -0.25]);
/// # Ok::<(), boughs_learn::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "LinearParts", into = "LinearParts")]
pub struct Linear {
    bias: Vec<f64>,
    /// Where the weights of each feature start, and where the last ones end.
    starts: Vec<u32>,
    classes: Vec<u32>,
    weights: Vec<f64>,
}

/// The biases, and of each feature the weights, as [`Linear::push_feature`] takes them.
type LinearParts = (Vec<f64>, Vec<Vec<(u32, f64)>>);

impl TryFrom<LinearParts> for Linear {
    type Error = Error;

    fn try_from((bias, features): LinearParts) -> Result<Self> {
        let mut model = Self::new(bias)?;
        features.into_iter().try_for_each(|weights| model.push_feature(weights))?;
        Ok(model)
    }
}

impl From<Linear> for LinearParts {
    fn from(model: Linear) -> Self {
        let features = 0..model.num_features() as u32;
        (model.bias.clone(), features.map(|feature| model.weights(feature).collect()).collect())
    }
}

impl Linear {
    /// A model of no features, with a bias for each class.
    ///
    /// # Errors
    /// If a bias is not finite, or there are more classes than fit.
    pub fn new(bias: Vec<f64>) -> Result<Self> {
        bias.iter().try_for_each(|&bias| check_finite("bias", bias))?;
        if u32::try_from(bias.len()).is_err() {
            return Err(Error::new(ErrorKind::TooLarge, format!("found {} classes", bias.len())));
        }
        Ok(Self { bias, starts: vec![0], classes: Vec::new(), weights: Vec::new() })
    }

    /// Adds the next feature with its weights, by class in increasing order.
    ///
    /// # Errors
    /// If the classes are out of order or unknown, a weight is not finite, or there are more than 2³² weights.
    pub fn push_feature(&mut self, weights: impl IntoIterator<Item = (u32, f64)>) -> Result<()> {
        let start = self.weights.len();
        let pushed =
            weights.into_iter().try_for_each(|(class, weight)| self.push_weight(start, class, weight));
        let end = pushed.and_then(|()| {
            u32::try_from(self.weights.len())
                .map_err(|_| Error::new(ErrorKind::TooLarge, "a linear model has at most 2^32 - 1 weights"))
        });
        match end {
            Ok(end) => self.starts.push(end),
            Err(error) => {
                self.weights.truncate(start);
                self.classes.truncate(start);
                return Err(error);
            }
        }
        Ok(())
    }

    fn push_weight(&mut self, start: usize, class: u32, weight: f64) -> Result<()> {
        check_finite("weight", weight)?;
        let is_in_order = self.classes[start..].last().is_none_or(|&last| last < class);
        if class as usize >= self.num_classes() || !is_in_order {
            let message =
                format!("expected increasing classes below {}, found class {class}", self.num_classes());
            return Err(Error::new(ErrorKind::Argument, message));
        }
        if weight != 0.0 {
            self.classes.push(class);
            self.weights.push(weight);
        }
        Ok(())
    }

    /// The number of classes.
    pub fn num_classes(&self) -> usize {
        self.bias.len()
    }

    /// The number of features; those beyond are unknown and count nothing.
    pub fn num_features(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of weights that are not zero, biases apart.
    pub fn num_weights(&self) -> usize {
        self.weights.len()
    }

    /// The bias of each class.
    pub fn bias(&self) -> &[f64] {
        &self.bias
    }

    /// The weights of a feature that are not zero, by class; none for an unknown feature.
    pub fn weights(&self, feature: u32) -> impl Iterator<Item = (u32, f64)> {
        let (classes, weights) = self.entries(feature);
        classes.iter().copied().zip(weights.iter().copied())
    }

    fn entries(&self, feature: u32) -> (&[u32], &[f64]) {
        let feature = feature as usize;
        if feature >= self.num_features() {
            return (&[], &[]);
        }
        let range = self.starts[feature] as usize..self.starts[feature + 1] as usize;
        (&self.classes[range.clone()], &self.weights[range])
    }

    /// The score of every class for a set of active features.
    ///
    /// # Panics
    /// If `out` is not as long as there are classes.
    pub fn scores(&self, features: &[u32], out: &mut [f64]) {
        out.copy_from_slice(&self.bias);
        for &feature in features {
            let (classes, weights) = self.entries(feature);
            for (&class, weight) in classes.iter().zip(weights) {
                out[class as usize] += weight;
            }
        }
    }

    /// The probability of every class for a set of active features: [`softmax`] of the scores.
    ///
    /// # Panics
    /// If `out` is not as long as there are classes.
    pub fn probabilities(&self, features: &[u32], out: &mut [f64]) {
        self.scores(features, out);
        softmax(out);
    }
}

fn check_finite(what: &str, number: f64) -> Result<()> {
    if number.is_finite() {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Numeric, format!("a {what} of a linear model must be finite, found {number}")))
}

/// Turns scores into probabilities and returns `ln Σ exp(score)`, without overflow whatever the scores.
pub fn softmax(scores: &mut [f64]) -> f64 {
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    for score in scores.iter_mut() {
        *score = (*score - largest).exp();
        sum += *score;
    }
    scores.iter_mut().for_each(|score| *score /= sum);
    largest + sum.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_dropped_and_unknown_features_ignored() {
        let mut model = Linear::new(vec![0.5, 0.0, 0.0]).unwrap();
        model.push_feature([(0, 0.0), (2, 3.0)]).unwrap();
        model.push_feature([]).unwrap();
        assert_eq!((model.num_features(), model.num_weights()), (2, 1));
        assert_eq!(model.weights(0).collect::<Vec<_>>(), [(2, 3.0)]);
        let mut scores = [9.0; 3];
        model.scores(&[0, 1, 77], &mut scores);
        assert_eq!(scores, [0.5, 0.0, 3.0]);
    }

    #[test]
    fn a_bad_feature_leaves_the_model_as_it_was() {
        let mut model = Linear::new(vec![0.0; 2]).unwrap();
        model.push_feature([(1, 1.0)]).unwrap();
        let before = model.clone();
        for bad in [vec![(0, 1.0), (2, 1.0)], vec![(1, 1.0), (0, 1.0)], vec![(0, 1.0), (1, f64::NAN)]] {
            model.push_feature(bad).unwrap_err();
            assert_eq!(model, before);
        }
        Linear::new(vec![f64::INFINITY]).unwrap_err();
    }

    #[test]
    fn softmax_survives_large_scores() {
        let mut scores = [1000.0, 1000.0, -1e6];
        assert_eq!(softmax(&mut scores), 1000.0 + 2f64.ln());
        assert_eq!(scores, [0.5, 0.5, 0.0]);
        let mut scores = [-2000.0, -2000.0 + 3f64.ln()];
        softmax(&mut scores);
        assert!((scores[1] - 0.75).abs() < 1e-12);
    }
}
