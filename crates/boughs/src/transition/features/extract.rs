//! Finding the features that hold.
//!
//! The naive form asks every question. Nearly all answers are no, so instead each item says which questions about its
//! [role](super::Roles) have the answer yes. A feature may be found more than once, because roles overlap.

use std::ops::Range;

use super::group::{ChildPlace, Group, Set};
use super::layout::{FeatureLayout, Slots};
use super::roles::{FeatureRole, RoleSide, SILENT};
use crate::transition::item::{ItemId, Items, ParseItem};
use crate::transition::state::InferencePlace;

/// A place in a frontier, which features ask about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlaceView<'a> {
    /// The items of the sentence.
    pub(crate) items: &'a Items,
    /// The frontier.
    pub(crate) frontier: &'a [ItemId],
    /// The children of the inference.
    pub(crate) place: InferencePlace,
}

/// Gets to know everything that features depend on.
pub(crate) trait Visitor {
    /// An item has a role of a class.
    fn item(&mut self, class: u16, id: ItemId, item: &ParseItem);

    /// A number is what it is, and so a list of features holds: see [`Layout::counts`].
    fn count(&mut self, list: usize);
}

/// A visitor that finds features.
struct Finder<'l, E> {
    layout: &'l FeatureLayout,
    emit: E,
}

impl<E: FnMut(u32)> Visitor for Finder<'_, E> {
    #[inline]
    fn item(&mut self, class: u16, _id: ItemId, item: &ParseItem) {
        self.layout.roles.features(class, item, &mut self.emit);
    }

    #[inline]
    fn count(&mut self, list: usize) {
        self.layout.counts[list].iter().for_each(|&feature| (self.emit)(feature));
    }
}

impl FeatureLayout {
    /// Finds the features that hold whatever the head.
    pub(crate) fn common(&self, view: PlaceView<'_>, emit: impl FnMut(u32)) {
        self.visit(view, &mut Finder { layout: self, emit });
    }

    /// Finds the features that hold if the head is the child at `head`.
    pub(crate) fn of_head(&self, view: PlaceView<'_>, head: usize, emit: impl FnMut(u32)) {
        self.visit_head(view, head, &mut Finder { layout: self, emit });
    }

    /// Tells everything that features depend on, but for the head.
    fn visit(&self, view: PlaceView<'_>, visitor: &mut impl Visitor) {
        self.visit_left(view, visitor);
        self.visit_children(view, visitor);
        self.visit_right(view, visitor);
    }

    /// Tells what depends on the items to the left of a place alone.
    #[inline]
    pub(crate) fn visit_left(&self, view: PlaceView<'_>, visitor: &mut impl Visitor) {
        let located = Located::new(view, 0, self);
        let items = located.frontier[..located.start].iter().rev().enumerate();
        items.for_each(|(distance, &id)| located.tell(FeatureRole::Left(distance), id, visitor));
        let terminals = (0..located.terminals.start).rev().enumerate();
        let id = |terminal: usize| ItemId(terminal as u32);
        terminals
            .for_each(|(distance, at)| located.tell(FeatureRole::TerminalLeft(distance), id(at), visitor));
        located.visit_counts(&self.of_left, visitor);
    }

    /// Tells what depends on the items to the right of a place alone.
    #[inline]
    pub(crate) fn visit_right(&self, view: PlaceView<'_>, visitor: &mut impl Visitor) {
        let located = Located::new(view, 0, self);
        let items = located.frontier[located.end..].iter().enumerate();
        items.for_each(|(distance, &id)| located.tell(FeatureRole::Right(distance), id, visitor));
        let terminals = (located.terminals.end..located.items.num_terminals).enumerate();
        let id = |terminal: usize| ItemId(terminal as u32);
        terminals
            .for_each(|(distance, at)| located.tell(FeatureRole::TerminalRight(distance), id(at), visitor));
        located.visit_counts(&self.of_right, visitor);
    }

    /// Tells what depends on the children, but for the head.
    #[inline]
    pub(crate) fn visit_children(&self, view: PlaceView<'_>, visitor: &mut impl Visitor) {
        let located = Located::new(view, 0, self);
        located.visit_items(visitor);
        located.visit_terminals(visitor);
        for of in [ChildPlace::First, ChildPlace::Last] {
            located.visit_grandchildren(of, visitor);
            located.visit_around(of, visitor);
        }
        located.visit_counts(&self.common, visitor);
    }

    /// Tells everything that features depend on if the head is the child at `head`, and that is not told otherwise.
    #[inline]
    pub(crate) fn visit_head(&self, view: PlaceView<'_>, head: usize, visitor: &mut impl Visitor) {
        let located = Located::new(view, head, self);
        located.visit_items_around_head(visitor);
        located.visit_terminals_around_head(visitor);
        located.visit_grandchildren(ChildPlace::Head, visitor);
        located.visit_around(ChildPlace::Head, visitor);
        located.visit_counts(&self.of_head, visitor);
    }
}

