//! All trees of a short sentence, one by one, and what the searches find beside them.

use std::collections::BTreeSet;

use super::*;
use crate::neural::labels::{LabelledSpan, PhraseLabels};
use crate::neural::objective::{NeuralObjective, tree_score};
use crate::rng::Rng;
use crate::span::Span;
use crate::tree::{Constraints, Tokens};

type Phrases = Vec<LabelledSpan>;

/// All trees over a span that is no phrase itself: its phrases, in pre-order. (A phrase over all of it is
/// added by whoever wants one.)
fn all_bodies(start: u32, end: u32, num_labels: u16) -> Vec<Phrases> {
    if end - start == 1 {
        return vec![Phrases::new()];
    }
    // The first child, which is not all of it, and then whatever follows.
    let with_first = |split: u32| {
        let mut firsts = all_phrases(start, split, num_labels);
        if split - start == 1 {
            firsts.push(Phrases::new());
        }
        let rests = all_sequences(split, end, num_labels);
        let pairs = firsts
            .into_iter()
            .flat_map(move |first| rests.clone().into_iter().map(move |rest| [first.clone(), rest].concat()));
        pairs.collect::<Vec<_>>()
    };
    (start + 1..end).flat_map(with_first).collect()
}

/// All trees over a span that is one phrase.
fn all_phrases(start: u32, end: u32, num_labels: u16) -> Vec<Phrases> {
    let bodies = all_bodies(start, end, num_labels);
    let labelled = |label: u16| {
        let top = LabelledSpan { span: Span::new(start, end), label };
        bodies.iter().map(move |body| [vec![top], body.clone()].concat()).collect::<Vec<_>>()
    };
    (0..num_labels).flat_map(labelled).collect()
}

/// All sequences of one child or more.
fn all_sequences(start: u32, end: u32, num_labels: u16) -> Vec<Phrases> {
    [all_phrases(start, end, num_labels), all_bodies(start, end, num_labels)].concat()
}

pub(crate) fn all_trees(num_words: usize, num_labels: usize) -> Vec<Phrases> {
    match num_words {
        0 => vec![Phrases::new()],
        _ => all_sequences(0, num_words as u32, num_labels as u16),
    }
}

fn random_scores(seed: u64, num_words: usize, num_labels: usize) -> SpanScores {
    let mut rng = Rng::new(seed);
    let phrases = (0..num_spans(num_words) * num_labels).map(|_| 4.0 * rng.unit() as f32 - 2.5).collect();
    SpanScores::new(num_words, num_labels, phrases)
}

/// Some sentences.
fn examples() -> impl Iterator<Item = (SpanScores, Vec<Phrases>)> {
    let shapes = [(0, 1), (1, 1), (1, 3), (2, 2), (3, 1), (3, 2), (4, 1)];
    shapes.into_iter().enumerate().map(|(seed, (num_words, num_labels))| {
        (random_scores(seed as u64, num_words, num_labels), all_trees(num_words, num_labels))
    })
}

fn assert_near(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-5 * (1.0 + b.abs()), "{a} {b}");
}

#[test]
fn no_tree_twice() {
    for (scores, trees) in examples() {
        let all: BTreeSet<_> = trees.iter().collect();
        assert_eq!(all.len(), trees.len(), "{} words", scores.num_words());
    }
    // Of three words: none, one or two phrases over single words, a pair or not, all or not.
    assert_eq!(all_trees(3, 1).len(), 2 * 8 * 3);
}

#[test]
fn the_best_trees_in_order() {
    for (scores, mut trees) in examples() {
        trees.sort_by(|a, b| tree_score(&scores, b).total_cmp(&tree_score(&scores, a)));
        let best = best_tree(&scores);
        assert_eq!(best.phrases, trees[0]);
        assert_near(f64::from(best.score), tree_score(&scores, &trees[0]));
        for k in [1, 2, 7, 10_000] {
            let found = best_trees(&scores, k);
            assert_eq!(found.len(), k.min(trees.len()));
            let different: BTreeSet<_> = found.iter().map(|tree| &tree.phrases).collect();
            assert_eq!(different.len(), found.len());
            for (found, expected) in found.iter().zip(&trees) {
                assert_near(f64::from(found.score), tree_score(&scores, expected));
                assert_near(f64::from(found.score), tree_score(&scores, &found.phrases));
            }
        }
    }
}

