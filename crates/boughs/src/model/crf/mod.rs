//! Features: what a parse is worth is the sum of the weights of what is seen at each of its parts.
//!
//! The naive form is a table of weights of rules. Here a rule *anchored* in a sentence, with the words at its edges
//! and where its children meet, has many features, and so has every phrase and every tag ([`CrfTemplates`] say
//! which). There are millions of them, so a feature is a number of 64 bits that is a hash of what it says; among ten
//! million features the chance that any two share their number is one in four hundred thousand. A finished model
//! knows a feature by [40 of these bits](FeatureWeights): they take less room in a file.

mod file;
mod forms;
mod span_classifier;
mod template;
mod weights;

pub(super) use file::CrfSettings;
pub use forms::WordForms;
pub(crate) use forms::word_kind;
pub use span_classifier::SpanClassifier;
pub use template::{
    BaseScore, CRF_TEMPLATE_SETS, CrfTemplates, Property, Template, TemplatePlace, TemplateTarget, WordForm,
};
pub use weights::FeatureWeights;
use weights::UNSEEN_BITS;

use serde::{Deserialize, Serialize};

/// What training aimed at; it decides how the best tree is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CrfObjective {
    /// The gold tree is better than every other one by a margin that grows with the errors of the other.
    Margin,
    /// The gold tree is likely.
    #[default]
    Likelihood,
}

/// Which parts of a sentence's parses get a score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
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

/// Features that score the parses which a grammar leaves.
#[derive(Debug, Clone, PartialEq)]
pub struct CrfFeatures {
    /// Which features there are.
    pub templates: CrfTemplates,
    /// What they see of words.
    pub forms: WordForms,
    /// Which parts get a score.
    pub thresholds: ForestThresholds,
    /// What training aimed at.
    pub objective: CrfObjective,
    /// Whether features speak of substates, which annotations of the base grammar made, and not of symbols.
    pub is_annotated: bool,
    /// The factor of the templates' [base score](CrfTemplates::base_score).
    pub base_weight: f32,
    /// The weights of features.
    pub weights: FeatureWeights,
    /// What says whether a span is a phrase, if templates ask for it.
    pub span_classifier: Option<SpanClassifier>,
}
