//! What every parse must agree with.

use super::Task;
use crate::history::guide::{Guide, Scored, Workspace};
use crate::history::state::State;

/// Demands on a parse.
#[derive(Debug, Clone, Default)]
pub struct Constraints {}

impl Constraints {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        true
    }
}

/// A guide that keeps to constraints.
pub(super) struct Constrained<'a> {
    guide: &'a mut dyn Guide,
}

impl<'a> Constrained<'a> {
    pub(super) fn new(guide: &'a mut dyn Guide, _task: &'a Task<'a>) -> Self {
        Self { guide }
    }
}

impl Guide for Constrained<'_> {
    fn score(&mut self, state: &State, workspace: &mut Workspace, scored: &mut Vec<Scored>) {
        self.guide.score(state, workspace, scored);
    }
}
