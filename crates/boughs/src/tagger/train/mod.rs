//! Training: from tagged sentences to a frozen tagger.
//!
//! Features are those seen often enough with the gold tags; a feature gets a weight for each tag it was seen with, and for
//! all tags if it is frequent (`pairs`). How the weights are found is up to the learner: `batch` or `online`.

mod batch;
mod corpus;
mod online;
mod pairs;

use std::ops::ControlFlow;

use super::weights::TaggerWeights;
use super::{TagId, TaggedSentence, Tagger, TaggerConfig, TaggerLearner};
use crate::error::{Error, ErrorKind, Result};
use corpus::{Corpus, CorpusVocabulary};

/// How training is getting on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TaggerProgress {
    /// The pass over the data that is done, counted from 1.
    pub pass: u64,
    /// How many there are at most.
    pub max_passes: u64,
    /// What is minimised, for each token: the mean of −ln p(tag), for [`TaggerLearner::Batch`] with the penalty.
    pub loss: f64,
}

/// A feature's name and its weights, by tag.
type Feature = (u64, Vec<(TagId, f32)>);

/// Learns a tagger. `watch` is told of every pass and may end training early. The same sentences and settings give the
/// same tagger, to the bit.
///
/// # Errors
/// If a setting is out of its range, a word has no tag, or there are no words or too many different tags.
pub fn train<'a>(
    sentences: impl IntoIterator<Item = &'a TaggedSentence>,
    config: &TaggerConfig,
    watch: impl FnMut(&TaggerProgress) -> ControlFlow<()>,
) -> Result<Tagger> {
    config.check()?;
    let sentences: Vec<&TaggedSentence> =
        sentences.into_iter().filter(|sentence| !sentence.is_empty()).collect();
    sentences.iter().try_for_each(|sentence| sentence.check_tags())?;
    let vocabulary = CorpusVocabulary::new(&sentences, config.thresholds)?;
    let corpus = Corpus::new(&sentences, &vocabulary, config)?;
    let features = match &config.learner {
        TaggerLearner::Batch(logistic) => batch::learn(&corpus, logistic, watch)?,
        TaggerLearner::Online(online) => online::learn(&corpus, online, config.seed, watch)?,
    };
    let weights = TaggerWeights::round(&features, config.smallest_weight)?;
    let CorpusVocabulary { tags, lexicon } = vocabulary;
    Ok(Tagger::new(tags, config.templates, config.beam as usize, lexicon, weights))
}

fn too_large(what: &str) -> Error {
    Error::new(ErrorKind::TooLarge, format!("the training data have too many {what}"))
        .hint("train on a part of them, or raise `min_feature_count`")
}
