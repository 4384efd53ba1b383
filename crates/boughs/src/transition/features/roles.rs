//! Roles: what an item is to a place, such as the second item to its left, or its only child.
//!
//! The naive form goes through all groups and looks up the items of each; the nearest item to the left would be
//! looked up for `left 0`, for `left 1`, `left 2` and so on as sets, and for the set of all items to the left. Turned
//! round, each item plays one role, or two where the head matters, and a role knows everything that is asked of it.
//! Roles of which the same is asked are one.

use super::group::{ChildPlace, Group, ItemPlace, Set};
use super::layout::{Asked, FeatureLayout, NOT_ASKED, Slots};
use crate::transition::item::ParseItem;

/// What an item is to a place. Numbers count from 0 and are capped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FeatureRole {
    /// An item to the left, by its distance.
    Left(usize),
    /// An item to the right, by its distance.
    Right(usize),
    /// A child, by its distances from the first and from the last.
    Child { first: usize, last: usize },
    /// A child, by its distance from the head: negative before it.
    HeadChild(isize),
    /// A child of the first, last or head child.
    Grandchild(ChildPlace, ChildPlace),
    /// Any item, by its distance from the first, last or head child: negative before it.
    Around(ChildPlace, isize),
    /// Any terminal, by its distance from the first, last or head terminal of the children.
    TerminalAround(ChildPlace, isize),
    /// A terminal to the left, by its distance.
    TerminalLeft(usize),
    /// A terminal to the right, by its distance.
    TerminalRight(usize),
    /// A terminal below the children, by its distances from both ends, and whether it is below the first or last child.
    Terminal { first: usize, last: usize, in_first: bool, in_last: bool },
    /// A terminal below the children, by its distance from the head terminal, and on which side of the head child it
    /// is.
    HeadTerminal { offset: isize, side: RoleSide },
}

impl FeatureRole {
    fn is_terminal(self) -> bool {
        matches!(
            self,
            Self::TerminalLeft(_)
                | Self::TerminalRight(_)
                | Self::Terminal { .. }
                | Self::HeadTerminal { .. }
                | Self::TerminalAround(..)
        )
    }
}

/// Where a terminal is in relation to the head child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RoleSide {
    Before,
    Below,
    After,
}

const SIDES: [RoleSide; 3] = [RoleSide::Before, RoleSide::Below, RoleSide::After];
const CHILD_PLACES: [ChildPlace; 3] = [ChildPlace::First, ChildPlace::Head, ChildPlace::Last];

/// What is asked of an item in each role.
#[derive(Debug, Clone, Default)]
pub(crate) struct Roles {
    /// The distance from which on all roles of a kind are the same.
    cap: usize,
    /// The largest distance that is asked of items around a child; 0 if none is.
    pub(super) reach: isize,
    /// Roles of which the same is asked, by number of the role.
    classes: Vec<u16>,
    /// What is asked, by class; of class 0 nothing.
    asked: Vec<Vec<Asked>>,
}

/// The class of roles of which nothing is asked.
pub(super) const SILENT: u16 = 0;

impl Roles {
    pub(super) fn new(layout: &FeatureLayout) -> Self {
        let slots = || layout.common.iter().chain(&layout.of_head);
        let cap = slots().map(|slots| farthest(slots.group)).max().unwrap_or(0) + 1;
        let is_around = |slots: &&Slots| {
            matches!(slots.group, Group::Item(ItemPlace::Around(..)) | Group::Terminal(ItemPlace::Around(..)))
        };
        let reach = slots().filter(is_around).map(|slots| farthest(slots.group) as isize).max().unwrap_or(0);
        let mut roles = Self { cap, reach, classes: Vec::new(), asked: vec![Vec::new()] };
        for role in all_roles(cap) {
            debug_assert_eq!(roles.number(role), roles.classes.len(), "roles are numbered in order");
            let asked = slots().filter(|slots| asks(slots.group, role)).map(|slots| slots.asked).collect();
            roles.add(asked);
        }
        roles
    }

    fn add(&mut self, asked: Vec<Asked>) {
        let known = self.asked.iter().position(|known| *known == asked);
        let class = known.unwrap_or_else(|| {
            self.asked.push(asked);
            self.asked.len() - 1
        });
        self.classes.push(class as u16);
    }

    /// The number of classes.
    pub(crate) fn num_classes(&self) -> usize {
        self.asked.len()
    }

    /// The class of a role.
    #[inline]
    pub(super) fn class(&self, role: FeatureRole) -> u16 {
        self.classes[self.number(role)]
    }

