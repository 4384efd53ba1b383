//! Grammars with features: what a parse is worth is the sum of the weights of what is seen at each of its parts.
//!
//! The naive form is a table of weights of rules. Here a rule *anchored* in a sentence, with the words at its edges and where its children meet,
//! has many features, and so has every phrase and every tag ([`CrfTemplates`] say which). There are millions of them, so a feature is
//! a number of 64 bits that is a hash of what it says; among ten million features the chance that any two share their number is one in
//! four hundred thousand. A finished model knows a feature by [40 of these bits](Weights): they take less room in a file.
//!
//! An [`CrfModel`] holds the weights, and a [`GrammarModel`] that says which parses are worth a look.

mod file;
mod forms;
mod span_classifier;
mod template;
mod weights;

pub use file::KIND as CRF_KIND;
pub use forms::WordForms;
pub(crate) use forms::word_kind;
pub use span_classifier::SpanClassifier;
pub use template::{BaseScore, CRF_TEMPLATE_SETS, CrfTemplates, Form, Place, Property, Target, Template};
use weights::UNSEEN_BITS;
pub use weights::Weights;

use super::GrammarModel;

/// What training aimed at; it decides how the best tree is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Objective {
    /// The gold tree is better than every other one by a margin that grows with the errors of the other.
    Margin,
    /// The gold tree is likely.
    #[default]
    Likelihood,
}

/// Which parts of a sentence's parses get a score.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ForestThresholds {
    /// The logarithm of the posterior probability below which the grammar's phrases are left out.
    pub phrases: f32,
    /// The same for rules at a place, unless there is no better one below their phrase.
    pub rules: f32,
}

impl Default for ForestThresholds {
    fn default() -> Self {
        Self { phrases: -6.0, rules: -8.0 }
    }
}

/// A grammar with features.
#[derive(Debug, Clone, PartialEq)]
pub struct CrfModel {
    /// Which parses are worth a look.
    pub grammar: GrammarModel,
    /// Which features there are.
    pub templates: CrfTemplates,
    /// What they see of words.
    pub forms: WordForms,
    /// Which parts get a score.
    pub limits: ForestThresholds,
    /// What training aimed at.
    pub objective: Objective,
    /// The factor of the templates' [base_score](CrfTemplates::base_score).
    pub base_weight: f32,
    /// The weights of features.
    pub weights: Weights,
    /// What says whether a span is a phrase, if templates ask for it.
    pub flat: Option<SpanClassifier>,
}
