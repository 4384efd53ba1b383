//! Sums over parts of the data that come out the same on any number of threads, and some day of machines.
//!
//! The naive form adds up in whatever order threads come to an end, and floating-point sums then differ from run to
//! run. Here the data are cut into shards whose number does not depend on who computes them; each gives a partial sum,
//! and these are added up in order.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use rayon::prelude::*;

/// A sum over shards.
pub trait Sharded: Sync {
    /// What the shards need beside the data: weights, a grammar.
    type Parameters: ?Sized + Sync;
    /// The sum over a shard.
    type Partial: Send;

    /// How many shards there are; it must follow from the data alone.
    fn num_shards(&self) -> usize;

    /// The sum over a shard.
    fn compute(&self, shard: usize, parameters: &Self::Parameters) -> Self::Partial;
}

/// Shards of so many items each; the last may have fewer. What `compute` needs beside them, it brings along.
#[derive(Debug)]
pub struct Chunks<'d, T, F> {
    /// All items.
    pub items: &'d [T],
    /// How many make a shard.
    pub size: usize,
    /// The sum over a shard.
    pub compute: F,
}

impl<T: Sync, P: Send, F: Fn(&[T]) -> P + Sync> Sharded for Chunks<'_, T, F> {
    type Parameters = ();
    type Partial = P;

    fn num_shards(&self) -> usize {
        self.items.len().div_ceil(self.size)
    }

    fn compute(&self, shard: usize, (): &()) -> P {
        let start = shard * self.size;
        (self.compute)(&self.items[start..(start + self.size).min(self.items.len())])
    }
}

/// Partial sums that are in memory at a time, or one for each thread if those are more.
const WAVE: usize = 8;

/// Computes all shards on the threads of the current pool, and calls `reduce` with each partial sum, in order.
pub fn reduce<S: Sharded + ?Sized>(work: &S, parameters: &S::Parameters, mut reduce: impl FnMut(S::Partial)) {
    let all: Vec<usize> = (0..work.num_shards()).collect();
    for wave in all.chunks(WAVE.max(rayon::current_num_threads())) {
        let partials: Vec<S::Partial> =
            wave.par_iter().map(|&shard| work.compute(shard, parameters)).collect();
        partials.into_iter().for_each(&mut reduce);
    }
}

/// The same for shards that take long and have threads of their own: as many workers as wanted take them up in this
/// order, and all partial sums are kept until the last is there.
pub fn reduce_apart<S: Sharded<Partial: Sync>>(
    work: &S,
    parameters: &S::Parameters,
    order: &[usize],
    num_workers: usize,
    reduce: impl FnMut(S::Partial),
) {
    let partials: Vec<OnceLock<S::Partial>> = (0..work.num_shards()).map(|_| OnceLock::new()).collect();
    let next = AtomicUsize::new(0);
    let take = || {
        while let Some(&shard) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            partials[shard].get_or_init(|| work.compute(shard, parameters));
        }
    };
    thread::scope(|scope| (0..num_workers).for_each(|_| drop(scope.spawn(take))));
    partials.into_iter().filter_map(OnceLock::into_inner).for_each(reduce);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_do_not_change_a_bit() {
        let items: Vec<f32> = (0..1000).map(|number| 1.0 / (number as f32 + 0.3)).collect();
        let compute = |items: &[f32]| items.iter().map(|item| 3.0 * item * item).sum::<f32>();
        let work = Chunks { items: &items, size: 7, compute };
        let total = |num_threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(num_threads).build().unwrap();
            let mut sum = 0.0f32;
            pool.install(|| reduce(&work, &(), |partial| sum += partial));
            sum.to_bits()
        };
        assert_eq!(total(1), total(5));
        for num_workers in [1, 4] {
            let mut sum = 0.0f32;
            let backwards: Vec<usize> = (0..work.num_shards()).rev().collect();
            reduce_apart(&work, &(), &backwards, num_workers, |partial| sum += partial);
            assert_eq!(sum.to_bits(), total(1));
        }
    }
}
