//! The states that a search has visited, as a tree of steps; their frontiers stand in one list.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use super::problem::step;
use super::searched::ParseStep;
use super::total::{Total, compare};
use crate::transition::guide::Scored;
use crate::transition::item::ItemId;
use crate::transition::state::ParserState;

#[derive(Debug, Clone)]
struct Visited<T> {
    total: T,
    /// The state before, and the step from there.
    arrival: Option<(u32, Scored)>,
    focus: u32,
    start: usize,
    len: usize,
}

/// Visited states, by number.
#[derive(Debug, Clone, Default)]
pub(super) struct States<T> {
    visited: Vec<Visited<T>>,
    frontiers: Vec<ItemId>,
    /// Of several visits of the same state, the best.
    index: HashTable<u32>,
}

impl<T: Total> States<T> {
    /// Forgets all states.
    pub(super) fn start(&mut self) {
        self.visited.clear();
        self.frontiers.clear();
        self.index.clear();
    }

    /// Adds a visit.
    pub(super) fn add(&mut self, state: &ParserState, total: T, arrival: Option<(u32, Scored)>) -> u32 {
        let id = self.visited.len() as u32;
        let (start, len) = (self.frontiers.len(), state.frontier.len());
        self.frontiers.extend_from_slice(&state.frontier);
        self.visited.push(Visited { total, arrival, focus: state.focus, start, len });
        id
    }

    /// Adds a visit, unless there was one of the same state that is at least as good. A better one takes the place of
    /// the earlier: what was found from there is found again, at less cost.
    pub(super) fn add_if_better(
        &mut self,
        state: &ParserState,
        total: T,
        arrival: Option<(u32, Scored)>,
    ) -> Option<u32> {
        let hash = hash(&state.frontier, state.focus);
        let is_same = |&id: &u32| self.frontier(id) == state.frontier && self.visit(id).focus == state.focus;
        let earlier = self.index.find(hash, is_same).copied();
        if earlier.is_some_and(|id| *self.total(id) <= total) {
            return None;
        }
        let id = self.add(state, total, arrival);
        match self.index.find_mut(hash, |&known| Some(known) == earlier) {
            Some(known) => *known = id,
            None => self.insert(hash, id),
        }
        Some(id)
    }

    fn insert(&mut self, hash: u64, id: u32) {
        let (visited, frontiers) = (&self.visited, &self.frontiers);
        self.index.insert_unique(hash, id, |&id| {
            let visit = &visited[id as usize];
            self::hash(&frontiers[visit.start..][..visit.len], visit.focus)
        });
    }

    fn visit(&self, id: u32) -> &Visited<T> {
        &self.visited[id as usize]
    }

    pub(super) fn total(&self, id: u32) -> &T {
        &self.visit(id).total
    }

    pub(super) fn frontier(&self, id: u32) -> &[ItemId] {
        let visit = self.visit(id);
        &self.frontiers[visit.start..][..visit.len]
    }

    /// Makes `state` the one with a number.
    pub(super) fn load(&self, id: u32, state: &mut ParserState) {
        state.frontier.clear();
        state.frontier.extend_from_slice(self.frontier(id));
        state.focus = self.visit(id).focus;
    }

    /// The steps to a state.
    pub(super) fn path(&self, mut id: u32) -> Vec<ParseStep> {
        let mut steps = Vec::new();
        while let Some((before, scored)) = self.visit(id).arrival {
            steps.push(step(scored, self.frontier(id)));
            id = before;
        }
        steps.reverse();
        steps
    }

    /// The state with the shortest frontier, of several the best, of several the first.
    pub(super) fn most_complete(&self) -> Option<u32> {
        (0..self.visited.len() as u32).min_by(|&one, &other| {
            let by_len = self.visit(one).len.cmp(&self.visit(other).len);
            by_len.then_with(|| compare(self.total(one), self.total(other)))
        })
    }
}

fn hash(frontier: &[ItemId], focus: u32) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u32(focus);
    frontier.iter().for_each(|item| hasher.write_u32(item.0));
    hasher.finish()
}
