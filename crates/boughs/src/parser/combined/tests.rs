//! Posteriors put together beside a list of all trees, and whole parsers: what holds whatever they have learned.

use boughs_encoder::Storage;

use super::rule::FLOOR;
use super::*;
use crate::learn::run::{RunOptions, run};
use crate::model::{About, Array, ModelFile};
use crate::neural::testing::random_model;
use crate::neural::{LabelledSpan, PhraseLabels, SpanPosteriors, all_trees, best_tree};
use crate::parse::{Parse, Parsed, Status};
use crate::parser::{EngineOptions, Model, ParseOptions, Parser, Sentence};
use crate::rng::Rng;
use crate::span::Span;
use crate::tree::{Tokens, Tree};
use crate::treebank::sample;
use boughs::train::PcfgConfig;

fn words(number: usize) -> Tokens {
    std::iter::repeat_n(("x", "X"), number).collect()
}

/// Some phrases, each about as likely as the next.
fn random_posteriors(seed: u64, num_words: usize, num_labels: u16) -> SpanPosteriors {
    let mut rng = Rng::new(seed);
    let mut phrases = Vec::new();
    for (start, end) in
        (0..num_words as u32).flat_map(|start| (start + 1..=num_words as u32).map(move |end| (start, end)))
    {
        for label in 0..num_labels {
            if rng.unit() < 0.6 {
                let phrase = LabelledSpan { span: Span::new(start, end), label };
                phrases.push((phrase, rng.unit() as f32 / f32::from(num_labels)));
            }
        }
    }
    SpanPosteriors::new(words(num_words), phrases)
}

/// How likely a parser finds what a tree has over a span, by looking through all that it says.
fn likely(posteriors: &SpanPosteriors, span: Span, label: Option<u16>) -> f64 {
    let of_span = posteriors.phrases.iter().filter(|(phrase, _)| phrase.span == span);
    match label {
        Some(label) => of_span.filter(|(it, _)| it.label == label).map(|(_, it)| f64::from(*it)).sum(),
        None => 1.0 - of_span.map(|(_, it)| f64::from(*it)).sum::<f64>(),
    }
}

#[test]
fn the_best_of_all_trees() {
    let weights = [0.7f32, 0.3];
    for (seed, (num_words, num_labels)) in [(1, 2), (2, 2), (3, 1), (3, 2), (4, 1)].into_iter().enumerate() {
        let posteriors = [0, 50].map(|other| random_posteriors(seed as u64 + other, num_words, num_labels));
        let weighted: Vec<_> = weights.into_iter().zip(&posteriors).collect();
        let spans: Vec<Span> = (0..num_words as u32)
            .flat_map(|start| (start + 1..=num_words as u32).map(move |end| Span::new(start, end)))
            .collect();
        for rule in [CombinationRule::Product, CombinationRule::Mixture] {
            let worth = |tree: &Vec<LabelledSpan>| {
                let of_span = |span: &Span| {
                    let label = tree.iter().find(|phrase| phrase.span == *span).map(|phrase| phrase.label);
                    let of_parser = |&(weight, posteriors): &(f32, &SpanPosteriors)| match rule {
                        CombinationRule::Product => {
                            f64::from(weight) * (likely(posteriors, *span, label) + f64::from(FLOOR)).ln()
                        }
                        CombinationRule::Mixture => f64::from(weight) * likely(posteriors, *span, label),
                    };
                    weighted.iter().map(of_parser).sum::<f64>()
                };
                spans.iter().map(of_span).sum::<f64>()
            };
            let trees = all_trees(num_words, usize::from(num_labels));
            let best = trees.iter().map(worth).fold(f64::NEG_INFINITY, f64::max);
            let found = best_tree(&rule.scores(num_words, usize::from(num_labels), &weighted)).phrases;
            assert!((worth(&found) - best).abs() < 1e-5, "{rule:?}: {found:?}");
        }
    }
}

