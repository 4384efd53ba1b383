//! Several classifiers over one dataset at once, within a memory budget.
//!
//! Classifiers do not depend on one another, so any number may run side by side with the same results. The hardest
//! start first: the last to finish should be a short one. Each is a shard ([`shards`](crate::shards)). While there are
//! as many as threads, each has a thread of its own; once there are fewer, those that are left share the threads that
//! became free. Threads are not shared otherwise: one that waited for its own work would take up that of another
//! classifier, and its own would wait until that is done.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::booster::{Booster, Method};
use super::dataset::Dataset;
use super::progress::{BoostProgress, BoosterState};
use super::target::Target;
use crate::error::{Error, ErrorKind, Result};
use crate::shards::{Chunks, reduce_apart};

/// Scores, weights, and the examples of a leaf that holds every row.
const BYTES_PER_ROW: usize = 64;

/// The root's histogram, its copy, a table of what was touched, and the nodes that wait; every further thread that
/// takes a share of the rows needs another.
const TABLES: usize = 6;

/// One classifier to learn.
#[derive(Debug, Clone)]
pub struct Job<'a, M> {
    /// What it is to learn.
    pub target: &'a Target,
    /// How.
    pub config: M,
    /// Where to go on, if not from the start.
    pub checkpoint: Option<BoosterState>,
}

/// About how much memory a classifier takes while it learns, besides dataset and target.
pub fn working_bytes(dataset: &Dataset) -> usize {
    let num_tables = TABLES + rayon::current_num_threads() - 1;
    dataset.num_rows() * BYTES_PER_ROW + dataset.num_features() * 8 * num_tables
}

/// Learns all classifiers, as many side by side as the threads of the current pool and `memory` bytes allow, but at
/// least one. `observe` is called after each tree with the number of the job and may break it off. What comes back
/// has the trees, and all that it takes to go on with other settings.
///
/// # Errors
/// The error of the first job whose settings are out of range or whose target does not fit the dataset.
pub fn train_many<M: Method + Send + Sync>(
    dataset: &Dataset,
    jobs: &[Job<'_, M>],
    memory: usize,
    observe: impl Fn(usize, &Booster<'_, M>, &BoostProgress) -> ControlFlow<()> + Sync,
) -> Result<Vec<BoosterState>> {
    let num_threads = rayon::current_num_threads();
    let num_workers = (memory / working_bytes(dataset).max(1)).clamp(1, num_threads).min(jobs.len());
    let num_left = AtomicUsize::new(jobs.len());
    let train = |job: &[usize]| {
        let mut threads = ThreadShare { num_threads, num_workers, num_left: &num_left, pool: None };
        let observe = |booster: &Booster<'_, M>, progress: &BoostProgress| observe(job[0], booster, progress);
        let trained = train(dataset, &jobs[job[0]], &mut threads, observe);
        num_left.fetch_sub(1, Ordering::Relaxed);
        trained
    };
    let mut trained = Vec::new();
    let numbers: Vec<usize> = (0..jobs.len()).collect();
    let work = Chunks { items: &numbers, size: 1, compute: train };
    let order = hardest_first(jobs.iter().map(|job| job.target));
    reduce_apart(&work, &(), &order, num_workers, |one| trained.push(one));
    trained.into_iter().collect()
}

/// The threads of one classifier: its share of all, which grows as others come to their end.
struct ThreadShare<'a> {
    num_threads: usize,
    num_workers: usize,
    num_left: &'a AtomicUsize,
    pool: Option<ThreadPool>,
}

impl ThreadShare<'_> {
    /// A pool of as many threads as the classifier may use now.
    fn pool(&mut self) -> Result<&ThreadPool> {
        let num_busy = self.num_left.load(Ordering::Relaxed).clamp(1, self.num_workers);
        let share = self.num_threads.div_ceil(num_busy);
        let pool = match self.pool.take() {
            Some(pool) if pool.current_num_threads() == share => pool,
            _ => new_pool(share)?,
        };
        Ok(self.pool.insert(pool))
    }
}

fn new_pool(num_threads: usize) -> Result<ThreadPool> {
    ThreadPoolBuilder::new().num_threads(num_threads).build().map_err(|error| {
        Error::new(ErrorKind::Io, format!("cannot start {num_threads} threads: {error}"))
            .hint("allow fewer threads")
    })
}

