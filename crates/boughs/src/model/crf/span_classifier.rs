//! The span classifier: whether a span is a phrase, seen by itself (Taskar et al. 2004, section 6).

use super::{CrfTemplates, FeatureWeights};

/// Logistic regression over what templates see of a span; only those of `any` speak.
#[derive(Debug, Clone, PartialEq)]
pub struct SpanClassifier {
    /// What is seen.
    pub templates: CrfTemplates,
    /// What all spans start with.
    pub bias: f32,
    /// The weights of features.
    pub weights: FeatureWeights,
}

impl SpanClassifier {
    /// The templates of the classifier.
    pub fn own_templates() -> CrfTemplates {
        include_str!("../../../data/crf/span-classifier.templates").parse().expect("a set that ships")
    }

    /// How likely there is a phrase, by the sum of the weights.
    pub fn probability(&self, sum: f32) -> f32 {
        crate::learn::loss::sigmoid(f64::from(self.bias + sum)) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::TemplateTarget;

    #[test]
    fn only_spans_are_spoken_of() {
        let templates = SpanClassifier::own_templates();
        assert!(templates.templates().iter().all(|template| template.target == TemplateTarget::Any));
        assert!(!templates.use_posteriors());
    }

    #[test]
    fn probabilities_rise_with_the_sum() {
        let templates = SpanClassifier::own_templates();
        let classifier = SpanClassifier { templates, bias: -1.0, weights: FeatureWeights::default() };
        assert_eq!(classifier.probability(1.0), 0.5);
        assert!(classifier.probability(-90.0) < 1e-9 && classifier.probability(90.0) > 0.999);
    }
}
