//! Constraints on the trees of a trained parser.

use boughs::span::Span;
use boughs::transition::search::{Search, SearchConfig};
use boughs::transition::{Bounds, Limits, Parsed, Parser};
use boughs::tree::transform::{TagSet, prt_to_advp, remove_traces, strip_functions};
use boughs::tree::{Constraints, Tree};
use boughs_learn::rng::Rng;

use super::training::{sample, trained};

/// The slow form of a demand for a phrase: some phrase has its label and words, punctuation at the edges apart.
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
            2 => constraints.forbid_crossing(span),
            _ => {}
        }
    }
    constraints
}

fn is_met(parsed: &Parsed, constraints: &Constraints) -> bool {
    constraints.phrases().all(|(span, label)| has_phrase(&parsed.tree, span, label))
}

#[test]
fn phrases_of_gold_trees_can_be_demanded() {
    let model = &trained().model;
    let (mut rng, mut num_changed, mut num_unmet) = (Rng::new(1), 0, 0);
    for search in [Search::Greedy, Search::AGENDA] {
        let config = SearchConfig { search, ..SearchConfig::default() };
        let mut parser = Parser::new(model, config, Limits::default());
        for mut tree in sample().1 {
            remove_traces(&mut tree);
            strip_functions(&mut tree);
            prt_to_advp(&mut tree);
            let constraints = draw(&tree, &mut rng);
            let parsed = parser.parse_with(&tree, &constraints, Bounds::default());
            num_unmet += usize::from(parsed.unmet.is_some());
            assert!(parsed.unmet.is_some() || is_met(&parsed, &constraints), "{tree}\n{}", parsed.tree);
            num_changed += usize::from(!is_met(&parser.parse(&tree), &constraints));
        }
    }
    assert!(num_changed > 20, "{num_changed}");
    assert!(num_unmet < 4, "{num_unmet}");
}

#[test]
fn a_sentence_whose_demands_fail_is_parsed_freely() {
    let mut parser = Parser::new(&trained().model, SearchConfig::default(), Limits::default());
    let sentence: Tree = "( (DT The) (NN oak) (VBZ bends) (. .))".parse().expect("a tree");
    let mut constraints = Constraints::default();
    constraints.require(Span::new(0, 2), None);
    constraints.require(Span::new(1, 3), Some("VP"));
    let parsed = parser.parse_with(&sentence, &constraints, Bounds::default());
    assert!(parsed.unmet.is_some() && !parsed.is_fallback());
    assert_eq!(parsed.tree, parser.parse(&sentence).tree);
    assert!(
        parser.parse_with(&Tree::empty(), &constraints, Bounds::default()).unmet.is_none(),
        "nothing to ask of nothing"
    );
}
