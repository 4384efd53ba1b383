//! Neural parsers, trained from an encoder on (Taskar et al. 2004; Stern et al. 2017; Kitaev & Klein 2018).
//!
//! The naive form computes the gradient of a batch with one pass over all of its sentences, padded to the
//! same length. Here a batch is cut into shards of a fixed size, without padding; each shard has a gradient
//! and draws its own dropout, and gradients are added up in order: threads change nothing. A step of AdamW
//! follows, with small steps at first, as the encoder knows something already and the head nothing. An epoch
//! is a step of the run; its checkpoint has all weights and moments.

mod gradient;
mod settings;
mod state;
#[cfg(test)]
mod tests;

use std::fs;

use boughs_encoder::{AdamW, Encoder, EncoderMoments, Moments, Schedule, WordPiece};
use xxhash_rust::xxh3::Xxh3;

pub use settings::NeuralConfig;
pub use state::NeuralState;

use super::about;
use super::case::Case;
use super::settings::identity;
use super::tags::at_most;
use crate::error::Result;
use crate::learn::run::{Figure, Recipe, Scores, Step, Watch};
use crate::model::ModelFile;
use crate::neural::{
    EncoderSentence, GoldTree, Head, HeadSizes, HeadTask, NUM_SHAPES, NeuralModel, PassLoss, PhraseLabels,
    as_in_text,
};
use crate::parser::{EngineOptions, Parser};
use crate::rng::Rng;
use crate::tree::Tree;
use gradient::{Pass, SumPool};
use state::{Example, Rates};

/// Streams of random numbers: the order of sentences, dropout, the head's first weights, and cases.
const ORDER: u64 = 0;
const DROPOUT: u64 = 1 << 32;
const HEAD: u64 = 2 << 32;
const CASE: u64 = 3 << 32;

impl NeuralConfig {
    fn num_steps(&self, state: &NeuralState) -> u64 {
        state.examples.len().div_ceil(self.batch) as u64
    }

    fn rates(&self, state: &NeuralState, number: u64) -> Rates {
        let total = self.epochs as u64 * self.num_steps(state);
        let warm_up = (f64::from(self.warm_up) * total as f64).round() as u64;
        let factor = Schedule { warm_up, total }.factor(number);
        let [encoder, head] = [self.encoder_rate * factor, self.head_rate * factor];
        Rates { number, encoder, head, clip: self.clip }
    }

    /// Goes through all sentences once; nothing if the observer broke off.
    fn epoch(&self, state: &mut NeuralState, watch: &Watch<'_>) -> Result<Option<PassLoss>> {
        let num_examples = state.examples.len();
        let mut order: Vec<usize> = (0..num_examples).collect();
        Rng::stream(self.seed, ORDER + state.epoch as u64).shuffle(&mut order);
        state.recase(&mut Rng::stream(self.seed, CASE + state.epoch as u64), self.recase);
        let optimizer = AdamW { weight_decay: self.weight_decay, ..AdamW::default() };
        let task = HeadTask { objective: self.objective, tag_weight: self.tag_weight, dropout: None };
        let seed = Rng::stream(self.seed, DROPOUT + state.epoch as u64).bits();
        let (mut loss, mut num_done) = (PassLoss::default(), 0);
        for (batch, number) in order.chunks(self.batch).zip(1 + state.epoch as u64 * self.num_steps(state)..)
        {
            let NeuralState { encoder, head, is_frozen, .. } = &*state;
            let pass = Pass { encoder, head, is_frozen: *is_frozen, task, dropout: self.dropout, seed };
            let sum = state.pool.gradient(pass, &state.examples, batch, watch)?;
            let Some(sum) = sum else { continue };
            state.update(&sum, batch.len(), self.rates(state, number), &optimizer);
            loss.spans += sum.loss.spans;
            loss.tags += sum.loss.tags;
            state.pool.give_back(sum);
            num_done += batch.len();
            let mean = loss.spans / num_done as f64;
            let share = num_done as f64 / num_examples as f64;
            let text = format_args!("{num_done} of {num_examples} sentences, loss {mean:.3}");
            if watch.progress(Some(share), text).is_break() {
                return Ok(None);
            }
        }
        state.epoch += 1;
        Ok(Some(loss))
    }

    /// What is in the files of the encoder, as a short name; files that cannot be read are told of when
    /// training starts.
    fn encoder_digest(&self) -> String {
        let mut hash = Xxh3::new();
        for name in
            ["config.json", "vocab.txt", "tokenizer.json", "tokenizer_config.json", "model.safetensors"]
        {
            let content = fs::read(self.encoder.join(name)).unwrap_or_default();
            hash.update(&(content.len() as u64).to_le_bytes());
            hash.update(&content);
        }
        format!("{:032x}", hash.digest128())
    }
}

