//! Bottom-up: any phrase whose children are there. A tree has many paths; training follows a random one.

use super::{NOWHERE, Order};
use crate::transition::state::InferencePlace;

/// There is no focus, so that states do not remember how they were reached.
pub(super) struct BottomUp;

impl Order for BottomUp {
    fn focus_after_build(&self, _start: u32) -> u32 {
        NOWHERE
    }

    fn allows(&self, _focus: u32, _start: usize, _end: usize) -> bool {
        true
    }

    fn keep_correct(&self, _focus: u32, _ready: &mut Vec<InferencePlace>) {}
}