#[test]
fn posteriors_come_to_one_and_name_nothing_twice() {
    let phrase = |end: u32, label: u16| LabelledSpan { span: Span::new(0, end), label };
    let phrases = vec![(phrase(2, 0), 0.75), (phrase(1, 0), 0.25), (phrase(2, 1), 0.5), (phrase(2, 0), 0.25)];
    let posteriors = SpanPosteriors::new(words(2), [phrases, vec![(phrase(1, 1), 1e-9)]].concat());
    assert_eq!(
        posteriors.phrases,
        [(phrase(1, 0), 0.25), (phrase(2, 0), 1.0 / 1.5), (phrase(2, 1), 0.5 / 1.5)]
    );
}

fn tree(text: &str) -> Tree {
    text.parse().unwrap()
}

#[test]
fn trees_say_how_likely_phrases_are() {
    let both = ["(TOP (S (NP (NN x)) (VB y)))", "(TOP (S (NN x) (VP (VB y))))"].map(tree);
    let (labels, _) = PhraseLabels::collect(&both).unwrap();
    let parse = |place: usize, cost: f64, confidences: &[f64]| {
        let confidences = confidences.iter().copied().map(Some).collect();
        Parse { tree: both[place].clone(), cost: Some(cost), confidences }
    };
    let probabilities = |parses: Vec<Parse>| {
        let posteriors = SpanPosteriors::of_trees(&Parsed::new(parses, Status::Optimal), &labels).unwrap();
        let named = |(phrase, probability): &(LabelledSpan, f32)| {
            (labels.name(phrase.label).to_owned(), *probability)
        };
        posteriors.phrases.iter().map(named).collect::<Vec<_>>()
    };
    let named = |name: &str, probability: f32| (name.to_owned(), probability);
    // Their own confidences: the first of each list is that of the root.
    let sure = probabilities(vec![parse(0, 1.0, &[1.0, 1.0, 0.5]), parse(1, 1.0, &[1.0, 1.0, 0.25])]);
    assert_eq!(sure, [named("NP", 0.5), named("S", 1.0), named("VP", 0.25)]);
    // Shares of trees, where they say nothing.
    let shared = probabilities(vec![parse(0, 1.0, &[]), parse(1, 1.0 + 3f64.ln(), &[])]);
    let near = |(found, expected): (&(String, f32), &(String, f32))| {
        found.0 == expected.0 && (found.1 - expected.1).abs() < 1e-6
    };
    let expected = [named("NP", 0.75), named("S", 1.0), named("VP", 0.25)];
    assert!(shared.iter().zip(&expected).all(near), "{shared:?}");
    let nothing = Parsed::fallback(both[0].clone(), Status::Fallback(None));
    assert!(SpanPosteriors::of_trees(&nothing, &labels).is_none());
}

fn trees() -> Vec<Tree> {
    sample("howto").into_iter().take(40).collect()
}

/// A network of random weights, and a grammar.
fn combined() -> Parser {
    let neural = Parser::new(About::new("neural"), random_model(&trees(), Storage::F32), None);
    let grammar =
        run(&PcfgConfig::default(), &trees()[..], None, RunOptions::default()).unwrap().unwrap().model;
    let model = CombinedModel::new(vec![neural, grammar], &trees()).unwrap();
    Parser::new(About::new("combined"), model, None)
}

fn model(parser: &Parser) -> &CombinedModel {
    match parser.model() {
        Model::Combined(model) => model,
        _ => panic!("expected several parsers"),
    }
}

fn sentences() -> Vec<Sentence> {
    trees().iter().map(|tree| Sentence::from_tree(tree).without_tags()).collect()
}

fn told(parsed: &Parsed) -> Vec<(String, Option<f64>, Vec<Option<f64>>)> {
    let tell = |parse: &Parse| (parse.tree.to_string(), parse.cost, parse.confidences.clone());
    parsed.parses.iter().map(tell).collect()
}

