//! Many classifiers side by side down the path of penalties, as recipes walk it: in steps, each to a lower penalty.
//!
//! The naive form trains every classifier to the end and then asks where on the path it was best. In steps there is a
//! model early, and a run that is broken off has lost one step at most. Steps do not change the path: a classifier goes
//! on from its [`BoosterState`] as if it had never stopped.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::booster::{Booster, Method};
use super::config::{L1Config, ZConfig};
use super::dataset::Dataset;
use super::many::{Job, hardest_first, train_many};
use super::progress::{BoostProgress, BoosterState};
use super::target::Target;
use crate::error::{Error, ErrorKind, Result};
use crate::run::Watch;
use crate::shards::Sharded;

/// How classifiers are boosted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BoostingLearner {
    /// l1-regularised boosting (Turian & Melamed 2006).
    L1(L1Config),
    /// Boosting by reductions of Z (Turian & Melamed 2005).
    Z(ZConfig),
}

/// A classifier that learns beside others.
#[derive(Debug, Clone, Copy)]
pub struct PathTask<'a> {
    /// What it is called.
    pub label: &'a str,
    /// What it is to learn.
    pub target: &'a Target,
}

impl BoostingLearner {
    /// Checks every setting.
    ///
    /// # Errors
    /// If one is out of its range.
    pub fn check(&self) -> Result<()> {
        match self {
            Self::L1(config) => config.check(),
            Self::Z(config) => config.check(),
        }
    }

    /// The penalty at the end of the path.
    pub fn final_penalty(&self) -> f64 {
        match self {
            Self::L1(config) => config.final_penalty,
            Self::Z(config) => config.final_threshold,
        }
    }

    /// The same with another end of the path.
    #[must_use]
    pub fn with_final_penalty(self, penalty: f64) -> Self {
        match self {
            Self::L1(config) => Self::L1(L1Config { final_penalty: penalty, ..config }),
            Self::Z(config) => Self::Z(ZConfig { final_threshold: penalty, ..config }),
        }
    }

    /// The same with another seed.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        match self {
            Self::L1(config) => Self::L1(L1Config { seed, ..config }),
            Self::Z(config) => Self::Z(ZConfig { seed, ..config }),
        }
    }

    /// Trains every classifier to the end of the path, from where it stands; those that have not begun have no state.
    /// Also tells whether the observer broke off: classifiers then stand anywhere before the end, and can go on.
    ///
    /// # Errors
    /// If a setting is out of its range, or a target does not fit the dataset.
    pub fn boost(
        &self,
        dataset: &Dataset,
        tasks: &[PathTask<'_>],
        states: &[BoosterState],
        memory: usize,
        watch: &Watch<'_>,
    ) -> Result<(Vec<BoosterState>, ControlFlow<()>)> {
        let end = self.final_penalty();
        match *self {
            Self::L1(config) => boost_all(config, dataset, tasks, states, memory, end, watch),
            Self::Z(config) => boost_all(config, dataset, tasks, states, memory, end, watch),
        }
    }
}

fn boost_all<M: Method + Send + Sync>(
    config: M,
    dataset: &Dataset,
    tasks: &[PathTask<'_>],
    states: &[BoosterState],
    memory: usize,
    end: f64,
    watch: &Watch<'_>,
) -> Result<(Vec<BoosterState>, ControlFlow<()>)> {
    let order = dealt(&hardest_first(tasks.iter().map(|task| task.target)));
    let job =
        |&index: &usize| Job { target: tasks[index].target, config, checkpoint: states.get(index).cloned() };
    let jobs: Vec<Job<'_, M>> = order.iter().map(job).collect();
    let is_broken_off = AtomicBool::new(false);
    let observe = |job: usize, progress: &BoostProgress| {
        let (label, num_trees, now) = (tasks[order[job]].label, progress.num_trees, progress.penalty);
        let text = format_args!("to penalty {end:.3}, {label}: {num_trees} trees, at {now:.3}");
        let flow = watch.progress(None, text);
        is_broken_off.fetch_or(flow.is_break(), Ordering::Relaxed);
        flow
    };
    let work = Classifiers { dataset, jobs: &jobs, memory, observe, failure: Mutex::default() };
    let trained = watch.sum(&work, &(), Vec::with_capacity(jobs.len()), Vec::push);
    let failure = work.failure.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut trained: Vec<(usize, Option<BoosterState>)> = order.into_iter().zip(trained).collect();
    trained.sort_by_key(|&(index, _)| index);
    let trained: Option<Vec<BoosterState>> = trained.into_iter().map(|(_, state)| state).collect();
    let trained = trained.ok_or_else(|| failure.unwrap_or_else(elsewhere))?;
    let flow = if is_broken_off.into_inner() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    Ok((trained, flow))
}

fn elsewhere() -> Error {
    Error::new(ErrorKind::Mismatch, "another process could not train its classifiers")
        .hint("its log says why")
}

/// Classifiers as shards: each process of a run trains some of them, with threads and memory of its own.
struct Classifiers<'a, M, O> {
    dataset: &'a Dataset,
    jobs: &'a [Job<'a, M>],
    memory: usize,
    observe: O,
    failure: Mutex<Option<Error>>,
}

impl<M: Method + Send + Sync, O> Sharded for Classifiers<'_, M, O>
where
    O: Fn(usize, &BoostProgress) -> ControlFlow<()> + Sync,
{
    type Parameters = ();
    type Partial = Option<BoosterState>;

    fn num_shards(&self) -> usize {
        self.jobs.len()
    }

    fn compute(&self, shard: usize, (): &()) -> Option<BoosterState> {
        let mut only = None;
        self.compute_range(shard..shard + 1, &(), &mut |state| only = state);
        only
    }

    fn compute_range(&self, shards: Range<usize>, (): &(), give: &mut dyn FnMut(Option<BoosterState>)) {
        let (first, jobs) = (shards.start, &self.jobs[shards]);
        if jobs.is_empty() {
            return;
        }
        let observe =
            |job: usize, _: &Booster<'_, M>, progress: &BoostProgress| (self.observe)(first + job, progress);
        match train_many(self.dataset, jobs, self.memory, observe) {
            Ok(states) => states.into_iter().for_each(|state| give(Some(state))),
            Err(error) => {
                *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                jobs.iter().for_each(|_| give(None));
            }
        }
    }
}

/// A list such that parts of it, however many, have about as much of its beginning each: the place of an element has
/// the bits of its rank, the last bit first.
fn dealt(ranked: &[usize]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..ranked.len()).collect();
    places.sort_by_key(|rank| rank.reverse_bits());
    places.into_iter().map(|rank| ranked[rank]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_has_some_of_the_hardest() {
        assert_eq!(dealt(&[7, 6, 5, 4, 3, 2, 1, 0]), [7, 3, 5, 1, 6, 2, 4, 0]);
        assert_eq!(dealt(&[1, 0, 2]), [1, 2, 0]);
    }
}