fn train<M: Method + Send + Sync>(
    dataset: &Dataset,
    job: &Job<'_, M>,
    threads: &mut ThreadShare<'_>,
    observe: impl Fn(&Booster<'_, M>, &BoostProgress) -> ControlFlow<()> + Sync,
) -> Result<BoosterState> {
    let mut booster = threads.pool()?.install(|| match &job.checkpoint {
        Some(checkpoint) => Booster::resume(dataset, job.target, job.config, checkpoint),
        None => Booster::new(dataset, job.target, job.config),
    })?;
    loop {
        let is_over = threads.pool()?.install(|| match booster.step() {
            Ok(progress) => observe(&booster, &progress).is_break(),
            Err(_) => true,
        });
        if is_over {
            return Ok(booster.into_checkpoint());
        }
    }
}

/// The more weight the rarer class has, the more there is to learn.
pub(super) fn hardest_first<'t>(targets: impl Iterator<Item = &'t Target>) -> Vec<usize> {
    let difficulty = |target: &Target| {
        let positive: f64 = (0..target.num_rows()).map(|row| target.signed_bias(row).max(0.0)).sum();
        positive.min(target.total_bias() - positive)
    };
    let difficulties: Vec<f64> = targets.map(difficulty).collect();
    let mut order: Vec<usize> = (0..difficulties.len()).collect();
    order.sort_by(|&a, &b| difficulties[b].total_cmp(&difficulties[a]));
    order
}

#[cfg(test)]
mod tests {
    use std::sync::OnceLock;

    use super::*;
    use crate::rng::Rng;
    use crate::{DatasetBuilder, L1Config};

    fn problem() -> (Dataset, Vec<Target>) {
        let mut rng = Rng::new(1);
        let mut builder = DatasetBuilder::new();
        let rows: Vec<Vec<u32>> = (0..300).map(|_| (0..6).map(|_| rng.below(30) as u32).collect()).collect();
        rows.iter().for_each(|row| builder.push_row(row).unwrap());
        let target = |feature| Target::from_labels(rows.iter().map(|row| row.contains(&feature)));
        (builder.finish(), (0..5).map(target).collect())
    }

    #[test]
    fn each_learns_as_it_would_alone() {
        let (dataset, targets) = problem();
        let config = L1Config { max_trees: 6, ..L1Config::default() };
        let jobs: Vec<Job<'_, L1Config>> =
            targets.iter().map(|target| Job { target, config, checkpoint: None }).collect();
        let alone: Vec<BoosterState> = jobs
            .iter()
            .map(|job| {
                let mut booster = Booster::new(&dataset, job.target, job.config).unwrap();
                booster.run(|_, _| ControlFlow::Continue(()));
                booster.into_checkpoint()
            })
            .collect();
        for memory in [0, usize::MAX] {
            let pool = ThreadPoolBuilder::new().num_threads(3).build().unwrap();
            let together =
                pool.install(|| train_many(&dataset, &jobs, memory, |_, _, _| ControlFlow::Continue(())));
            assert_eq!(together.unwrap(), alone);
        }
    }

    #[test]
    fn jobs_are_broken_off_and_taken_up_again() {
        let (dataset, targets) = problem();
        let config = L1Config { max_trees: 6, ..L1Config::default() };
        let job = Job { target: &targets[0], config, checkpoint: None };
        let checkpoint = OnceLock::new();
        let broken_off = train_many(&dataset, std::slice::from_ref(&job), 0, |_, booster, progress| {
            if progress.num_trees < 2 {
                return ControlFlow::Continue(());
            }
            checkpoint.get_or_init(|| booster.checkpoint());
            ControlFlow::Break(())
        });
        assert_eq!(broken_off.unwrap()[0].ensemble.trees().len(), 2);
        let again = Job { checkpoint: checkpoint.into_inner(), ..job.clone() };
        let go_on = |jobs: &[Job<'_, L1Config>]| {
            train_many(&dataset, jobs, 0, |_, _, _| ControlFlow::Continue(())).unwrap()
        };
        assert_eq!(go_on(&[again]), go_on(&[job]));
    }

    #[test]
    fn a_job_that_cannot_start_is_an_error() {
        let (dataset, targets) = problem();
        let config = L1Config { max_depth: 0, ..L1Config::default() };
        let job = Job { target: &targets[0], config, checkpoint: None };
        assert!(train_many(&dataset, &[job], 0, |_, _, _| ControlFlow::Continue(())).is_err());
    }
}
