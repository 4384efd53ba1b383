//! Strategies: in which order the phrases of a tree are inferred.
//!
//! All share the candidate rules of [`Scheme`](super::Scheme); a strategy only says which places are open now, and
//! which of the gold phrases that could be built now is the one to build. All that it knows of the inferences so far is
//! the focus of the state, a number.

use serde::{Deserialize, Serialize};

use super::state::InferencePlace;
use crate::span::Span;

/// The focus if no item has been built yet.
const NOWHERE: u32 = u32::MAX;

/// A named order of inferences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strategy {
    /// Phrases in reverse post-order, the best of Turian & Melamed (2006): a new phrase contains the last one built,
    /// which is the focus, or ends before it.
    #[serde(rename = "r2l")]
    RightToLeft,
    /// Phrases in post-order: a new phrase contains the last one built, or starts behind it.
    #[serde(rename = "l2r")]
    LeftToRight,
    /// Any phrase whose children are there. A tree has many paths; training follows a random one. There is no focus, so
    /// that states do not remember how they were reached.
    BottomUp,
    /// Phrases over the last items shifted, or a shift: a number of decisions linear in the length. The frontier up to
    /// the focus is a stack, the rest is still to come, so a state has at most as many places as a phrase may have
    /// children, and one.
    ShiftReduce,
}

impl Strategy {
    /// All strategies.
    pub const ALL: [Self; 4] = [Self::RightToLeft, Self::LeftToRight, Self::BottomUp, Self::ShiftReduce];

    /// Whether there are shifts.
    pub(crate) fn has_shift(self) -> bool {
        self == Self::ShiftReduce
    }

    /// Whether the same items can be inferred in several orders.
    pub(crate) fn has_many_paths(self) -> bool {
        self == Self::BottomUp
    }

    /// The focus before the first inference.
    pub(super) fn initial_focus(self) -> u32 {
        if self.has_shift() { 0 } else { NOWHERE }
    }

    /// The focus after a phrase was built that now is the item `start` of the frontier.
    pub(super) fn focus_after_build(self, start: u32) -> u32 {
        match self {
            Self::RightToLeft | Self::LeftToRight => start,
            Self::BottomUp => NOWHERE,
            Self::ShiftReduce => start + 1,
        }
    }

    /// Whether a phrase may be built over the items `start..end`.
    #[inline]
    pub(super) fn allows(self, focus: u32, start: usize, end: usize) -> bool {
        let at = focus as usize;
        match self {
            Self::RightToLeft => focus == NOWHERE || end <= at || (start <= at && at < end),
            Self::LeftToRight => focus == NOWHERE || at < end,
            Self::BottomUp => true,
            Self::ShiftReduce => end == at,
        }
    }

    /// Whether a phrase over `later` may still be built once one was built over `made`, or the token `made` was
    /// shifted. The two do not cross, and `later` is not within `made`.
    pub(super) fn can_follow(self, made: Span, later: Span) -> bool {
        match self {
            Self::RightToLeft => later.contains(made) || later.end <= made.start,
            Self::LeftToRight => later.contains(made) || later.start >= made.end,
            Self::BottomUp => true,
            Self::ShiftReduce => later.end >= made.end,
        }
    }

    /// The item that may be shifted, if there is one.
    pub(super) fn shift(self, focus: u32, len: usize) -> Option<usize> {
        (self.has_shift() && (focus as usize) < len).then_some(focus as usize)
    }

    /// Cuts the places of gold phrases all of whose children are on the frontier, given from left to right, to those
    /// that are correct now.
    pub(super) fn keep_correct(self, focus: u32, ready: &mut Vec<InferencePlace>) {
        match self {
            Self::RightToLeft => _ = ready.drain(..ready.len().saturating_sub(1)),
            Self::LeftToRight => ready.truncate(1),
            Self::BottomUp => {}
            // A phrase that is ready on top of the stack, or else the shift.
            Self::ShiftReduce => {
                ready.retain(|place| place.range().end == focus as usize);
                ready.truncate(1);
                if ready.is_empty() {
                    ready.push(InferencePlace::shift(focus as usize));
                }
            }
        }
    }
}
