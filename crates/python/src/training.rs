//! Training: a run of the library's loop in other threads, which Python watches and may break off.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use boughs::parser::Parser;
use boughs::train::{
    ConditionalConfig, CrfConfig, Event, LatentConfig, NeuralConfig, Observer, PcfgConfig, Recipe,
    RunOptions, Step, Trained, TransitionConfig, over_toml, remove_checkpoint, run, to_toml,
};
use boughs::tree::Tree;
use boughs::treebank::Treebank;
use boughs_learn::run::Model;
use pyo3::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::background::{poll, start};
use crate::error::{OrRaise, argument};
use crate::json::{from_python, to_python};
use crate::parser::PyParser;
use crate::tree::PyTree;

/// The share of the training trees that is held out where nobody says what to measure on.
const HELD_OUT: f64 = 0.1;

/// What Python is told of a run.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case", tag = "event")]
enum Report {
    Note { text: String },
    Progress { share: Option<f64>, text: String },
    Step { number: usize, step: Step },
}

/// Collects what there is to tell until Python asks, and takes its wish to break off.
#[derive(Default)]
struct Watcher {
    reports: Mutex<Vec<Report>>,
    is_interrupted: AtomicBool,
}

impl Watcher {
    fn push(&self, report: Report) {
        let mut reports = self.reports.lock().unwrap_or_else(PoisonError::into_inner);
        // Where a step stands is told when Python asks; what came before is of no use then.
        if let (Report::Progress { .. }, Some(Report::Progress { .. })) = (&report, reports.last()) {
            reports.pop();
        }
        reports.push(report);
    }