#[test]
fn sums_and_posteriors() {
    for (scores, trees) in examples() {
        let sums = TreeSums::new(&scores);
        let total: f64 = trees.iter().map(|tree| tree_score(&scores, tree).exp()).sum();
        assert_near(sums.log_total, total.ln());
        let posteriors = sums.phrase_posteriors();
        for (span, posterior) in spans(scores.num_words()).zip(posteriors) {
            let labels: Vec<f64> = sums.label_posteriors(span, scores.row(span), posterior).collect();
            assert_near(labels.iter().sum(), posterior);
            for (label, found) in (0..).zip(labels) {
                let has = |tree: &&Phrases| tree.contains(&LabelledSpan { span, label });
                let expected: f64 =
                    trees.iter().filter(has).map(|tree| tree_score(&scores, tree).exp()).sum();
                assert_near(found, expected / total);
            }
        }
    }
}

/// The number of spans whose labels differ, by looking at all of them.
pub(crate) fn distance(num_words: usize, one: &Phrases, other: &Phrases) -> f64 {
    let label = |tree: &Phrases, span: Span| tree.iter().find(|it| it.span == span).map(|it| it.label);
    spans(num_words).filter(|&span| label(one, span) != label(other, span)).count() as f64
}

#[test]
fn the_fewest_errors_to_be_expected() {
    for (scores, trees) in examples() {
        let sums = TreeSums::new(&scores);
        let gains = expected_gains(&scores, &sums, &sums.phrase_posteriors());
        let risk = |tree: &Phrases| {
            let error = |other: &Phrases| {
                (tree_score(&scores, other) - sums.log_total).exp()
                    * distance(scores.num_words(), tree, other)
            };
            trees.iter().map(error).sum::<f64>()
        };
        let least = trees.iter().map(risk).fold(f64::INFINITY, f64::min);
        assert_near(risk(&best_tree(&gains).phrases), least);
    }
}

#[test]
fn the_loss_of_the_margin_is_that_of_the_worst_tree() {
    for (scores, trees) in examples() {
        for gold in trees.iter().step_by(1 + trees.len() / 5) {
            let (loss, gradient) = NeuralObjective::Margin.loss(&scores, gold);
            let violation = |tree: &Phrases| {
                tree_score(&scores, tree) + distance(scores.num_words(), tree, gold)
                    - tree_score(&scores, gold)
            };
            assert_near(loss, trees.iter().map(violation).fold(f64::NEG_INFINITY, f64::max));
            let sum: f32 = gradient.rows.iter().map(|step| step.abs()).sum();
            assert!(loss > 0.0 || sum == 0.0);
        }
    }
}

#[test]
fn losses_change_as_their_derivatives_say() {
    for objective in [NeuralObjective::Margin, NeuralObjective::Likelihood] {
        for (mut scores, trees) in examples() {
            let gold = &trees[trees.len() / 3];
            let (_, gradient) = objective.loss(&scores, gold);
            for span in spans(scores.num_words()) {
                for label in 0..scores.num_labels() {
                    let row = gradient.spans.iter().position(|&it| it == span);
                    let found = row.map_or(0.0, |row| gradient.rows[row * scores.num_labels() + label]);
                    let mut loss_at = |shift: f32| {
                        scores.row_mut(span)[label] += shift;
                        let loss = objective.loss(&scores, gold).0;
                        scores.row_mut(span)[label] -= shift;
                        loss
                    };
                    let step = 1e-3;
                    let expected = (loss_at(step) - loss_at(-step)) / (2.0 * f64::from(step));
                    assert!((expected - f64::from(found)).abs() < 2e-3, "{objective:?} {expected} {found}");
                }
            }
        }
    }
}

/// Labels `A`, `B` and the chain of both.
fn labels() -> PhraseLabels {
    let trees = ["(TOP (A (X x) (B (X x))))", "(TOP (A (B (X x) (X x))))"];
    PhraseLabels::collect(&trees.map(|text| text.parse().unwrap())).unwrap().0
}

