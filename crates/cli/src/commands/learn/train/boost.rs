//! Boosting, a classifier for each label, several at a time.

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use anyhow::{Result, bail};
use boughs::model::{About, Classifier, DecisionTree, Ensemble, ModelFile};
use boughs_learn::svmlight::LabelledRows;
use boughs_learn::{
    BoostProgress, Booster, BoosterState, HeldOut, Job, L1Config, Method as Boosting, Target, ZConfig,
    best_penalty, train_many,
};

use super::checkpoint::{CheckpointFile, Saver};
use super::monitor::{Monitor, Step};
use super::{Method, TrainArgs};
use crate::gain::GainName;
use crate::interrupt;
use crate::output::report;

/// The settings of a method, as far as the user gave them; `$last` is where its path ends.
macro_rules! config {
    ($config:ident, $last:ident, $args:expr) => {{
        let default = $config::default();
        $config {
            $last: $args.lambda.unwrap_or(default.$last),
            decay: $args.decay.unwrap_or(default.decay),
            max_trees: $args.trees.unwrap_or(default.max_trees),
            max_active: $args.features.unwrap_or(default.max_active),
            max_depth: $args.depth.unwrap_or(default.max_depth),
            sample_size: $args.sample.unwrap_or(default.sample_size),
            seed: $args.seed,
            ..default
        }
    }};
}

/// A label that has a classifier, what it learns, and how it does on the development rows.
struct Task<'a> {
    label: &'a str,
    target: Target,
    held_out: Option<Mutex<HeldOut<'a>>>,
}

/// All that the classifiers in training share.
struct Run<'a> {
    args: &'a TrainArgs,
    rows: &'a LabelledRows,
    tasks: Vec<Task<'a>>,
    final_penalty: f64,
    monitor: &'a Monitor,
    saver: Option<Saver<'a>>,
    failure: Mutex<Option<anyhow::Error>>,
}

/// Trains to the end; nothing if the user interrupted it.
pub(super) fn train(
    args: &TrainArgs,
    rows: &LabelledRows,
    dev: Option<&LabelledRows>,
    about: &mut About,
    monitor: &Monitor,
) -> Result<Option<ModelFile>> {
    match args.method {
        Method::Zboost if args.gain.is_some() || args.min_gain.is_some() => {
            bail!("--gain and --min-gain are for `--method boost`: leave them out")
        }
        Method::Zboost => {
            let config = config!(ZConfig, final_threshold, args);
            train_with(config, config.final_threshold, args, rows, dev, about, monitor)
        }
        _ => {
            let config = config!(L1Config, final_penalty, args);
            let config = L1Config {
                gain: args.gain.map_or(config.gain, GainName::form),
                min_gain_factor: args.min_gain.unwrap_or(config.min_gain_factor),
                ..config
            };
            train_with(config, config.final_penalty, args, rows, dev, about, monitor)
        }
    }
}

fn train_with<M: Boosting + Send + Sync>(
    config: M,
    final_penalty: f64,
    args: &TrainArgs,
    rows: &LabelledRows,
    dev: Option<&LabelledRows>,
    about: &mut About,
    monitor: &Monitor,
) -> Result<Option<ModelFile>> {
    // The classifier of the second of two labels also decides about the first.
    let labels = &rows.labels[usize::from(rows.labels.len() == 2)..];
    let file = CheckpointFile::new(args, rows)?;
    let checkpoints = match file.as_ref().map(CheckpointFile::load_boosted).transpose()?.flatten() {
        Some(checkpoints) => checkpoints.into_iter().map(Some).collect(),
        None => vec![None; labels.len()],
    };
    let dev_targets = labels.iter().map(|label| dev.map(|dev| dev.target(label)).transpose());
    let dev_targets = dev_targets.collect::<Result<Vec<_>, _>>()?;
    let mut tasks = Vec::new();
    for ((label, dev_target), checkpoint) in labels.iter().zip(&dev_targets).zip(&checkpoints) {
        let held_out = dev.zip(dev_target.as_ref()).map(|(dev, target)| HeldOut::new(&dev.dataset, target));
        let held_out =
            held_out.transpose()?.map(|held_out| Mutex::new(replayed(held_out, checkpoint.as_ref())));
        tasks.push(Task { label, target: rows.target(label)?, held_out });
    }
    let saver = file.as_ref().map(|file| Saver::new(file, about.clone(), labels, &checkpoints));
    let run = Run { args, rows, tasks, final_penalty, monitor, saver, failure: Mutex::new(None) };
    let finished = run.train(config, checkpoints)?;
    if let Some(saver) = &run.saver {
        saver.finish(&finished)?;
    }
    if interrupt::is_interrupted() {
        return Ok(None);
    }
    run.finish(finished, about).map(Some)
}

/// Held-out rows after the trees of a checkpoint.
fn replayed<'a>(mut held_out: HeldOut<'a>, checkpoint: Option<&BoosterState>) -> HeldOut<'a> {
    if let Some(BoosterState { ensemble, .. }) = checkpoint {
        for (tree, &penalty) in ensemble.trees().iter().zip(ensemble.penalties()) {
            held_out.push(tree, penalty);
        }
    }
    held_out
}

