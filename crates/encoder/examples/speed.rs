//! Measures sentences per CPU second on random weights of MiniLM's shape: inference in f32 and int8, and training.
//!
//!     cargo run --release -p boughs-encoder --example speed [-- LAYERS [WAY]]
//!
//! With a WAY, only those are measured whose names contain it.
//!
//! One thread. Ways take turns, and of each the fastest of all rounds counts, as other programs disturb a measurement
//! and none speeds it up. scripts/time_encoder.py does the same in PyTorch, on sentences of the same lengths.

use std::time::Instant;

use boughs_encoder::{
    Activation, AdamW, Batch, Config, Dropout, Encoder, EncoderMoments, Gradient, Kernel, Precision, Result,
    Trace, Worker, clip,
};

const SENTENCES: usize = 128;
const BATCH: usize = 16;
const ROUNDS: usize = 7;

fn main() -> Result<()> {
    let layers = std::env::args().nth(1).and_then(|layers| layers.parse().ok()).unwrap_or(6);
    let mut encoder = Encoder::random(minilm(layers), 1)?;
    let batches = batches(encoder.config(), BATCH)?;
    let alone = self::batches(encoder.config(), 1)?;
    let packed = encoder.freeze(Precision::F32);
    let kernels: Vec<_> =
        Kernel::available().map(|kernel| (kernel, encoder.freeze(Precision::Int8(kernel)))).collect();
    let mut worker = Worker::default();
    let mut training = Training::new(&encoder);
    let only = std::env::args().nth(2).unwrap_or_default();
    let mut table = Table { only, least: Vec::new() };
    for _ in 0..ROUNDS {
        table.time("f32", || batches.iter().for_each(|batch| _ = packed.encode(batch, &mut worker)));
        table
            .time("f32, one by one", || alone.iter().for_each(|batch| _ = packed.encode(batch, &mut worker)));
        for (kernel, int8) in &kernels {
            table.time(&format!("int8 {kernel:?}"), || {
                batches.iter().for_each(|batch| _ = int8.encode(batch, &mut worker));
            });
        }
        if let Some((_, int8)) = kernels.last() {
            table.time("int8, one by one", || {
                alone.iter().for_each(|batch| _ = int8.encode(batch, &mut worker));
            });
        }
        table
            .time("forward and backward", || batches.iter().for_each(|batch| training.pass(&encoder, batch)));
        table.time("training", || batches.iter().for_each(|batch| training.step(&mut encoder, batch)));
    }
    table.print();
    Ok(())
}

fn minilm(layers: usize) -> Config {
    Config {
        hidden: 384,
        layers,
        heads: 12,
        intermediate: 1536,
        vocabulary: 30522,
        positions: 512,
        types: 2,
        activation: Activation::Gelu,
        epsilon: 1e-12,
        dropout: 0.1,
    }
}

/// Sentences of 4 to 48 pieces, similar lengths together.
fn batches(config: &Config, size: usize) -> Result<Vec<Batch>> {
    let mut lengths: Vec<usize> = (0..SENTENCES).map(|number| 4 + number * 37 % 45).collect();
    lengths.sort_unstable();
    let sentence =
        |length: usize| (0..length).map(|position| (position * 7919 + length * 31) as u32 % 30000).collect();
    let sentences: Vec<Vec<u32>> = lengths.into_iter().map(sentence).collect();
    sentences.chunks(size).map(|chunk| Batch::new(chunk.iter().map(Vec::as_slice), config)).collect()
}

struct Training {
    trace: Trace,
    gradient: Gradient,
    moments: EncoderMoments,
    number: u64,
}

impl Training {
    fn new(encoder: &Encoder) -> Self {
        let (gradient, moments) = (Gradient::new(encoder), EncoderMoments::new(encoder));
        Self { trace: Trace::default(), gradient, moments, number: 0 }
    }

    fn pass(&mut self, encoder: &Encoder, batch: &Batch) {
        let dropout = Dropout { rate: encoder.config().dropout, seed: self.number };
        // The gradient of half the sum of squares.
        let mut d = encoder.forward(batch, Some(dropout), &mut self.trace).to_vec();
        self.gradient.clear();
        encoder.backward(batch, &mut self.trace, &mut d, &mut self.gradient);
    }

    fn step(&mut self, encoder: &mut Encoder, batch: &Batch) {
        self.pass(encoder, batch);
        self.number += 1;
        let scale = clip(self.gradient.norm(), 1.0);
        encoder.update(&AdamW::default(), self.number, scale, |_| 1e-5, &self.gradient, &mut self.moments);
    }
}

/// The least CPU seconds of each way, in the order in which they came.
struct Table {
    only: String,
    least: Vec<(String, f64)>,
}

impl Table {
    fn time(&mut self, name: &str, work: impl FnOnce()) {
        if !name.contains(&self.only) {
            return;
        }
        let clock = Instant::now();
        let before = cpu_seconds();
        work();
        let seconds = match (before, cpu_seconds()) {
            (Some(before), Some(after)) => after - before,
            _ => clock.elapsed().as_secs_f64(),
        };
        match self.least.iter_mut().find(|(other, _)| other == name) {
            Some((_, least)) => *least = least.min(seconds),
            None => self.least.push((name.to_owned(), seconds)),
        }
    }

    #[expect(clippy::print_stdout, reason = "an example's result")]
    fn print(&self) {
        for (name, seconds) in &self.least {
            println!("{name:22} {:8.1} sentences/CPU-s", SENTENCES as f64 / seconds);
        }
    }
}

/// What this thread has had of a processor, where Linux tells it.
fn cpu_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split(' ').next()?.parse::<f64>().ok()? * 1e-9)
}
