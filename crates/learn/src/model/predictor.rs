//! Any model that tells labels apart, whatever its kind: scores, probabilities, reasons.

use super::{Condition, Forest, ForestScratch, Linear, ModelFile, ScoreReason, softmax};
use crate::error::{Error, ErrorKind, Result};
use crate::loss::sigmoid;

/// A frozen model and the labels that it tells apart.
///
/// - Boosted classifiers decide about a label against all others. Of two labels there may be one classifier, that of
///   the second; the score of the first is then the negated one. A label's probability is 1 / (1 + exp(-score)),
///   divided by the sum over the labels (which is 1 if there are two).
/// - A linear model decides among all labels at once; probabilities are the softmax of the scores.
#[derive(Debug, Clone)]
pub struct Predictor {
    labels: Vec<String>,
    scorer: FrozenModel,
}

#[derive(Debug, Clone)]
enum FrozenModel {
    Boosted(Forest),
    Linear(Linear),
}

/// What predicting writes to; made once and used for any number of rows, with any model.
#[derive(Debug, Clone, Default)]
pub struct PredictorScratch {
    forest: ForestScratch,
    scores: Vec<f64>,
}

impl Predictor {
    /// The model of a file.
    ///
    /// # Errors
    /// If its kind is unknown, or its content makes no model.
    pub fn from_file(file: &ModelFile) -> Result<Self> {
        let scorer = match file.about().kind.as_str() {
            "boosted" => FrozenModel::Boosted(Forest::new(file.classifiers()?)?),
            "linear" => FrozenModel::Linear(file.linear()?),
            other => {
                let message =
                    format!("expected a model of kind `boosted` or `linear`, found one of kind `{other}`");
                return Err(Error::new(ErrorKind::Mismatch, message).hint("a newer boughs may know it"));
            }
        };
        Ok(Self { labels: file.about().labels.clone(), scorer })
    }

    /// The labels.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// The number of a label, if the model knows it.
    pub fn label_number(&self, label: &str) -> Option<usize> {
        self.labels.iter().position(|known| known == label)
    }

    /// The model as it stood when its penalty had fallen to `penalty`, and no further.
    ///
    /// # Errors
    /// If the model has no path of penalties.
    pub fn at(&self, penalty: f64) -> Result<Self> {
        match &self.scorer {
            FrozenModel::Boosted(forest) => {
                Ok(Self { labels: self.labels.clone(), scorer: FrozenModel::Boosted(forest.at(penalty)?) })
            }
            FrozenModel::Linear(_) => Err(Error::new(
                ErrorKind::Argument,
                "expected a boosted model, which keeps earlier penalties, found a linear one",
            )
            .hint("train it again with that penalty")),
        }
    }

    /// The score of every label for a set of active features.
    pub fn scores<'s>(&self, active: &[u32], scratch: &'s mut PredictorScratch) -> &'s [f64] {
        let PredictorScratch { forest: forest_scratch, scores } = scratch;
        scores.clear();
        match &self.scorer {
            FrozenModel::Boosted(forest) => {
                let by_classifier = forest.score(active, forest_scratch);
                if let (true, &[second]) = (self.labels.len() == 2, by_classifier) {
                    scores.extend([-second, second]);
                } else {
                    scores.extend_from_slice(by_classifier);
                }
            }
            FrozenModel::Linear(linear) => {
                scores.resize(linear.num_classes(), 0.0);
                linear.scores(active, scores);
            }
        }
        scores
    }

    /// The probability of every label for a set of active features.
    pub fn probabilities<'s>(&self, active: &[u32], scratch: &'s mut PredictorScratch) -> &'s [f64] {
        self.scores(active, scratch);
        let scores = &mut scratch.scores;
        match &self.scorer {
            FrozenModel::Boosted(_) => {
                scores.iter_mut().for_each(|score| *score = sigmoid(*score));
                let sum: f64 = scores.iter().sum();
                if sum > 0.0 {
                    scores.iter_mut().for_each(|score| *score /= sum);
                }
            }
            FrozenModel::Linear(_) => {
                softmax(scores);
            }
        }
        scores
    }

    /// Why a label has its score: the conjunctions that hold, the largest first. Their confidences add up to the score.
    ///
    /// # Panics
    /// If there is no label of this number.
    pub fn explain(&self, active: &[u32], label: usize) -> Vec<ScoreReason> {
        match &self.scorer {
            FrozenModel::Boosted(forest) if forest.classifiers().len() < self.labels.len() => {
                let sign = if label == 0 { -1.0 } else { 1.0 };
                let mut reasons = forest.explain(active, 0);
                reasons.iter_mut().for_each(|reason| reason.confidence *= sign);
                reasons
            }
            FrozenModel::Boosted(forest) => forest.explain(active, label),
            FrozenModel::Linear(linear) => linear_reasons(linear, active, label),
        }
    }
}

/// The label of the largest number; the first of several.
pub fn best_label(scores: &[f64]) -> usize {
    let mut best = 0;
    for (number, score) in scores.iter().enumerate() {
        if *score > scores[best] {
            best = number;
        }
    }
    best
}

fn linear_reasons(linear: &Linear, active: &[u32], label: usize) -> Vec<ScoreReason> {
    let mut reasons = vec![ScoreReason { conditions: Vec::new(), confidence: linear.bias()[label] }];
    for &feature in active {
        let weight = linear.weights(feature).find(|&(class, _)| class as usize == label);
        reasons.extend(weight.map(|(_, confidence)| ScoreReason {
            conditions: vec![Condition { feature, is_active: true }],
            confidence,
        }));
    }
    reasons.retain(|reason| reason.confidence != 0.0);
    reasons.sort_by(|a, b| b.confidence.abs().total_cmp(&a.confidence.abs()));
    reasons
}