/// An encoder and its vocabulary with the pieces that are most frequent in some sentences.
fn with_frequent_pieces(
    encoder: &Encoder,
    vocabulary: &WordPiece,
    gold: &[GoldTree],
    num_pieces: usize,
) -> Result<(Encoder, WordPiece)> {
    let mut counts = vec![0; vocabulary.len()];
    let mut pieces = Vec::new();
    for word in gold.iter().flat_map(|gold| &gold.words) {
        pieces.clear();
        vocabulary.cut(&as_in_text(word), &mut pieces);
        pieces.iter().for_each(|piece| counts[piece.id as usize] += 1);
    }
    let (vocabulary, ids) = vocabulary.most_frequent(&counts, num_pieces)?;
    Ok((encoder.with_pieces(&ids)?, vocabulary))
}

impl Recipe for NeuralConfig {
    type Data = [Tree];
    type State = NeuralState;
    type Model = Parser;

    fn name(&self) -> &'static str {
        "neural"
    }

    fn identity(&self, train: &[Tree], dev: Option<&[Tree]>) -> String {
        // The directory may be moved, and when to stop is no part of the course.
        let free = Self { encoder: Default::default(), patience: 0, ..self.clone() };
        identity(&(free, self.encoder_digest()), train, dev)
    }

    fn start(&self, train: &[Tree], watch: &Watch<'_>) -> Result<NeuralState> {
        self.check()?;
        let (encoder, vocabulary) = boughs_encoder::read(&self.encoder, self.layers)?;
        let (labels, gold) = PhraseLabels::collect(&at_most(train, self.max_words))?;
        let (encoder, vocabulary) = match self.vocabulary {
            Some(num_pieces) => with_frequent_pieces(&encoder, &vocabulary, &gold, num_pieces)?,
            None => (encoder, vocabulary),
        };
        let encoder = encoder.with_types(NUM_SHAPES)?;
        let example = |gold: GoldTree| {
            let words = gold.words.iter().map(AsRef::as_ref);
            let sentence = EncoderSentence::new(words, &vocabulary, encoder.config());
            Example { sentence, case: Case::AsWritten, gold }
        };
        let sizes = HeadSizes {
            encoder: encoder.config().hidden,
            hidden: self.hidden,
            labels: labels.len(),
            tags: labels.tags().len(),
        };
        let head = Head::random(sizes, Rng::stream(self.seed, HEAD).bits());
        let mut encoder_moments = EncoderMoments::new(&encoder);
        if self.freeze_embeddings {
            encoder_moments.words = Moments::default();
        }
        let state = NeuralState {
            examples: gold.into_iter().map(example).collect(),
            head_moments: Moments::new(head.values().len()),
            encoder_moments,
            is_frozen: self.freeze_embeddings,
            labels,
            vocabulary,
            encoder,
            head,
            pool: SumPool::default(),
            epoch: 0,
        };
        watch.note(format_args!("{}", state.sizes()));
        Ok(state)
    }

    fn step(&self, _: &[Tree], state: &mut NeuralState, watch: &Watch<'_>) -> Result<Option<Step>> {
        let Some(loss) = self.epoch(state, watch)? else { return Ok(None) };
        let figures = vec![
            Figure::count("epoch", state.epoch),
            Figure::new("loss", loss.spans / state.examples.len() as f64, 4),
            Figure::new("tag loss", loss.tags / state.num_words() as f64, 4),
        ];
        let num_left = self.epochs - state.epoch;
        let step = Step::candidate(0, figures);
        Ok(Some(Step { is_last: num_left == 0, num_left: Some(num_left), ..step }))
    }

    fn model(&self, state: &NeuralState) -> Result<Parser> {
        let precision = self.weights.precision();
        let model = NeuralModel {
            labels: state.labels.clone(),
            vocabulary: state.vocabulary.clone(),
            encoder: state.encoder.freeze(precision),
            head: state.head.freeze(precision),
        };
        let mut parser = Parser::new(about(self)?, model, None);
        let set = boughs_encoder::instruction_set().to_owned();
        parser.about_mut().settings.insert("instruction-set".to_owned(), set);
        parser.with_engine(EngineOptions::Neural(self.options))
    }

    fn evaluate(&self, _: &mut NeuralState, parser: &Parser, dev: &[Tree]) -> Result<Scores> {
        parser.evaluate(&at_most(dev, self.max_words))
    }

    /// A margin does not say how likely a tree is; development trees do.
    fn measure(&self, state: &mut NeuralState, dev: &[Tree]) -> Result<(Parser, Scores)> {
        self.model(state)?.calibrated_and_scored(&at_most(dev, self.max_words))
    }

    fn patience(&self) -> usize {
        self.patience
    }

    fn save(&self, state: &NeuralState, file: &mut ModelFile) -> Result<()> {
        state.save(file)
    }

    fn restore(&self, state: &mut NeuralState, file: &ModelFile) -> Result<()> {
        state.restore(file)
    }
}
