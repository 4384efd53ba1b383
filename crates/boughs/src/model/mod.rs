//! Frozen models: what training leaves behind. Nothing here can train.

mod crf;
mod ensemble;
mod file;
mod forest;
mod grammar;
mod linear;
mod predictor;

pub(crate) use crf::word_kind;
pub use crf::{
    BaseScore, CRF_KIND, CRF_TEMPLATE_SETS, CrfModel, CrfTemplates, ForestThresholds, Form, Objective, Place,
    Property, SpanClassifier, Target, Template, Weights, WordForms,
};
pub use ensemble::{DecisionTree, Ensemble, TreeNode};
pub use file::{About, Array, ModelFile};
pub(crate) use file::{damaged, read_names, write_names};
pub(crate) use forest::round_confidence_up;
pub use forest::{
    BitForest, Bundle, Bundles, Classifier, Condition, Forest, ForestScratch, Ranges, Reason,
    round_confidence,
};
pub use grammar::{
    Block, GRAMMAR_KIND, Grammar, GrammarModel, GrammarProduct, Level, Lexicon, PRODUCT_KIND, Rule,
    ScoreTable, Splits, Symbol, Symbols, WordClasses,
};
pub(crate) use grammar::{merge_sums, read_splits};
pub use linear::{Linear, softmax};
pub use predictor::{Predictor, PredictorScratch, Tally, best_label};
