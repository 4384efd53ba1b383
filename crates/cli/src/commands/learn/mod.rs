//! `boughs learn`: the learner on its own, for rows of binary features from any source.

mod data;
mod explain;
mod names;
mod predict;
mod train;

verbs! {
    /// Train and use classifiers over sparse binary features (svmlight text), without a treebank
    LearnCommand {
        Train(Box<train::TrainArgs>) => train::run,
        Predict(predict::PredictArgs) => predict::run,
        Explain(explain::ExplainArgs) => explain::run,
    }
}
