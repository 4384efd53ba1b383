//! Binarisation and its inverse on random trees with the nastiest labels, and on whole treebanks.

#[path = "common/random_tree.rs"]
mod random_tree;
#[path = "common/treebanks.rs"]
mod treebanks;

use std::collections::BTreeMap;

use boughs::tree::heads::HeadRules;
use boughs::tree::{
    Binarization, Branching, Child, NodeId, Tree, Unaries, binarize, collapse_unaries, debinarize,
    is_intermediate,
};
use proptest::prelude::*;

fn any_binarization() -> impl Strategy<Value = Binarization> {
    let rules = HeadRules::english();
    let branching = prop_oneof![
        Just(Branching::Left),
        Just(Branching::Right),
        Just(Branching::Head(HeadRules::default_for_any_language())),
        Just(Branching::Head(rules)),
    ];
    let unaries = prop_oneof![Just(Unaries::Keep), Just(Unaries::CollapseBelowRoot), Just(Unaries::Collapse)];
    (branching, prop::option::of(0..4usize), 0..5usize, unaries).prop_map(
        |(branching, horizontal, vertical, unaries)| Binarization {
            branching,
            horizontal,
            vertical,
            unaries,
        },
    )
}

/// Labels made of the characters that names are made of.
fn nasty_label() -> impl Strategy<Value = String> {
    prop_oneof![r"[@^|<>+\\]{0,4}", "[A-C]", "(NP|VP|S|TOP|NP-SBJ)", r"[@^|<>+\\NPé]{0,6}"]
}

fn is_binary(tree: &Tree) -> bool {
    tree.nodes().all(|node| tree.children(node.id).count() <= 2)
}

fn has_chain(tree: &Tree, unaries: Unaries) -> bool {
    tree.nodes().any(|node| {
        let may_stay = unaries == Unaries::CollapseBelowRoot && node.parent.is_none() && tree.has_root();
        tree.unary_child(node.id).is_some() && !may_stay
    })
}

/// The shape that binarisation gives, by recursion over the definition: brackets around words.
fn slow_shape(tree: &Tree, node: NodeId, branching: &Branching) -> String {
    let shape = |child: &Child| match *child {
        Child::Node(id) => slow_shape(tree, id, branching),
        Child::Token(index) => tree.token(index).word.to_owned(),
    };
    let children: Vec<Child> = tree.children(node).collect();
    let seed = match branching {
        Branching::Left => 0,
        Branching::Right => children.len() - 1,
        Branching::Head(rules) => {
            let head = rules.head_child(tree, node);
            children.iter().position(|&child| child == head).expect("the head is a child")
        }
    };
    let mut grown = shape(&children[seed]);
    for child in &children[seed + 1..] {
        grown = format!("({grown} {})", shape(child));
    }
    for child in children[..seed].iter().rev() {
        grown = format!("({} {grown})", shape(child));
    }
    if children.len() == 1 { format!("({grown})") } else { grown }
}

fn shape(tree: &Tree, node: NodeId) -> String {
    let children: Vec<String> = tree
        .children(node)
        .map(|child| match child {
            Child::Node(id) => shape(tree, id),
            Child::Token(index) => tree.token(index).word.to_owned(),
        })
        .collect();
    format!("({})", children.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn inverse_is_exact(tree in random_tree::random_tree(40, nasty_label()), how in any_binarization()) {
        let binary = binarize(&tree, &how).expect("small");
        prop_assert!(is_binary(&binary));
        prop_assert!(how.unaries == Unaries::Keep || !has_chain(&binary, how.unaries));
        prop_assert_eq!(debinarize(&binary).expect("small"), tree);
    }

    #[test]
    fn inverse_survives_a_bracket_file(tree in random_tree::random_tree(40, "[@^|<>+\\\\A]{1,4}"), how in any_binarization()) {
        let written = binarize(&tree, &how).expect("small").to_string();
        let read: Tree = written.parse().expect("a tree");
        prop_assert_eq!(debinarize(&read).expect("small"), tree);
    }

    #[test]
    fn any_tree_can_be_debinarised(tree in random_tree::random_tree(40, nasty_label())) {
        let plain = debinarize(&tree).expect("small");
        prop_assert!(plain.tokens().eq(tree.tokens()));
    }

    #[test]
    fn collapsing_alone_is_undone(tree in random_tree::random_tree(40, nasty_label())) {
        for unaries in [Unaries::Keep, Unaries::CollapseBelowRoot, Unaries::Collapse] {
            prop_assert_eq!(&debinarize(&collapse_unaries(&tree, unaries)).expect("small"), &tree);
        }
    }

    #[test]
    fn shape_is_that_of_the_definition(tree in random_tree::random_tree(30, "(NP|VP|S|NN)"), how in any_binarization()) {
        let how = Binarization { unaries: Unaries::Keep, ..how };
        if let Some(root) = tree.root() {
            let binary = binarize(&tree, &how).expect("small");
            prop_assert_eq!(shape(&binary, root.id), slow_shape(&tree, root.id, &how.branching));
        }
    }

    #[test]
    fn names_say_which_children_a_part_has(tree in random_tree::random_tree(60, r"[|<>\\A]{0,2}")) {
        let mut by_name = BTreeMap::new();
        let binary = binarize(&tree, &Binarization { branching: Branching::Left, ..Binarization::default() });
        let binary = binary.expect("small");
        for node in binary.nodes().filter(|node| is_intermediate(node.label)) {
            let mut whole = node;
            while let (true, Some(parent)) = (is_intermediate(whole.label), whole.parent) {
                whole = binary.node(parent);
            }
            let part = (whole.label, flat_labels(&binary, node.id));
            prop_assert_eq!(by_name.entry(node.label).or_insert(part.clone()), &part);
        }
    }
}

/// The labels and tags of what is in a part, through the parts within.
fn flat_labels(tree: &Tree, node: NodeId) -> Vec<String> {
    let of_child = |child| match child {
        Child::Token(index) => vec![tree.token(index).tag.to_owned()],
        Child::Node(id) if is_intermediate(tree.label(id)) => flat_labels(tree, id),
        Child::Node(id) => vec![unescape(tree.label(id))],
    };
    tree.children(node).flat_map(of_child).collect()
}

fn unescape(symbol: &str) -> String {
    let mut chars = symbol.chars();
    std::iter::from_fn(|| chars.next().map(|c| if c == '\\' { chars.next().expect("escaped") } else { c }))
        .collect()
}

#[test]
fn every_tree_of_the_treebanks() {
    let x_bar = Binarization::x_bar();
    let all = Binarization {
        branching: Branching::Head(HeadRules::english()),
        horizontal: Some(2),
        vertical: 2,
        unaries: Unaries::CollapseBelowRoot,
    };
    let left =
        Binarization { branching: Branching::Left, unaries: Unaries::Collapse, ..Binarization::default() };
    treebanks::for_every_tree(|tree| {
        for how in [&x_bar, &all, &left] {
            let binary = binarize(tree, how).expect("fits");
            assert!(is_binary(&binary), "{tree}");
            assert_eq!(&debinarize(&binary).expect("fits"), tree);
        }
    });
}
