//! Rows run side by side, as many as there are threads and memory for.
//!
//! Which rows run at the same time, and on how many threads, changes nothing in the results: each row is a
//! task by itself, and recipes give the same bytes on any number of threads.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::clock::{Clock, RowTimes};
use crate::data::Data;
use crate::observe::{ExperimentObserver, RowEvent, RowWatch};
use crate::outcome::RowResult;
use crate::row::{RESULT, RowOutcome, RowTask};
use crate::spec::{Experiment, Row};
use crate::store::{Store, row_file};
use boughs_learn::error::{Error, ErrorKind, Result};

/// What a row takes besides what grows with the data.
const BYTES_OF_ROW: usize = 64 << 20;

/// The file of a row that tells how long it took.
pub(crate) const TIMES: &str = "times.json";

/// Everything that rows share.
pub(crate) struct Runner<'r> {
    pub(crate) experiment: &'r Experiment,
    pub(crate) data: &'r Data,
    pub(crate) store: &'r Store,
    pub(crate) is_quick: bool,
    pub(crate) threads: usize,
    pub(crate) memory: usize,
    pub(crate) observer: &'r dyn ExperimentObserver,
    /// Whether a row has failed, so that the others are broken off.
    pub(crate) has_failed: AtomicBool,
}

/// What came of all rows.
#[derive(Debug, Default)]
pub(crate) struct AllRows {
    pub(crate) results: Vec<RowResult>,
    /// Rows that cannot be run here, and why.
    pub(crate) skipped: Vec<(String, String)>,
}

/// A row that came to its end, the threads and memory that it used, and what came of it.
struct Ended<'r> {
    row: &'r Row,
    threads: usize,
    memory: usize,
    outcome: Result<RowOutcome>,
}

/// Where all rows stand.
struct Board<'r> {
    waiting: Vec<&'r Row>,
    done: BTreeSet<String>,
    free_threads: usize,
    free_memory: usize,
    num_running: usize,
    found: AllRows,
}

impl<'r> Runner<'r> {
    /// Runs all rows that are not done; nothing if it was broken off.
    pub(crate) fn run(&self) -> Result<Option<AllRows>> {
        let mut board = self.board()?;
        let (sender, receiver) = channel();
        let failure = thread::scope(|scope| {
            let mut failure = None;
            while board.num_running > 0 || (failure.is_none() && board.has_next(self)) {
                while failure.is_none()
                    && let Some((row, threads, memory)) = board.next(self)
                {
                    let sender = sender.clone();
                    scope.spawn(move || self.run_row(row, threads, memory, &sender));
                }
                if board.num_running > 0
                    && let Err(error) = self.await_row(&mut board, &receiver)
                {
                    self.has_failed.store(true, Ordering::Relaxed);
                    failure = failure.or(Some(error));
                }
            }
            failure
        });
        match failure {
            Some(error) => Err(error),
            None if board.waiting.is_empty() && !self.observer.is_interrupted() => Ok(Some(board.found)),
            None => Ok(None),
        }
    }

