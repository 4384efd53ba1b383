//! Gradients of the head by differences, and what inference shares with training.

use boughs_encoder::{Activation, Batch, Config, Dropout, Precision, WordPiece};

use super::pass::{EncodedBatch, HeadTask, HeadTrace};
use super::*;
use crate::neural::labels::{GoldTree, PhraseLabels};
use crate::neural::objective::NeuralObjective;
use crate::neural::words::NUM_SHAPES;
use crate::tree::Tree;

/// Numbers in a vector of the encoder.
const WIDTH: usize = 5;

fn random_values(seed: u64, len: usize) -> Vec<f32> {
    let mut rng = Rng::new(seed);
    (0..len).map(|_| 2.0 * rng.unit() as f32 - 1.0).collect()
}

struct Sample {
    batch: HeadBatch,
    gold: Vec<GoldTree>,
    rows: Vec<f32>,
    head: Head,
}

/// Two sentences, one of words that are cut into pieces.
fn sample() -> Sample {
    let trees = ["(TOP (S (NP (NN Ab)) (VP (VB bb))))", "(TOP (FRAG (VB b) (NP (NN 1) (NN A))))"];
    let (labels, gold) = PhraseLabels::collect(&trees.map(|text| text.parse::<Tree>().unwrap())).unwrap();
    let vocabulary = WordPiece::from_vocab_txt("[UNK]\n[CLS]\n[SEP]\na\nb\n##b\n1\n", None).unwrap();
    let config = Config {
        hidden: WIDTH,
        layers: 1,
        heads: 1,
        intermediate: 1,
        vocabulary: 7,
        positions: 16,
        types: NUM_SHAPES,
        activation: Activation::Gelu,
        epsilon: 0.0,
        dropout: 0.0,
    };
    let sentence =
        |gold: &GoldTree| EncoderSentence::new(gold.words.iter().map(AsRef::as_ref), &vocabulary, &config);
    let sentences: Vec<EncoderSentence> = gold.iter().map(sentence).collect();
    let batches: Vec<Batch> = piece_batches(&sentences, usize::MAX, &config).unwrap();
    let sizes = HeadSizes { encoder: WIDTH, hidden: 7, labels: labels.len(), tags: labels.tags().len() };
    let mut head = Head::random(sizes, 3);
    let values = random_values(1, head.values().len());
    head.values_mut().copy_from_slice(&values);
    let rows = random_values(2, batches[0].num_rows() * WIDTH);
    Sample { batch: HeadBatch::new(&sentences), gold, rows, head }
}

impl Sample {
    /// The loss, and the gradients of rows and parameters.
    fn pass(&self, task: HeadTask) -> (f64, Vec<f32>, Vec<f32>) {
        let gold: Vec<&GoldTree> = self.gold.iter().collect();
        let (mut d_rows, mut gradient) = (vec![0.0; self.rows.len()], vec![0.0; self.head.values().len()]);
        let mut trace = HeadTrace::default();
        let (d, g) = (&mut d_rows, &mut gradient);
        let encoded = EncodedBatch { batch: &self.batch, gold: &gold, rows: &self.rows };
        let loss = self.head.pass(task, encoded, d, g, &mut trace);
        (loss.spans + f64::from(task.tag_weight) * loss.tags, d_rows, gradient)
    }
}

/// By differences over four points. Where a ReLU turns within the larger steps, the smaller ones see that it
/// does not at the point itself.
fn assert_derivative(derivative: f32, mut loss: impl FnMut(f32) -> f64) {
    let mut by_differences = |step: f32| {
        let mut difference = |step: f32| loss(step) - loss(-step);
        (8.0 * difference(step) - difference(2.0 * step)) / (12.0 * f64::from(step))
    };
    let expected = [1.0 / 256.0, 1.0 / 2048.0].map(&mut by_differences);
    let is_near = |expected: &f64| (f64::from(derivative) - expected).abs() < 4e-3 * (1.0 + expected.abs());
    assert!(expected.iter().any(is_near), "derivative {derivative}, by differences {expected:?}");
}

#[test]
fn gradients() {
    let dropout = Some(Dropout { rate: 0.2, seed: 5 });
    for (objective, dropout) in [
        (NeuralObjective::Likelihood, None),
        (NeuralObjective::Likelihood, dropout),
        (NeuralObjective::Margin, None),
    ] {
        let task = HeadTask { objective, tag_weight: 0.7, dropout };
        let mut sample = sample();
        let (_, d_rows, gradient) = sample.pass(task);
        assert!(
            d_rows.iter().all(|&d| d != 0.0) || dropout.is_some() || objective == NeuralObjective::Margin
        );
        for (index, &derivative) in d_rows.iter().enumerate() {
            assert_derivative(derivative, |shift| {
                let before = sample.rows[index];
                sample.rows[index] = before + shift;
                let loss = sample.pass(task).0;
                sample.rows[index] = before;
                loss
            });
        }
        for (index, &derivative) in gradient.iter().enumerate() {
            assert_derivative(derivative, |shift| {
                let before = sample.head.values()[index];
                sample.head.values_mut()[index] = before + shift;
                let loss = sample.pass(task).0;
                sample.head.values_mut()[index] = before;
                loss
            });
        }
    }
}

#[test]
fn parts_cover_the_parameters() {
    let head = sample().head;
    let mut end = 0;
    for (range, _) in head.parts() {
        assert_eq!(range.start, end);
        end = range.end;
    }
    assert_eq!(end, head.values().len());
}

#[test]
fn frozen_heads_score_as_training_does() {
    let Sample { batch, rows, head, .. } = sample();
    let mut worker = HeadWorker::default();
    let frozen = head.freeze(Precision::F32);
    let found = frozen.score_spans(&batch, &rows, &mut worker);
    let (network, width) = (head.spans(), head.sizes.hidden);
    let (mut gathered, mut combined) = (Vec::new(), Vec::new());
    input::gather(&batch.fenceposts, &rows, WIDTH, &mut gathered);
    network.combine(&gathered, batch.fenceposts.len(), &mut combined);
    for (found, places) in found.iter().zip(batch.fenceposts()) {
        let known = &combined[places.start * width..places.end * width];
        let expected = network.score_spans(known, &mut mlp::MlpTrace::default());
        let pairs = found.rows().flatten().zip(expected.rows().flatten());
        assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-5));
    }
    assert_eq!(frozen.score_tags(&batch, &rows, &mut worker).len(), 5 * head.sizes.tags);
}
