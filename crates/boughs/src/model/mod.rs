//! Frozen models: what training leaves behind. Nothing here can train.

mod chart;
mod crf;
mod grammar;

pub use chart::{CHART_KIND, ChartModel};
pub(crate) use crf::word_kind;
pub use crf::{
    BaseScore, CRF_TEMPLATE_SETS, CrfFeatures, CrfObjective, CrfTemplates, FeatureWeights, ForestThresholds,
    Property, SpanClassifier, Template, TemplatePlace, TemplateTarget, WordForm, WordForms,
};
pub use grammar::{
    Grammar, GrammarLexicon, GrammarModel, GrammarRule, Level, RuleBlock, ScoreTable, Splits, Subcategory,
    Symbol, Symbols, TellingRule, WORD_CLASSES, WordClasses,
};
pub(crate) use grammar::{merge_sums, read_splits};

pub use boughs_learn::model::{
    About, Array, BitForest, Bundle, Bundles, Classifier, Condition, DecisionTree, Ensemble, Forest,
    ForestScratch, Linear, ModelFile, PredictionTally, Predictor, PredictorScratch, Ranges, ScoreReason,
    TreeNode, best_label, round_confidence, softmax,
};
pub(crate) use boughs_learn::model::{damaged, damaged_if, read_names, write_names};
