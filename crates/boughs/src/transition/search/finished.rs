//! The best complete parses found so far.

use super::total::Total;
use crate::transition::item::ItemId;

/// A complete parse, as the state that it ended in.
#[derive(Debug, Clone)]
pub(super) struct Complete<T> {
    total: T,
    pub(super) root: ItemId,
    pub(super) state: u32,
    /// Whether none was found before it.
    pub(super) is_first: bool,
}

/// At most so many complete parses with different roots, the best first, and of equals the oldest.
#[derive(Debug, Clone, Default)]
pub(super) struct Finished<T> {
    pub(super) parses: Vec<Complete<T>>,
    max_len: usize,
    is_first: bool,
}

impl<T: Total> Finished<T> {
    /// Forgets all parses.
    pub(super) fn start(&mut self, max_len: usize) {
        self.parses.clear();
        self.max_len = max_len.max(1);
        self.is_first = true;
    }

    /// What a parse must be better than to be of use; nothing as long as there is room.
    pub(super) fn bound(&self) -> Option<&T> {
        (self.parses.len() == self.max_len).then(|| self.parses.last().map(|parse| &parse.total))?
    }

    /// Adds a parse. Of the same tree, only the best path is kept.
    pub(super) fn add(&mut self, total: T, root: ItemId, state: u32) {
        let is_first = std::mem::replace(&mut self.is_first, false);
        if let Some(same) = self.parses.iter().position(|parse| parse.root == root) {
            if self.parses[same].total <= total {
                return;
            }
            self.parses.remove(same);
        }
        let at = self.parses.partition_point(|parse| parse.total <= total);
        self.parses.insert(at, Complete { total, root, state, is_first });
        self.parses.truncate(self.max_len);
    }
}

#[cfg(test)]
mod tests {
    use super::super::total::AdditiveTotal;
    use super::*;

    #[test]
    fn keeps_the_best_path_of_each_of_the_best_trees() {
        let mut finished = Finished::default();
        finished.start(2);
        let found = [(1.0, 7), (0.0, 8), (2.0, 9), (3.0, 7), (2.0, 6), (1.0, 9)];
        for (state, (score, root)) in (0..).zip(found) {
            assert_eq!(finished.bound().is_some(), state >= 2);
            finished.add(AdditiveTotal::default().plus(score), ItemId(root), state);
        }
        let kept: Vec<_> = finished.parses.iter().map(|parse| (parse.root.0, parse.state)).collect();
        assert_eq!(kept, [(7, 3), (9, 2)], "of equals the first stays");
        assert!(finished.bound() == Some(&AdditiveTotal::default().plus(2.0)));
    }
}