#[test]
fn several_parsers_are_a_parser_like_any_other() {
    let parser = combined();
    let file = parser.to_file().unwrap();
    let read = Parser::from_file(&ModelFile::from_bytes(&file.to_bytes().unwrap()).unwrap()).unwrap();
    assert_eq!(read.to_file().unwrap(), file);
    let sentences = sentences();
    let all: Vec<&Sentence> = sentences.iter().collect();
    let together = parser.worker().parse_batch(&all).unwrap();
    let mut worker = read.worker();
    for (sentence, together) in sentences.iter().zip(&together) {
        let alone = worker.parse(sentence).unwrap();
        assert_eq!(told(&alone), told(together));
        assert_eq!(alone.tree().words().count(), sentence.tokens().len());
        assert!(
            alone.parses[0].confidences.iter().all(|it| it.is_some_and(|it| (0.0..=1.001).contains(&it)))
        );
    }
    // A network that knows nothing does not stand in the way of a grammar that knows the trees by heart.
    assert!(parser.evaluate(&trees()).unwrap().criterion > 60.0);
}

#[test]
fn trees_in_the_order_of_their_costs_and_within_constraints() {
    let parser = combined();
    let options = ParseOptions { num_best: 5, ..parser.options().clone() };
    let parser = parser.with_options(options).unwrap();
    let mut sentence = Sentence::from_tree(&trees()[0]).without_tags();
    let parsed = parser.worker().parse(&sentence).unwrap();
    assert_eq!(parsed.parses.len(), 5);
    assert!(parsed.parses.is_sorted_by(|a, b| a.cost <= b.cost && a.tree != b.tree));
    let span = Span::new(1, 3);
    sentence.constraints.require(span, Some("NP"));
    let parsed = parser.worker().parse(&sentence).unwrap();
    assert!(parsed.unmet.is_none());
    assert!(
        parsed.parses.iter().all(|it| it.tree.nodes().any(|node| node.span == span && node.label == "NP"))
    );
    sentence.constraints.require(Span::new(2, 3), Some("NOSUCH"));
    assert!(parser.worker().parse(&sentence).unwrap().unmet.is_some());
}

#[test]
fn tuning_finds_who_knows_more() {
    let parser = combined();
    let mut num_attempts = 0;
    let (options, scores) =
        tune(model(&parser), &CombinedOptions::new(2), &trees(), |_, _| num_attempts += 1).unwrap();
    assert!(options.weights[1] > options.weights[0] && num_attempts > 4, "{options:?}");
    let options = ParseOptions { engine: EngineOptions::Combined(options), ..parser.options().clone() };
    let tuned = parser.with_options(options).unwrap();
    assert_eq!(tuned.evaluate(&trees()).unwrap(), scores);
}

#[test]
fn every_parser_is_asked_what_it_thinks() {
    let parser = combined();
    let sentence = Sentence::from_tree(&trees()[0]).without_tags();
    let mut asked = CombinedParser::new(model(&parser), &CombinedOptions::new(2), None);
    let explanation = asked.explain(&sentence, 2).unwrap();
    assert_eq!(explanation.parsed.tree(), parser.worker().parse(&sentence).unwrap().tree());
    let phrase = &explanation.phrases[0];
    assert!(phrase.own.probabilities.iter().all(Option::is_some) && phrase.alternatives.len() == 2);
    assert!(phrase.alternatives[0].score >= phrase.alternatives[1].score);
}

#[test]
fn what_cannot_be_put_together_is_refused() {
    let parser = combined();
    let refused = |parsers: Vec<Parser>| CombinedModel::new(parsers, &trees()).unwrap_err().to_string();
    assert!(refused(vec![parser.clone(), parser.clone()]).contains("found one that is itself several"));
    assert!(refused(vec![model(&parser).parsers()[0].clone()]).contains("expected 2 to 64 parsers, found 1"));
    let mut options = CombinedOptions::new(2);
    for weights in [vec![1.0], vec![0.0, 0.0], vec![1.0, -1.0], vec![f32::NAN, 1.0]] {
        options.weights = weights;
        let engine = EngineOptions::Combined(options.clone());
        let options = ParseOptions { engine, ..parser.options().clone() };
        assert!(parser.clone().with_options(options).is_err(), "{:?}", parser.options());
    }
    let file = parser.to_file().unwrap();
    for (name, array) in [
        ("parser-1", Array::U8(vec![1, 2, 3])),
        ("parser-2", Array::U8(file.to_bytes().unwrap())),
        ("labels", Array::U8(Vec::new())),
    ] {
        let mut damaged = file.clone();
        damaged.insert(name, array);
        assert!(Parser::from_file(&damaged).is_err(), "{name}");
    }
}
