//! Models and parsers whose weights are random: what holds whatever they have learned.

use std::path::Path;

use boughs_encoder::{Kernel, Precision, Storage};

use super::testing::random_model;
use super::*;
use crate::error::ErrorKind;
use crate::model::{About, Array, ModelFile};
use crate::parse::{Parsed, Request, Status};
use crate::span::Span;
use crate::tree::read::{Input, ReadOptions};
use crate::tree::{Constraints, Tokens, Tree};
use crate::treebank::{Treebank, sample};

fn trees() -> Vec<Tree> {
    sample("howto").into_iter().take(40).collect()
}

fn sentences() -> Vec<Tokens> {
    trees().iter().map(|tree| tree.surface().without_tags()).collect()
}

fn parse(model: &NeuralModel, request: Request<'_>) -> Parsed {
    NeuralParser::new(model, NeuralOptions::default()).parse(request).unwrap()
}

/// All that a parse says.
fn told(parsed: &Parsed) -> Vec<(String, Option<f64>, Vec<Option<f64>>)> {
    let tell = |parse: &crate::parse::Parse| (parse.tree.to_string(), parse.cost, parse.confidences.clone());
    parsed.parses.iter().map(tell).collect()
}

const STORAGES: [Storage; 3] = [Storage::F32, Storage::F16, Storage::Int8];

#[test]
fn models_come_back_and_parse_as_before() {
    let sentences = sentences();
    for storage in STORAGES {
        let model = random_model(&trees(), storage);
        let file = model.to_file(About::new("")).unwrap();
        let read =
            NeuralModel::from_file(&ModelFile::from_bytes(&file.to_bytes().unwrap()).unwrap()).unwrap();
        assert_eq!(read.to_file(About::new("")).unwrap(), file);
        let converted = random_model(&trees(), Storage::F32).with_storage(storage);
        assert_eq!(converted.to_file(About::new("")).unwrap(), file);
        for tokens in &sentences[..5] {
            let [before, after] = [&model, &read].map(|model| told(&parse(model, Request::new(tokens))));
            assert_eq!(before, after);
        }
    }
}

#[test]
fn damaged_files_are_refused() {
    let file = random_model(&trees(), Storage::F32).to_file(About::new("")).unwrap();
    for name in file.names() {
        let mut damaged = file.clone();
        damaged.insert(name, Array::U64(vec![1]));
        assert!(NeuralModel::from_file(&damaged).is_err(), "{name}");
        damaged.insert(name, Array::F32(vec![0.5]));
        assert!(NeuralModel::from_file(&damaged).is_err(), "{name}");
    }
}

#[test]
fn batches_change_nothing() {
    let sentences = sentences();
    for storage in STORAGES {
        let model = random_model(&trees(), storage);
        let mut parser = NeuralParser::new(&model, NeuralOptions::default());
        let requests: Vec<Request<'_>> = sentences.iter().map(Request::new).collect();
        let together: Vec<_> =
            requests.chunks(7).flat_map(|chunk| parser.parse_batch(chunk).unwrap()).collect();
        for (request, together) in requests.iter().zip(&together) {
            assert_eq!(told(&parser.parse(*request).unwrap()), told(together));
        }
    }
}

#[test]
fn trees_are_over_the_tokens_and_have_a_root() {
    let model = random_model(&trees(), Storage::F32);
    for tokens in sentences() {
        let parsed = parse(&model, Request::new(&tokens));
        let tree = parsed.tree();
        assert!(tree.words().eq(tokens.words()) && tree.tokens().all(|token| !token.tag.is_empty()));
        assert_eq!(tree.root().map(|root| root.label), Some("TOP"));
        assert_eq!(parsed.parses[0].confidences.len(), tree.num_nodes());
        assert!(
            parsed.parses[0]
                .confidences
                .iter()
                .all(|it| it.is_some_and(|it| (0.0..=1.000_001).contains(&it)))
        );
        assert_eq!(parsed.status, Status::Optimal);
    }
}

#[test]
fn sentences_of_any_length() {
    let model = random_model(&trees(), Storage::F32);
    for len in [0, 1, 2, 31, 100] {
        let tokens: Tokens = std::iter::repeat_n(("stir", ""), len).collect();
        let parsed = parse(&model, Request::new(&tokens));
        assert_eq!(parsed.tree().num_tokens(), len);
        assert_eq!(parsed.status == Status::Trivial, len == 0);
    }
    let long: Tokens =
        [("x".repeat(5000).as_str(), ""), ("-".repeat(5000).as_str(), "")].into_iter().collect();
    assert_eq!(parse(&model, Request::new(&long)).tree().num_tokens(), 2);
}

#[test]
fn tags_that_are_given_stay() {
    let model = random_model(&trees(), Storage::F32);
    let tokens: Tokens = [("Stir", "UNHEARD-OF"), ("the", ""), ("soup", "VB")].into_iter().collect();
    let parsed = parse(&model, Request::new(&tokens));
    let tags: Vec<&str> = parsed.tree().tokens().map(|token| token.tag).collect();
    assert_eq!((tags[0], tags[2]), ("UNHEARD-OF", "VB"));
    assert!(model.tags().any(|tag| tag == tags[1]));
    let fallback = NeuralParser::new(&model, NeuralOptions::default()).fallback(&tokens);
    assert!(fallback.tokens().map(|token| token.tag).eq(tags));
}

