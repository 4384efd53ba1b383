//! Threads that parse, each with a worker of its own, which remembers much from one sentence to the next.
//!
//! They never touch Python, so that they need no lock of it, and whoever waits for them can be interrupted: what is
//! still in the queue is then left out. Threads do not survive a fork of the process; the child starts its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::{mem, process, thread};

use boughs::parser::{ParseOptions, Parsed, Parser, Sentence, Worker};
use boughs::{Error, ErrorKind, Result};
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::TICK;
use crate::error::exception;
use crate::sentence::SentenceData;

/// What came of the sentence with a number.
pub(crate) type Answer = (usize, Result<SentenceData>);

/// Sentences that are parsed together, and where the answers go.
struct Job {
    requests: Vec<(usize, Sentence)>,
    answers: Sender<Answer>,
    is_cancelled: Arc<AtomicBool>,
}

/// Threads that parse with the same options.
pub(crate) struct Team {
    parser: Arc<Parser>,
    options: ParseOptions,
    /// The process that the threads are in.
    process: u32,
    max_threads: usize,
    /// Whoever holds it holds the lock of Python, so that no fork can leave it locked.
    num_threads: Mutex<usize>,
    queue: (Sender<Job>, Receiver<Job>),
}

impl Team {
    /// A team without threads, which come as they are needed.
    fn new(parser: Arc<Parser>, options: ParseOptions, max_threads: usize) -> Self {
        let (process, queue) = (process::id(), unbounded());
        Self { parser, options, process, max_threads, num_threads: Mutex::new(0), queue }
    }

    pub(crate) fn max_threads(&self) -> usize {
        self.max_threads
    }

    pub(crate) fn parser(&self) -> &Parser {
        &self.parser
    }

    /// How many sentences are parsed together.
    pub(crate) fn batch_size(&self) -> usize {
        self.parser.batch_size()
    }

    fn is_here(&self) -> bool {
        self.process == process::id()
    }

