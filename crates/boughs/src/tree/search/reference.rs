//! Relations by their definitions, over all pairs of nodes, and the tests that the fast ones agree.

use super::places::Places;
use super::{Hit, Relation, TreePattern};
use crate::tree::{NodeId, Tree};

/// A node with nothing but its parent, its first and last token, and its label.
struct PlainNode {
    parent: Option<usize>,
    start: u32,
    end: u32,
}

fn nodes(tree: &Tree) -> Vec<PlainNode> {
    let (num_nodes, num_tokens) = (tree.num_nodes(), tree.num_tokens());
    let phrases = tree.nodes().map(|node| PlainNode {
        parent: node.parent.map(NodeId::index),
        start: node.span.start,
        end: node.span.end,
    });
    let lowest = |token: u32| {
        let mut over = tree.nodes().filter(|node| node.span.start <= token && token < node.span.end);
        over.next_back().map(|node| node.id.index())
    };
    let leaf = |token: u32, parent| PlainNode { parent, start: token, end: token + 1 };
    let tags = (0..num_tokens as u32).map(|token| leaf(token, lowest(token)));
    let words = (0..num_tokens as u32).map(|token| leaf(token, Some(num_nodes + token as usize)));
    phrases.chain(tags).chain(words).collect()
}

fn holds(nodes: &[PlainNode], relation: Relation, a: usize, b: usize) -> bool {
    let above =
        |a: usize, b: usize| std::iter::successors(nodes[b].parent, |&it| nodes[it].parent).any(|it| it == a);
    let children = |a: usize| {
        let mut children: Vec<usize> = (0..nodes.len()).filter(|&it| nodes[it].parent == Some(a)).collect();
        children.sort_by_key(|&it| nodes[it].start);
        children
    };
    let nth = |a: usize, n: i32, b: usize| {
        let children = children(a);
        let index = if n > 0 { n as i64 - 1 } else { children.len() as i64 + i64::from(n) };
        usize::try_from(index).is_ok_and(|index| children.get(index) == Some(&b))
    };
    let chain = |a: usize, b: usize| {
        let path = std::iter::successors(nodes[b].parent, |&it| nodes[it].parent);
        above(a, b) && path.take_while(|&it| it != a).chain([a]).all(|it| children(it).len() == 1)
    };
    let are_sisters = a != b && nodes[a].parent.is_some() && nodes[a].parent == nodes[b].parent;
    let sisters_between = || {
        let between = |it: &usize| nodes[a].end <= nodes[*it].start && nodes[*it].end <= nodes[b].start;
        nodes[a].parent.map_or(0, |parent| children(parent).iter().filter(|it| between(it)).count())
    };
    match relation {
        Relation::ParentOf => nodes[b].parent == Some(a),
        Relation::ChildOf => holds(nodes, Relation::ParentOf, b, a),
        Relation::HasNthChild(n) => nth(a, n, b),
        Relation::IsNthChild(n) => nth(b, n, a),
        Relation::HasOnlyChild => children(a) == [b],
        Relation::IsOnlyChild => children(b) == [a],
        Relation::Dominates => above(a, b),
        Relation::DominatedBy => above(b, a),
        Relation::BeginsWith => above(a, b) && nodes[a].start == nodes[b].start,
        Relation::EndsWith => above(a, b) && nodes[a].end == nodes[b].end,
        Relation::Begins => holds(nodes, Relation::BeginsWith, b, a),
        Relation::Ends => holds(nodes, Relation::EndsWith, b, a),
        Relation::ChainTo => chain(a, b),
        Relation::ChainFrom => chain(b, a),
        Relation::RightBefore => nodes[a].end == nodes[b].start,
        Relation::RightBehind => nodes[b].end == nodes[a].start,
        Relation::Before => nodes[a].end <= nodes[b].start,
        Relation::Behind => nodes[b].end <= nodes[a].start,
        Relation::Sister => are_sisters,
        Relation::SisterRightBefore => {
            are_sisters && nodes[a].end <= nodes[b].start && sisters_between() == 0
        }
        Relation::SisterRightBehind => holds(nodes, Relation::SisterRightBefore, b, a),
        Relation::SisterBefore => are_sisters && nodes[a].end <= nodes[b].start,
        Relation::SisterBehind => holds(nodes, Relation::SisterBefore, b, a),
    }
}

