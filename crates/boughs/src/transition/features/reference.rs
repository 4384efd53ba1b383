//! Features the naive way: every question is asked, one by one, of the definition of its group.

use proptest::prelude::*;

use super::group::{ChildPlace, Group, ItemPlace, Predicate, Set};
use super::{FeatureLayout, PlaceView, Templates};
use crate::transition::guide::Workspace;
use crate::transition::item::{ItemId, ParseItem};
use crate::transition::state::{Action, Inference, InferencePlace, ParserState, Scheme};
use crate::transition::strategy::Strategy;
use crate::transition::symbols::{Label, TOP_NAME, TransitionSymbols};
use crate::tree::Tree;
use crate::tree::transform::TagSet;

/// Whether a feature holds, by its definition.
fn holds(layout: &FeatureLayout, feature: u32, view: PlaceView<'_>, head: usize) -> bool {
    let (group, predicate, value) = layout.feature(feature);
    match (group, predicate) {
        (Group::NumItems(set), _) => compare(members(set, view, head).len(), predicate),
        (Group::NumTerminals(set), _) => compare(terminals(&members(set, view, head), view).len(), predicate),
        _ => looked_at(group, view, head).iter().any(|&id| has(view.items.get(id), predicate, value)),
    }
}

fn compare(count: usize, predicate: Predicate) -> bool {
    match predicate {
        Predicate::MoreThan(number) => count > usize::from(number),
        Predicate::Exactly(number) => count == usize::from(number),
        _ => unreachable!("numbers are compared"),
    }
}

fn has(item: &ParseItem, predicate: Predicate, value: u32) -> bool {
    match predicate {
        Predicate::Label => u32::from(item.symbol.0) == value,
        Predicate::Tag => u32::from(item.head_tag) == value,
        Predicate::Class => u32::from(item.head_class) == value,
        Predicate::Word => item.head_word == value,
        _ => unreachable!("items are not counted"),
    }
}

fn looked_at(group: Group, view: PlaceView<'_>, head: usize) -> Vec<ItemId> {
    let children = view.frontier[view.place.range()].to_vec();
    match group {
        Group::Item(place) => {
            let left: Vec<ItemId> = view.frontier[..view.place.range().start].to_vec();
            let right = view.frontier[view.place.range().end..].to_vec();
            pick(place, &left, &children, &right, head)
        }
        Group::Terminal(place) => {
            let below = terminals(&children, view);
            let all: Vec<ItemId> = (0..view.items.num_terminals as u32).map(ItemId).collect();
            let first = below[0].index();
            let head = view.items.get(children[head]).head as usize - first;
            pick(place, &all[..first], &below, &all[first + below.len()..], head)
        }
        Group::Some(set) => members(set, view, head),
        Group::SomeTerminal(set) => terminals(&members(set, view, head), view),
        Group::Child(of, child) => {
            let parent = match of {
                ChildPlace::First => children[0],
                ChildPlace::Head => children[head],
                ChildPlace::Last => children[children.len() - 1],
            };
            let (item, below) = (view.items.get(parent), view.items.children(parent));
            let found = match child {
                ChildPlace::First => below.first(),
                ChildPlace::Head => below.get(usize::from(item.head_child)),
                ChildPlace::Last => below.last(),
            };
            found.copied().into_iter().collect()
        }
        Group::NumItems(_) | Group::NumTerminals(_) => Vec::new(),
    }
}

fn pick(place: ItemPlace, left: &[ItemId], inner: &[ItemId], right: &[ItemId], head: usize) -> Vec<ItemId> {
    let found = match place {
        ItemPlace::Left(n) => left.iter().rev().nth(n.into()),
        ItemPlace::Right(n) => right.get(usize::from(n)),
        ItemPlace::First(n) => inner.get(usize::from(n)),
        ItemPlace::Last(n) => inner.iter().rev().nth(n.into()),
        ItemPlace::Head(n) => usize::try_from(head as i64 + i64::from(n)).ok().and_then(|n| inner.get(n)),
        ItemPlace::Around(of, n) => {
            let child = match of {
                ChildPlace::First => 0,
                ChildPlace::Head => head,
                ChildPlace::Last => inner.len() - 1,
            };
            let at = (left.len() + child) as i64 + i64::from(n);
            usize::try_from(at).ok().and_then(|at| left.iter().chain(inner).chain(right).nth(at))
        }
    };
    found.copied().into_iter().collect()
}

