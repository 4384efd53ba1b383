//! Runs of training that the page shows: those of a process that trains, and those that checkpoints tell of.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use boughs_learn::run::{Step, checkpoint_steps};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// The end of the names of checkpoints.
const CHECKPOINT: &str = ".checkpoint";

/// The end of the names of tables of steps, which `boughs train --curves` writes.
const STEPS: &str = ".steps.csv";

/// Runs of training. It may be asked while they go on.
#[derive(Debug, Default)]
pub struct Runs {
    /// Where checkpoints and tables of steps are looked for.
    directories: Vec<PathBuf>,
    own: Mutex<Vec<Run>>,
    read: Mutex<Vec<ReadFile>>,
}

/// A file that was read, with the time of its last change, and the run that it tells of.
type ReadFile = (PathBuf, Option<SystemTime>, Option<Run>);

/// A run: its name, and the numbers of each step by their names.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Run {
    /// That of the model.
    pub name: String,
    /// How it is trained, if it is known.
    pub recipe: String,
    /// Whether it goes on, as far as is known.
    pub is_live: bool,
    /// For each step its figures.
    pub steps: Vec<Map<String, Value>>,
}

impl Run {
    /// The figures of a step, and those of its model on development data.
    pub fn add(&mut self, step: &Step) {
        let scores = step.scores.iter().flat_map(|scores| &scores.figures);
        let figures = step.figures.iter().chain(scores);
        self.steps.push(figures.map(|figure| (figure.name.to_string(), json!(figure.value))).collect());
    }

    fn of_checkpoint(path: &Path) -> Option<Self> {
        let (recipe, steps) = checkpoint_steps(path).ok()?;
        let mut run = Self { name: name_of(path, CHECKPOINT)?, recipe, is_live: true, steps: Vec::new() };
        steps.iter().for_each(|step| run.add(step));
        Some(run)
    }

    fn of_table(path: &Path) -> Option<Self> {
        let text = fs::read_to_string(path).ok()?;
        let mut lines = text.lines();
        let names: Vec<&str> = lines.next()?.split(',').collect();
        let step = |line: &str| {
            let cells = names.iter().zip(line.split(','));
            let known =
                cells.filter_map(|(name, cell)| Some(((*name).to_owned(), json!(cell.parse::<f64>().ok()?))));
            known.collect()
        };
        let steps = lines.map(step).collect();
        Some(Self { name: name_of(path, STEPS)?, steps, ..Self::default() })
    }
}

fn name_of(path: &Path, end: &str) -> Option<String> {
    Some(path.file_name()?.to_str()?.strip_suffix(end)?.to_owned())
}

impl Runs {
    /// The runs of which these directories have checkpoints or tables of steps.
    pub fn watching(directories: Vec<PathBuf>) -> Self {
        Self { directories, ..Self::default() }
    }

    /// Puts a run of this process into the place of the one of its name.
    pub fn put(&self, run: Run) {
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        match own.iter_mut().find(|other| other.name == run.name) {
            Some(other) => *other = run,
            None => own.push(run),
        }
    }

    /// All runs, as JSON.
    pub fn to_json(&self) -> String {
        json!({ "runs": self.all() }).to_string()
    }

    /// All runs: those of this process, then those of the directories by name.
    pub fn all(&self) -> Vec<Run> {
        let mut runs = self.own.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let mut paths: Vec<PathBuf> =
            self.directories.iter().flat_map(|directory| files(directory)).collect();
        paths.sort();
        read.retain(|(path, ..)| paths.contains(path));
        for path in paths {
            let changed = fs::metadata(&path).and_then(|about| about.modified()).ok();
            let known = read.iter().position(|(other, time, _)| *other == path && *time == changed);
            let place = known.unwrap_or_else(|| {
                read.retain(|(other, ..)| *other != path);
                let run = Run::of_checkpoint(&path).or_else(|| Run::of_table(&path));
                read.push((path, changed, run));
                read.len() - 1
            });
            runs.extend(read[place].2.clone());
        }
        runs
    }
}

/// The checkpoints and tables of a directory.
fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_run = |path: &PathBuf| {
        path.to_str().is_some_and(|path| path.ends_with(CHECKPOINT) || path.ends_with(STEPS))
    };
    entries.filter(is_run).collect()
}
