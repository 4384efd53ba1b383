//! What tests share: tiny encoders that nobody has trained, and models of them.

use boughs_encoder::{Activation, Config, Encoder, Storage, WordPiece};

use super::head::{Head, HeadSizes};
use super::labels::PhraseLabels;
use super::model::NeuralModel;
use super::words::NUM_SHAPES;
use crate::tree::Tree;

/// An encoder of two layers over single letters, and its vocabulary.
pub(crate) fn tiny_encoder() -> (Encoder, WordPiece) {
    let letters = ('a'..='z').map(String::from).chain(('a'..='z').map(|letter| format!("##{letter}")));
    let special = ["[UNK]", "[CLS]", "[SEP]", ".", ",", "\"", "("].map(String::from);
    let pieces: Vec<String> = special.into_iter().chain(letters).collect();
    let config = Config {
        hidden: 16,
        layers: 2,
        heads: 2,
        intermediate: 24,
        vocabulary: pieces.len(),
        positions: 32,
        types: NUM_SHAPES,
        activation: Activation::Gelu,
        epsilon: 1e-6,
        dropout: 0.1,
    };
    let vocabulary = WordPiece::from_vocab_txt(&pieces.join("\n"), None).unwrap();
    (Encoder::random(config, 7).unwrap(), vocabulary)
}

/// A model for the labels of some trees, whose weights are random.
pub(crate) fn random_model(trees: &[Tree], storage: Storage) -> NeuralModel {
    let (encoder, vocabulary) = tiny_encoder();
    let (labels, _) = PhraseLabels::collect(trees).unwrap();
    let (num_labels, num_tags) = (labels.len(), labels.tags().len());
    let sizes = HeadSizes { encoder: 16, hidden: 12, labels: num_labels, tags: num_tags };
    let precision = storage.precision();
    let head = Head::random(sizes, 3).freeze(precision);
    NeuralModel { labels, vocabulary, encoder: encoder.freeze(precision), head }
}
