//! Frozen models: what training leaves behind. Nothing here can train.

mod crf;
mod grammar;

pub(crate) use crf::word_kind;
pub use crf::{
    BaseScore, CRF_KIND, CRF_TEMPLATE_SETS, CrfModel, CrfTemplates, ForestThresholds, Form, Objective, Place,
    Property, SpanClassifier, Target, Template, Weights, WordForms,
};
pub use grammar::{
    Block, GRAMMAR_KIND, Grammar, GrammarModel, GrammarProduct, Level, Lexicon, PRODUCT_KIND, Rule,
    ScoreTable, Splits, Symbol, Symbols, WordClasses,
};
pub(crate) use grammar::{merge_sums, read_splits};

pub use boughs_learn::model::{
    About, Array, BitForest, Bundle, Bundles, Classifier, Condition, DecisionTree, Ensemble, Forest,
    ForestScratch, Linear, ModelFile, PredictionTally, Predictor, PredictorScratch, Ranges, ScoreReason,
    TreeNode, best_label, round_confidence, softmax,
};
pub(crate) use boughs_learn::model::{damaged, read_names, write_names};
