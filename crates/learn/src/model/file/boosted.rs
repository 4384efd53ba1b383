//! Boosted classifiers in a model file (kind `boosted`): `ensembles`, one after the other.
//!
//! There is a classifier for each label, or of two labels one for the second only.

use super::{About, ModelFile, damaged, damaged_if};
use crate::error::Result;
use crate::model::{Classifier, DecisionTree, Ensemble};

/// The kind of these files.
const KIND: &str = "boosted";

/// The name of the trees.
const ENSEMBLES: &str = "ensembles";

impl ModelFile {
    /// A file of boosted classifiers; the kind of `about` is filled in, and so are the labels, unless there are two of
    /// them and one classifier, which is then that of the second.
    ///
    /// # Errors
    /// If they cannot be written down.
    pub fn from_classifiers(about: About, classifiers: &[Classifier]) -> Result<Self> {
        let labels = match (&about.labels[..], classifiers) {
            ([_, second], [only]) if *second == only.label => about.labels.clone(),
            _ => classifiers.iter().map(|classifier| classifier.label.clone()).collect(),
        };
        let mut file = Self::new(About { kind: KIND.to_owned(), labels, ..about });
        file.insert_classifiers(classifiers)?;
        Ok(file)
    }

    /// Adds boosted classifiers to a file of any kind.
    ///
    /// # Errors
    /// If they cannot be written down.
    pub fn insert_classifiers(&mut self, classifiers: &[Classifier]) -> Result<()> {
        let ensembles: Vec<&Ensemble> = classifiers.iter().map(|classifier| &classifier.ensemble).collect();
        self.insert_state(ENSEMBLES, &ensembles)
    }

    /// The classifiers of a file of kind `boosted`.
    ///
    /// # Errors
    /// If the file is of another kind, or its trees are none.
    pub fn classifiers(&self) -> Result<Vec<Classifier>> {
        self.expect_kind(KIND, "train one with `boughs learn train boosted`")?;
        let ensembles: Vec<Ensemble> = self.state(ENSEMBLES)?;
        match &self.about.labels[..] {
            [_, second] if ensembles.len() == 1 => with_labels(std::slice::from_ref(second), ensembles),
            labels => with_labels(labels, ensembles),
        }
    }

    /// The classifiers of a file of any kind, with these labels and this number of features.
    ///
    /// # Errors
    /// If there are not as many classifiers as labels, their trees are none, or ask for other features.
    pub fn classifiers_of(&self, labels: &[String], num_features: usize) -> Result<Vec<Classifier>> {
        let classifiers = with_labels(labels, self.state(ENSEMBLES)?)?;
        let trees = classifiers.iter().flat_map(|classifier| classifier.ensemble.trees());
        let unknown = trees.flat_map(DecisionTree::features).find(|&it| it as usize >= num_features);
        match unknown {
            Some(feature) => Err(damaged(format_args!("feature {feature} of {num_features}"))),
            None => Ok(classifiers),
        }
    }
}

fn with_labels(labels: &[String], ensembles: Vec<Ensemble>) -> Result<Vec<Classifier>> {
    let numbers = (labels.len(), ensembles.len());
    damaged_if(numbers.0 != numbers.1, format_args!("{} labels, {} classifiers", numbers.0, numbers.1))?;
    let labels = labels.iter().cloned();
    Ok(labels.zip(ensembles).map(|(label, ensemble)| Classifier { label, ensemble }).collect())
}