/// All signs with what they mean.
const SIGNS: [(&str, Relation); 37] = [
    ("<", Relation::ParentOf),
    (">", Relation::ChildOf),
    ("<1", Relation::HasNthChild(1)),
    ("<2", Relation::HasNthChild(2)),
    ("<-2", Relation::HasNthChild(-2)),
    ("<-", Relation::HasNthChild(-1)),
    (">1", Relation::IsNthChild(1)),
    (">2", Relation::IsNthChild(2)),
    (">-2", Relation::IsNthChild(-2)),
    (">-1", Relation::IsNthChild(-1)),
    ("<,", Relation::HasNthChild(1)),
    ("<`", Relation::HasNthChild(-1)),
    (">,", Relation::IsNthChild(1)),
    (">`", Relation::IsNthChild(-1)),
    ("<:", Relation::HasOnlyChild),
    (">:", Relation::IsOnlyChild),
    ("<<", Relation::Dominates),
    (">>", Relation::DominatedBy),
    ("<<,", Relation::BeginsWith),
    ("<<`", Relation::EndsWith),
    (">>,", Relation::Begins),
    (">>`", Relation::Ends),
    ("<<:", Relation::ChainTo),
    (">>:", Relation::ChainFrom),
    (".", Relation::RightBefore),
    (",", Relation::RightBehind),
    ("..", Relation::Before),
    (",,", Relation::Behind),
    ("$", Relation::Sister),
    ("$.", Relation::SisterRightBefore),
    ("$,", Relation::SisterRightBehind),
    ("$..", Relation::SisterBefore),
    ("$,,", Relation::SisterBehind),
    ("$+", Relation::SisterRightBefore),
    ("$-", Relation::SisterRightBehind),
    ("$++", Relation::SisterBefore),
    ("$--", Relation::SisterBehind),
];

const TREES: [&str; 4] = [
    "(S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (NP (DT the) (NN cat)) (PP (IN on) (NP (DT the) (NN mat))))) (. .))",
    "(TOP (S (VP (VB Go))))",
    "(S (NP (NN home)) (VP (VBZ is) (ADVP (RB far))) (, ,) (NP (PRP he)) (VP (VBZ says)))",
    "(UH Yes)",
];

fn hits(pattern: &str, tree: &Tree) -> Vec<Hit> {
    pattern
        .parse::<TreePattern>()
        .unwrap_or_else(|error| panic!("{pattern}: {error}"))
        .matches(tree)
        .collect()
}

#[test]
fn every_relation_is_as_defined() {
    let mut num_hits = 0;
    for tree in TREES.map(|text| text.parse::<Tree>().unwrap()) {
        let nodes = nodes(&tree);
        let is = |place: usize, label: &str| label == "*" || Places::label_of(&tree, place) == label;
        for (sign, relation) in SIGNS {
            for (a, b) in
                [("NP", "NN"), ("NN", "NP"), ("VP", "NP"), ("*", "VP"), ("DT", "*"), ("*", "the"), ("*", "*")]
            {
                let exists = |place: usize| {
                    (0..nodes.len()).any(|other| is(other, b) && holds(&nodes, relation, place, other))
                };
                let all = (0..nodes.len()).filter(|&place| is(place, a));
                let (yes, no): (Vec<usize>, Vec<usize>) = all.partition(|&place| exists(place));
                let hit = |places: Vec<usize>| -> Vec<Hit> {
                    places.into_iter().map(|place| Places::hit(&tree, place)).collect()
                };
                num_hits += yes.len();
                assert_eq!(hits(&format!("{a} {sign} {b}"), &tree), hit(yes), "{a} {sign} {b} in {tree}");
                assert_eq!(hits(&format!("{a} !{sign} {b}"), &tree), hit(no), "{a} !{sign} {b} in {tree}");
            }
        }
    }
    assert!(num_hits > 1000, "{num_hits}");
}

