//! Right to left: a new phrase contains the last one built, or ends before it. Every tree has one path, the reverse of
//! its post-order.

use super::{NOWHERE, Order};
use crate::span::Span;
use crate::transition::state::InferencePlace;

/// The focus is the last phrase built.
pub(super) struct RightToLeft;

impl Order for RightToLeft {
    fn allows(&self, focus: u32, start: usize, end: usize) -> bool {
        focus == NOWHERE || end <= focus as usize || (start <= focus as usize && (focus as usize) < end)
    }

    fn can_follow(&self, made: Span, later: Span) -> bool {
        later.contains(made) || later.end <= made.start
    }

    fn keep_correct(&self, _focus: u32, ready: &mut Vec<InferencePlace>) {
        ready.drain(..ready.len().saturating_sub(1));
    }
}
