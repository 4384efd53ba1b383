//! The agenda itself: inferences that were not made yet, the best path first.
//!
//! An entry is an inference and the state to make it from. Most are never taken up again, so the state behind one is
//! made only when it is.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::mem;

use super::total::{Total, compare};
use crate::transition::guide::Scored;
use crate::transition::state::{Action, Inference, InferencePlace};

#[cfg(test)]
const _: () = assert!(size_of::<AgendaEntry<super::total::AdditiveTotal>>() == 32);

/// An inference to be made from a state that was visited.
#[derive(Debug, Clone)]
pub(super) struct AgendaEntry<T> {
    /// What the path is worth once it is made.
    pub(super) total: T,
    score: f64,
    /// The state.
    pub(super) state: u32,
    start: u32,
    len: u32,
    action: Action,
}

impl<T> AgendaEntry<T> {
    pub(super) fn new(total: T, state: u32, scored: Scored) -> Self {
        let Inference { place, action } = scored.inference;
        Self { total, score: scored.score, state, start: place.start, len: place.len, action }
    }

    pub(super) fn scored(&self) -> Scored {
        let place =
            InferencePlace { start: self.start, len: self.len, is_shift: self.action == Action::Shift };
        Scored { inference: Inference { place, action: self.action }, score: self.score }
    }

    /// States are numbered as they are visited, so of equally good entries the older comes first; of those of the same
    /// state, that which a greedy search would prefer.
    fn rank(&self) -> (Action, u32, u32) {
        (self.action, self.start, self.len)
    }
}

/// The best is the greatest, as the heap wants it. Scores are looked at as well because sums of costs are rounded.
impl<T: Total> Ord for AgendaEntry<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_total = compare(&other.total, &self.total).then(other.state.cmp(&self.state));
        let by_score = || self.score.total_cmp(&other.score);
        by_total.then_with(by_score).then_with(|| other.rank().cmp(&self.rank()))
    }
}

impl<T: Total> PartialOrd for AgendaEntry<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: Total> PartialEq for AgendaEntry<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<T: Total> Eq for AgendaEntry<T> {}

/// A priority queue that forgets its worst entries.
#[derive(Debug, Clone, Default)]
pub(super) struct Agenda<T: Total> {
    pub(super) heap: BinaryHeap<AgendaEntry<T>>,
    max_len: usize,
    /// The best of what was ever forgotten.
    pub(super) forgotten: Option<T>,
}

impl<T: Total> Agenda<T> {
    /// Empties the queue.
    pub(super) fn start(&mut self, max_len: usize) {
        self.heap.clear();
        self.max_len = max_len.max(1);
        self.forgotten = None;
    }

    pub(super) fn best(&self) -> Option<&T> {
        self.heap.peek().map(|entry| &entry.total)
    }

    /// Forgets what is too much. To be called after pushing.
    pub(super) fn trim(&mut self) {
        if self.heap.len() <= self.max_len {
            return;
        }
        let mut entries = mem::take(&mut self.heap).into_vec();
        let best_first = |one: &AgendaEntry<T>, other: &AgendaEntry<T>| other.cmp(one);
        let (_, forgotten, _) = entries.select_nth_unstable_by(self.max_len, best_first);
        if self.forgotten.as_ref().is_none_or(|best| forgotten.total < *best) {
            self.forgotten = Some(forgotten.total.clone());
        }
        entries.truncate(self.max_len);
        self.heap = entries.into();
    }
}

#[cfg(test)]
mod tests {
    use super::super::total::AdditiveTotal;
    use super::*;
    use crate::transition::symbols::Label;

    fn entry(score: f64, state: u32, start: usize, len: usize) -> AgendaEntry<AdditiveTotal> {
        let inference =
            Inference { place: InferencePlace::build(start, len), action: Action::Build(Label(1)) };
        AgendaEntry::new(AdditiveTotal::default().plus(score), state, Scored { inference, score })
    }

    fn queue(
        max_len: usize,
        entries: impl IntoIterator<Item = AgendaEntry<AdditiveTotal>>,
    ) -> Agenda<AdditiveTotal> {
        let mut queue = Agenda::default();
        queue.start(max_len);
        for entry in entries {
            queue.heap.push(entry);
            queue.trim();
        }
        queue
    }

    fn popped(mut queue: Agenda<AdditiveTotal>) -> Vec<(f64, u32, u32)> {
        std::iter::from_fn(|| queue.heap.pop()).map(|entry| (entry.score, entry.state, entry.start)).collect()
    }

    #[test]
    fn the_best_comes_first_and_of_equals_the_oldest() {
        let entries = [entry(1.0, 0, 2, 1), entry(2.0, 1, 0, 1), entry(1.0, 0, 0, 2), entry(2.0, 0, 1, 1)];
        let expected = [(2.0, 0, 1), (2.0, 1, 0), (1.0, 0, 0), (1.0, 0, 2)];
        assert_eq!(popped(queue(9, entries)), expected);
    }

    #[test]
    fn the_worst_is_forgotten_and_the_best_of_it_known() {
        let scores = [0.0, 3.0, -2.0, 1.0, 2.0, -1.0];
        let full = queue(2, (0..).zip(scores).map(|(state, score)| entry(score, state, 0, 1)));
        assert!(full.forgotten == Some(AdditiveTotal::default().plus(1.0)));
        assert_eq!(popped(full), [(3.0, 1, 0), (2.0, 4, 0)]);
        assert!(queue(2, [entry(0.0, 0, 0, 1)]).forgotten.is_none());
    }
}
