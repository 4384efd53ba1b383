//! Shift-reduce: the frontier up to the focus is a stack, the rest is still to come. A phrase is built over the top
//! of the stack, or the next item is shifted onto it, so a state has at most as many places as a phrase may have
//! children, and one.

use super::Order;
use crate::span::Span;
use crate::transition::state::InferencePlace;

/// The focus is the number of items on the stack.
pub(super) struct ShiftReduce;

impl Order for ShiftReduce {
    fn initial_focus(&self) -> u32 {
        0
    }

    fn focus_after_build(&self, start: u32) -> u32 {
        start + 1
    }

    fn focus_after_shift(&self, focus: u32) -> u32 {
        focus + 1
    }

    fn allows(&self, focus: u32, _start: usize, end: usize) -> bool {
        end == focus as usize
    }

    fn can_follow(&self, made: Span, later: Span) -> bool {
        later.end >= made.end
    }

    fn shift(&self, focus: u32, len: usize) -> Option<usize> {
        ((focus as usize) < len).then_some(focus as usize)
    }

    /// A phrase that is ready on top of the stack, or else the shift.
    fn keep_correct(&self, focus: u32, ready: &mut Vec<InferencePlace>) {
        let top = ready.iter().copied().find(|place| place.range().end == focus as usize);
        ready.clear();
        ready.push(top.unwrap_or(InferencePlace::shift(focus as usize)));
    }
}