fn members(set: Set, view: PlaceView<'_>, head: usize) -> Vec<ItemId> {
    let (start, end) = (view.place.range().start, view.place.range().end);
    let head = start + head;
    let near = |n: Option<u8>, distance: usize| n.is_none_or(|n| distance <= usize::from(n));
    let is_member = |index: usize| {
        let is_child = start <= index && index < end;
        match set {
            Set::Frontier => true,
            Set::Left(n) => index < start && near(n, start - index),
            Set::Right(n) => index >= end && near(n, index + 1 - end),
            Set::Children => is_child,
            Set::First(n) => is_child && index < start + usize::from(n),
            Set::Last(n) => is_child && index + usize::from(n) >= end,
            Set::BeforeHead(n) => is_child && index < head && near(n, head - index),
            Set::AfterHead(n) => is_child && index > head && near(n, index - head),
            Set::NotFirst => is_child && index != start,
            Set::NotLast => is_child && index != end - 1,
            Set::NotHead => is_child && index != head,
            Set::UpToHead => is_child && index <= head,
            Set::FromHead => is_child && index >= head,
        }
    };
    (0..view.frontier.len()).filter(|&index| is_member(index)).map(|index| view.frontier[index]).collect()
}

fn terminals(items: &[ItemId], view: PlaceView<'_>) -> Vec<ItemId> {
    let below = |&id: &ItemId| view.items.get(id).start..view.items.get(id).end;
    items.iter().flat_map(below).map(ItemId).collect()
}

/// Makes random inferences from the first state on.
fn random_state(symbols: &TransitionSymbols, tree: &Tree, choices: &[usize]) -> (Workspace, ParserState) {
    let scheme = Scheme { strategy: Strategy::BottomUp, max_children: 4 };
    let mut workspace = Workspace::default();
    workspace.items.start(symbols, &symbols.terminals(tree));
    let mut state = ParserState::initial(tree.num_tokens(), scheme.strategy);
    let mut places = Vec::new();
    for &choice in choices {
        scheme.places(&state, &workspace.items, &mut places);
        let place = places[choice % places.len()];
        let label = Label(1 + (choice % (symbols.labels.len() - 1)) as u16);
        let action = Action::Build(label);
        if scheme.is_legal(&state, &workspace.items, place, action) {
            scheme.advance(&mut state, Inference { place, action }, &mut workspace, symbols);
        }
    }
    (workspace, state)
}

fn example() -> (TransitionSymbols, Tree) {
    let text =
        "(S (NP (DT the) (JJ old) (NN oak)) (VP (VBZ drops) (NP (NNS acorns)) (PP (IN on) (NP (PRP us)))))";
    let mut tree: Tree = text.parse().expect("a tree");
    tree.set_root(TOP_NAME);
    (TransitionSymbols::collect([&tree], None, TagSet::punctuation()), tree)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn the_features_found_are_those_that_hold(choices in prop::collection::vec(0usize..1000, 0..6)) {
        let (symbols, tree) = example();
        let (workspace, state) = random_state(&symbols, &tree, &choices);
        for name in ["kitchen-sink", "release-2006", "baseline", "tm05"] {
            let layout = FeatureLayout::new(name.parse::<Templates>().expect("a set"), &symbols).expect("few features");
            for start in 0..state.frontier.len() {
                for len in 1..=(state.frontier.len() - start).min(4) {
                    let view = PlaceView { items: &workspace.items, frontier: &state.frontier, place: InferencePlace::build(start, len) };
                    for head in 0..len {
                        let mut found = Vec::new();
                        layout.common(view, |feature| found.push(feature));
                        layout.of_head(view, head, |feature| found.push(feature));
                        found.sort_unstable();
                        found.dedup();
                        let expected: Vec<u32> =
                            (0..layout.num_features).filter(|&f| holds(&layout, f, view, head)).collect();
                        prop_assert_eq!(&found, &expected);
                    }
                }
            }
        }
    }
}

