//! Who is told what happens, and may break off.

use std::fmt;
use std::ops::ControlFlow;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Step;
use crate::error::Result;
use crate::model::ModelFile;
use crate::shards::{Peers, Sharded, all_reduce};

/// Something that happened.
#[derive(Debug)]
pub enum Event<'e> {
    /// Something worth a line, once.
    Note(fmt::Arguments<'e>),
    /// A step is getting on.
    Progress {
        /// How much of it is done, from 0 to 1, if that is known.
        share: Option<f64>,
        /// Where it stands.
        text: fmt::Arguments<'e>,
    },
    /// An interrupted run goes on after these steps.
    Resumed {
        /// The steps that were done.
        steps: &'e [Step],
    },
    /// A step is made, and what it gave is going to be measured.
    Measuring,
    /// A step is done, measured and saved.
    Step {
        /// All steps, the last one last.
        steps: &'e [Step],
    },
}

/// Sees a run; threads share it.
pub trait Observer: Sync {
    /// Something happened.
    fn see(&self, event: &Event<'_>);

    /// Whether the run is to be broken off.
    fn is_interrupted(&self) -> bool;

    /// A run of one step has its model, which may take longer to be measured than it took to train: whoever keeps it
    /// now loses nothing by breaking off.
    ///
    /// # Errors
    /// If the model cannot be kept.
    fn keep_unmeasured(&self, _model: &dyn Fn() -> Result<ModelFile>) -> Result<()> {
        Ok(())
    }

    /// The other processes that make the same run, if there are some.
    fn peers(&self) -> Option<Peers<'_>> {
        None
    }
}

/// Nobody watches.
#[derive(Debug, Clone, Copy)]
pub struct Silent;

impl Observer for Silent {
    fn see(&self, _: &Event<'_>) {}

    fn is_interrupted(&self) -> bool {
        false
    }
}

/// What a recipe tells its observer by, and shares its sums with other processes by.
#[derive(Clone, Copy)]
pub struct Watch<'o> {
    observer: &'o dyn Observer,
    /// Between steps and before the first, each process is by itself.
    peers: Option<Peers<'o>>,
}

impl<'o> Watch<'o> {
    /// Tells this observer.
    pub fn new(observer: &'o dyn Observer) -> Self {
        Self { observer, peers: None }
    }

    /// The same among the other processes of the run.
    pub(super) fn among_peers(self) -> Self {
        Self { peers: self.observer.peers(), ..self }
    }

    pub(super) fn peers(&self) -> Option<Peers<'o>> {
        self.peers
    }

    /// The total of a sum over shards, computed by all processes of the run; see [`all_reduce`].
    pub fn sum<S, A>(
        &self,
        work: &S,
        parameters: &S::Parameters,
        total: A,
        add: impl FnMut(&mut A, S::Partial),
    ) -> A
    where
        S: Sharded<Partial: Serialize + DeserializeOwned> + ?Sized,
        A: Serialize + DeserializeOwned,
    {
        all_reduce(self.peers, work, parameters, total, add)
    }

    /// Tells something worth a line, once.
    pub fn note(&self, text: fmt::Arguments<'_>) {
        self.tell(&Event::Note(text));
    }

    /// Tells how a step is getting on, and asks whether to go on.
    pub fn progress(&self, share: Option<f64>, text: fmt::Arguments<'_>) -> ControlFlow<()> {
        self.tell(&Event::Progress { share, text });
        match self.is_interrupted() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    /// Whether the run is to be broken off.
    pub fn is_interrupted(&self) -> bool {
        self.observer.is_interrupted()
    }

    pub(super) fn tell(&self, event: &Event<'_>) {
        self.observer.see(event);
    }
}
