//! Training with tiny encoders that nobody has trained before.

use boughs_encoder::Storage;

use super::*;
use crate::learn::run::{RunOptions, Silent, run};
use crate::neural::testing::tiny_encoder;
use crate::neural::{
    NeuralObjective, NeuralOptions, NeuralParser, PhraseLabels, all_trees, distance, tree_score,
};
use crate::parser::Model;
use crate::train::testing::{
    bytes, is_resumed_to_the_same_bytes, is_the_same_among_peers, is_the_same_on_threads, train,
};
use crate::treebank::sample;

/// Short trees, and settings for a tiny encoder in a directory.
fn toy() -> (tempfile::TempDir, Vec<Tree>, NeuralConfig) {
    let directory = tempfile::tempdir().unwrap();
    let (encoder, vocabulary) = tiny_encoder();
    boughs_encoder::write(directory.path(), &encoder, &vocabulary).unwrap();
    let trees = sample("howto").into_iter().filter(|tree| tree.num_tokens() < 12).take(20).collect();
    let config = NeuralConfig {
        encoder: directory.path().to_owned(),
        hidden: 24,
        epochs: 3,
        batch: 10,
        encoder_rate: 3e-3,
        head_rate: 1e-2,
        ..NeuralConfig::default()
    };
    (directory, trees, config)
}

#[test]
fn threads_change_nothing() {
    let (_directory, trees, config) = toy();
    is_the_same_on_threads(&config, &trees, 3);
}

#[test]
fn other_processes_change_nothing() {
    let (_directory, trees, config) = toy();
    is_the_same_among_peers(&config, &trees, 3);
}

#[test]
fn the_most_frequent_pieces_are_kept() {
    let (_directory, trees, config) = toy();
    let (tiny, characters) = tiny_encoder();
    let longer = ["the", "##xq"].map(str::to_owned);
    let pieces: Vec<String> = characters.pieces().into_iter().chain(longer).collect();
    let vocabulary = WordPiece::from_vocab_txt(&pieces.join("\n"), None).unwrap();
    let shape = boughs_encoder::Config { vocabulary: pieces.len(), ..tiny.config().clone() };
    let encoder = Encoder::random(shape, 1).unwrap();
    boughs_encoder::write(&config.encoder, &encoder, &vocabulary).unwrap();

    let config = NeuralConfig { vocabulary: Some(characters.len() + 1), epochs: 1, ..config };
    let parser = train(&config, &trees, &trees).model;
    let Model::Neural(model) = parser.model() else { panic!("a neural parser") };
    assert_eq!(model.vocabulary.pieces(), pieces[..pieces.len() - 1]);
    assert_eq!(parser.parse_words_of(&trees).unwrap().len(), trees.len());
}

#[test]
fn interruptions_change_nothing() {
    let (_directory, trees, config) = toy();
    is_resumed_to_the_same_bytes(&config, &trees, 3);
    let config = NeuralConfig { freeze_embeddings: true, weights: Storage::Int8, recase: 0.5, ..config };
    is_resumed_to_the_same_bytes(&config, &trees, 3);
}

/// A sentence that was shown in another case comes back in its own.
#[test]
fn cases_change_from_epoch_to_epoch() {
    let (_directory, trees, config) = toy();
    let mut state = config.start(&trees, &Watch::new(&Silent)).unwrap();
    let shown = |state: &NeuralState| {
        format!("{:?}", state.examples.iter().map(|it| &it.sentence).collect::<Vec<_>>())
    };
    let before = shown(&state);
    state.recase(&mut Rng::stream(0, 0), 1.0);
    assert_ne!(shown(&state), before);
    state.recase(&mut Rng::stream(0, 0), 0.0);
    assert_eq!(shown(&state), before);
}

/// At a loss of zero no tree of a sentence comes within its margin: the loss is that of the worst of all
/// trees, which the tests of the search hold against all of them.
#[test]
fn both_objectives_learn_a_few_trees_by_heart() {
    for objective in [NeuralObjective::Margin, NeuralObjective::Likelihood] {
        let (_directory, trees, config) = toy();
        let config = NeuralConfig { objective, epochs: 80, batch: 2, dropout: 0.0, ..config };
        let trained = train(&config, &trees[..6], &trees[..6]);
        let losses: Vec<f64> = trained.steps.iter().filter_map(|step| step.get("loss")).collect();
        let [first, last] = [losses[0], losses[losses.len() - 1]];
        assert!(last < first / 20.0, "{objective:?}: {first} {last}");
        let f1 = trained.steps[trained.best].scores.as_ref().map(|scores| scores.criterion);
        assert!(f1.is_some_and(|f1| f1 > 95.0), "{objective:?}: {f1:?}");
    }
}

