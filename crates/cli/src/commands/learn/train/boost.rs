//! Boosting, a classifier for each label, several at a time.

use anyhow::Result;
use boughs::learn::svmlight::LabelledRows;
use boughs::learn::{
    Dataset, HeldOut, L1Booster, L1Config, Progress, Stop, Target, ZBooster, ZConfig, best_penalty,
};
use boughs::model::{About, Classifier, DecisionTree, Ensemble, ModelFile};
use rayon::prelude::*;

use super::monitor::{Monitor, Step};
use super::{Method, TrainArgs};
use crate::output::report;

/// A booster of either kind.
enum Booster<'a> {
    L1(L1Booster<'a>),
    Z(ZBooster<'a>),
}

impl<'a> Booster<'a> {
    fn new(args: &TrainArgs, dataset: &'a Dataset, target: &'a Target) -> Result<Self> {
        Ok(match args.method {
            Method::Zboost => Self::Z(ZBooster::new(dataset, target, z_config(args))?),
            _ => Self::L1(L1Booster::new(dataset, target, l1_config(args))?),
        })
    }

    fn step(&mut self) -> Result<Progress, Stop> {
        match self {
            Self::L1(booster) => booster.step(),
            Self::Z(booster) => booster.step(),
        }
    }

    fn ensemble(&self) -> &Ensemble {
        match self {
            Self::L1(booster) => booster.ensemble(),
            Self::Z(booster) => booster.ensemble(),
        }
    }
}

fn l1_config(args: &TrainArgs) -> L1Config {
    let default = L1Config::default();
    L1Config {
        final_penalty: args.lambda.unwrap_or(default.final_penalty),
        decay: args.decay.unwrap_or(default.decay),
        max_trees: args.trees.unwrap_or(default.max_trees),
        max_active: args.features.unwrap_or(default.max_active),
        max_depth: args.depth.unwrap_or(default.max_depth),
        sample_size: args.sample.unwrap_or(default.sample_size),
        seed: args.seed,
        ..default
    }
}

fn z_config(args: &TrainArgs) -> ZConfig {
    let default = ZConfig::default();
    ZConfig {
        final_threshold: args.lambda.unwrap_or(default.final_threshold),
        decay: args.decay.unwrap_or(default.decay),
        max_trees: args.trees.unwrap_or(default.max_trees),
        max_active: args.features.unwrap_or(default.max_active),
        max_depth: args.depth.unwrap_or(default.max_depth),
        sample_size: args.sample.unwrap_or(default.sample_size),
        seed: args.seed,
        ..default
    }
}

/// A label that has a classifier, what it learns, and what it is measured on.
struct Task<'a> {
    label: &'a str,
    target: Target,
    dev: Option<(&'a Dataset, Target)>,
}

pub(super) fn train(
    args: &TrainArgs,
    rows: &LabelledRows,
    dev: Option<&LabelledRows>,
    about: &mut About,
    monitor: &Monitor,
) -> Result<ModelFile> {
    // The classifier of the second of two labels also decides about the first.
    let skipped = usize::from(rows.labels.len() == 2);
    let tasks =
        rows.labels[skipped..].iter().map(|label| task(label, rows, dev)).collect::<Result<Vec<_>>>()?;
    let trained = tasks
        .par_iter()
        .map(|task| train_one(args, &rows.dataset, task, monitor))
        .collect::<Result<Vec<_>>>()?;
    let (mut classifiers, held_out): (Vec<_>, Vec<_>) = trained.into_iter().unzip();
    let held_out: Vec<HeldOut<'_>> = held_out.into_iter().flatten().collect();
    if !held_out.is_empty() {
        cut(&mut classifiers, best_penalty(&held_out), about);
    }
    let num_active: usize = classifiers
        .iter()
        .flat_map(|classifier| classifier.ensemble.trees())
        .map(DecisionTree::num_active)
        .sum();
    report(format_args!("{} classifiers, {num_active} active features", classifiers.len()));
    about.settings.insert("active_features".to_owned(), num_active.to_string());
    Ok(ModelFile::from_classifiers(about.clone(), &classifiers)?)
}

fn task<'a>(label: &'a str, rows: &LabelledRows, dev: Option<&'a LabelledRows>) -> Result<Task<'a>> {
    let dev = dev.map(|dev| Ok::<_, boughs::Error>((&dev.dataset, dev.target(label)?))).transpose()?;
    Ok(Task { label, target: rows.target(label)?, dev })
}

fn train_one<'t>(
    args: &TrainArgs,
    dataset: &Dataset,
    task: &'t Task<'_>,
    monitor: &Monitor,
) -> Result<(Classifier, Option<HeldOut<'t>>)> {
    let start = monitor.seconds();
    let mut held_out =
        task.dev.as_ref().map(|(dataset, target)| HeldOut::new(dataset, target)).transpose()?;
    let mut booster = Booster::new(args, dataset, &task.target)?;
    let stop = loop {
        let progress = match booster.step() {
            Ok(progress) => progress,
            Err(stop) => break stop,
        };
        if let (Some(held_out), Some(tree)) = (&mut held_out, booster.ensemble().trees().last()) {
            held_out.push(tree, booster.ensemble().penalties().last().copied().unwrap_or(progress.penalty));
        }
        monitor.step(&Step {
            label: task.label,
            number: progress.num_trees,
            num_active: progress.num_active,
            penalty: progress.penalty,
            objective: progress.objective,
            dev_loss: held_out.as_ref().map(HeldOut::loss),
            num_rows: dataset.num_rows(),
            start,
            share_done: share_done(args, &progress),
        })?;
    };
    monitor.note(task.label, describe_stop(stop));
    Ok((Classifier { label: task.label.to_owned(), ensemble: booster.ensemble().clone() }, held_out))
}

/// How much of the run is over, where a limit tells.
fn share_done(args: &TrainArgs, progress: &Progress) -> Option<f64> {
    let trees = args.trees.map(|limit| progress.num_trees as f64 / limit as f64);
    let features = args.features.map(|limit| progress.num_active as f64 / limit as f64);
    [trees, features].into_iter().flatten().max_by(f64::total_cmp)
}

fn describe_stop(stop: Stop) -> &'static str {
    match stop {
        Stop::Penalty => "the penalty would fall below the last one asked for",
        Stop::Active => "as many active features as asked for",
        Stop::Trees => "as many trees as asked for",
        Stop::Exhausted => "no feature can improve it",
        Stop::Observer => "stopped",
    }
}

/// Leaves of every classifier what it was at a penalty.
fn cut(classifiers: &mut [Classifier], penalty: f64, about: &mut About) {
    for classifier in classifiers {
        classifier.ensemble = classifier.ensemble.prefix(classifier.ensemble.num_trees_at(penalty));
    }
    report(format_args!("least log-loss on the development rows at penalty {penalty:.6}"));
    about.settings.insert("penalty".to_owned(), penalty.to_string());
}