    /// Starts threads until there are enough for so many jobs.
    fn hire(&self, num_jobs: usize) -> std::io::Result<()> {
        let mut num_threads = self.num_threads.lock().unwrap_or_else(PoisonError::into_inner);
        while *num_threads < num_jobs.min(self.max_threads) {
            let (parser, options) = (Arc::clone(&self.parser), self.options.clone());
            let jobs = self.queue.1.clone();
            let started = thread::Builder::new()
                .name("boughs".to_owned())
                .spawn(move || work(&parser, &options, &jobs));
            match started {
                Ok(_) => *num_threads += 1,
                // Fewer threads do as well.
                Err(_) if *num_threads > 0 => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// The most teams that a parser keeps: each thread has memory of its own.
const MAX_TEAMS: usize = 4;

/// The teams of a parser, one for each set of options.
#[derive(Default)]
pub(crate) struct Teams(Mutex<Vec<Arc<Team>>>);

impl Teams {
    /// The team with these options.
    pub(crate) fn get(
        &self,
        _lock: Python<'_>,
        parser: &Arc<Parser>,
        options: &ParseOptions,
        threads: usize,
    ) -> Arc<Team> {
        let mut teams = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if teams.iter().any(|team| !team.is_here()) {
            // After a fork. Locks of their channels may be held for ever by threads that are not here.
            mem::take(&mut *teams).into_iter().for_each(mem::forget);
        }
        let is_same = |team: &&Arc<Team>| team.options == *options && team.max_threads == threads;
        if let Some(team) = teams.iter().find(is_same) {
            return Arc::clone(team);
        }
        if teams.len() == MAX_TEAMS {
            // Its threads end when nobody waits for them any more.
            teams.remove(0);
        }
        let team = Arc::new(Team::new(Arc::clone(parser), options.clone(), threads));
        teams.push(Arc::clone(&team));
        team
    }
}

fn work(parser: &Parser, options: &ParseOptions, jobs: &Receiver<Job>) {
    let mut worker = None;
    let heads = Arc::new(parser.heads());
    for job in jobs {
        if job.is_cancelled.load(Ordering::Relaxed) {
            continue;
        }
        let parsed = catch_unwind(AssertUnwindSafe(|| {
            if worker.is_none() {
                worker = Some(parser.worker_with(options)?);
            }
            Ok(worker.as_mut().map(|worker| parse(worker, &job.requests)).unwrap_or_default())
        }));
        let parsed = parsed.unwrap_or_else(|_| {
            worker = None;
            Err(Error::new(ErrorKind::Numeric, "the parser failed on this sentence")
                .hint("this is a fault of boughs: please report it with the sentence"))
        });
        let parsed: Vec<Result<Parsed>> = match parsed {
            Ok(parsed) => parsed,
            Err(error) => job.requests.iter().map(|_| Err(error.clone())).collect(),
        };
        for ((number, _), parsed) in job.requests.into_iter().zip(parsed) {
            let answer = parsed.map(|parsed| SentenceData::new(parsed, &heads));
            // Whoever asked may have gone.
            let _ = job.answers.send((number, answer));
        }
    }
}

fn parse(worker: &mut Worker<'_>, requests: &[(usize, Sentence)]) -> Vec<Result<Parsed>> {
    let sentences: Vec<&Sentence> = requests.iter().map(|(_, sentence)| sentence).collect();
    match worker.parse_batch(&sentences) {
        Ok(parsed) => parsed.into_iter().map(Ok).collect(),
        // One by one, so that it is known which of them it was.
        Err(_) => sentences.iter().map(|sentence| worker.parse(sentence)).collect(),
    }
}

/// Sentences that a team is at, and their answers; those that nobody waits for any more are left out.
pub(crate) struct Inquiry {
    team: Arc<Team>,
    answers: (Sender<Answer>, Receiver<Answer>),
    is_cancelled: Arc<AtomicBool>,
}

impl Inquiry {
    pub(crate) fn new(team: Arc<Team>) -> Self {
        Self { team, answers: unbounded(), is_cancelled: Arc::default() }
    }

    pub(crate) fn team(&self) -> &Team {
        &self.team
    }

    /// Asks for the trees of sentences, the longest first, so that no thread is left alone with one at the end.
    pub(crate) fn ask(&self, py: Python<'_>, mut requests: Vec<(usize, Sentence)>) -> PyResult<()> {
        requests.sort_by_key(|(number, sentence)| (std::cmp::Reverse(sentence.tokens().len()), *number));
        let batch_size = self.team.batch_size();
        let num_jobs = requests.len().div_ceil(batch_size);
        let hired = self.team.hire(num_jobs);
        hired.map_err(|error| exception(py, &Error::io("start threads", error)))?;
        let mut requests = requests.into_iter();
        for _ in 0..num_jobs {
            let job = Job {
                requests: requests.by_ref().take(batch_size).collect(),
                answers: self.answers.0.clone(),
                is_cancelled: Arc::clone(&self.is_cancelled),
            };
            // The team has a receiver itself, so there always is one.
            let _ = self.team.queue.0.send(job);
        }
        Ok(())
    }

    /// Waits for an answer, while Python does other things, and for Ctrl-C.
    pub(crate) fn wait(&self, py: Python<'_>) -> PyResult<Answer> {
        if !self.team.is_here() {
            let message = "a stream was begun in one process and is read in another: begin it after the fork";
            return Err(PyRuntimeError::new_err(message));
        }
        loop {
            py.check_signals()?;
            if let Ok(answer) = self.answers.1.try_recv() {
                return Ok(answer);
            }
            match py.detach(|| self.answers.1.recv_timeout(TICK)) {
                Ok(answer) => return Ok(answer),
                Err(RecvTimeoutError::Timeout) => {}
                // It cannot be: there is a sender beside the receiver.
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(PyRuntimeError::new_err("the threads that parse have ended"));
                }
            }
        }
    }
}

impl Drop for Inquiry {
    fn drop(&mut self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }
}
