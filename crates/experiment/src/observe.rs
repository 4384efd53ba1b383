//! Who is told what happens in all rows, and may break off.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::clock::Clock;
use crate::outcome::RowResult;
use boughs_learn::run::{Event, Observer};

/// Something that happened to a row.
#[derive(Debug)]
pub enum RowEvent<'e> {
    /// It was done in an earlier session.
    Known(&'e [RowResult]),
    /// It begins, or goes on.
    Started,
    /// It is getting on.
    Training(&'e Event<'e>),
    /// It is done.
    Finished(&'e [RowResult]),
    /// It cannot be done here, and this is why.
    Skipped(&'e str),
    /// It is scored on the test data.
    Testing,
}

/// Sees an experiment; threads share it.
pub trait ExperimentObserver: Sync {
    /// Something happened to a row.
    fn see(&self, row: &str, event: &RowEvent<'_>);

    /// Whether the experiment is to be broken off.
    fn is_interrupted(&self) -> bool;
}

/// Nobody watches.
#[derive(Debug, Clone, Copy)]
pub struct Unwatched;

impl ExperimentObserver for Unwatched {
    fn see(&self, _: &str, _: &RowEvent<'_>) {}

    fn is_interrupted(&self) -> bool {
        false
    }
}

/// Tells the observer of the experiment what happens in a row, and how long it took.
pub(crate) struct RowWatch<'w> {
    pub(crate) name: &'w str,
    pub(crate) observer: &'w dyn ExperimentObserver,
    /// Whether another row has failed.
    pub(crate) has_failed: &'w AtomicBool,
    pub(crate) clock: &'w Clock,
    /// Notes the times so far.
    pub(crate) note: &'w (dyn Fn() + Sync),
}

impl Observer for RowWatch<'_> {
    fn see(&self, event: &Event<'_>) {
        if let Event::Step { steps } = event {
            self.clock.note_step(steps.len());
            (self.note)();
        }
        self.observer.see(self.name, &RowEvent::Training(event));
    }

    fn is_interrupted(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed) || self.observer.is_interrupted()
    }
}