#[test]
fn signs_have_other_forms() {
    for (one, other) in [("NP %.. VP", "NP $.. VP"), ("NP <<' NN", "NP <<` NN"), ("NN >' NP", "NN >` NP")] {
        for tree in TREES.map(|text| text.parse::<Tree>().unwrap()) {
            assert_eq!(hits(one, &tree), hits(other, &tree), "{one} in {tree}");
        }
    }
}

#[test]
fn nodes_are_described_in_many_ways() {
    let tree: Tree = "(S (NP-SBJ (DT The) (NN U.S.)) (VP (VBZ is) (NP-PRD (NN home))))".parse().unwrap();
    for (pattern, number) in [
        ("NP", 0),
        ("@NP", 2),
        ("/^NP/", 2),
        ("/^np/i", 2),
        ("/^np/", 0),
        ("NP-SBJ|VP", 2),
        ("@NP|@VP", 3),
        ("\"U.S.\"", 1),
        ("U.S.", 0),
        ("NN < /\\./", 1),
        ("__", 12),
        ("*", 12),
        ("@NP < DT & < NN", 1),
        ("@NP [< DT | > VP]", 2),
        ("@NP < DT | > VP", 2),
        ("@NP !< DT ?$ VBZ", 1),
        ("@NP < (NN < home)", 1),
        ("@NP < (NN !< home)", 1),
        ("(VP < VBZ)", 1),
        // The same noun phrase, and another.
        ("S << (@NP=n < DT) < =n", 1),
        ("S << (@NP=n < home) < =n", 0),
        ("S << (@NP=n << home) < =n", 0),
    ] {
        match pattern {
            // A period is a relation: what follows it is missing.
            "U.S." => assert!(pattern.parse::<TreePattern>().is_err()),
            _ => assert_eq!(hits(pattern, &tree).len(), number, "{pattern}"),
        }
    }
}

#[test]
fn names_stand_for_nodes() {
    let tree: Tree = TREES[0].parse().unwrap();
    let pattern: TreePattern = "NP=whole < (NP=left $. PP=right)".parse().unwrap();
    let hit = pattern.matches(&tree).next().unwrap();
    let named: Vec<String> = pattern
        .names(&tree, hit)
        .into_iter()
        .map(|(name, hit)| format!("{name}: {}", hit.subtree(&tree)))
        .collect();
    assert_eq!(named[1..], ["left: (NP (DT the) (NN cat))", "right: (PP (IN on) (NP (DT the) (NN mat)))"]);
    assert!(named[0].starts_with("whole: (NP (NP "));
}

#[test]
fn bad_patterns_are_told_where() {
    for (pattern, part) in [
        ("", "column 1: expected a node"),
        ("NP <", "column 5: expected a node"),
        ("NP < (NN", "expected `)`"),
        ("NP [< NN", "expected `]`"),
        ("NP /x", "expected a relation or the end"),
        ("/x", "expected a `/`"),
        ("/(/", "`/(/`"),
        ("NP <0 NN", "from 1"),
        ("NP !NN", "expected a relation"),
        ("NP=", "expected a name"),
        ("\"a", "quotation mark"),
    ] {
        let error = pattern.parse::<TreePattern>().expect_err(pattern).to_string();
        assert!(error.contains(part), "{pattern}: {error}");
    }
    let deep = format!("{}NP{}", "(".repeat(10_000), ")".repeat(10_000));
    assert!(deep.parse::<TreePattern>().is_err());
}