/// The constraints of Taskar et al. (2004), one for each tree of each sentence: gold is better than it by at least
/// their distance, less the slack of the sentence. At convergence there is next to no slack.
#[test]
fn no_tree_comes_within_the_margin_of_gold() {
    let (_directory, _, config) = toy();
    let trees = [
        "(TOP (S (NP (DT the) (NN dog)) (VP (VBZ barks))))",
        "(TOP (S (NP (NNS cats)) (VP (VBP purr))))",
        "(TOP (S (NP (PRP we)) (VP (VBP see) (NP (PRP it)))))",
        "(TOP (NP (DT a) (JJ small) (NN cat)))",
    ]
    .map(|text| text.parse::<Tree>().unwrap());
    let config = NeuralConfig { epochs: 150, batch: 1, dropout: 0.0, ..config };
    // Without development trees: the last epoch, not the first that parses them all.
    let parser = train(&config, &trees, &[]).model;
    let Model::Neural(model) = parser.model() else { panic!("expected a neural parser") };
    let (labels, gold) = PhraseLabels::collect(&trees).unwrap();
    assert_eq!(labels, model.labels);
    let mut neural = NeuralParser::new(model, NeuralOptions::default());
    for gold in &gold {
        let words: Vec<&str> = gold.words.iter().map(AsRef::as_ref).collect();
        let scores = neural.span_scores(&[words]).unwrap().swap_remove(0);
        let (slack, _) = NeuralObjective::Margin.loss(&scores, &gold.phrases);
        assert!(slack < 0.05, "{slack}: {:?}", gold.words);
        let of_gold = tree_score(&scores, &gold.phrases);
        for tree in all_trees(gold.words.len(), labels.len()) {
            let margin = distance(gold.words.len(), &tree, &gold.phrases);
            assert!(of_gold + slack + 1e-3 >= tree_score(&scores, &tree) + margin, "{tree:?}");
        }
    }
}

#[test]
fn embeddings_that_are_frozen_stay() {
    let (_directory, trees, config) = toy();
    let words = |freeze_embeddings: bool, epochs: usize| {
        let config = NeuralConfig { freeze_embeddings, epochs, ..config.clone() };
        let file = train(&config, &trees, &[]).model.to_file().unwrap();
        file.f32s("encoder.words").unwrap().to_vec()
    };
    assert_eq!(words(true, 1), tiny_encoder().0.words());
    assert_ne!(words(false, 1), tiny_encoder().0.words());
}

#[test]
fn fewer_layers_and_smaller_weights() {
    let (_directory, trees, config) = toy();
    let size = |config: &NeuralConfig| bytes(&train(config, &trees, &[]).model).len();
    let config = NeuralConfig { epochs: 1, ..config };
    let whole = size(&config);
    assert!(size(&NeuralConfig { layers: Some(1), ..config.clone() }) < whole);
    assert!(size(&NeuralConfig { weights: Storage::F16, ..config.clone() }) < whole);
    let int8 = train(&NeuralConfig { weights: Storage::Int8, ..config }, &trees, &trees).model;
    assert!(matches!(int8.model(), Model::Neural(model) if model.storage() == Storage::Int8));
}

#[test]
fn what_cannot_be_is_told() {
    let (_directory, trees, config) = toy();
    let message =
        |config: NeuralConfig| run(&config, &trees[..], None, RunOptions::default()).unwrap_err().to_string();
    let with = |change: fn(&mut NeuralConfig)| {
        let mut config = config.clone();
        change(&mut config);
        message(config)
    };
    assert!(with(|it| it.encoder = "".into()).contains("name one with --encoder"));
    assert!(with(|it| it.encoder = "no/such/directory".into()).contains("no/such/directory"));
    assert!(with(|it| it.layers = Some(3)).contains("expected from 1 to 2 layers"));
    assert!(with(|it| it.epochs = 0).contains("expected at least one epoch, found 0"));
    assert!(with(|it| it.dropout = 1.0).contains("expected dropout in [0, 1), found 1"));
    assert!(with(|it| it.encoder_rate = f32::NAN).contains("an encoder rate from 0 on"));
}