    /// Finds the features that hold because an item has a role of a class.
    #[inline]
    pub(crate) fn features(&self, class: u16, item: &ParseItem, mut emit: impl FnMut(u32)) {
        self.features_of_kind(class, item, &mut emit);
        self.features_of_word(class, item.head_word, emit);
    }

    /// Those of them that do not depend on the word.
    #[inline]
    pub(crate) fn features_of_kind(&self, class: u16, item: &ParseItem, mut emit: impl FnMut(u32)) {
        for asked in &self.asked[usize::from(class)] {
            let values =
                [(asked.label, item.symbol.0), (asked.tag, item.head_tag), (asked.class, item.head_class)];
            for (start, value) in values {
                if start != NOT_ASKED {
                    emit(start + u32::from(value));
                }
            }
        }
    }

    /// Those that do.
    #[inline]
    pub(crate) fn features_of_word(&self, class: u16, word: u32, mut emit: impl FnMut(u32)) {
        for asked in &self.asked[usize::from(class)] {
            if asked.word != NOT_ASKED {
                emit(asked.word + word);
            }
        }
    }

    /// The number of a role.
    #[inline]
    fn number(&self, role: FeatureRole) -> usize {
        let cap = self.cap;
        let near = |distance: usize| distance.min(cap);
        let around = |offset: isize| (offset.clamp(-(cap as isize), cap as isize) + cap as isize) as usize;
        let (line, square, circle) = (cap + 1, (cap + 1) * (cap + 1), 2 * cap + 1);
        match role {
            FeatureRole::Left(distance) => near(distance),
            FeatureRole::Right(distance) => line + near(distance),
            FeatureRole::TerminalLeft(distance) => 2 * line + near(distance),
            FeatureRole::TerminalRight(distance) => 3 * line + near(distance),
            FeatureRole::Grandchild(of, child) => 4 * line + 3 * of as usize + child as usize,
            FeatureRole::HeadChild(offset) => 4 * line + 9 + around(offset),
            FeatureRole::HeadTerminal { offset, side } => {
                4 * line + 9 + circle + around(offset) * 3 + side as usize
            }
            FeatureRole::Child { first, last } => 4 * line + 9 + 4 * circle + near(first) * line + near(last),
            FeatureRole::Terminal { first, last, in_first, in_last } => {
                let ends = 2 * usize::from(in_first) + usize::from(in_last);
                4 * line + 9 + 4 * circle + square + (near(first) * line + near(last)) * 4 + ends
            }
            FeatureRole::Around(of, offset) => {
                4 * line + 9 + (4 + of as usize) * circle + 5 * square + around(offset)
            }
            FeatureRole::TerminalAround(of, offset) => {
                4 * line + 9 + (7 + of as usize) * circle + 5 * square + around(offset)
            }
        }
    }
}

/// All roles in the order of their numbers.
fn all_roles(cap: usize) -> Vec<FeatureRole> {
    let offsets = || -(cap as isize)..=cap as isize;
    let pairs = || (0..=cap).flat_map(move |first| (0..=cap).map(move |last| (first, last)));
    let bools = [(false, false), (false, true), (true, false), (true, true)];
    let mut roles = Vec::new();
    roles.extend((0..=cap).map(FeatureRole::Left));
    roles.extend((0..=cap).map(FeatureRole::Right));
    roles.extend((0..=cap).map(FeatureRole::TerminalLeft));
    roles.extend((0..=cap).map(FeatureRole::TerminalRight));
    roles.extend(
        CHILD_PLACES.iter().flat_map(|&of| CHILD_PLACES.map(|child| FeatureRole::Grandchild(of, child))),
    );
    roles.extend(offsets().map(FeatureRole::HeadChild));
    roles.extend(offsets().flat_map(|offset| SIDES.map(|side| FeatureRole::HeadTerminal { offset, side })));
    roles.extend(pairs().map(|(first, last)| FeatureRole::Child { first, last }));
    roles.extend(pairs().flat_map(|(first, last)| {
        bools.map(|(in_first, in_last)| FeatureRole::Terminal { first, last, in_first, in_last })
    }));
    let around = || CHILD_PLACES.iter().flat_map(|&of| offsets().map(move |offset| (of, offset)));
    roles.extend(around().map(|(of, offset)| FeatureRole::Around(of, offset)));
    roles.extend(around().map(|(of, offset)| FeatureRole::TerminalAround(of, offset)));
    roles
}

