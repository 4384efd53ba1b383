//! A queue that is fair to requests: each has its turn, however much the others ask.
//!
//! The naive form is one line of sentences; then whoever sends a book makes everybody wait for all of it. Here every
//! request has a line of its own, and one sentence of each is taken after the other.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The number of a request.
pub(crate) type RequestId = u64;

#[derive(Debug)]
pub(crate) struct FairQueue<T> {
    lines: Mutex<Lines<T>>,
    has_more: Condvar,
}

#[derive(Debug)]
struct Lines<T> {
    of_requests: BTreeMap<RequestId, VecDeque<T>>,
    /// The requests with something to do, in the order of their turns.
    turns: VecDeque<RequestId>,
    is_closed: bool,
}

impl<T> Default for FairQueue<T> {
    fn default() -> Self {
        let lines = Lines { of_requests: BTreeMap::new(), turns: VecDeque::new(), is_closed: false };
        Self { lines: Mutex::new(lines), has_more: Condvar::new() }
    }
}

impl<T> FairQueue<T> {
    /// Adds something to the line of a request.
    pub(crate) fn push(&self, request: RequestId, item: T) {
        let mut lines = self.lock();
        let line = lines.of_requests.entry(request).or_default();
        line.push_back(item);
        if line.len() == 1 {
            lines.turns.push_back(request);
        }
        drop(lines);
        self.has_more.notify_one();
    }

    /// Takes what is next, and waits for it; nothing once the queue is closed and empty.
    pub(crate) fn pop(&self) -> Option<T> {
        let mut lines = self.lock();
        loop {
            if let Some(item) = lines.next() {
                return Some(item);
            }
            if lines.is_closed {
                return None;
            }
            lines = self.has_more.wait(lines).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Forgets what a request still has in the queue.
    pub(crate) fn forget(&self, request: RequestId) {
        let mut lines = self.lock();
        if lines.of_requests.remove(&request).is_some() {
            lines.turns.retain(|&other| other != request);
        }
    }

    /// How much waits.
    pub(crate) fn len(&self) -> usize {
        self.lock().of_requests.values().map(VecDeque::len).sum()
    }

    /// Lets whoever waits go, as soon as nothing is left.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        self.has_more.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Lines<T>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Lines<T> {
    fn next(&mut self) -> Option<T> {
        let request = self.turns.pop_front()?;
        let line = self.of_requests.get_mut(&request)?;
        let item = line.pop_front();
        match line.is_empty() {
            true => drop(self.of_requests.remove(&request)),
            false => self.turns.push_back(request),
        }
        item
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_take_turns() {
        let queue = FairQueue::default();
        for (request, item) in [(1, "a1"), (1, "a2"), (1, "a3"), (2, "b1"), (3, "c1"), (3, "c2")] {
            queue.push(request, item);
        }
        queue.close();
        let order: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(order, ["a1", "b1", "c1", "a2", "c2", "a3"]);
    }

    #[test]
    fn what_is_forgotten_has_no_turn() {
        let queue = FairQueue::default();
        for (request, item) in [(1, "a1"), (2, "b1"), (1, "a2")] {
            queue.push(request, item);
        }
        queue.forget(1);
        assert_eq!(queue.len(), 1);
        queue.push(1, "a3");
        queue.close();
        assert_eq!((queue.pop(), queue.pop(), queue.pop()), (Some("b1"), Some("a3"), None));
    }
}