/// How good predictions were.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PredictionTally {
    /// The rows.
    pub num_rows: u64,
    /// The rows whose label the model does not know: never right, and without a loss.
    pub num_unknown: u64,
    weight: f64,
    right: f64,
    weight_known: f64,
    loss: f64,
}

impl PredictionTally {
    /// Counts a row: the predicted probabilities, and what the label really is.
    ///
    /// # Panics
    /// If there is no label of this number.
    pub fn add(&mut self, probabilities: &[f64], label: Option<usize>, weight: f64) {
        self.num_rows += 1;
        self.weight += weight;
        let Some(label) = label else {
            self.num_unknown += 1;
            return;
        };
        self.weight_known += weight;
        self.loss -= weight * probabilities[label].max(f64::MIN_POSITIVE).ln();
        if best_label(probabilities) == label {
            self.right += weight;
        }
    }

    /// The share of rows whose most probable label is the right one, by weight.
    pub fn accuracy(&self) -> f64 {
        self.right / self.weight
    }

    /// The mean of -ln(probability of the right label), by weight, over the rows whose label is known.
    pub fn log_loss(&self) -> f64 {
        self.loss / self.weight_known
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{About, Classifier, DecisionTree, Ensemble, TreeNode};

    fn stump(feature: u32, confidence: f64) -> Ensemble {
        let mut ensemble = Ensemble::new();
        let leaf = |confidence| TreeNode::Leaf { confidence };
        let split = TreeNode::Split { feature, present: 1, absent: 2 };
        ensemble.push(DecisionTree::new(vec![split, leaf(confidence), leaf(0.0)]), 1.0);
        ensemble
    }

    fn boosted(labels: &[&str], classifiers: &[(&str, u32, f64)]) -> Predictor {
        let mut about = About::new("boosted");
        about.labels = labels.iter().map(ToString::to_string).collect();
        let classifiers: Vec<Classifier> = classifiers
            .iter()
            .map(|&(label, feature, confidence)| Classifier {
                label: label.to_owned(),
                ensemble: stump(feature, confidence),
            })
            .collect();
        let file = ModelFile::from_classifiers(about, &classifiers).unwrap();
        Predictor::from_file(&ModelFile::from_bytes(&file.to_bytes().unwrap()).unwrap()).unwrap()
    }

    #[test]
    fn of_two_labels_one_classifier_is_enough() {
        let predictor = boosted(&["-1", "1"], &[("1", 4, 2.0)]);
        let mut scratch = PredictorScratch::default();
        assert_eq!(predictor.scores(&[4], &mut scratch), [-2.0, 2.0]);
        let probabilities = predictor.probabilities(&[4], &mut scratch);
        assert!((probabilities[1] - 1.0 / (1.0 + (-2.0f64).exp())).abs() < 1e-15);
        assert_eq!(predictor.explain(&[4], 0)[0].to_string(), "-2.0000  4");
        assert_eq!(predictor.explain(&[4], 1)[0].to_string(), "+2.0000  4");
        assert_eq!(predictor.at(5.0).unwrap().scores(&[4], &mut scratch), [0.0, 0.0]);
    }

    #[test]
    fn many_labels_have_a_classifier_each() {
        let predictor = boosted(&[], &[("A", 1, 2.0), ("B", 2, 1.0), ("C", 3, 1.0)]);
        let mut scratch = PredictorScratch::default();
        assert_eq!(predictor.labels(), ["A", "B", "C"]);
        assert_eq!(predictor.scores(&[2, 3], &mut scratch), [0.0, 1.0, 1.0]);
        assert_eq!(best_label(predictor.probabilities(&[2, 3], &mut scratch)), 1);
        assert!((predictor.probabilities(&[1], &mut scratch).iter().sum::<f64>() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn linear_models_come_back_and_explain_themselves() {
        let mut linear = Linear::new(vec![0.0, 0.5]).unwrap();
        linear.push_feature([]).unwrap();
        linear.push_feature([(1, -2.0)]).unwrap();
        linear.push_feature([(0, 1.0), (1, 0.25)]).unwrap();
        let mut about = About::new("");
        about.labels = vec!["A".to_owned(), "B".to_owned()];
        let file = ModelFile::from_linear(about, &linear).unwrap();
        let read = ModelFile::from_bytes(&file.to_bytes().unwrap()).unwrap();
        assert_eq!(read.linear().unwrap(), linear);
        let predictor = Predictor::from_file(&read).unwrap();
        assert_eq!(predictor.scores(&[1, 2], &mut PredictorScratch::default()), [1.0, -1.25]);
        let texts: Vec<String> = predictor.explain(&[1, 2], 1).iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["-2.0000  1", "+0.5000  always", "+0.2500  2"]);
    }

    #[test]
    fn tallies_weigh_rows() {
        let mut tally = PredictionTally::default();
        tally.add(&[0.25, 0.75], Some(1), 3.0);
        tally.add(&[0.5, 0.5], Some(1), 1.0);
        assert_eq!(tally.accuracy(), 0.75);
        let expected = -(3.0 * 0.75f64.ln() + 0.5f64.ln()) / 4.0;
        assert!((tally.log_loss() - expected).abs() < 1e-15);
        tally.add(&[0.5, 0.5], None, 1.0);
        assert_eq!((tally.num_rows, tally.num_unknown, tally.accuracy()), (3, 1, 0.6));
    }
}