    /// Which rows are done, and which are not.
    fn board(&self) -> Result<Board<'r>> {
        let mut board = Board {
            waiting: Vec::new(),
            done: BTreeSet::new(),
            free_threads: self.threads,
            free_memory: self.memory,
            num_running: 0,
            found: AllRows::default(),
        };
        for row in self.experiment.order()? {
            match self.store.read::<Vec<RowResult>>(&row_file(&row.name, RESULT))? {
                Some(results) => {
                    self.observer.see(&row.name, &RowEvent::Known(&results));
                    board.done.insert(row.name.clone());
                    board.found.results.extend(results);
                }
                None => board.waiting.push(row),
            }
        }
        Ok(board)
    }

    /// About how much memory a row takes.
    fn memory_of(&self, row: &Row) -> usize {
        let method = self.experiment.method(row);
        BYTES_OF_ROW + method.bytes_per_token() * self.data.num_training_tokens(method.slot())
    }

    fn run_row(&self, row: &'r Row, threads: usize, memory: usize, sender: &Sender<Ended<'r>>) {
        let work = || pool(threads).and_then(|pool| pool.install(|| self.timed(row)));
        // A panic is told like any other failure: otherwise all rows would wait for this one.
        let outcome = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(panicked(row)));
        // Whoever waits for it outlives it.
        let _ = sender.send(Ended { row, threads, memory, outcome });
    }

    fn timed(&self, row: &Row) -> Result<RowOutcome> {
        let file = row_file(&row.name, TIMES);
        let clock = Clock::new(self.store.read(&file)?.unwrap_or_default());
        let note = || {
            // Times are for people: a run is not lost because they cannot be noted.
            let _ = self.store.write_json(&file, &clock.times());
        };
        let (observer, has_failed) = (self.observer, &self.has_failed);
        let watch = RowWatch { name: &row.name, observer, has_failed, clock: &clock, note: &note };
        self.observer.see(&row.name, &RowEvent::Started);
        let (experiment, is_quick, store) = (self.experiment, self.is_quick, self.store);
        let task = RowTask { experiment, row, is_quick, store, observer: &watch };
        let outcome = task.run(self.data)?;
        let times = match &outcome {
            RowOutcome::Done { seconds: Some(steps), .. } => of_program(steps, clock.times().seconds),
            _ => clock.times(),
        };
        self.store.write_json(&file, &times)?;
        Ok(outcome)
    }

    fn await_row(&self, board: &mut Board<'r>, receiver: &Receiver<Ended<'r>>) -> Result<()> {
        let lost = |_| Error::new(ErrorKind::Mismatch, "expected the end of a row, found none");
        let Ended { row, threads, memory, outcome } = receiver.recv().map_err(lost)?;
        board.num_running -= 1;
        board.free_threads += threads;
        board.free_memory = board.free_memory.saturating_add(memory);
        match outcome? {
            RowOutcome::Done { results, .. } => {
                self.observer.see(&row.name, &RowEvent::Finished(&results));
                board.done.insert(row.name.clone());
                board.found.results.extend(results);
            }
            RowOutcome::Skipped(why) => {
                self.observer.see(&row.name, &RowEvent::Skipped(&why));
                board.done.insert(row.name.clone());
                board.found.skipped.push((row.name.clone(), why));
            }
            RowOutcome::Interrupted => board.waiting.push(row),
        }
        Ok(())
    }
}

impl<'r> Board<'r> {
    fn is_ready(&self, runner: &Runner<'_>, row: &Row) -> bool {
        runner.experiment.dependencies(row).iter().all(|name| self.done.contains(name))
    }

    fn has_next(&self, runner: &Runner<'_>) -> bool {
        !runner.observer.is_interrupted() && self.waiting.iter().any(|row| self.is_ready(runner, row))
    }

    /// Takes the next row that can run now, its threads and its memory. A row that needs more memory than
    /// there is runs alone.
    fn next(&mut self, runner: &Runner<'_>) -> Option<(&'r Row, usize, usize)> {
        if self.free_threads == 0 || !self.has_next(runner) {
            return None;
        }
        let fits = |row: &&Row| self.num_running == 0 || runner.memory_of(row) <= self.free_memory;
        let place = self.waiting.iter().position(|row| self.is_ready(runner, row) && fits(row))?;
        let row = self.waiting.remove(place);
        let memory = runner.memory_of(row).min(self.free_memory);
        self.free_memory -= memory;
        // Threads are kept back for those rows only that have the memory to run beside it.
        let is_beside = |row: &&&Row| self.is_ready(runner, row) && runner.memory_of(row) <= self.free_memory;
        let threads = (self.free_threads / (1 + self.waiting.iter().filter(is_beside).count())).max(1);
        self.free_threads -= threads;
        self.num_running += 1;
        Some((row, threads, memory))
    }
}

/// The times of a row that another program did.
fn of_program(steps: &[f64], seconds: f64) -> RowTimes {
    let cpu_seconds = steps.last().copied();
    RowTimes { cpu_seconds, seconds, steps: steps.iter().copied().map(Some).collect(), threads: 1 }
}

fn panicked(row: &Row) -> Error {
    Error::new(ErrorKind::Mismatch, format!("row `{}`: a fault of the program ended it", row.name))
}

pub(crate) fn pool(threads: usize) -> Result<ThreadPool> {
    let cannot = |error| Error::new(ErrorKind::Argument, format!("cannot start {threads} threads: {error}"));
    ThreadPoolBuilder::new().num_threads(threads).build().map_err(cannot)
}
