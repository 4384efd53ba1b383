//! Sums over parts of the data that come out the same on any number of threads, and some day of machines.
//!
//! The naive form adds up in whatever order threads come to an end, and floating-point sums then differ from run to
//! run. Here the data are cut into shards whose number does not depend on who computes them; each gives a partial sum,
//! and these are added up in order.
//!
//! *Machines.* Several processes may make the same run side by side, each with all of the data ([`Peers`]): all have
//! the same state, so that nothing but partial sums and totals travels. Each computes a part of the shards; the one
//! that leads adds them up, in order, and gives the total to all. Whoever has the data can compute any shard: the part
//! of a process that was lost is computed by the one that leads.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use rayon::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use xxhash_rust::xxh3::xxh3_64;

use crate::error::{Error, ErrorKind, Result};

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

    /// The sums over some shards, on the threads of the current pool; `give` gets each, in order.
    fn compute_range(
        &self,
        shards: Range<usize>,
        parameters: &Self::Parameters,
        give: &mut dyn FnMut(Self::Partial),
    ) {
        let all: Vec<usize> = shards.collect();
        for wave in all.chunks(WAVE.max(rayon::current_num_threads())) {
            let partials: Vec<Self::Partial> =
                wave.par_iter().map(|&shard| self.compute(shard, parameters)).collect();
            partials.into_iter().for_each(&mut *give);
        }
    }
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
    work.compute_range(0..work.num_shards(), parameters, &mut reduce);
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

/// The process that leads, as its engine connects it to those that follow.
pub trait Lead: Sync {
    /// Called between two steps: processes may join here, from the checkpoint that `checkpoint` gives. Before the first
    /// step it is empty, and they begin as this one did.
    ///
    /// # Errors
    /// If there is no checkpoint.
    fn admit(&self, checkpoint: &dyn Fn() -> Result<Vec<u8>>) -> Result<()>;

    /// Asks all that follow for a part of the next sum; how many there are.
    fn ask(&self) -> usize;

    /// What came of a part; nothing if its process was lost.
    fn answer(&self, part: usize) -> Option<Vec<u8>>;

    /// Gives a total, or something else that is known to the one that leads, to all that follow.
    fn spread(&self, total: Vec<u8>);
}

/// A process that follows, as its engine connects it to the one that leads.
pub trait Follow: Sync {
    /// Waits until a part of the next sum is asked for: which one, of how many. Nothing if nobody leads any more; then
    /// the run is to be broken off.
    fn asked(&self) -> Option<(usize, usize)>;

    /// What came of the part.
    fn answer(&self, partials: Vec<u8>);

    /// Waits for what the process that leads has spread; nothing as above.
    fn total(&self) -> Option<Vec<u8>>;
}

/// The other processes that make the same run.
#[derive(Clone, Copy)]
pub enum Peers<'p> {
    /// They follow.
    Lead(&'p dyn Lead),
    /// One of them leads.
    Follow(&'p dyn Follow),
}

/// The total of a sum whose shards are shared out among processes; the same as of [`reduce`], in each of them.
pub fn all_reduce<S, A>(
    peers: Option<Peers<'_>>,
    work: &S,
    parameters: &S::Parameters,
    mut total: A,
    mut add: impl FnMut(&mut A, S::Partial),
) -> A
where
    S: Sharded<Partial: Serialize + DeserializeOwned> + ?Sized,
    A: Serialize + DeserializeOwned,
{
    let all = work.num_shards();
    match peers {
        Some(Peers::Lead(lead)) => {
            let num_parts = lead.ask();
            for part in 0..num_parts {
                let shards = part_of(all, part, num_parts);
                let partials: Option<Vec<S::Partial>> =
                    lead.answer(part).and_then(|bytes| from_bytes(&bytes));
                match partials.filter(|partials| partials.len() == shards.len()) {
                    Some(partials) => partials.into_iter().for_each(|partial| add(&mut total, partial)),
                    None => work.compute_range(shards, parameters, &mut |partial| add(&mut total, partial)),
                }
            }
            if num_parts > 0 {
                lead.spread(to_bytes(&total));
                return total;
            }
        }
        Some(Peers::Follow(follow)) => {
            if let Some((part, num_parts)) = follow.asked() {
                let mut partials = Vec::new();
                let shards = part_of(all, part, num_parts);
                work.compute_range(shards, parameters, &mut |partial| partials.push(partial));
                follow.answer(to_bytes(&partials));
                if let Some(total) = follow.total().and_then(|bytes| from_bytes(&bytes)) {
                    return total;
                }
            }
        }
        None => {}
    }
    reduce(work, parameters, |partial| add(&mut total, partial));
    total
}

/// What the process that leads knows, in each.
///
/// # Errors
/// If it cannot be known, or nobody leads any more.
pub fn share<T: Serialize + DeserializeOwned>(
    peers: Option<Peers<'_>>,
    know: impl FnOnce() -> Result<T>,
) -> Result<T> {
    match peers {
        None => know(),
        Some(Peers::Lead(lead)) => {
            let known = know()?;
            lead.spread(to_bytes(&known));
            Ok(known)
        }
        Some(Peers::Follow(follow)) => follow.total().and_then(|bytes| from_bytes(&bytes)).ok_or_else(|| {
            let message = "the process that leads this run is gone, or of another version";
            Error::new(ErrorKind::Mismatch, message).hint("install the same version everywhere")
        }),
    }
}

/// The shards of a part.
fn part_of(num_shards: usize, part: usize, num_parts: usize) -> Range<usize> {
    num_shards * part / num_parts..num_shards * (part + 1) / num_parts
}

/// Before all that travels: its version.
const MAGIC: [u8; 8] = *b"boughsP1";
const CHECKSUM: usize = size_of::<u64>();

/// As it travels: its version, the thing itself, a checksum. What does not fit is empty, and then whoever gets it
/// computes it.
fn to_bytes(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = postcard::to_extend(value, MAGIC.to_vec()).unwrap_or_default();
    bytes.extend(xxh3_64(&bytes).to_le_bytes());
    bytes
}

/// Nothing if it was damaged, or is of another version.
fn from_bytes<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    let (rest, checksum) = bytes.split_at_checked(bytes.len().checked_sub(CHECKSUM)?)?;
    let is_whole = xxh3_64(rest).to_le_bytes() == checksum;
    postcard::from_bytes(rest.strip_prefix(&MAGIC).filter(|_| is_whole)?).ok()
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

    #[test]
    fn what_travels_is_checked() {
        let value = vec![(3u32, 0.5f32), (7, -1.0)];
        let bytes = to_bytes(&value);
        assert_eq!(from_bytes::<Vec<(u32, f32)>>(&bytes), Some(value));
        for place in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1;
            assert_eq!(from_bytes::<Vec<(u32, f32)>>(&damaged), None, "{place}");
            assert_eq!(from_bytes::<Vec<(u32, f32)>>(&bytes[..place]), None, "{place}");
        }
    }

    #[test]
    fn each_shard_is_in_one_part() {
        for (num_shards, num_parts) in [(0, 3), (2, 5), (20, 3), (7, 7)] {
            let parts = (0..num_parts).flat_map(|part| part_of(num_shards, part, num_parts));
            assert!(parts.eq(0..num_shards));
        }
    }
}
