//! Whether a pattern fits a node, by trying.
//!
//! Names make the parts of a pattern depend on each other. So every part is given what must hold after it (`rest`), and
//! tries its candidates until that does.

use super::places::Places;
use super::{Condition, Mode, NodePattern, Relation};
use crate::tree::Tree;

/// The nodes that names stand for, so far.
type Names = Vec<Option<usize>>;

pub(super) struct Matcher<'t> {
    places: Places<'t>,
    names: Names,
}

impl<'t> Matcher<'t> {
    pub(super) fn new(tree: &'t Tree, num_names: usize) -> Self {
        Self { places: Places::new(tree), names: vec![None; num_names] }
    }

    pub(super) fn fits(&mut self, pattern: &NodePattern, place: usize) -> bool {
        self.names.fill(None);
        fits(&self.places, pattern, place, &mut self.names, &mut |_| true)
    }

    /// What the names stand for where the pattern fits.
    pub(super) fn named(&mut self, pattern: &NodePattern, place: usize) -> Names {
        self.names.fill(None);
        let mut found = self.names.clone();
        fits(&self.places, pattern, place, &mut self.names, &mut |names| {
            found.clone_from(names);
            true
        });
        found
    }
}

fn fits(
    places: &Places<'_>,
    pattern: &NodePattern,
    place: usize,
    names: &mut Names,
    rest: &mut dyn FnMut(&mut Names) -> bool,
) -> bool {
    if !pattern.test.fits(places.label(place)) {
        return false;
    }
    let Some(name) = pattern.name else { return holds(places, &pattern.condition, place, names, rest) };
    let before = names[name];
    if before.is_some_and(|before| before != place) {
        return false;
    }
    names[name] = Some(place);
    let found = holds(places, &pattern.condition, place, names, rest);
    names[name] = before;
    found
}

fn holds(
    places: &Places<'_>,
    condition: &Condition,
    place: usize,
    names: &mut Names,
    rest: &mut dyn FnMut(&mut Names) -> bool,
) -> bool {
    match condition {
        Condition::All(all) => all_hold(places, all, place, names, rest),
        Condition::Any(any) => any.iter().any(|condition| holds(places, condition, place, names, rest)),
        Condition::Relation { relation, mode, target } => {
            let other = |names: &mut Names, rest: &mut dyn FnMut(&mut Names) -> bool| {
                relation.any(places, place, &mut |other| fits(places, target, other, names, rest))
            };
            match mode {
                Mode::Holds => other(names, rest),
                Mode::HoldsNot => !other(names, &mut |_| true) && rest(names),
                Mode::Optional => other(names, rest) || rest(names),
            }
        }
    }
}

fn all_hold(
    places: &Places<'_>,
    conditions: &[Condition],
    place: usize,
    names: &mut Names,
    rest: &mut dyn FnMut(&mut Names) -> bool,
) -> bool {
    match conditions {
        [] => rest(names),
        [first, others @ ..] => {
            holds(places, first, place, names, &mut |names| all_hold(places, others, place, names, rest))
        }
    }
}

impl Relation {
    /// Whether it holds of a node and of another for which `wanted` does.
    fn any(self, places: &Places<'_>, place: usize, wanted: &mut dyn FnMut(usize) -> bool) -> bool {
        let children = places.children(place);
        let sisters = || places.parent(place).map_or(&[][..], |parent| places.children(parent));
        let span = places.span(place);
        match self {
            Self::ParentOf => children.iter().any(|&child| wanted(child)),
            Self::ChildOf => places.parent(place).is_some_and(wanted),
            Self::HasNthChild(n) => nth(children, n).is_some_and(wanted),
            Self::IsNthChild(n) => {
                let parent = places.parent(place);
                parent.filter(|&parent| nth(places.children(parent), n) == Some(place)).is_some_and(wanted)
            }
            Self::HasOnlyChild => only(children).is_some_and(wanted),
            Self::IsOnlyChild => {
                let parent = places.parent(place);
                parent.filter(|&parent| places.children(parent).len() == 1).is_some_and(wanted)
            }
            Self::Dominates => places.descendants(place).any(wanted),
            Self::DominatedBy => places.ancestors(place).any(wanted),
            Self::BeginsWith => chain(place, |at| places.children(at).first().copied()).any(wanted),
            Self::EndsWith => chain(place, |at| places.children(at).last().copied()).any(wanted),
            Self::ChainTo => chain(place, |at| only(places.children(at))).any(wanted),
            Self::Begins => self.up(places, place, |order, _| order == 0).any(wanted),
            Self::Ends => self.up(places, place, |order, count| order + 1 == count).any(wanted),
            Self::ChainFrom => self.up(places, place, |_, count| count == 1).any(wanted),
            Self::RightBefore => (0..places.len()).any(|it| span.end == places.span(it).start && wanted(it)),
            Self::RightBehind => (0..places.len()).any(|it| span.start == places.span(it).end && wanted(it)),
            Self::Before => (0..places.len()).any(|it| span.end <= places.span(it).start && wanted(it)),
            Self::Behind => (0..places.len()).any(|it| span.start >= places.span(it).end && wanted(it)),
            Self::Sister => sisters().iter().any(|&it| it != place && wanted(it)),
            Self::SisterRightBefore => sisters().get(places.order(place) + 1).copied().is_some_and(wanted),
            Self::SisterRightBehind => places
                .order(place)
                .checked_sub(1)
                .and_then(|it| sisters().get(it).copied())
                .is_some_and(wanted),
            Self::SisterBefore => sisters().iter().skip(places.order(place) + 1).any(|&it| wanted(it)),
            Self::SisterBehind => sisters().iter().take(places.order(place)).any(|&it| wanted(it)),
        }
    }

    /// The nodes above, as long as each node on the way is a child of this kind, by its order and the number of
    /// children.
    fn up(
        self,
        places: &Places<'_>,
        place: usize,
        is_such: fn(usize, usize) -> bool,
    ) -> impl Iterator<Item = usize> {
        chain(place, move |at| {
            let parent = places.parent(at)?;
            is_such(places.order(at), places.children(parent).len()).then_some(parent)
        })
    }
}

/// What follows a node step by step, itself left out.
fn chain(place: usize, step: impl Fn(usize) -> Option<usize>) -> impl Iterator<Item = usize> {
    std::iter::successors(step(place), move |&at| step(at))
}

fn nth(children: &[usize], n: i32) -> Option<usize> {
    let index = n.unsigned_abs() as usize;
    match n {
        1.. => children.get(index - 1).copied(),
        _ => children.len().checked_sub(index).and_then(|at| children.get(at).copied()),
    }
}

fn only(children: &[usize]) -> Option<usize> {
    if let [child] = children { Some(*child) } else { None }
}
