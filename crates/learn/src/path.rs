//! Many classifiers side by side down the path of penalties, as recipes walk it: in steps, each to a lower penalty.
//!
//! The naive form trains every classifier to the end and then asks where on the path it was best. In steps there is a
//! model early, and a run that is broken off has lost one step at most. Steps do not change the path: a classifier goes
//! on from its [`BoosterState`] as if it had never stopped.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use super::booster::Method;
use super::config::{L1Config, ZConfig};
use super::dataset::Dataset;
use super::many::{Job, train_many};
use super::progress::BoosterState;
use super::target::Target;
use crate::error::Result;
use crate::run::Watch;

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
    let jobs = tasks.iter().enumerate().map(|(index, task)| {
        let checkpoint = states.get(index).cloned();
        Job { target: task.target, config, checkpoint }
    });
    let jobs: Vec<Job<'_, M>> = jobs.collect();
    let is_broken_off = AtomicBool::new(false);
    let states = train_many(dataset, &jobs, memory, |job, _, progress| {
        let (label, num_trees, now) = (tasks[job].label, progress.num_trees, progress.penalty);
        let text = format_args!("to penalty {end:.3}, {label}: {num_trees} trees, at {now:.3}");
        let flow = watch.progress(None, text);
        is_broken_off.fetch_or(flow.is_break(), Ordering::Relaxed);
        flow
    })?;
    let flow = if is_broken_off.into_inner() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    Ok((states, flow))
}
