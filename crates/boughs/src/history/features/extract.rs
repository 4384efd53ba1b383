//! Finding the features that hold.
//!
//! The naive form asks every question. Nearly all answers are no, so instead each group is looked up once and its values
//! say which questions have the answer yes. A feature may be found more than once, because sets overlap.

use std::ops::Range;

use super::group::{ChildPlace, Group, ItemPlace, Set};
use super::layout::{Layout, NOT_ASKED, Slots};
use crate::history::item::{Item, ItemId, Items};
use crate::history::state::Place;

/// A place in a frontier, which features ask about.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The items of the sentence.
    pub items: &'a Items,
    /// The frontier.
    pub frontier: &'a [ItemId],
    /// The children of the inference.
    pub place: Place,
}

impl Layout {
    /// Finds the features that hold whatever the head.
    #[inline]
    pub fn common(&self, view: View<'_>, mut emit: impl FnMut(u32)) {
        let located = Located::new(view, 0);
        for slots in &self.common {
            located.find(slots, &mut emit);
        }
    }

    /// Finds the features that hold if the head is the child at `head`.
    #[inline]
    pub fn of_head(&self, view: View<'_>, head: usize, mut emit: impl FnMut(u32)) {
        let located = Located::new(view, head);
        for slots in &self.of_head {
            located.find(slots, &mut emit);
        }
    }
}

/// A view with its landmarks.
struct Located<'a> {
    items: &'a Items,
    frontier: &'a [ItemId],
    /// The children, as a range of the frontier.
    start: usize,
    end: usize,
    /// The head child, as an index into the frontier.
    head: usize,
    /// The terminals below the children.
    terminals: Range<u32>,
}

/// Two ranges of the frontier: only the children without the head need both.
type Ranges = [Range<usize>; 2];

impl<'a> Located<'a> {
    fn new(View { items, frontier, place }: View<'a>, head: usize) -> Self {
        let Range { start, end } = place.range();
        let terminals = items.get(frontier[start]).start..items.get(frontier[end - 1]).end;
        Self { items, frontier, start, end, head: start + head, terminals }
    }

    #[inline]
    fn find(&self, slots: &Slots, emit: &mut impl FnMut(u32)) {
        match slots.group {
            Group::Item(place) => {
                if let Some(index) = self.index(place) {
                    ask(slots, self.item(index), emit);
                }
            }
            Group::Terminal(place) => {
                if let Some(terminal) = self.terminal(place) {
                    ask(slots, self.items.get(ItemId(terminal)), emit);
                }
            }
            Group::Some(set) => {
                for range in self.ranges(set) {
                    for &id in &self.frontier[range] {
                        ask(slots, self.items.get(id), emit);
                    }
                }
            }
            Group::SomeTerminal(set) => {
                for range in self.ranges(set) {
                    for terminal in self.terminals_below(range) {
                        ask(slots, self.items.get(ItemId(terminal)), emit);
                    }
                }
            }
            Group::Child(of, child) => {
                if let Some(id) = self.child(of, child) {
                    ask(slots, self.items.get(id), emit);
                }
            }
            Group::NumItems(set) => {
                let count = self.ranges(set).map(|range| range.len());
                ask_count(slots, count[0] + count[1], emit);
            }
            Group::NumTerminals(set) => {
                let count = self.ranges(set).map(|range| self.terminals_below(range).len());
                ask_count(slots, count[0] + count[1], emit);
            }
        }
    }

    #[inline]
    fn item(&self, index: usize) -> &'a Item {
        self.items.get(self.frontier[index])
    }

    #[inline]
    fn index(&self, place: ItemPlace) -> Option<usize> {
        let children = self.start..self.end;
        match place {
            ItemPlace::Left(n) => self.start.checked_sub(1 + usize::from(n)),
            ItemPlace::Right(n) => Some(self.end + usize::from(n)).filter(|&i| i < self.frontier.len()),
            ItemPlace::First(n) => Some(self.start + usize::from(n)).filter(|i| children.contains(i)),
            ItemPlace::Last(n) => self.end.checked_sub(1 + usize::from(n)).filter(|i| children.contains(i)),
            ItemPlace::Head(n) => {
                self.head.checked_add_signed(isize::from(n)).filter(|i| children.contains(i))
            }
        }
    }

    #[inline]
    fn terminal(&self, place: ItemPlace) -> Option<u32> {
        let below = &self.terminals;
        match place {
            ItemPlace::Left(n) => below.start.checked_sub(1 + u32::from(n)),
            ItemPlace::Right(n) => {
                Some(below.end + u32::from(n)).filter(|&t| (t as usize) < self.items.num_terminals())
            }
            ItemPlace::First(n) => Some(below.start + u32::from(n)).filter(|t| below.contains(t)),
            ItemPlace::Last(n) => below.end.checked_sub(1 + u32::from(n)).filter(|t| below.contains(t)),
            ItemPlace::Head(n) => {
                self.item(self.head).head.checked_add_signed(i32::from(n)).filter(|t| below.contains(t))
            }
        }
    }

    #[inline]
    fn ranges(&self, set: Set) -> Ranges {
        let (start, end, head, len) = (self.start, self.end, self.head, self.frontier.len());
        let nearest = |n: Option<u8>, all: usize| n.map_or(all, |n| all.min(usize::from(n)));
        let one = match set {
            Set::Frontier => 0..len,
            Set::Left(n) => start - nearest(n, start)..start,
            Set::Right(n) => end..end + nearest(n, len - end),
            Set::Children => start..end,
            Set::First(n) => start..start + nearest(Some(n), end - start),
            Set::Last(n) => end - nearest(Some(n), end - start)..end,
            Set::BeforeHead(n) => head - nearest(n, head - start)..head,
            Set::AfterHead(n) => head + 1..head + 1 + nearest(n, end - head - 1),
            Set::NotFirst => start + 1..end,
            Set::NotLast => start..end - 1,
            Set::UpToHead => start..head + 1,
            Set::FromHead => head..end,
            Set::NotHead => return [start..head, head + 1..end],
        };
        [one, 0..0]
    }

    #[inline]
    fn terminals_below(&self, range: Range<usize>) -> Range<u32> {
        if range.is_empty() {
            return 0..0;
        }
        self.item(range.start).start..self.item(range.end - 1).end
    }

    fn child(&self, of: ChildPlace, child: ChildPlace) -> Option<ItemId> {
        let parent = self.frontier[match of {
            ChildPlace::First => self.start,
            ChildPlace::Head => self.head,
            ChildPlace::Last => self.end - 1,
        }];
        let children = self.items.children(parent);
        match child {
            ChildPlace::First => children.first().copied(),
            ChildPlace::Head => children.get(usize::from(self.items.get(parent).head_child)).copied(),
            ChildPlace::Last => children.last().copied(),
        }
    }
}

#[inline]
fn ask(slots: &Slots, item: &Item, emit: &mut impl FnMut(u32)) {
    if slots.label != NOT_ASKED {
        emit(slots.label + u32::from(item.symbol.0));
    }
    if slots.tag != NOT_ASKED {
        emit(slots.tag + u32::from(item.head_tag));
    }
    if slots.class != NOT_ASKED {
        emit(slots.class + u32::from(item.head_class));
    }
    if slots.word != NOT_ASKED {
        emit(slots.word + item.head_word);
    }
}

#[inline]
fn ask_count(slots: &Slots, count: usize, emit: &mut impl FnMut(u32)) {
    if let Some(features) = slots.by_count.get(count).or_else(|| slots.by_count.last()) {
        features.iter().for_each(|&feature| emit(feature));
    }
}
