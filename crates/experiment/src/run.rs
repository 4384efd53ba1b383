//! Runs an experiment from beginning to end, or from where it was.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::AtomicBool;

use crate::data::{Data, Parts};
use crate::method::Slot;
use crate::observe::{ExperimentObserver, RowEvent};
use crate::outcome::Measurement;
use crate::report::{Report, Times};
use crate::results::Results;
use crate::row::{RowTask, TEST};
use crate::schedule::{Runner, pool};
use crate::spec::{Experiment, Row};
use crate::store::{Store, row_file};
use boughs_learn::error::Result;
use boughs_learn::run::Silent;

/// How an experiment is run.
#[derive(Debug, Clone)]
pub struct RunSettings<'s> {
    /// Where everything is written.
    pub directory: &'s Path,
    /// How many threads work; 0 for one for each processor.
    pub threads: usize,
    /// The most memory that rows which run at the same time may take, about, in bytes. A row that needs more
    /// runs alone.
    pub memory: usize,
    /// Whether to go on with a run that is there.
    pub resume: bool,
    /// Whether the data are those that are built in, and settings those of toy size.
    pub is_quick: bool,
    /// The most words of a sentence, in place of what the experiment says.
    pub max_words: Option<usize>,
    /// The files of the data as a command line has them, for the commands of the report.
    pub files: BTreeMap<Slot, Parts<String>>,
    /// The files of sentences without trees, likewise.
    pub sentences: String,
}

impl<'s> RunSettings<'s> {
    /// A new run in a directory, on all processors.
    pub fn new(directory: &'s Path) -> Self {
        Self {
            directory,
            threads: 0,
            memory: usize::MAX,
            resume: false,
            is_quick: false,
            max_words: None,
            files: BTreeMap::new(),
            sentences: String::new(),
        }
    }

    fn num_threads(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            threads => threads,
        }
    }

    /// The command that makes the same report.
    pub(crate) fn command(&self, name: &str) -> String {
        let mut command = format!("boughs experiment run {name}");
        if self.is_quick {
            command.push_str(" --quick");
        }
        if let Some(most) = self.max_words {
            command.push_str(&format!(" --max-words {most}"));
        }
        for (slot, files) in self.files.iter().filter(|_| !self.is_quick) {
            let ending = if *slot == Slot::Pairs { "-pairs" } else { "" };
            for (part, files) in files.named() {
                command.push_str(&format!(" --{part}{ending} {files}"));
            }
        }
        if !self.is_quick && !self.sentences.is_empty() {
            command.push_str(&format!(" --sentences {}", self.sentences));
        }
        command + " --out DIR"
    }
}

/// Runs what is not done of an experiment, and writes the report. Nothing if the observer broke it off; what
/// is done stays.
///
/// # Errors
/// If the text is no experiment, the directory holds something else, or a row cannot be made.
pub fn run(
    name: &str,
    text: &str,
    data: &Data,
    settings: &RunSettings<'_>,
    observer: &dyn ExperimentObserver,
) -> Result<Option<Report>> {
    let mut experiment = Experiment::parse(text)?;
    let RunSettings { directory, resume, is_quick, max_words, .. } = *settings;
    experiment.data.max_words = max_words.or(experiment.data.max_words);
    let identity = format!("{} {:?}", data.identity(), max_words);
    let store = Store::open(directory, resume, text, is_quick, identity)?;
    let runner = Runner {
        experiment: &experiment,
        data,
        store: &store,
        is_quick,
        threads: settings.num_threads(),
        memory: settings.memory,
        observer,
        has_failed: AtomicBool::new(false),
    };
    let Some(found) = runner.run()? else { return Ok(None) };
    let mut results = Results::new(&experiment, found.results);
    if !test(&runner, &mut results, &found.skipped)? {
        return Ok(None);
    }
    let report = Report::new(name, &experiment, &results, settings, data.facts().to_vec(), found.skipped);
    report.write(&store)?;
    Times::read(&experiment, &results, &store)?.write(&store)?;
    Ok(Some(report))
}

/// Scores what is asked for on the test data, unless that was done before or the row was skipped; false if the
/// observer broke it off.
fn test(runner: &Runner<'_>, results: &mut Results, skipped: &[(String, String)]) -> Result<bool> {
    let experiment = runner.experiment;
    let tested: BTreeSet<&str> = experiment.tested();
    let wanted: BTreeSet<String> = tested.iter().map(|name| results.resolve(name).to_owned()).collect();
    let is_wanted = |row: &&Row| {
        let is_skipped = skipped.iter().any(|(name, _)| *name == row.name);
        !is_skipped && experiment.parts(row).iter().any(|part| wanted.contains(part))
    };
    let pool = pool(runner.threads)?;
    for row in experiment.rows.iter().filter(is_wanted) {
        if runner.observer.is_interrupted() {
            return Ok(false);
        }
        let measured = match runner.store.read::<Vec<Measurement>>(&row_file(&row.name, TEST))? {
            Some(measured) => measured,
            None => pool.install(|| test_row(runner, row))?,
        };
        for (part, measured) in experiment.parts(row).iter().zip(measured) {
            results.set_test(part, measured);
        }
    }
    Ok(true)
}

fn test_row(runner: &Runner<'_>, row: &Row) -> Result<Vec<Measurement>> {
    runner.observer.see(&row.name, &RowEvent::Testing);
    let Runner { experiment, store, is_quick, .. } = *runner;
    RowTask { experiment, row, is_quick, store, observer: &Silent }.test(runner.data)
}
