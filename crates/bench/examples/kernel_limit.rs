//! How far the inside kernel is from what the machine can do: `kernel_limit MODEL`, a grammar.
//!
//! Multiply-adds are counted by a semiring that counts, then the same work is timed without counting. The clock comes from a chain of multiplications (three
//! cycles each on all processors of the last ten years) and exclusive ors (one cycle). (Rotations and additions, tried first, are no measure: compilers make three instructions
//! of two.) The most that a core can do in a cycle is what its maker says: two multiply-adds of a register each. Programs for any x86-64 have registers of four numbers and no fused
//! multiply-add: they start two instructions in a cycle, and need one to multiply and one to add.

#![expect(clippy::print_stdout, reason = "a program for people to look at")]

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use boughs::chart::{Semiring, Sum};
use boughs::model::{GrammarModel, ModelFile};
use boughs::tree::Tree;
use boughs_bench::chart::{inside_of_all, words_of};
use boughs_bench::{cpu, short_sample};

static NUM_ROWS: AtomicU64 = AtomicU64::new(0);
static NUM_ADDED: AtomicU64 = AtomicU64::new(0);

/// Sums that are counted.
#[derive(Debug, Clone, Copy)]
struct Counted;

impl Semiring for Counted {
    fn add(a: f32, b: f32) -> f32 {
        NUM_ADDED.fetch_add(1, Relaxed);
        Sum::add(a, b)
    }

    fn add_scaled(sums: &mut [f32], factor: f32, values: &[f32]) {
        NUM_ROWS.fetch_add(1, Relaxed);
        NUM_ADDED.fetch_add(values.len() as u64, Relaxed);
        Sum::add_scaled(sums, factor, values);
    }
}

/// How long things are done at least to be timed, in seconds.
const SECONDS: f64 = 5.0;

fn main() {
    let file = std::env::args().nth(1).expect("a grammar");
    let file = ModelFile::load(file.as_ref()).expect("a model");
    let model = GrammarModel::from_file(&file).expect("a grammar");
    let sentences: Vec<Tree> = short_sample().into_iter().map(words_of).collect();
    inside_of_all::<Counted>(&model, &sentences);
    let (num_added, num_rows) = (NUM_ADDED.load(Relaxed) as f64, NUM_ROWS.load(Relaxed) as f64);
    let seconds = cpu::seconds_of_one(SECONDS, || inside_of_all::<Sum>(&model, &sentences));
    let (rate, clock) = (num_added / seconds, clock());
    println!("{} sentences, {} sub-symbols", sentences.len(), model.finest().grammar.num_substates());
    println!("multiply-adds        {num_added:.4e} in rows of {:.2} numbers", num_added / num_rows);
    println!("seconds              {seconds:.3}");
    println!("a second             {rate:.4e}");
    println!("clock                {:.2} GHz", clock / 1e9);
    println!("a cycle              {:.3}", rate / clock);
    for (name, peak) in [("any x86-64", 4.0), ("AVX2 with FMA", 16.0), ("AVX-512", 32.0)] {
        println!("of {name:<17} {:.2}% of {peak} a cycle", 100.0 * rate / clock / peak);
    }
}

/// Cycles a second.
fn clock() -> f64 {
    const LENGTH: u64 = 50_000_000;
    let chain = || {
        let mut number = black_box(1u64);
        for step in 0..LENGTH {
            number = number.wrapping_mul(6_364_136_223_846_793_005) ^ step;
        }
        black_box(number);
    };
    4.0 * LENGTH as f64 / cpu::seconds_of_one(1.0, chain)
}
