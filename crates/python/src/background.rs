//! Work that threads do while Python waits, and may be interrupted.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use boughs::Error;
use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::ThreadPoolBuilder;

use crate::TICK;
use crate::error::exception;
use crate::parser::num_processors;

/// Starts work in a thread pool of its own, since the global one does not survive a fork; its result comes in the
/// channel.
pub(crate) fn start<T: Send + 'static>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<Receiver<T>> {
    let threads = threads.unwrap_or_else(num_processors).max(1);
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| {
        exception(py, &Error::io("start threads", std::io::Error::other(error.to_string())))
    })?;
    let (result, results) = bounded(1);
    thread::spawn(move || {
        // After a panic nothing is sent, which whoever waits notices.
        if let Ok(value) = catch_unwind(AssertUnwindSafe(|| pool.install(work))) {
            let _ = result.send(value);
        }
    });
    Ok(results)
}

/// Waits a little for a result, while Python does other things.
pub(crate) fn poll<T: Send>(py: Python<'_>, results: &Receiver<T>) -> PyResult<Option<T>> {
    match py.detach(|| results.recv_timeout(TICK)) {
        Ok(value) => Ok(Some(value)),
        Err(RecvTimeoutError::Timeout) => Ok(None),
        Err(RecvTimeoutError::Disconnected) => {
            Err(PyRuntimeError::new_err("boughs failed: this is a fault of boughs, please report it"))
        }
    }
}

/// Does work in a thread pool, and waits for it; whoever presses Ctrl-C need not.
pub(crate) fn in_pool<T: Send + 'static>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let results = start(py, threads, work)?;
    loop {
        if let Some(value) = poll(py, &results)? {
            return Ok(value);
        }
        py.check_signals()?;
    }
}
