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

/// A number of shards, and what computes one: for sums whose parameters a closure may hold.
impl<P: Send, F: Fn(usize) -> P + Sync> Sharded for (usize, F) {
    type Parameters = ();
    type Partial = P;

    fn num_shards(&self) -> usize {
        self.0
    }

    fn compute(&self, shard: usize, (): &()) -> P {
        self.1(shard)
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
pub fn reduce_apart<S: Sharded + ?Sized>(
    work: &S,
    parameters: &S::Parameters,
    order: &[usize],
    num_workers: usize,
    reduce: impl FnMut(S::Partial),
) where
    S::Partial: Sync,
{
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

    struct Squares(Vec<f32>);

    impl Sharded for Squares {
        type Parameters = f32;
        type Partial = f32;

        fn num_shards(&self) -> usize {
            self.0.len().div_ceil(7)
        }

        fn compute(&self, shard: usize, factor: &f32) -> f32 {
            let items = &self.0[7 * shard..(7 * shard + 7).min(self.0.len())];
            items.iter().map(|item| factor * item * item).sum()
        }
    }

    #[test]
    fn threads_do_not_change_a_bit() {
        let work = Squares((0..1000).map(|number| 1.0 / (number as f32 + 0.3)).collect());
        let total = |num_threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(num_threads).build().unwrap();
            let mut sum = 0.0f32;
            pool.install(|| reduce(&work, &3.0, |partial| sum += partial));
            sum.to_bits()
        };
        assert_eq!(total(1), total(5));
        for num_workers in [1, 4] {
            let mut sum = 0.0f32;
            let backwards: Vec<usize> = (0..work.num_shards()).rev().collect();
            reduce_apart(&work, &3.0, &backwards, num_workers, |partial| sum += partial);
            assert_eq!(sum.to_bits(), total(1));
        }
    }
}
