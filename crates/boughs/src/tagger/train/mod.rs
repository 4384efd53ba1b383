//! Training: from tagged sentences to a frozen tagger.
//!
//! Features are those seen often enough with the gold tags; a feature gets a weight for each tag it was seen with,
//! and for all tags if it is frequent (`pairs`). How the weights are found is up to the learner: `batch` or `online`.

mod batch;
mod corpus;
mod online;
mod pairs;

use std::ops::ControlFlow;

use super::weights::TaggerWeights;
use super::{TagId, Tagger, TaggerConfig, TaggerLearner};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{ModelFile, damaged};
use crate::tree::Tokens;
use batch::BatchLearner;
use corpus::Corpus;
use online::OnlineLearner;

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

/// Where a checkpoint has what steps have changed.
const STATE: &str = "learner";

/// A feature's name and its weights, by tag.
type Feature = (u64, Vec<(TagId, f32)>);

/// A tagger in training, step by step.
///
/// ```
/// use boughs::tagger::{TaggerConfig, TaggerTrainer};
/// use boughs::tree::Tokens;
///
/// let sentence: Tokens = [("Boughs", "NNS"), ("bend", "VBP"), (".", ".")].into_iter().collect();
/// let mut trainer = TaggerTrainer::new(&vec![sentence; 10], &TaggerConfig::default())?;
/// while let Some(progress) = trainer.step()? {
///     assert!(progress.pass <= progress.max_passes);
/// }
/// assert!(trainer.is_done());
/// assert_eq!(trainer.tagger()?.tag(&["Boughs", "bend"]), ["NNS", "VBP"]);
/// # Ok::<(), boughs::Error>(())
/// ```
pub struct TaggerTrainer {
    config: TaggerConfig,
    corpus: Corpus,
    learner: LearnerState,
    is_done: bool,
}

enum LearnerState {
    Batch(Box<BatchLearner>),
    Online(Box<OnlineLearner>),
}

impl TaggerTrainer {
    /// Reads the training data; nothing is learned yet.
    ///
    /// # Errors
    /// If a setting is out of its range, a word has no tag, or there are no words or too many different tags.
    pub fn new<'a>(sentences: impl IntoIterator<Item = &'a Tokens>, config: &TaggerConfig) -> Result<Self> {
        config.check()?;
        let sentences: Vec<&Tokens> = sentences.into_iter().filter(|sentence| !sentence.is_empty()).collect();
        if let Some(token) = sentences.iter().flat_map(|it| it.iter()).find(|token| token.tag.is_empty()) {
            let message = format!("expected a tag for every word, found none for `{}`", token.word);
            return Err(Error::new(ErrorKind::Argument, message)
                .hint("leave sentences without tags out of the training data"));
        }
        let corpus = Corpus::new(&sentences, config)?;
        let learner = match &config.learner {
            TaggerLearner::Batch(logistic) => {
                LearnerState::Batch(Box::new(BatchLearner::new(&corpus, logistic)?))
            }
            TaggerLearner::Online(online) => {
                LearnerState::Online(Box::new(OnlineLearner::new(&corpus, online, config.seed)?))
            }
        };
        Ok(Self { config: config.clone(), corpus, learner, is_done: false })
    }

    /// One pass over the data, or one iteration of the optimiser. Nothing if there is nothing left to do.
    ///
    /// # Errors
    /// If a number is not finite.
    pub fn step(&mut self) -> Result<Option<TaggerProgress>> {
        let progress = match &mut self.learner {
            LearnerState::Batch(learner) => learner.step(&self.corpus)?,
            LearnerState::Online(learner) => learner.step(&self.corpus),
        };
        self.is_done = progress.is_none_or(|progress| progress.pass >= progress.max_passes);
        Ok(progress)
    }

    /// Whether further steps would change nothing.
    pub fn is_done(&self) -> bool {
        self.is_done
    }

    /// Puts into a checkpoint what steps have changed.
    pub(crate) fn save(&self, file: &mut ModelFile) -> Result<()> {
        match &self.learner {
            LearnerState::Batch(learner) => file.insert_state(STATE, &learner.state),
            LearnerState::Online(learner) => file.insert_state(STATE, &learner.state),
        }
    }

    /// Takes it out again.
    pub(crate) fn restore(&mut self, file: &ModelFile) -> Result<()> {
        let fits = match &mut self.learner {
            LearnerState::Batch(learner) => {
                let before = std::mem::replace(&mut learner.state, file.state(STATE)?);
                learner.state.point.len() == before.point.len()
            }
            LearnerState::Online(learner) => {
                let before = std::mem::replace(&mut learner.state, file.state(STATE)?);
                learner.state.fits(&before)
            }
        };
        if fits { Ok(()) } else { Err(damaged("its weights are not those of these sentences")) }
    }

    /// The tagger as it stands after the last step.
    ///
    /// # Errors
    /// If a weight is not finite, or there are too many.
    pub fn tagger(&self) -> Result<Tagger> {
        let Self { config, corpus, learner, .. } = self;
        let features = match learner {
            LearnerState::Batch(learner) => learner.features(corpus)?,
            LearnerState::Online(learner) => learner.features(corpus),
        };
        let weights = TaggerWeights::round(&features, config.smallest_weight)?;
        let (tags, lexicon) = (corpus.tags.clone(), corpus.lexicon.clone());
        Ok(Tagger::new(tags, config.templates, config.beam as usize, lexicon, weights))
    }
}

/// Learns a tagger. `watch` is told of every step and may end training early. The same sentences and settings give the
/// same tagger, to the bit.
///
/// # Errors
/// As [`TaggerTrainer`].
pub fn train<'a>(
    sentences: impl IntoIterator<Item = &'a Tokens>,
    config: &TaggerConfig,
    mut watch: impl FnMut(&TaggerProgress) -> ControlFlow<()>,
) -> Result<Tagger> {
    let mut trainer = TaggerTrainer::new(sentences, config)?;
    while let Some(progress) = trainer.step()? {
        if watch(&progress).is_break() {
            break;
        }
    }
    trainer.tagger()
}

fn too_large(what: &str) -> Error {
    Error::new(ErrorKind::TooLarge, format!("the training data have too many {what}"))
        .hint("train on a part of them, or raise `min_feature_count`")
}