/// Whether a tree has the phrases that constraints ask for, and crosses nothing that it must not.
fn meets(tree: &Phrases, num_words: usize, labels: &PhraseLabels, constraints: &Constraints) -> bool {
    let chain = |span: Span| {
        let label = tree.iter().find(|it| it.span == span).map(|it| it.label);
        label.map(|label| labels.chain(label).iter().map(AsRef::as_ref).collect::<Vec<&str>>())
    };
    let has_phrase = |(span, label): (Span, Option<&str>)| {
        chain(span).is_some_and(|chain| label.is_none_or(|label| chain == [label]))
    };
    let whole = Span::new(0, num_words as u32);
    constraints.phrases().all(has_phrase)
        && constraints.uncrossed.iter().all(|span| !tree.iter().any(|it| it.span.crosses(*span)))
        && constraints.root.as_deref().is_none_or(|root| chain(whole).is_some_and(|chain| chain[0] == root))
}

#[test]
fn constraints_leave_the_trees_that_meet_them() {
    let (labels, num_words) = (labels(), 4);
    let tokens: Tokens = [("x", "X"); 4].into_iter().collect();
    let span = |start, end| Span::new(start, end);
    let require = |phrases: &[(Span, Option<&str>)], uncrossed: &[Span], root: Option<&str>| Constraints {
        phrases: phrases.iter().map(|&(span, label)| (span, label.map(Into::into))).collect(),
        uncrossed: uncrossed.to_vec(),
        root: root.map(Into::into),
    };
    for (seed, constraints) in [
        require(&[(span(1, 3), None)], &[], None),
        require(&[(span(0, 2), Some("B")), (span(1, 2), None)], &[], None),
        require(&[(span(2, 3), Some("A"))], &[span(1, 4)], None),
        require(&[], &[span(1, 3), span(0, 2)], Some("A")),
        require(&[(span(0, 4), None), (span(2, 4), None)], &[], Some("B")),
    ]
    .into_iter()
    .enumerate()
    {
        let mut scores = random_scores(seed as u64, num_words, labels.len());
        let mut trees = all_trees(num_words, labels.len());
        let free = scores.clone();
        restrict(&mut scores, &labels, &tokens, &constraints).unwrap();
        trees.retain(|tree| meets(tree, num_words, &labels, &constraints));
        trees.sort_by(|a, b| tree_score(&free, b).total_cmp(&tree_score(&free, a)));
        assert_eq!(best_tree(&scores).phrases, trees[0], "{constraints:?}");
        assert_eq!(best_trees(&scores, 100_000).len(), trees.len(), "{constraints:?}");
        let total: f64 = trees.iter().map(|tree| tree_score(&free, tree).exp()).sum();
        assert_near(TreeSums::new(&scores).log_total, total.ln());
        let sums = TreeSums::new(&scores);
        let gains = expected_gains(&scores, &sums, &sums.phrase_posteriors());
        assert!(meets(&best_tree(&gains).phrases, num_words, &labels, &constraints));
    }
}

#[test]
fn chains_that_are_required() {
    let labels = labels();
    let tokens: Tokens = [("x", "X"); 2].into_iter().collect();
    let whole = Span::new(0, 2);
    let chain = |wanted: &[&str], root: Option<&str>| {
        let mut constraints = Constraints { root: root.map(Into::into), ..Constraints::default() };
        wanted.iter().for_each(|label| constraints.require(whole, Some(label)));
        let mut scores = random_scores(1, 2, labels.len());
        restrict(&mut scores, &labels, &tokens, &constraints).map(|()| {
            let best = best_tree(&scores).phrases[0];
            (best.span, labels.name(best.label).to_owned())
        })
    };
    assert_eq!(chain(&["A", "B"], None).unwrap(), (whole, "A+B".to_owned()));
    assert_eq!(chain(&["A", "B"], Some("A")).unwrap(), (whole, "A+B".to_owned()));
    assert_eq!(chain(&["B"], Some("A")).unwrap(), (whole, "A+B".to_owned()));
    let message = chain(&["B", "A"], None).unwrap_err().to_string();
    assert!(message.contains("found B A"), "{message}");
    assert!(chain(&["C"], None).unwrap_err().to_string().contains("found `C`"));
}

#[test]
fn nothing_is_left_of_impossible_scores() {
    let mut scores = random_scores(1, 2, 1);
    spans(2).for_each(|span| {
        scores.row_mut(span).fill(f32::NEG_INFINITY);
        scores.forbid_bare(span);
    });
    assert_eq!(best_tree(&scores).score, f32::NEG_INFINITY);
    assert!(best_trees(&scores, 3).is_empty());
    assert!(TreeSums::new(&scores).phrase_posteriors().iter().all(|&posterior| posterior == 0.0));
}
