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
use boughs_learn::shards::Peers;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::background::{poll, start};
use crate::error::{OrRaise, argument};
use crate::json::{from_python, to_python};
use crate::parser::PyParser;
use crate::peers::{Connection, Others};
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
    others: Option<Others>,
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
        self.is_interrupted.load(Ordering::Relaxed) || self.others.as_ref().is_some_and(Others::has_failed)
    }

    fn peers(&self) -> Option<Peers<'_>> {
        self.others.as_ref().map(|others| Peers::Lead(others))
    }
}

/// Runs a recipe in other threads and tells `on_report` what happens. If that raises, or the user presses Ctrl-C, the
/// run ends with a checkpoint, if it has one, and the exception is raised; whoever presses Ctrl-C again does not wait.
#[expect(clippy::too_many_arguments, reason = "they are what a run is about")]
pub(crate) fn watched<R>(
    py: Python<'_>,
    recipe: R,
    train: Arc<R::Data>,
    dev: Option<Arc<R::Data>>,
    saved: (Option<PathBuf>, bool),
    threads: Option<usize>,
    others: Option<Others>,
    on_report: &Bound<'_, PyAny>,
) -> PyResult<Trained<R::Model>>
where
    R: Recipe<Data: Send + Sync + 'static, Model: Send + 'static> + Send + Sync + 'static,
{
    let watcher = Arc::new(Watcher { others, ..Watcher::default() });
    let observer = Arc::clone(&watcher);
    let trained = start(py, threads, move || {
        let options = RunOptions { checkpoint: saved.0.as_deref(), resume: saved.1, observer: &*observer };
        run(&recipe, &train, dev.as_deref(), options)
    })?;
    let mut raised: Option<PyErr> = None;
    loop {
        let ended = poll(py, &trained)?;
        let failure = watcher.others.as_ref().and_then(Others::take_failure);
        let signal = py.check_signals().and_then(|()| failure.map_or(Ok(()), Err));
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
    /// An object that connects this run to others, which follow it; see `boughs.ray`.
    others: Option<Py<PyAny>>,
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
    with_recipe(py, method, Data::new(train, dev), Training { request, on_report })
}

/// A run that follows another one, in other threads.
#[pyclass(frozen, module = "boughs._boughs", name = "Follower")]
pub(crate) struct PyFollower(Connection);

#[pymethods]
impl PyFollower {
    #[new]
    fn new(
        py: Python<'_>,
        method: &str,
        train: Vec<PyRef<'_, PyTree>>,
        dev: Option<Vec<PyRef<'_, PyTree>>>,
        settings: Py<PyAny>,
        threads: Option<usize>,
        checkpoint: PathBuf,
    ) -> PyResult<Self> {
        with_recipe(py, method, Data::new(train, dev), Following { settings, threads, checkpoint }).map(Self)
    }

    /// Takes the totals that were spread since the last call, and computes a part of the next sum.
    fn compute<'py>(
        &self,
        py: Python<'py>,
        totals: Vec<PyBackedBytes>,
        part: usize,
        num_parts: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let totals = totals.iter().map(|total| total.to_vec()).collect();
        let answer = py.detach(|| self.0.compute(totals, part, num_parts));
        answer.or_raise(py).map(|bytes| PyBytes::new(py, &bytes))
    }
}

/// What is done with the recipe of a method.
trait WithRecipe {
    type Output;

    fn call<R>(self, py: Python<'_>, data: Data, recipe: &R) -> PyResult<Self::Output>
    where
        R: Recipe<Data = [Tree], Model = Parser> + Serialize + DeserializeOwned + Send + Sync + 'static;
}

fn with_recipe<W: WithRecipe>(py: Python<'_>, method: &str, data: Data, work: W) -> PyResult<W::Output> {
    let recommended = || LatentConfig { grammars: 2, with_tagger: true, ..LatentConfig::default() };
    match method {
        "recommended" => work.call(py, data.holding_out(), &recommended()),
        "latent" => work.call(py, data, &LatentConfig::default()),
        "conditional" => work.call(py, data, &ConditionalConfig::default()),
        "crf" => work.call(py, data, &CrfConfig::default()),
        "pcfg" => work.call(py, data, &PcfgConfig::default()),
        "boosted" => work.call(py, data, &TransitionConfig::default()),
        "neural" => work.call(py, data, &NeuralConfig::default()),
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
    fn new(train: Vec<PyRef<'_, PyTree>>, dev: Option<Vec<PyRef<'_, PyTree>>>) -> Self {
        let plain = |trees: Vec<PyRef<'_, PyTree>>| trees.iter().map(|tree| tree.0.tree.clone()).collect();
        Self { train: plain(train), dev: dev.map(plain) }
    }

    /// The same, with development trees held out if there are none.
    fn holding_out(self) -> Self {
        if self.dev.is_some() {
            return self;
        }
        let (kept, held_out) = Treebank::from(self.train).hold_out(HELD_OUT);
        Self { train: kept.into_trees(), dev: Some(held_out.into_trees()).filter(|trees| !trees.is_empty()) }
    }
}

/// Training to the end.
struct Training<'t, 'py> {
    request: RunRequest,
    on_report: &'t Bound<'py, PyAny>,
}

impl WithRecipe for Training<'_, '_> {
    type Output = PyParser;

    fn call<R>(self, py: Python<'_>, data: Data, recipe: &R) -> PyResult<PyParser>
    where
        R: Recipe<Data = [Tree], Model = Parser> + Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        let Self { request, on_report } = self;
        let recipe = with_settings(recipe, request.settings.bind(py))?;
        let facts =
            [("training-trees", data.train.len()), ("dev-trees", data.dev.as_ref().map_or(0, Vec::len))];
        let saved = (request.checkpoint.clone(), request.resume);
        let (train, dev) = (data.train.into(), data.dev.map(Into::into));
        let others = request.others.map(Others::new);
        let trained = watched(py, recipe, train, dev, saved, request.threads, others, on_report)?;
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

/// Following a run from a checkpoint on.
struct Following {
    settings: Py<PyAny>,
    threads: Option<usize>,
    checkpoint: PathBuf,
}

impl WithRecipe for Following {
    type Output = Connection;

    fn call<R>(self, py: Python<'_>, data: Data, recipe: &R) -> PyResult<Connection>
    where
        R: Recipe<Data = [Tree], Model = Parser> + Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        let recipe = with_settings(recipe, self.settings.bind(py))?;
        let (connection, follower) = Connection::new();
        let checkpoint = self.checkpoint;
        drop(start(py, self.threads, move || {
            let options = RunOptions { checkpoint: Some(&checkpoint), resume: true, observer: &follower };
            let ended = run(&recipe, &data.train, data.dev.as_deref(), options);
            follower.tell(ended.err());
        })?);
        Ok(connection)
    }
}
