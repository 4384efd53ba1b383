//! What a neural parser has learned, frozen, and its file (kind `neural`).
//!
//! The encoder's arrays stand behind `encoder.`, those of the head behind `spans.` and `words.`; `vocabulary`
//! has the pieces, `labels` and `tags` the names that are predicted.

use boughs_encoder::{FrozenEncoder, Precision, Storage, WordPiece};

use super::head::{EncoderSentence, FrozenHead, HeadBatch, HeadWorker, piece_batches};
use super::labels::PhraseLabels;
use super::search::SpanScores;
use super::words::NUM_SHAPES;
use crate::error::Result;
use crate::model::{About, ModelFile, damaged};

/// The kind of these files.
pub const NEURAL_KIND: &str = "neural";

/// Pieces that go through the encoder at a time: what it takes in memory does not grow with the sentence.
const MOST_ROWS: usize = 1 << 12;

/// An encoder, and the network on top of it.
#[derive(Debug, Clone)]
pub struct NeuralModel {
    pub(crate) labels: PhraseLabels,
    pub(crate) vocabulary: WordPiece,
    pub(crate) encoder: FrozenEncoder,
    pub(crate) head: FrozenHead,
}

/// Memory of inference.
#[derive(Debug, Default)]
pub(super) struct ModelWorker {
    encoder: boughs_encoder::Worker,
    head: HeadWorker,
    rows: Vec<f32>,
}

/// What the model says of a sentence.
#[derive(Debug)]
pub(super) struct SentenceScores {
    pub(super) spans: SpanScores,
    /// A row per word.
    pub(super) tags: Vec<f32>,
}

impl NeuralModel {
    /// The labels of phrases.
    pub fn labels(&self) -> Vec<&str> {
        self.labels.phrase_labels()
    }

    /// The parts of speech.
    pub fn tags(&self) -> impl Iterator<Item = &str> {
        self.labels.tags().iter()
    }

    /// What the weights are made of.
    pub fn storage(&self) -> Storage {
        self.encoder.storage()
    }

    /// The nearest model with weights of another kind.
    #[must_use]
    pub fn with_storage(&self, storage: Storage) -> Self {
        self.with_precision(storage.precision())
    }

    /// The same, by a kernel of one's choice.
    pub(super) fn with_precision(&self, precision: Precision) -> Self {
        let (encoder, head) = (self.encoder.with_precision(precision), self.head.with_precision(precision));
        Self { labels: self.labels.clone(), vocabulary: self.vocabulary.clone(), encoder, head }
    }

    /// Whether phrases may have a label.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`](crate::ErrorKind::Argument) if the model does not know it, or it is that of
    /// the root.
    pub fn check_label(&self, label: &str) -> Result<()> {
        self.labels.check(label)
    }

    /// The words of a sentence as the encoder sees them.
    pub(super) fn sentence<'w>(&self, words: impl Iterator<Item = &'w str>) -> EncoderSentence {
        EncoderSentence::new(words, &self.vocabulary, self.encoder.config())
    }

    /// What the model says of sentences. It does not depend on what else is in the batch.
    pub(super) fn score(
        &self,
        sentences: &[EncoderSentence],
        worker: &mut ModelWorker,
    ) -> Result<Vec<SentenceScores>> {
        let batch = self.encode(sentences, worker)?;
        let ModelWorker { head, rows, .. } = worker;
        let spans = self.head.score_spans(&batch, rows, head);
        let tags = self.head.score_tags(&batch, rows, head);
        let num_tags = self.labels.tags().len();
        let of_words =
            |words: std::ops::Range<usize>| tags[words.start * num_tags..words.end * num_tags].to_vec();
        let both = spans.into_iter().zip(batch.sentences());
        Ok(both.map(|(spans, words)| SentenceScores { spans, tags: of_words(words) }).collect())
    }

    /// The scores of tags of the words of one sentence, a row each.
    pub(super) fn score_tags(
        &self,
        sentence: &EncoderSentence,
        worker: &mut ModelWorker,
    ) -> Result<Vec<f32>> {
        let batch = self.encode(std::slice::from_ref(sentence), worker)?;
        Ok(self.head.score_tags(&batch, &worker.rows, &mut worker.head))
    }

    fn encode(&self, sentences: &[EncoderSentence], worker: &mut ModelWorker) -> Result<HeadBatch> {
        let ModelWorker { encoder, rows, .. } = worker;
        rows.clear();
        for pieces in piece_batches(sentences, MOST_ROWS, self.encoder.config())? {
            rows.extend_from_slice(self.encoder.encode(&pieces, encoder));
        }
        Ok(HeadBatch::new(sentences))
    }

    /// The model as a file; kind and labels are filled in.
    ///
    /// # Errors
    /// If it is too large for one.
    pub fn to_file(&self, about: About) -> Result<ModelFile> {
        let labels = self.labels().into_iter().map(str::to_owned).collect();
        let mut file = ModelFile::new(About { kind: NEURAL_KIND.to_owned(), labels, ..about });
        self.labels.write(&mut file)?;
        self.vocabulary.write(&mut file)?;
        self.encoder.write(&mut file)?;
        self.head.write(&mut file)?;
        Ok(file)
    }

    /// The model of a file.
    ///
    /// # Errors
    /// If it is of another kind, or its parts do not fit together.
    pub fn from_file(file: &ModelFile) -> Result<Self> {
        file.expect_kind(NEURAL_KIND, "train one with `boughs train neural`")?;
        let labels = PhraseLabels::read(file)?;
        let vocabulary = WordPiece::read(file)?;
        let encoder = FrozenEncoder::read(file)?;
        if vocabulary.len() > encoder.config().vocabulary {
            return Err(damaged("its vocabulary has more pieces than its encoder"));
        }
        if encoder.config().types != NUM_SHAPES {
            return Err(damaged("its encoder does not know the shapes of words"));
        }
        let widths = [encoder.config().hidden, labels.len(), labels.tags().len()];
        let head = FrozenHead::read(file, widths, encoder.storage())?;
        Ok(Self { labels, vocabulary, encoder, head })
    }
}
