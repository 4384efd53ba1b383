//! What must hold of every transform and of restoring, on random trees and on whole treebanks.

#[path = "../common/invariants.rs"]
mod invariants;
mod reference;
#[path = "../common/treebanks.rs"]
mod treebanks;

use std::collections::BTreeSet;

use boughs::span::{Span, TextSpan};
use boughs::tree::transform::{
    PIPELINES, Pipeline, TagSet, TransformStep, prt_to_advp, raise_punctuation, remove_outer_punctuation,
    remove_quotes, remove_traces, remove_unary_to_self, strip_alternatives, strip_functions,
};
use boughs::tree::{Tree, TreeBuilder, from_spans, is_root_label};
use boughs_learn::rng::Rng;
use proptest::prelude::*;

use reference::Reference;
use treebanks::for_every_tree;

/// All steps, each with parameters that make a difference.
fn all_steps() -> Vec<TransformStep> {
    let written = TransformStep::ALL.into_iter().map(|(_, step, _)| {
        step.replace("=N", "=9").replace("TAG+TAG", "DT+,").replace("LABEL+LABEL", "NP+SBAR")
    });
    let mut steps: Vec<TransformStep> = written.map(|step| step.parse().expect("a step")).collect();
    steps.extend(["root=none", "root=", "root=X"].map(|step| step.parse().expect("a step")));
    steps
}

fn check(tree: &Tree, seed: u64) {
    check_steps(tree);
    check_against_reference(tree);
    check_order_of_punctuation(tree);
    for (name, _, _) in PIPELINES {
        check_restoring(tree, &name.parse::<Pipeline>().expect("a name"), seed);
    }
    check_places(tree, seed);
    check_brackets_survive(tree);
}

fn check_steps(tree: &Tree) {
    for step in all_steps() {
        let mut pipeline = Pipeline::new([step]);
        pipeline.settings.vocabulary = Some(["the", "Cat"].map(str::to_owned).into_iter().collect());
        let mut once = tree.clone();
        let verdict = pipeline.apply(&mut once);
        invariants::check(&once).unwrap_or_else(|fault| panic!("{pipeline} on {tree}: {fault}"));
        let mut twice = once.clone();
        assert_eq!(pipeline.apply(&mut twice), verdict);
        assert_eq!(twice, once, "{pipeline} on {tree} is not idempotent");
    }
}

fn check_against_reference(tree: &Tree) {
    let Some(slow) = Reference::of(tree) else { return };
    let mut fast = tree.clone();
    raise_punctuation(&mut fast, &TagSet::punctuation());
    let slow = slow.raise_punctuation(&TagSet::punctuation());
    assert!(fast.nodes().eq(slow.to_tree().nodes()), "raising in {tree}");
    remove_unary_to_self(&mut fast);
    let slow = slow.remove_unary_to_self(true);
    assert!(fast.nodes().eq(slow.to_tree().nodes()), "unary chains in {tree}");
}

/// The papers raise first, we (and their program) remove first.
fn check_order_of_punctuation(tree: &Tree) {
    let punctuation = TagSet::punctuation();
    let (mut one, mut other) = (tree.clone(), tree.clone());
    raise_punctuation(&mut one, &punctuation);
    remove_outer_punctuation(&mut one, &punctuation);
    remove_outer_punctuation(&mut other, &punctuation);
    raise_punctuation(&mut other, &punctuation);
    assert_eq!(one, other);
}

/// Whatever tree a parser gives, it comes back over the original tokens and with the same phrases.
fn check_restoring(tree: &Tree, pipeline: &Pipeline, seed: u64) {
    let mut left = tree.clone();
    let record = pipeline.prepare(&mut left);
    for parsed in [random_parse(&left, seed), left] {
        for outer_in_clause in [false, true] {
            let restored = record.restore_with(&parsed, outer_in_clause).expect("the same sentence");
            invariants::check(&restored).unwrap_or_else(|fault| panic!("{restored}: {fault}"));
            assert!(restored.tokens().eq(tree.tokens()), "{restored} is not over the tokens of {tree}");
            check_phrases(restored, &parsed, pipeline);
        }
    }
    assert!(record.flat().tokens().eq(tree.tokens()));
}

fn check_phrases(mut restored: Tree, parsed: &Tree, pipeline: &Pipeline) {
    if parsed.num_nodes() == 0 {
        return; // a root is added where more than a bare token comes back
    }
    let original = restored.to_string();
    let removes = |step: &&TransformStep| {
        step.to_string().starts_with("remove-") && **step != TransformStep::RemoveUnaryToSelf
    };
    let removing = Pipeline::new(pipeline.steps().iter().filter(removes).cloned());
    let _ = removing.apply(&mut restored);
    assert!(restored.nodes().eq(parsed.nodes()), "{original} has not the phrases of {parsed}");
}

/// Tokens come back where the literal way puts them: beside a leaf, then raised.
fn check_places(tree: &Tree, seed: u64) {
    let is_left = left_by_tm06(tree);
    let mut left = tree.clone();
    let record = "tm06".parse::<Pipeline>().expect("a name").prepare(&mut left);
    let original = tree.tokens().zip(&is_left).filter(|(_, is_left)| **is_left);
    assert!(left.tokens().map(|token| token.place).eq(original.map(|(token, _)| token.place)));

    let mut parsed = random_parse(&left, seed);
    raise_punctuation(&mut parsed, &TagSet::punctuation());
    let restored = record.restore(&parsed).expect("the same sentence");
    if let Some(slow) = Reference::of(&parsed) {
        let raised = TagSet::parse(": , . `` '' -NONE-");
        let slow = slow.put_back(tree, &is_left).raise_punctuation(&raised).to_tree();
        assert!(slow.nodes().eq(restored.nodes()), "{restored} should be {slow}");
    }
}

