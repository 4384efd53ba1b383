//! Constraints on the trees of a trained parser.

use boughs::parse::{Parsed, Request, Status};
use boughs::span::Span;
use boughs::transition::Search;
use boughs::tree::transform::{TagSet, prt_to_advp, remove_traces, strip_functions};
use boughs::tree::{Constraints, Tokens, Tree};
use boughs_learn::rng::Rng;

use super::training::{parser, sample, tokens};

/// The slow form of a constraint: some phrase has its label and words, punctuation at the edges apart.
fn has_phrase(tree: &Tree, span: Span, label: Option<&str>) -> bool {
    let punctuation = TagSet::punctuation();
    let words = |span: Span| -> Vec<usize> {
        span.range().filter(|&index| !punctuation.contains(tree.token(index).tag)).collect()
    };
    let is_it = |found: &str| label.is_none_or(|label| label == found);
    tree.nodes().any(|node| words(node.span) == words(span) && is_it(node.label))
}

/// Some of the phrases of a tree, some of them without their labels.
fn draw(tree: &Tree, rng: &mut Rng) -> Constraints {
    let mut constraints = Constraints::default();
    for (span, label) in Constraints::of_tree(tree).phrases() {
        match rng.below(4) {
            0 => constraints.require(span, label),
            1 => constraints.require(span, None),
            2 => constraints.uncrossed.push(span),
            _ => {}
        }
    }
    constraints
}

fn is_met(parsed: &Parsed, constraints: &Constraints) -> bool {
    constraints.phrases().all(|(span, label)| has_phrase(parsed.tree(), span, label))
}

#[test]
fn phrases_of_gold_trees_can_be_required() {
    let (mut rng, mut num_changed, mut num_unmet) = (Rng::new(1), 0, 0);
    for search in [Search::Greedy, Search::AGENDA] {
        let mut parser = parser(search);
        for mut tree in sample().1 {
            remove_traces(&mut tree);
            strip_functions(&mut tree);
            prt_to_advp(&mut tree);
            let constraints = draw(&tree, &mut rng);
            let free = Request::new(tree.sentence());
            let parsed = parser.parse(Request { constraints: &constraints, ..free });
            num_unmet += usize::from(parsed.unmet.is_some());
            assert_eq!(parsed.unmet.is_some(), parsed.status == Status::ConstraintsUnmet);
            assert!(parsed.unmet.is_some() || is_met(&parsed, &constraints), "{tree}\n{}", parsed.tree());
            num_changed += usize::from(!is_met(&parser.parse(free), &constraints));
        }
    }
    assert!(num_changed > 20, "{num_changed}");
    assert!(num_unmet < 4, "{num_unmet}");
}

#[test]
fn a_sentence_whose_constraints_cannot_be_met_is_parsed_without_them() {
    let mut parser = parser(Search::AGENDA);
    let tokens = tokens("( (DT The) (NN oak) (VBZ bends) (. .))");
    let free = parser.parse(Request::new(&tokens)).parses;
    let mut check = |require: fn(&mut Constraints), message: &str| {
        let mut constraints = Constraints::default();
        require(&mut constraints);
        let parsed = parser.parse(Request { constraints: &constraints, ..Request::new(&tokens) });
        assert_eq!((parsed.status, &parsed.parses), (Status::ConstraintsUnmet, &free));
        let unmet = parsed.unmet.expect("a reason").to_string();
        assert!(unmet.contains(message), "{unmet}");
        let nothing = Tokens::new();
        let nothing = parser.parse(Request { constraints: &constraints, ..Request::new(&nothing) });
        assert_eq!(nothing.status, Status::Trivial, "nothing to ask of nothing");
    };
    let crossing = |constraints: &mut Constraints| {
        constraints.require(Span::new(0, 2), None);
        constraints.require(Span::new(1, 3), Some("VP"));
    };
    check(crossing, "span 1..3 crosses span 0..2");
    let crossed = |constraints: &mut Constraints| {
        constraints.require(Span::new(0, 2), None);
        constraints.uncrossed.push(Span::new(1, 3));
    };
    check(crossed, "no tree has a phrase over 0..2 when 1..3 must not be crossed");
    check(|constraints| constraints.require(Span::new(2, 5), None), "span 2..5 in 4 tokens");
    check(|constraints| constraints.require(Span::new(2, 2), None), "span 2..2 in 4 tokens");
    check(|constraints| constraints.require(Span::new(3, 4), None), "there is no word in it");
    check(|constraints| constraints.require(Span::new(0, 2), Some("TOP")), "found `TOP`");
    check(|constraints| constraints.root = Some("TOP".into()), "found `TOP`");
    check(|constraints| constraints.require(Span::new(0, 3), Some("QQ")), "found `QQ`");
}