/// Turian & Melamed (2005), figure 1 and table 1: the children VBD and ADJP of a VP, with an NP to the left.
#[test]
fn the_examples_of_the_paper_hold() {
    let text = "(S (NP (DT The) (NN weather)) (VP (VBD was) (ADJP (JJ perfect))))";
    let mut tree: Tree = text.parse().expect("a tree");
    tree.set_root(TOP_NAME);
    let symbols = TransitionSymbols::collect([&tree], None, TagSet::punctuation());
    let layout =
        FeatureLayout::new("tm05".parse::<Templates>().expect("a set"), &symbols).expect("few features");
    let mut workspace = Workspace::default();
    workspace.items.start(&symbols, &symbols.terminals(&tree));
    let scheme = Scheme { strategy: Strategy::BottomUp, max_children: 5 };
    let mut state = ParserState::initial(4, scheme.strategy);
    for (label, start, len) in [("NP", 0, 2), ("ADJP", 2, 1)] {
        let action = Action::Build(symbols.label(label).expect("a label"));
        let inference = Inference { place: InferencePlace::build(start, len), action };
        scheme.advance(&mut state, inference, &mut workspace, &symbols);
    }
    let view =
        PlaceView { items: &workspace.items, frontier: &state.frontier, place: InferencePlace::build(1, 2) };
    let mut names = Vec::new();
    layout.common(view, |feature| names.push(layout.name(feature, &symbols)));
    layout.of_head(view, 0, |feature| names.push(layout.name(feature, &symbols)));
    for expected in [
        "the child 1 after the head has the head word “perfect”",
        "the item to the left has the head tag NN",
        "the first child of the last child is a token tagged JJ",
        "some item among the children but the head is ADJP",
    ] {
        assert!(names.iter().any(|name| name == expected), "{expected}: {names:#?}");
    }
    assert!(!names.iter().any(|name| name.contains("quux")));
}

/// Turian & Melamed (2006), table 3, for the VBD as the only child: what the set of the authors' program
/// lacks.
#[test]
fn the_kitchen_sink_looks_beyond_the_children() {
    let (symbols, tree) = example();
    let layout = |name: &str| {
        FeatureLayout::new(name.parse::<Templates>().expect("a set"), &symbols).expect("few features")
    };
    let (workspace, state) = random_state(&symbols, &tree, &[]);
    let place = InferencePlace::build(3, 1);
    let view = PlaceView { items: &workspace.items, frontier: &state.frontier, place };
    let names = |layout: &FeatureLayout| {
        let mut names = Vec::new();
        layout.common(view, |feature| names.push(layout.name(feature, &symbols)));
        layout.of_head(view, 0, |feature| names.push(layout.name(feature, &symbols)));
        names
    };
    let [sink, release] = ["kitchen-sink", "release-2006"].map(|name| names(&layout(name)));
    for expected in [
        "the item 2 to the right of the first child is a token tagged IN",
        "the item 3 to the left of the head child has the head word “the”",
        "the word 2 to the right of the head word has the head word “on”",
        "some item among the whole state has the head word “us”",
        "some word below the whole state has the head tag PRP",
        "exactly 0 items among the children but the first",
        "exactly 1 items among the children up to the head",
    ] {
        let has = |names: &[String]| names.iter().any(|name| name == expected);
        assert!(has(&sink) && !has(&release), "{expected}: {sink:#?}");
    }
    let asks_words = |name: &str| {
        let layout = layout(name);
        (0..layout.num_features)
            .any(|feature| matches!(layout.feature(feature), (Group::Child(..), Predicate::Word, _)))
    };
    assert!(asks_words("kitchen-sink") && !asks_words("release-2006"));
}
