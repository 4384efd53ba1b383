//! Training between two epochs, and how a checkpoint holds it.

use boughs_encoder::{
    AdamW, Encoder, EncoderMoments, EncoderPart, Moments, Step as AdamStep, WordPiece, clip,
};

use super::gradient::{ShardSum, SumPool};
use crate::error::Result;
use crate::model::{Array, ModelFile, damaged};
use crate::neural::{EncoderSentence, GoldTree, Head, PhraseLabels};
use crate::rng::Rng;
use crate::train::case::Case;

/// A sentence to learn from.
#[derive(Debug)]
pub(super) struct Example {
    pub(super) sentence: EncoderSentence,
    /// The case that it is in.
    pub(super) case: Case,
    pub(super) gold: GoldTree,
}

/// A run.
#[derive(Debug)]
pub struct NeuralState {
    pub(super) labels: PhraseLabels,
    pub(super) vocabulary: WordPiece,
    pub(super) examples: Vec<Example>,
    pub(super) encoder: Encoder,
    pub(super) head: Head,
    pub(super) encoder_moments: EncoderMoments,
    pub(super) head_moments: Moments,
    pub(super) pool: SumPool,
    /// How many are done.
    pub(super) epoch: usize,
    pub(super) is_frozen: bool,
}

/// The rates of a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rates {
    /// Steps made with this one.
    pub(super) number: u64,
    pub(super) encoder: f32,
    pub(super) head: f32,
    /// The longest gradient.
    pub(super) clip: f32,
}

impl NeuralState {
    pub(super) fn num_words(&self) -> usize {
        self.examples.iter().map(|example| example.sentence.num_words()).sum()
    }

    /// How large everything is, in words.
    pub(super) fn sizes(&self) -> String {
        let num_pieces: usize = self.examples.iter().map(|example| example.sentence.num_rows()).sum();
        format!(
            "{} sentences of {} words and {num_pieces} pieces; {} labels and chains of them, {} tags; {} parameters",
            self.examples.len(),
            self.num_words(),
            self.labels.len(),
            self.labels.tags().len(),
            self.encoder.config().num_parameters() + self.head.values().len() as u64,
        )
    }

    /// Draws a case for every sentence of an epoch: another than its own for a share of them.
    pub(super) fn recase(&mut self, rng: &mut Rng, share: f32) {
        for example in &mut self.examples {
            let case = Case::draw(rng, share);
            if case != example.case {
                let words: Vec<_> = example.gold.words.iter().map(|word| case.of(word)).collect();
                let words = words.iter().map(AsRef::as_ref);
                example.sentence = EncoderSentence::new(words, &self.vocabulary, self.encoder.config());
                example.case = case;
            }
        }
    }

    /// Moves all parameters against the gradient of so many sentences.
    pub(super) fn update(&mut self, sum: &ShardSum, num_sentences: usize, rates: Rates, optimizer: &AdamW) {
        let num_sentences = num_sentences as f32;
        let scale = clip(sum.norm() / f64::from(num_sentences), rates.clip) / num_sentences;
        // Types are as new as the head: they are the shapes of words.
        let rate_of = |part| if part == EncoderPart::Types { rates.head } else { rates.encoder };
        let moments = &mut self.encoder_moments;
        self.encoder.update(optimizer, rates.number, scale, rate_of, &sum.encoder, moments);
        let parts: Vec<_> = self.head.parts().collect();
        let Moments { first, second } = &mut self.head_moments;
        for (range, decays) in parts {
            let step = AdamStep { number: rates.number, learning_rate: rates.head, decays, scale };
            let (first, second) = (&mut first[range.clone()], &mut second[range.clone()]);
            let values = &mut self.head.values_mut()[range.clone()];
            optimizer.update(step, values, &sum.head[range], first, second);
        }
    }

    /// All arrays that steps change, with their names.
    fn arrays_mut(&mut self) -> Vec<(&'static str, &mut [f32])> {
        let (words, body) = self.encoder.parameters_mut();
        let EncoderMoments { words: of_words, body: of_body } = &mut self.encoder_moments;
        let mut arrays = vec![
            ("body", body),
            ("body-first", &mut of_body.first),
            ("body-second", &mut of_body.second),
            ("head", self.head.values_mut()),
            ("head-first", &mut self.head_moments.first),
            ("head-second", &mut self.head_moments.second),
        ];
        if !self.is_frozen {
            arrays.extend([
                ("words", words),
                ("words-first", &mut of_words.first[..]),
                ("words-second", &mut of_words.second[..]),
            ]);
        }
        arrays
    }

    pub(super) fn save(&self, file: &mut ModelFile) -> Result<()> {
        file.insert_state("epoch", &self.epoch)?;
        let of_encoder = [("body", self.encoder.body()), ("words", self.encoder.words())];
        let EncoderMoments { words, body } = &self.encoder_moments;
        let moments = [("body", body), ("head", &self.head_moments), ("words", words)];
        let values = of_encoder.into_iter().chain([("head", self.head.values())]);
        let is_kept = |name: &str| !(self.is_frozen && name == "words");
        for (name, values) in values.filter(|(name, _)| is_kept(name)) {
            file.insert(name, Array::F32(values.to_vec()));
        }
        for (name, moments) in moments.into_iter().filter(|(name, _)| is_kept(name)) {
            file.insert(&format!("{name}-first"), Array::F32(moments.first.clone()));
            file.insert(&format!("{name}-second"), Array::F32(moments.second.clone()));
        }
        Ok(())
    }

    pub(super) fn restore(&mut self, file: &ModelFile) -> Result<()> {
        self.epoch = file.state("epoch")?;
        for (name, values) in self.arrays_mut() {
            let saved = file.f32s(name)?;
            if saved.len() != values.len() {
                let message = format_args!("`{name}` has {} numbers, not {}", saved.len(), values.len());
                return Err(damaged(message));
            }
            values.copy_from_slice(saved);
        }
        Ok(())
    }
}