#[test]
fn the_best_trees_differ_and_get_worse() {
    let model = random_model(&trees(), Storage::F32);
    for min_risk in [false, true] {
        let tokens = &sentences()[3];
        let mut parser = NeuralParser::new(&model, NeuralOptions { min_risk, ..NeuralOptions::default() });
        let parsed = parser.parse(Request { num_best: 8, ..Request::new(tokens) }).unwrap();
        assert_eq!(parsed.parses.len(), 8);
        assert!(
            parsed.parses.windows(2).all(|pair| pair[0].tree != pair[1].tree && pair[0].cost <= pair[1].cost)
        );
        let best = parser.parse(Request::new(tokens)).unwrap();
        assert_eq!(best.tree(), parsed.tree());
        assert!(best.parses[0].cost.is_some_and(|cost| cost >= 0.0));
    }
}

#[test]
fn constraints_are_kept_or_told() {
    let model = random_model(&trees(), Storage::F32);
    let tokens: Tokens = ["Stir", "the", "old", "soup", "."].map(|word| (word, "")).into_iter().collect();
    let mut constraints = Constraints { root: Some("S".into()), ..Constraints::default() };
    constraints.require(Span::new(1, 4), Some("NP"));
    constraints.require(Span::new(2, 3), None);
    let parsed = parse(&model, Request { constraints: &constraints, ..Request::new(&tokens) });
    assert!(parsed.unmet.is_none());
    let phrases: Vec<(Span, &str)> = parsed.tree().nodes().map(|node| (node.span, node.label)).collect();
    assert!(phrases.contains(&(Span::new(1, 4), "NP")) && phrases.contains(&(Span::new(0, 5), "S")));
    assert!(phrases.iter().any(|(span, _)| *span == Span::new(2, 3)));

    constraints.require(Span::new(0, 2), Some("XYZ"));
    let parsed = parse(&model, Request { constraints: &constraints, ..Request::new(&tokens) });
    assert_eq!(parsed.status, Status::ConstraintsUnmet);
    assert_eq!(parsed.unmet.map(|error| error.kind()), Some(ErrorKind::Argument));
}

#[test]
fn late_sentences_get_a_flat_tree_with_tags() {
    let model = random_model(&trees(), Storage::F32);
    let tokens = &sentences()[0];
    let request = Request { deadline: Some(std::time::Instant::now()), ..Request::new(tokens) };
    let parsed = parse(&model, request);
    assert_eq!(parsed.status, Status::Fallback(Some(crate::parse::Limit::Time)));
    assert!(parsed.tree().tokens().all(|token| !token.tag.is_empty()));
}

#[test]
fn explanations_add_up() {
    let model = random_model(&trees(), Storage::F32);
    let tokens = &sentences()[2];
    let mut parser = NeuralParser::new(&model, NeuralOptions::default());
    let explanation = parser.explain(Request::new(tokens), 2).unwrap();
    assert_eq!(&explanation.parse.tree, parse(&model, Request::new(tokens)).tree());
    let scores = parser.span_scores(&[tokens.words().collect()]).unwrap();
    let total: f32 = explanation.phrases.iter().map(|phrase| phrase.score).sum();
    let best = best_tree(&scores[0]).score;
    assert!((total - best).abs() < 1e-3, "{total} {best}");
    for phrase in &explanation.phrases {
        assert_eq!((phrase.alternatives.len(), phrase.words.len()), (2, tokens.len()));
        assert!(phrase.alternatives[0].margin <= phrase.alternatives[1].margin);
    }
    let nothing = parser.explain(Request::new(&Tokens::default()), 2).unwrap();
    assert!(nothing.phrases.is_empty());
}

/// All of gum dev if it is there, else the sample. The model is that of the file named by the variable
/// `BOUGHS_NEURAL_MODEL`, so that a trained one can be tried, else one of random weights.
#[test]
fn every_kernel_finds_the_same_trees() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/gum/dev.mrg");
    let trees = match data.exists() {
        true => Treebank::read([Input::Path(data)], &ReadOptions::default()).unwrap().into_trees(),
        false => trees(),
    };
    let model = match std::env::var_os("BOUGHS_NEURAL_MODEL") {
        Some(path) => NeuralModel::from_file(&ModelFile::load(Path::new(&path)).unwrap()).unwrap(),
        None => random_model(&trees, Storage::F32),
    };
    let mut sentences: Vec<Tokens> = trees.iter().map(|tree| tree.surface().without_tags()).collect();
    sentences.sort_by_key(Tokens::len);
    let trees_by = |kernel: Kernel| {
        let model = model.with_precision(Precision::Int8(kernel));
        let parse = |sentences: &[Tokens]| {
            let requests: Vec<Request<'_>> = sentences.iter().map(Request::new).collect();
            let parsed = NeuralParser::new(&model, NeuralOptions::default()).parse_batch(&requests).unwrap();
            parsed.iter().map(told).collect::<Vec<_>>()
        };
        sentences.chunks(32).flat_map(parse).collect::<Vec<_>>()
    };
    let expected = trees_by(Kernel::Portable);
    for kernel in Kernel::available().skip(1) {
        assert!(trees_by(kernel) == expected, "{kernel:?}");
    }
}

/// A lower temperature gives the same tree, of which the parser is surer.
#[test]
fn temperature_changes_confidences_alone() {
    let model = random_model(&trees(), Storage::F32);
    let own = NeuralParser::new(&model, NeuralOptions::default()).calibrate(&trees()).unwrap();
    assert!(own > 0.0 && own.is_finite());
    let tokens = &sentences()[1];
    let with = |temperature: f32| {
        let options = NeuralOptions { temperature, ..NeuralOptions::default() };
        NeuralParser::new(&model, options).parse(Request::new(tokens)).unwrap()
    };
    assert_eq!(with(1.0).tree(), with(0.3).tree());
    let sum = |parsed: &Parsed| parsed.parses[0].confidences.iter().flatten().sum::<f64>();
    assert!(sum(&with(0.3)) > sum(&with(1.0)));
}
