//! States of a parse, and the inferences that lead from one to the next.

use super::guide::Workspace;
use super::item::{ItemId, Items};
use super::strategy::Strategy;
use super::symbols::{Label, TOP, TransitionSymbols};
use crate::span::Span;

/// What an inference does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Action {
    /// Adds a phrase with this label.
    Build(Label),
    /// Moves on to the next item (shift-reduce only).
    Shift,
}

/// Consecutive items of a frontier that an inference is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct InferencePlace {
    /// The first, as an index into the frontier.
    pub(crate) start: u32,
    /// How many.
    pub(crate) len: u32,
    /// Whether they are to be shifted, not built over.
    pub(crate) is_shift: bool,
}

/// One step of a parse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Inference {
    /// Where.
    pub(crate) place: InferencePlace,
    /// What.
    pub(crate) action: Action,
}

/// A partial parse: the items that have no parent yet, from left to right.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(crate) struct ParserState {
    /// The items without a parent.
    pub(crate) frontier: Vec<ItemId>,
    /// Where the strategy stands in the frontier; each strategy has its own meaning for it.
    pub(crate) focus: u32,
}

impl InferencePlace {
    /// A place to build a phrase.
    pub(crate) fn build(start: usize, len: usize) -> Self {
        Self { start: start as u32, len: len as u32, is_shift: false }
    }

    /// An item to be shifted.
    pub(crate) fn shift(start: usize) -> Self {
        Self { start: start as u32, len: 1, is_shift: true }
    }

    /// The items, as a range of the frontier.
    #[inline]
    pub(crate) fn range(self) -> std::ops::Range<usize> {
        self.start as usize..(self.start + self.len) as usize
    }
}

impl ParserState {
    /// The state before the first inference: one terminal beside the other.
    pub(crate) fn initial(num_terminals: usize, strategy: Strategy) -> Self {
        let frontier = (0..num_terminals as u32).map(ItemId).collect();
        Self { frontier, focus: strategy.initial_focus() }
    }

    /// Whether the parse is complete.
    #[cfg(test)]
    pub(crate) fn is_final(&self, items: &Items) -> bool {
        matches!(self.frontier[..], [only] if items.get(only).is_phrase(TOP))
    }

    /// The items at a place.
    #[inline]
    pub(crate) fn items_at(&self, place: InferencePlace) -> &[ItemId] {
        &self.frontier[place.range()]
    }

    /// The terminals below a place.
    pub(crate) fn span_at(&self, place: InferencePlace, items: &Items) -> Span {
        let range = place.range();
        let [first, last] = [range.start, range.end - 1].map(|at| items.get(self.frontier[at]));
        Span::new(first.start, last.end)
    }

    /// Whether a place is the whole frontier.
    pub(crate) fn is_whole(&self, place: InferencePlace) -> bool {
        place.len as usize == self.frontier.len()
    }
}

/// The labels that are legal at a place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LegalLabels {
    /// Whether the topmost label is.
    has_top: bool,
    /// Whether others are.
    has_inner: bool,
    /// The child, if there is only one: the labels in its unary chain are not legal.
    only_child: Option<ItemId>,
}

impl LegalLabels {
    /// Whether a label is legal.
    #[inline]
    pub(crate) fn allows(&self, label: Label, items: &Items) -> bool {
        match label {
            TOP => self.has_top,
            _ => self.has_inner && !self.only_child.is_some_and(|child| items.has_in_chain(child, label)),
        }
    }
}

/// How inferences are made: in what order, and of what size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Scheme {
    /// The order of inferences.
    pub strategy: Strategy,
    /// The most children that a phrase may have.
    pub max_children: usize,
}

impl Default for Scheme {
    /// That of Turian & Melamed (2006).
    fn default() -> Self {
        Self { strategy: Strategy::RightToLeft, max_children: 5 }
    }
}

impl Scheme {
    /// All places where an inference may be made, from left to right, shorter ones first. A place may still turn out to
    /// have no legal label.
    pub(crate) fn places(&self, state: &ParserState, items: &Items, places: &mut Vec<InferencePlace>) {
        places.clear();
        let (strategy, len) = (self.strategy, state.frontier.len());
        for start in 0..len {
            for end in start + 1..=len.min(start + self.max_children) {
                let place = InferencePlace::build(start, end - start);
                let has_edges = !self.is_edge_punctuation(state, items, place);
                if (has_edges || state.is_whole(place)) && strategy.allows(state.focus, start, end) {
                    places.push(place);
                }
            }
        }
        if let Some(start) = strategy.shift(state.focus, len) {
            places.push(InferencePlace::shift(start));
        }
    }

    /// Whether an action is legal at one of the [`places`](Self::places) of a state.
    pub(crate) fn is_legal(
        &self,
        state: &ParserState,
        items: &Items,
        place: InferencePlace,
        action: Action,
    ) -> bool {
        match action {
            Action::Shift => place.is_shift,
            Action::Build(label) => self.legal(state, items, place).allows(label, items),
        }
    }

    /// Which labels are legal at one of the [`places`](Self::places) of a state.
    pub(crate) fn legal(&self, state: &ParserState, items: &Items, place: InferencePlace) -> LegalLabels {
        let has_inner = !place.is_shift && !self.is_edge_punctuation(state, items, place);
        let only_child = match state.items_at(place) {
            [only] => Some(*only),
            _ => None,
        };
        LegalLabels { has_top: !place.is_shift && state.is_whole(place), has_inner, only_child }
    }

    /// Whether the first or last item at a place is punctuation, which no phrase but the whole begins or ends with.
    fn is_edge_punctuation(&self, state: &ParserState, items: &Items, place: InferencePlace) -> bool {
        let children = state.items_at(place);
        [children.first(), children.last()]
            .into_iter()
            .flatten()
            .any(|&child| items.get(child).is_punctuation)
    }

    /// Makes an inference.
    pub(crate) fn advance(
        &self,
        state: &mut ParserState,
        inference: Inference,
        workspace: &mut Workspace,
        symbols: &TransitionSymbols,
    ) {
        let place = inference.place;
        match inference.action {
            Action::Shift => state.focus += 1,
            Action::Build(label) => {
                let item = workspace.phrase(symbols, label, state.items_at(place), state.is_whole(place));
                let range = place.range();
                state.frontier[range.start] = item;
                state.frontier.drain(range.start + 1..range.end);
                state.focus = self.strategy.focus_after_build(place.start);
            }
        }
    }
}