/// The largest number in a group.
fn farthest(group: Group) -> usize {
    let of_set = |set| match set {
        Set::Left(Some(n))
        | Set::Right(Some(n))
        | Set::First(n)
        | Set::Last(n)
        | Set::BeforeHead(Some(n))
        | Set::AfterHead(Some(n)) => usize::from(n),
        _ => 0,
    };
    match group {
        Group::Item(place) | Group::Terminal(place) => match place {
            ItemPlace::Left(n) | ItemPlace::Right(n) | ItemPlace::First(n) | ItemPlace::Last(n) => n.into(),
            ItemPlace::Head(n) | ItemPlace::Around(_, n) => n.unsigned_abs().into(),
        },
        Group::Some(set) | Group::SomeTerminal(set) => of_set(set),
        Group::Child(..) | Group::NumItems(_) | Group::NumTerminals(_) => 0,
    }
}

/// Whether a group has an item of this role.
fn asks(group: Group, role: FeatureRole) -> bool {
    match group {
        Group::Item(place) => !role.is_terminal() && is_at(place, role),
        Group::Terminal(place) => role.is_terminal() && is_at(place, role),
        Group::Some(set) => is_in(set, role),
        Group::SomeTerminal(set) => is_below(set, role),
        Group::Child(of, child) => role == FeatureRole::Grandchild(of, child),
        Group::NumItems(_) | Group::NumTerminals(_) => false,
    }
}

fn is_at(place: ItemPlace, role: FeatureRole) -> bool {
    use FeatureRole as Role;
    match (place, role) {
        (ItemPlace::Left(n), Role::Left(distance) | Role::TerminalLeft(distance))
        | (ItemPlace::Right(n), Role::Right(distance) | Role::TerminalRight(distance))
        | (
            ItemPlace::First(n),
            Role::Child { first: distance, .. } | Role::Terminal { first: distance, .. },
        )
        | (ItemPlace::Last(n), Role::Child { last: distance, .. } | Role::Terminal { last: distance, .. }) => {
            distance == usize::from(n)
        }
        (ItemPlace::Head(n), Role::HeadChild(offset) | Role::HeadTerminal { offset, .. }) => {
            offset == isize::from(n)
        }
        (ItemPlace::Around(of, n), Role::Around(other, offset) | Role::TerminalAround(other, offset)) => {
            of == other && offset == isize::from(n)
        }
        _ => false,
    }
}

fn is_in(set: Set, role: FeatureRole) -> bool {
    use FeatureRole as Role;
    let within = |n: Option<u8>, distance: usize| n.is_none_or(|n| distance < usize::from(n));
    match (set, role) {
        (Set::Frontier, Role::Left(_) | Role::Right(_) | Role::Child { .. }) => true,
        (Set::Left(n), Role::Left(distance)) | (Set::Right(n), Role::Right(distance)) => within(n, distance),
        (Set::Children, Role::Child { .. }) => true,
        (Set::First(n), Role::Child { first, .. }) => within(Some(n), first),
        (Set::Last(n), Role::Child { last, .. }) => within(Some(n), last),
        (Set::NotFirst, Role::Child { first, .. }) => first > 0,
        (Set::NotLast, Role::Child { last, .. }) => last > 0,
        (Set::BeforeHead(n), Role::HeadChild(offset)) => offset < 0 && within(n, offset.unsigned_abs() - 1),
        (Set::AfterHead(n), Role::HeadChild(offset)) => offset > 0 && within(n, offset.unsigned_abs() - 1),
        (Set::NotHead, Role::HeadChild(offset)) => offset != 0,
        (Set::UpToHead, Role::HeadChild(offset)) => offset <= 0,
        (Set::FromHead, Role::HeadChild(offset)) => offset >= 0,
        _ => false,
    }
}

/// Whether a terminal of this role is below an item of a set. Templates ask only for sets of which a terminal can
/// tell.
fn is_below(set: Set, role: FeatureRole) -> bool {
    use FeatureRole as Role;
    match (set, role) {
        (Set::Frontier, Role::TerminalLeft(_) | Role::TerminalRight(_) | Role::Terminal { .. }) => true,
        (Set::Left(None), Role::TerminalLeft(_)) | (Set::Right(None), Role::TerminalRight(_)) => true,
        (Set::Children, Role::Terminal { .. }) => true,
        (Set::NotFirst, Role::Terminal { in_first, .. }) => !in_first,
        (Set::NotLast, Role::Terminal { in_last, .. }) => !in_last,
        (Set::BeforeHead(None), Role::HeadTerminal { side, .. }) => side == RoleSide::Before,
        (Set::AfterHead(None), Role::HeadTerminal { side, .. }) => side == RoleSide::After,
        (Set::NotHead, Role::HeadTerminal { side, .. }) => side != RoleSide::Below,
        (Set::UpToHead, Role::HeadTerminal { side, .. }) => side != RoleSide::After,
        (Set::FromHead, Role::HeadTerminal { side, .. }) => side != RoleSide::Before,
        _ => false,
    }
}