impl Run<'_> {
    fn train<M: Boosting + Send + Sync>(
        &self,
        config: M,
        checkpoints: Vec<Option<BoosterState>>,
    ) -> Result<Vec<BoosterState>> {
        let tasks = self.tasks.iter().zip(checkpoints);
        let jobs: Vec<Job<'_, M>> =
            tasks.map(|(task, checkpoint)| Job { target: &task.target, config, checkpoint }).collect();
        let memory = self.args.memory_for_training(&self.rows.dataset)?;
        let finished = train_many(&self.rows.dataset, &jobs, memory, |job, booster, progress| {
            match self.observe(job, booster, progress) {
                Ok(()) if interrupt::is_interrupted() => ControlFlow::Break(()),
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    lock(&self.failure).get_or_insert(error);
                    ControlFlow::Break(())
                }
            }
        })?;
        match lock(&self.failure).take() {
            Some(error) => Err(error),
            None => Ok(finished),
        }
    }

    fn observe<M: Boosting>(
        &self,
        job: usize,
        booster: &Booster<'_, M>,
        progress: &BoostProgress,
    ) -> Result<()> {
        let task = &self.tasks[job];
        let ensemble = booster.ensemble();
        let dev_loss = task.held_out.as_ref().map(|held_out| {
            let mut held_out = lock(held_out);
            if let (Some(tree), Some(&penalty)) = (ensemble.trees().last(), ensemble.penalties().last()) {
                held_out.push(tree, penalty);
            }
            held_out.loss()
        });
        self.monitor.step(&Step {
            task: job,
            label: task.label,
            number: progress.num_trees,
            num_active: progress.num_active,
            penalty: progress.penalty,
            objective: progress.objective,
            dev_loss,
            num_rows: task.target.num_rows(),
            share_done: self.share_done(ensemble, progress),
        })?;
        match &self.saver {
            Some(saver) => saver.tree(job, booster),
            None => Ok(()),
        }
    }

    /// How much of a classifier's work is over, by the limit that is nearest.
    fn share_done(&self, ensemble: &Ensemble, progress: &BoostProgress) -> f64 {
        let trees = self.args.trees.map(|limit| progress.num_trees as f64 / limit as f64);
        let features = self.args.features.map(|limit| progress.num_active as f64 / limit as f64);
        let first = ensemble.penalties().first().copied().unwrap_or(progress.penalty);
        let path = share_of_path(first, progress.penalty, self.final_penalty);
        [trees, features, Some(path)].into_iter().flatten().fold(0.0, f64::max).min(1.0)
    }

    fn finish(self, finished: Vec<BoosterState>, about: &mut About) -> Result<ModelFile> {
        let label = |task: &Task<'_>| task.label.to_owned();
        let labelled = self.tasks.iter().map(label).zip(finished);
        let mut classifiers: Vec<Classifier> =
            labelled.map(|(label, checkpoint)| Classifier { label, ensemble: checkpoint.ensemble }).collect();
        let held_out: Vec<HeldOut<'_>> = self
            .tasks
            .into_iter()
            .filter_map(|task| task.held_out)
            .map(|held_out| held_out.into_inner().unwrap_or_else(PoisonError::into_inner))
            .collect();
        if !held_out.is_empty() {
            cut(&mut classifiers, best_penalty(&held_out), about);
        }
        let num_active = num_active(&classifiers);
        report(format_args!("{} classifiers, {num_active} active features", classifiers.len()));
        about.settings.insert("active_features".to_owned(), num_active.to_string());
        Ok(ModelFile::from_classifiers(about.clone(), &classifiers)?)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How much of the way from the first to the last penalty is over. The number of trees grows about as one over the
/// root of the penalty.
fn share_of_path(first: f64, now: f64, last: f64) -> f64 {
    let trees = |penalty: f64| 1.0 / penalty.sqrt();
    if first <= last { 1.0 } else { (trees(now) - trees(first)) / (trees(last) - trees(first)) }
}

fn num_active(classifiers: &[Classifier]) -> usize {
    let trees = classifiers.iter().flat_map(|classifier| classifier.ensemble.trees());
    trees.map(DecisionTree::num_active).sum()
}

/// Leaves of every classifier what it was at a penalty.
fn cut(classifiers: &mut [Classifier], penalty: f64, about: &mut About) {
    for classifier in classifiers {
        classifier.ensemble = classifier.ensemble.prefix(classifier.ensemble.num_trees_at(penalty));
    }
    report(format_args!("least log-loss on the development rows at penalty {penalty:.6}"));
    about.settings.insert("penalty".to_owned(), penalty.to_string());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_runs_from_nothing_to_all() {
        assert_eq!(share_of_path(100.0, 100.0, 1.0), 0.0);
        assert_eq!(share_of_path(100.0, 1.0, 1.0), 1.0);
        assert!(share_of_path(100.0, 25.0, 1.0) < 0.2);
        assert_eq!(share_of_path(0.5, 0.5, 1.0), 1.0);
    }
}