/// Which tokens are neither traces, nor quotation marks, nor punctuation at the edges of the rest.
fn left_by_tm06(tree: &Tree) -> Vec<bool> {
    let is_word = |tag: &str| !TagSet::parse(": , . `` '' -NONE-").contains(tag);
    let tags: Vec<&str> = tree.tokens().map(|token| token.tag).collect();
    let first = tags.iter().position(|tag| is_word(tag)).unwrap_or(tags.len());
    let last = tags.iter().rposition(|tag| is_word(tag)).unwrap_or(0);
    let inner = |index: usize, tag: &str| first < index && index < last && [":", ",", "."].contains(&tag);
    tags.iter().enumerate().map(|(index, tag)| is_word(tag) || inner(index, tag)).collect()
}

/// Preprocessing and restoring lose nothing of a gold tree that EVALB counts, except what the steps say:
/// functions, alternatives, PRT, and a second phrase with the same label over the same words.
fn check_brackets_survive(gold: &Tree) {
    let mut left = gold.clone();
    let record = "tm06".parse::<Pipeline>().expect("a name").prepare(&mut left);
    let restored = record.restore(&left).expect("the same sentence");
    assert_eq!(brackets(&restored), brackets(gold), "{gold}");
}

/// The labelled brackets over words as EVALB counts them, each once.
fn brackets(tree: &Tree) -> BTreeSet<(Span, String)> {
    let mut tree = tree.clone();
    for strip in [remove_traces, strip_functions, strip_alternatives, prt_to_advp] {
        strip(&mut tree);
    }
    remove_quotes(&mut tree, &TagSet::punctuation());
    let phrases = tree.nodes().filter(|node| !is_root_label(node.label));
    phrases.map(|node| (node.span, node.label.to_owned())).collect()
}

/// Random phrases below a root.
fn random_parse(sentence: &Tree, seed: u64) -> Tree {
    let mut rng = Rng::new(seed);
    let mut spans = Vec::new();
    let mut todo: Vec<Span> = Vec::new();
    if !sentence.is_empty() {
        todo.push(Span::new(0, sentence.num_tokens() as u32));
        spans.push((todo[0], "TOP"));
    }
    while let Some(span) = todo.pop() {
        if rng.below(3) > 0 {
            spans.push((span, ["NP", "VP", "S"][rng.below(3) as usize]));
        }
        if span.len() > 1 {
            let middle = span.start + 1 + rng.below(span.len() as u64 - 1) as u32;
            todo.extend([Span::new(span.start, middle), Span::new(middle, span.end)]);
        }
    }
    from_spans(sentence.tokens(), spans).expect("nested spans")
}

#[derive(Debug, Clone)]
enum Part {
    Open(&'static str),
    Token(&'static str, &'static str),
    Close,
}

fn part() -> impl Strategy<Value = Part> {
    let labels = ["NP", "NP-SBJ-1", "S", "PRT", "ADVP|PRT", "-X-", "TOP", "", "VP=2"];
    let tokens = [
        ("Cat", "NN"),
        ("sat", "VBD"),
        ("1\\/2", "CD"),
        ("*", "-NONE-"),
        (",", ","),
        (".", "."),
        ("``", "``"),
        ("''", "''"),
        ("(", "-LRB-"),
    ];
    prop_oneof![
        prop::sample::select(labels.to_vec()).prop_map(Part::Open),
        prop::sample::select(tokens.to_vec()).prop_map(|(word, tag)| Part::Token(word, tag)),
        Just(Part::Close),
    ]
}

fn random_tree() -> impl Strategy<Value = Tree> {
    prop::collection::vec(part(), 0..40).prop_map(|parts| {
        let mut builder = TreeBuilder::new();
        for (start, part) in parts.into_iter().enumerate() {
            let place = Some(TextSpan {
                start: start as u64 + 100,
                char_start: start as u64 + 100,
                len: 1,
                char_len: 1,
            });
            match part {
                Part::Open(label) => builder.open(label),
                Part::Token(word, tag) => builder.token_at(word, tag, place),
                Part::Close if builder.depth() > 0 => drop(builder.close()),
                Part::Close => {}
            }
        }
        builder.finish().expect("a small tree")
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn random_trees(tree in random_tree(), seed: u64) {
        prop_assert_eq!(invariants::check(&tree), Ok(()));
        check(&tree, seed);
    }
}

#[test]
fn real_trees() {
    let mut number = 0;
    for_every_tree(|tree| {
        number += 1;
        check(tree, number);
    });
}

#[test]
fn a_tree_a_million_levels_deep() {
    let mut builder = TreeBuilder::new();
    for level in 0..1_000_000 {
        builder.open(["NP-1", "S", "PRT"][level % 3]);
        if level % 1000 == 0 {
            builder.token(",", ",");
        }
    }
    builder.token("Deep", "RB");
    let tree = builder.finish().expect("a deep tree");
    let mut left = tree.clone();
    let record = "tm06".parse::<Pipeline>().expect("a name").prepare(&mut left);
    assert_eq!(left.num_nodes(), 3);
    let restored = record.restore(&left).expect("the same sentence");
    assert!(restored.tokens().eq(tree.tokens()));
}