/// A view with its landmarks.
struct Located<'a> {
    layout: &'a FeatureLayout,
    items: &'a Items,
    frontier: &'a [ItemId],
    /// The children, as a range of the frontier.
    start: usize,
    end: usize,
    /// The head child, as an index into the frontier.
    head: usize,
    /// The terminals below the children.
    terminals: Range<usize>,
}

impl<'a> Located<'a> {
    #[inline]
    fn new(
        PlaceView { items, frontier, place }: PlaceView<'a>,
        head: usize,
        layout: &'a FeatureLayout,
    ) -> Self {
        let Range { start, end } = place.range();
        let terminals = items.get(frontier[start]).start as usize..items.get(frontier[end - 1]).end as usize;
        Self { layout, items, frontier, start, end, head: start + head, terminals }
    }

    #[inline]
    fn tell(&self, role: FeatureRole, id: ItemId, visitor: &mut impl Visitor) {
        let class = self.layout.roles.class(role);
        if class != SILENT {
            visitor.item(class, id, self.items.get(id));
        }
    }

    fn visit_items(&self, visitor: &mut impl Visitor) {
        let (start, end) = (self.start, self.end);
        for index in start..end {
            let role = FeatureRole::Child { first: index - start, last: end - 1 - index };
            self.tell(role, self.frontier[index], visitor);
        }
    }

    fn visit_terminals(&self, visitor: &mut impl Visitor) {
        let Range { start, end } = self.terminals;
        let first_end = self.item(self.start).end as usize;
        let last_start = self.item(self.end - 1).start as usize;
        for terminal in start..end {
            let role = FeatureRole::Terminal {
                first: terminal - start,
                last: end - 1 - terminal,
                in_first: terminal < first_end,
                in_last: terminal >= last_start,
            };
            self.tell(role, ItemId(terminal as u32), visitor);
        }
    }

    fn visit_items_around_head(&self, visitor: &mut impl Visitor) {
        for index in self.start..self.end {
            let offset = index as isize - self.head as isize;
            self.tell(FeatureRole::HeadChild(offset), self.frontier[index], visitor);
        }
    }

    fn visit_terminals_around_head(&self, visitor: &mut impl Visitor) {
        let head = self.item(self.head);
        for terminal in self.terminals.clone() {
            let side = if terminal < head.start as usize {
                RoleSide::Before
            } else if terminal < head.end as usize {
                RoleSide::Below
            } else {
                RoleSide::After
            };
            let offset = terminal as isize - head.head as isize;
            self.tell(FeatureRole::HeadTerminal { offset, side }, ItemId(terminal as u32), visitor);
        }
    }

    /// The place of a child in the frontier.
    #[inline]
    fn index(&self, of: ChildPlace) -> usize {
        match of {
            ChildPlace::First => self.start,
            ChildPlace::Head => self.head,
            ChildPlace::Last => self.end - 1,
        }
    }

    fn visit_around(&self, of: ChildPlace, visitor: &mut impl Visitor) {
        let terminal = match of {
            ChildPlace::First => self.terminals.start,
            ChildPlace::Head => self.item(self.head).head as usize,
            ChildPlace::Last => self.terminals.end - 1,
        };
        let reach = self.layout.roles.reach;
        for offset in (-reach..=reach).filter(|_| reach > 0) {
            if let Some(&id) = self.frontier.get(self.index(of).wrapping_add_signed(offset)) {
                self.tell(FeatureRole::Around(of, offset), id, visitor);
            }
            let terminal = terminal.wrapping_add_signed(offset);
            if terminal < self.items.num_terminals {
                self.tell(FeatureRole::TerminalAround(of, offset), ItemId(terminal as u32), visitor);
            }
        }
    }

    fn visit_grandchildren(&self, of: ChildPlace, visitor: &mut impl Visitor) {
        let parent = self.frontier[self.index(of)];
        let children = self.items.children(parent);
        let (Some(&first), Some(&last)) = (children.first(), children.last()) else { return };
        let head = children[usize::from(self.items.get(parent).head_child)];
        self.tell(FeatureRole::Grandchild(of, ChildPlace::First), first, visitor);
        self.tell(FeatureRole::Grandchild(of, ChildPlace::Head), head, visitor);
        self.tell(FeatureRole::Grandchild(of, ChildPlace::Last), last, visitor);
    }

    fn visit_counts(&self, slots: &[Slots], visitor: &mut impl Visitor) {
        for slots in slots {
            let count = match slots.group {
                Group::NumItems(set) => self.ranges(set).map(|range| range.len()),
                Group::NumTerminals(set) => self.ranges(set).map(|range| self.num_terminals_below(range)),
                _ => continue,
            };
            let count = count[0] + count[1];
            visitor.count(slots.first_count + count.min(slots.largest_count));
        }
    }

    #[inline]
    fn item(&self, index: usize) -> &'a ParseItem {
        self.items.get(self.frontier[index])
    }

    /// The items of a set: two ranges of the frontier, because the children without the head need both.
    #[inline]
    fn ranges(&self, set: Set) -> [Range<usize>; 2] {
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
    fn num_terminals_below(&self, range: Range<usize>) -> usize {
        if range.is_empty() {
            return 0;
        }
        (self.item(range.end - 1).end - self.item(range.start).start) as usize
    }
}
