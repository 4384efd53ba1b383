//! Strategies: in which order the phrases of a tree are inferred.
//!
//! Each is an [`Order`] in a file of its own. All share the candidate rules of [`Scheme`](super::Scheme); an order
//! only says which places are open now, and which of the gold phrases that could be built now is the one to build.

mod bottom_up;
mod left_to_right;
mod right_to_left;
mod shift_reduce;

use std::fmt;
use std::str::FromStr;

use super::state::InferencePlace;
use crate::error::{Error, ErrorKind, Result};
use crate::span::Span;

/// No item has been built yet.
const NOWHERE: u32 = u32::MAX;

/// What distinguishes strategies.
pub(crate) trait Order: Sync {
    /// The focus before the first inference.
    fn initial_focus(&self) -> u32 {
        NOWHERE
    }

    /// The focus after a phrase was built that now is the item `start` of the frontier.
    fn focus_after_build(&self, start: u32) -> u32 {
        start
    }

    /// The focus after an item was shifted.
    fn focus_after_shift(&self, focus: u32) -> u32 {
        focus
    }

    /// Whether a phrase may be built over the items `start..end`.
    fn allows(&self, focus: u32, start: usize, end: usize) -> bool;

    /// Whether a phrase over `later` may still be built once one was built over `made`, or the token `made` was
    /// shifted. The two do not cross, and `later` is not within `made`.
    fn can_follow(&self, _made: Span, _later: Span) -> bool {
        true
    }

    /// The item that may be shifted, if there is one.
    fn shift(&self, _focus: u32, _len: usize) -> Option<usize> {
        None
    }

    /// Cuts the places of gold phrases all of whose children are on the frontier, given from left to right, to those
    /// that are correct now.
    fn keep_correct(&self, focus: u32, ready: &mut Vec<InferencePlace>);
}

/// A named order of inferences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strategy {
    /// Phrases in reverse post-order: the best of Turian & Melamed (2006).
    RightToLeft,
    /// Phrases in post-order.
    LeftToRight,
    /// Any phrase whose children are there.
    BottomUp,
    /// Phrases over the last items shifted, or a shift: a number of decisions linear in the length.
    ShiftReduce,
}

impl Strategy {
    /// All strategies.
    pub const ALL: [Self; 4] = [Self::RightToLeft, Self::LeftToRight, Self::BottomUp, Self::ShiftReduce];

    /// The name, as users write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::RightToLeft => "r2l",
            Self::LeftToRight => "l2r",
            Self::BottomUp => "bottom-up",
            Self::ShiftReduce => "shift-reduce",
        }
    }

    /// Whether there are shifts.
    pub(crate) fn has_shift(self) -> bool {
        self == Self::ShiftReduce
    }

    /// Whether the same items can be inferred in several orders.
    pub(crate) fn has_many_paths(self) -> bool {
        self == Self::BottomUp
    }

    /// The order.
    pub(crate) fn order(self) -> &'static dyn Order {
        match self {
            Self::RightToLeft => &right_to_left::RightToLeft,
            Self::LeftToRight => &left_to_right::LeftToRight,
            Self::BottomUp => &bottom_up::BottomUp,
            Self::ShiftReduce => &shift_reduce::ShiftReduce,
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Strategy {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|strategy| strategy.name() == name).ok_or_else(|| {
            Error::new(ErrorKind::Argument, format!("expected a strategy, found `{name}`"))
                .hint(format!("known are {}", Self::ALL.map(Self::name).join(", ")))
        })
    }
}
