//! Learning to the optimum, by logistic regression.

use std::ops::ControlFlow;

use super::corpus::Corpus;
use super::{Feature, TaggerProgress};
use crate::error::Result;
use crate::learn::DatasetBuilder;
use crate::learn::logistic::{Labels, Logistic, LogisticConfig};
use crate::learn::optimize::OptimizerState;
use crate::tagger::TagId;

pub(super) struct BatchLearner {
    problem: Logistic<'static>,
    pub(super) state: OptimizerState,
    max_passes: u64,
}

impl BatchLearner {
    pub(super) fn new(corpus: &Corpus, config: &LogisticConfig) -> Result<Self> {
        let mut builder = DatasetBuilder::new();
        let mut classes = Vec::with_capacity(corpus.num_tokens());
        let mut pushed = Ok(());
        corpus.for_each_token(|features, gold| {
            if pushed.is_ok() {
                pushed = builder.push_row(features);
                classes.push(u32::from(gold.0));
            }
        });
        pushed?;
        let labels = Labels::new(classes, corpus.tags.len() as u32)?;
        // The feature that is always there is the bias.
        let config = LogisticConfig { bias: false, ..config.clone() };
        let problem = Logistic::owning(builder.finish(), labels, &config)?;
        let state = problem.start();
        Ok(Self { problem, state, max_passes: config.optimizer.max_iterations })
    }

    /// One iteration of the optimiser; nothing if it has found the optimum.
    pub(super) fn step(&mut self, corpus: &Corpus) -> Result<Option<TaggerProgress>> {
        let mut found = None;
        self.problem.run(&mut self.state, |progress| {
            found = Some(TaggerProgress {
                pass: progress.iteration,
                max_passes: self.max_passes,
                loss: progress.value / corpus.num_tokens() as f64,
            });
            ControlFlow::Break(())
        })?;
        Ok(found)
    }

    pub(super) fn features(&self, corpus: &Corpus) -> Result<Vec<Feature>> {
        let model = self.problem.freeze(&self.state)?;
        let weights = |feature: u32| {
            let weights = model.weights(feature);
            weights.filter_map(|(class, weight)| Some((TagId::new(class as usize)?, weight as f32))).collect()
        };
        Ok((0u32..).zip(&corpus.features.keys).map(|(feature, &key)| (key, weights(feature))).collect())
    }
}
