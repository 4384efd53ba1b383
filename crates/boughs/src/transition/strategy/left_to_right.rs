//! Left to right: a new phrase contains the last one built, or starts behind it. Every tree has one path, its
//! post-order.

use super::{NOWHERE, Order};
use crate::span::Span;
use crate::transition::state::InferencePlace;

/// The focus is the last phrase built.
pub(super) struct LeftToRight;

impl Order for LeftToRight {
    fn allows(&self, focus: u32, _start: usize, end: usize) -> bool {
        focus == NOWHERE || (focus as usize) < end
    }

    fn can_follow(&self, made: Span, later: Span) -> bool {
        later.contains(made) || later.start >= made.end
    }

    fn keep_correct(&self, _focus: u32, ready: &mut Vec<InferencePlace>) {
        ready.truncate(1);
    }
}