    fn take(&self) -> Vec<Report> {
        std::mem::take(&mut *self.reports.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Observer for Watcher {
    fn see(&self, event: &Event<'_>) {
        match event {
            Event::Note(text) => self.push(Report::Note { text: text.to_string() }),
            Event::Progress { share, text } => {
                self.push(Report::Progress { share: *share, text: text.to_string() });
            }
            Event::Resumed { steps } => {
                self.push(Report::Note { text: format!("goes on after {} steps", steps.len()) });
            }
            Event::Measuring => self.push(Report::Progress { share: None, text: "measuring".to_owned() }),
            Event::Step { steps } => {
                if let Some(step) = steps.last() {
                    self.push(Report::Step { number: steps.len(), step: step.clone() });
                }
            }
        }
    }

    fn is_interrupted(&self) -> bool {
        self.is_interrupted.load(Ordering::Relaxed)
    }
}

/// Runs a recipe in other threads and tells `on_report` what happens. If that raises, or the user presses Ctrl-C, the
/// run ends with a checkpoint, if it has one, and the exception is raised; whoever presses Ctrl-C again does not wait.
pub(crate) fn watched<R>(
    py: Python<'_>,
    recipe: R,
    train: Arc<R::Data>,
    dev: Option<Arc<R::Data>>,
    saved: (Option<PathBuf>, bool),
    threads: Option<usize>,
    on_report: &Bound<'_, PyAny>,
) -> PyResult<Trained<R::Model>>
where
    R: Recipe<Data: Send + Sync + 'static, Model: Send + 'static> + Send + Sync + 'static,
{
    let watcher = Arc::new(Watcher::default());
    let observer = Arc::clone(&watcher);
    let trained = start(py, threads, move || {
        let options = RunOptions { checkpoint: saved.0.as_deref(), resume: saved.1, observer: &*observer };
        run(&recipe, &train, dev.as_deref(), options)
    })?;
    let mut raised: Option<PyErr> = None;
    loop {
        let ended = poll(py, &trained)?;
        let signal = py.check_signals();
        if raised.is_some() {
            signal?;
        } else if let Err(error) = signal.and_then(|()| report(py, &watcher, on_report)) {
            watcher.is_interrupted.store(true, Ordering::Relaxed);
            raised = Some(error);
        }
        match (ended, raised.take()) {
            (None, error) => raised = error,
            (Some(_), Some(error)) => return Err(error),
            (Some(result), None) => {
                report(py, &watcher, on_report)?;
                let message = "the run was broken off, and nobody did it";
                return result.or_raise(py)?.ok_or_else(|| argument(py, message, "report this"));
            }
        }
    }
}

fn report(py: Python<'_>, watcher: &Watcher, on_report: &Bound<'_, PyAny>) -> PyResult<()> {
    for report in watcher.take() {
        on_report.call1((to_python(py, &report)?,))?;
    }
    Ok(())
}

/// What a training of Python is about, beside the recipe.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct RunRequest {
    settings: Py<PyAny>,
    out: Option<PathBuf>,
    checkpoint: Option<PathBuf>,
    resume: bool,
    threads: Option<usize>,
    name: String,
    version: String,
    note: String,
}

/// Settings with those of a dictionary in place of their own; names have underscores in Python.
pub(crate) fn with_settings<T>(settings: &T, changes: &Bound<'_, PyAny>) -> PyResult<T>
where
    T: Serialize + DeserializeOwned,
{
    let py = changes.py();
    let text = to_toml(&from_python(changes)?).or_raise(py)?;
    over_toml(settings, &text).or_raise(py)
}

/// Trains a parser and writes it, if a file is named.
#[pyfunction]
pub(crate) fn train_parser(
    py: Python<'_>,
    method: &str,
    train: Vec<PyRef<'_, PyTree>>,
    dev: Option<Vec<PyRef<'_, PyTree>>>,
    request: RunRequest,
    on_report: &Bound<'_, PyAny>,
) -> PyResult<PyParser> {
    let plain =
        |trees: Vec<PyRef<'_, PyTree>>| trees.iter().map(|tree| tree.0.tree.clone()).collect::<Vec<_>>();
    let data = Data { train: plain(train), dev: dev.map(plain) };
    let recommended = || LatentConfig { grammars: 2, with_tagger: true, ..LatentConfig::default() };
    match method {
        "recommended" => data.holding_out().train(py, &recommended(), request, on_report),
        "latent" => data.train(py, &LatentConfig::default(), request, on_report),
        "conditional" => data.train(py, &ConditionalConfig::default(), request, on_report),
        "crf" => data.train(py, &CrfConfig::default(), request, on_report),
        "pcfg" => data.train(py, &PcfgConfig::default(), request, on_report),
        "boosted" => data.train(py, &TransitionConfig::default(), request, on_report),
        "neural" => data.train(py, &NeuralConfig::default(), request, on_report),
        _ => Err(argument(
            py,
            format!("there is no method `{method}` that trains a parser"),
            "there are recommended, latent, conditional, crf, pcfg, boosted, neural",
        )),
    }
}

struct Data {
    train: Vec<Tree>,
    dev: Option<Vec<Tree>>,
}

impl Data {
    /// The same, with development trees held out if there are none.
    fn holding_out(self) -> Self {
        if self.dev.is_some() {
            return self;
        }
        let (kept, held_out) = Treebank::from(self.train).hold_out(HELD_OUT);
        Self { train: kept.into_trees(), dev: Some(held_out.into_trees()).filter(|trees| !trees.is_empty()) }
    }

    fn train<R>(
        self,
        py: Python<'_>,
        recipe: &R,
        request: RunRequest,
        on_report: &Bound<'_, PyAny>,
    ) -> PyResult<PyParser>
    where
        R: Recipe<Data = [Tree], Model = Parser> + Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        let recipe = with_settings(recipe, request.settings.bind(py))?;
        let facts =
            [("training-trees", self.train.len()), ("dev-trees", self.dev.as_ref().map_or(0, Vec::len))];
        let saved = (request.checkpoint.clone(), request.resume);
        let (train, dev) = (self.train.into(), self.dev.map(Into::into));
        let trained = watched(py, recipe, train, dev, saved, request.threads, on_report)?;
        let mut parser = trained.model;
        let about = parser.about_mut();
        (about.name, about.version, about.data) = (request.name, request.version, request.note);
        let known = facts.iter().filter(|(_, number)| *number > 0);
        about.settings.extend(known.map(|(name, number)| ((*name).to_owned(), number.to_string())));
        if let Some(out) = &request.out {
            Model::to_file(&parser).and_then(|file| file.save(out)).or_raise(py)?;
        }
        if let Some(checkpoint) = &request.checkpoint {
            remove_checkpoint(checkpoint).or_raise(py)?;
        }
        Ok(PyParser::new(parser, None))
    }
}
