//! Processes that make the same run side by side, connected by an engine of Python; see `boughs.ray`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use boughs::{Error, ErrorKind};
use boughs_learn::run::{Event, Observer};
use boughs_learn::shards::{Follow, Lead, Peers};
use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

/// The processes that follow, behind an object of Python.
pub(crate) struct Others {
    engine: Py<PyAny>,
    /// What the engine raised: the run is to be broken off.
    failure: Mutex<Option<PyErr>>,
    has_failed: AtomicBool,
}

impl Others {
    pub(crate) fn new(engine: Py<PyAny>) -> Self {
        Self { engine, failure: Mutex::default(), has_failed: AtomicBool::new(false) }
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }

    pub(crate) fn take_failure(&self) -> Option<PyErr> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Calls the engine; nothing if it raised, now or before.
    fn call<T>(&self, call: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>) -> Option<T> {
        if self.has_failed() {
            return None;
        }
        match Python::attach(|py| call(self.engine.bind(py))) {
            Ok(value) => Some(value),
            Err(error) => {
                *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                self.has_failed.store(true, Ordering::Relaxed);
                None
            }
        }
    }
}

impl Lead for Others {
    fn admit(&self, checkpoint: &dyn Fn() -> boughs::Result<Vec<u8>>) -> boughs::Result<()> {
        let is_wanted = self
            .call(|engine| engine.call_method0("num_missing")?.extract::<usize>())
            .is_some_and(|it| it > 0);
        if is_wanted {
            let checkpoint = checkpoint()?;
            self.call(|engine| {
                engine.call_method1("admit", (PyBytes::new(engine.py(), &checkpoint),)).map(drop)
            });
        }
        Ok(())
    }

    fn ask(&self) -> usize {
        self.call(|engine| engine.call_method0("ask")?.extract()).unwrap_or(0)
    }

    fn answer(&self, part: usize) -> Option<Vec<u8>> {
        let answer = self.call(|engine| {
            engine.call_method1("answer", (part,))?.extract::<Option<PyBackedBytes>>().map_err(Into::into)
        });
        answer.flatten().map(|bytes| bytes.to_vec())
    }

    fn spread(&self, total: Vec<u8>) {
        self.call(|engine| engine.call_method1("spread", (PyBytes::new(engine.py(), &total),)).map(drop));
    }
}

/// What a run that follows is told: a part to compute, of how many, or a total.
enum Message {
    Part(usize, usize),
    Total(Vec<u8>),
}

/// What it tells: partial sums, or what has ended it.
type Answer = boughs::Result<Vec<u8>>;

/// The end of the engine.
pub(crate) struct Connection {
    messages: Sender<Message>,
    answers: Receiver<Answer>,
}

impl Connection {
    pub(crate) fn new() -> (Self, Follower) {
        let ((messages, theirs), (answer, answers)) = (unbounded(), bounded(1));
        (
            Self { messages, answers },
            Follower { messages: theirs, answers: answer, is_over: AtomicBool::new(false) },
        )
    }

    /// Hands over totals and asks for a part of the next sum.
    pub(crate) fn compute(&self, totals: Vec<Vec<u8>>, part: usize, num_parts: usize) -> Answer {
        let totals = totals.into_iter().map(Message::Total);
        for message in totals.chain([Message::Part(part, num_parts)]) {
            // If the run has ended, its last answer says why.
            let _ = self.messages.send(message);
        }
        self.answers.recv().unwrap_or_else(|_| Err(ended()))
    }
}

fn ended() -> Error {
    Error::new(ErrorKind::Mismatch, "a run that follows another has ended before it")
        .hint("install the same version of boughs everywhere")
}

/// The end of the run.
pub(crate) struct Follower {
    messages: Receiver<Message>,
    answers: Sender<Answer>,
    is_over: AtomicBool,
}

impl Follower {
    /// Tells why the run has ended.
    pub(crate) fn tell(&self, error: Option<Error>) {
        let _ = self.answers.send(Err(error.unwrap_or_else(ended)));
    }

    /// What comes next, if it is what is expected.
    fn next<T>(&self, expect: impl FnOnce(Message) -> Option<T>) -> Option<T> {
        let found = self.messages.recv().ok().and_then(expect);
        self.is_over.fetch_or(found.is_none(), Ordering::Relaxed);
        found
    }
}

impl Follow for Follower {
    fn asked(&self) -> Option<(usize, usize)> {
        self.next(|message| match message {
            Message::Part(part, num_parts) => Some((part, num_parts)),
            Message::Total(_) => None,
        })
    }

    fn answer(&self, partials: Vec<u8>) {
        let _ = self.answers.send(Ok(partials));
    }

    fn total(&self) -> Option<Vec<u8>> {
        self.next(|message| match message {
            Message::Total(total) => Some(total),
            Message::Part(..) => None,
        })
    }
}

impl Observer for Follower {
    fn see(&self, _: &Event<'_>) {}

    fn is_interrupted(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    fn peers(&self) -> Option<Peers<'_>> {
        Some(Peers::Follow(self))
    }
}
