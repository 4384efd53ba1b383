//! How long a row takes: CPU seconds of the threads that work for it, whatever else the program does.

use std::fs;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use serde::{Deserialize, Serialize};

/// What is known of the time of a row. Sums over all sessions, if it was interrupted; what a session did that
/// was killed after its last step is not counted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct RowTimes {
    /// User and system time of all threads; none where the system does not tell.
    pub cpu_seconds: Option<f64>,
    /// Time that went by.
    pub seconds: f64,
    /// The CPU seconds up to each step, measuring included.
    pub steps: Vec<Option<f64>>,
    /// How many threads worked in the last session.
    pub threads: usize,
}

/// Measures from its making on. It must be made and asked on a thread of the pool that works.
#[derive(Debug)]
pub(crate) struct Clock {
    before: RowTimes,
    start: Instant,
    cpu_at_start: Option<f64>,
    steps: Mutex<Vec<Option<f64>>>,
}

impl Clock {
    /// Goes on from what earlier sessions took.
    pub(crate) fn new(before: RowTimes) -> Self {
        let steps = Mutex::new(before.steps.clone());
        Self { before, start: Instant::now(), cpu_at_start: cpu_of_pool(), steps }
    }

    /// The times up to now.
    pub(crate) fn times(&self) -> RowTimes {
        RowTimes {
            cpu_seconds: self.cpu(),
            seconds: self.before.seconds + self.start.elapsed().as_secs_f64(),
            steps: self.steps.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            threads: rayon::current_num_threads(),
        }
    }

    /// Notes that so many steps are done; those of an earlier session keep what is known.
    pub(crate) fn note_step(&self, num_steps: usize) {
        let now = self.cpu();
        let mut steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        steps.resize(num_steps.max(1), None);
        if let Some(last) = steps.last_mut() {
            *last = now;
        }
    }

    fn cpu(&self) -> Option<f64> {
        let now = cpu_of_pool()? - self.cpu_at_start?;
        Some(self.before.cpu_seconds.unwrap_or(0.0) + now)
    }
}

/// The seconds that the threads of this pool have worked so far.
fn cpu_of_pool() -> Option<f64> {
    rayon::broadcast(|_| cpu_of_thread()).into_iter().sum()
}

/// The seconds that this thread has worked so far; none where there is no `/proc`.
fn cpu_of_thread() -> Option<f64> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_add_up() {
        let before =
            RowTimes { cpu_seconds: Some(100.0), seconds: 50.0, steps: vec![Some(99.0)], threads: 3 };
        let clock = Clock::new(before);
        clock.note_step(2);
        let times = clock.times();
        assert!(times.seconds >= 50.0 && times.cpu_seconds.is_none_or(|cpu| cpu >= 100.0), "{times:?}");
        assert_eq!((times.steps.len(), times.steps[0]), (2, Some(99.0)));
    }
}
