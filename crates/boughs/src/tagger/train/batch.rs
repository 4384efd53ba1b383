//! Learning to the optimum, by logistic regression.

use std::ops::ControlFlow;

use super::corpus::Corpus;
use super::{Feature, TaggerProgress};
use crate::error::Result;
use crate::learn::DatasetBuilder;
use crate::learn::logistic::{Labels, Logistic, LogisticConfig};
use crate::tagger::TagId;

pub(super) fn learn(
    corpus: &Corpus<'_>,
    config: &LogisticConfig,
    mut watch: impl FnMut(&TaggerProgress) -> ControlFlow<()>,
) -> Result<Vec<Feature>> {
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
    let dataset = builder.finish();
    let labels = Labels::new(classes, corpus.num_tags as u32)?;
    // The feature that is always there is the bias.
    let config = LogisticConfig { bias: false, ..config.clone() };
    let problem = Logistic::new(&dataset, &labels, &config)?;
    let mut state = problem.start();
    problem.run(&mut state, |progress| {
        watch(&TaggerProgress {
            pass: progress.iteration,
            max_passes: config.optimizer.max_iterations,
            loss: progress.value / corpus.num_tokens() as f64,
        })
    })?;
    let model = problem.freeze(&state)?;
    let weights = |feature: u32| {
        let weights = model.weights(feature);
        weights.filter_map(|(class, weight)| Some((TagId::new(class as usize)?, weight as f32))).collect()
    };
    Ok((0u32..).zip(&corpus.features.keys).map(|(feature, &key)| (key, weights(feature))).collect())
}
