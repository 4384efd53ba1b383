//! Gradients of batches, summed over shards that do not depend on the number of threads.

use std::sync::{Mutex, PoisonError};

use boughs_encoder::{Dropout, Encoder, Gradient, Trace};
use serde::{Deserialize, Serialize};

use super::state::Example;
use crate::error::{Error, ErrorKind, Result};
use crate::learn::run::Watch;
use crate::learn::shards::Chunks;
use crate::neural::{EncodedBatch, Head, HeadBatch, HeadTask, HeadTrace, PassLoss, piece_batches};
use crate::rng::Rng;

/// Sentences of a shard: enough for fast products, and few enough for several threads.
const SHARD: usize = 8;

/// Sums that are kept to be used again, or one for each thread if those are more.
const MOST_FREE: usize = 8;

/// What a batch is measured with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pass<'a> {
    pub(super) encoder: &'a Encoder,
    pub(super) head: &'a Head,
    /// Whether the vectors of the vocabulary stay as they are.
    pub(super) is_frozen: bool,
    /// Without dropout, which each shard draws for itself.
    pub(super) task: HeadTask,
    pub(super) dropout: f32,
    /// Another one for every epoch.
    pub(super) seed: u64,
}

/// The gradient of some sentences, with the memory that it was computed in.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ShardSum {
    pub(super) encoder: Gradient,
    pub(super) head: Vec<f32>,
    pub(super) loss: PassLoss,
    #[serde(skip)]
    trace: Trace,
    #[serde(skip)]
    head_trace: HeadTrace,
}

impl ShardSum {
    fn new(pass: Pass<'_>) -> Self {
        let encoder = match pass.is_frozen {
            true => Gradient::without_words(pass.encoder),
            false => Gradient::new(pass.encoder),
        };
        Self {
            encoder,
            head: vec![0.0; pass.head.values().len()],
            loss: PassLoss::default(),
            trace: Trace::default(),
            head_trace: HeadTrace::default(),
        }
    }

    fn clear(&mut self) {
        self.encoder.clear();
        self.head.fill(0.0);
        self.loss = PassLoss::default();
    }

    fn add(&mut self, other: &Self) {
        self.encoder.add(&other.encoder);
        self.head.iter_mut().zip(&other.head).for_each(|(sum, value)| *sum += value);
        self.loss.spans += other.loss.spans;
        self.loss.tags += other.loss.tags;
    }

    /// The Euclidean length.
    pub(super) fn norm(&self) -> f64 {
        let of_head: f64 = self.head.iter().map(|&value| f64::from(value) * f64::from(value)).sum();
        (self.encoder.norm().powi(2) + of_head).sqrt()
    }
}

/// Sums that are used again: each is as large as the network.
#[derive(Debug, Default)]
pub(super) struct SumPool {
    free: Mutex<Vec<ShardSum>>,
}

impl SumPool {
    fn take(&self, pass: Pass<'_>) -> ShardSum {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut sum = free.unwrap_or_else(|| ShardSum::new(pass));
        sum.clear();
        sum
    }

    /// Keeps as many as threads compute at a time; those of other processes come on top.
    pub(super) fn give_back(&self, sum: ShardSum) {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        if free.len() <= MOST_FREE.max(rayon::current_num_threads()) {
            free.push(sum);
        }
    }

    /// The gradient of a batch, given as places of examples; nothing if it is empty.
    pub(super) fn gradient(
        &self,
        pass: Pass<'_>,
        examples: &[Example],
        batch: &[usize],
        watch: &Watch<'_>,
    ) -> Result<Option<ShardSum>> {
        let failure = Mutex::new(None);
        let compute = |places: &[usize]| {
            let mut sum = self.take(pass);
            let computed = pass.shard(examples, places, &mut sum);
            computed
                .map_err(|error| failure.lock().unwrap_or_else(PoisonError::into_inner).replace(error))
                .ok()?;
            Some(sum)
        };
        let work = Chunks { items: batch, size: SHARD, compute };
        let total = Total { sum: None, has_failed: false };
        let total = watch.sum(&work, &(), total, |total, sum| match sum {
            Some(sum) => total.sum = Some(self.added(total.sum.take(), sum)),
            None => total.has_failed = true,
        });
        match total.has_failed {
            true => {
                Err(failure.into_inner().unwrap_or_else(PoisonError::into_inner).unwrap_or_else(elsewhere))
            }
            false => Ok(total.sum),
        }
    }

    fn added(&self, before: Option<ShardSum>, sum: ShardSum) -> ShardSum {
        match before {
            None => sum,
            Some(mut total) => {
                total.add(&sum);
                self.give_back(sum);
                total
            }
        }
    }
}

/// The gradient of a batch, unless that of a shard could not be computed.
#[derive(Serialize, Deserialize)]
struct Total {
    sum: Option<ShardSum>,
    has_failed: bool,
}

fn elsewhere() -> Error {
    Error::new(ErrorKind::Mismatch, "another process could not compute its part of the gradient")
        .hint("its log says why")
}

impl Pass<'_> {
    /// Forward and backward through head and encoder.
    fn shard(&self, examples: &[Example], places: &[usize], sum: &mut ShardSum) -> Result<()> {
        let examples = || places.iter().map(|&place| &examples[place]);
        let sentences = || examples().map(|example| &example.sentence);
        let gold: Vec<_> = examples().map(|example| &example.gold).collect();
        let batch = HeadBatch::new(sentences());
        let first = places.first().copied().unwrap_or(0) as u64;
        // Each sentence is in one shard of an epoch, so the first one says which it is.
        let mut seeds = Rng::stream(self.seed, first);
        let mut dropout = || Some(Dropout { rate: self.dropout, seed: seeds.bits() });
        let (of_encoder, of_head) = (dropout(), dropout());
        let task = HeadTask { dropout: of_head, ..self.task };
        for pieces in piece_batches(sentences(), usize::MAX, self.encoder.config())? {
            let rows = self.encoder.forward(&pieces, of_encoder, &mut sum.trace);
            let mut d_rows = vec![0.0; rows.len()];
            let ShardSum { head: gradient, head_trace, .. } = sum;
            let encoded = EncodedBatch { batch: &batch, gold: &gold, rows };
            sum.loss = self.head.pass(task, encoded, &mut d_rows, gradient, head_trace);
            self.encoder.backward(&pieces, &mut sum.trace, &mut d_rows, &mut sum.encoder);
        }
        Ok(())
    }
}
