//! What tests share: tiny random encoders, and gradients by finite differences.

use boughs_learn::rng::Rng;

use crate::config::{Activation, Config};
use crate::encoder::Encoder;
use crate::wordpiece::WordPiece;

/// Two layers of two heads.
pub(crate) fn tiny_config() -> Config {
    Config {
        hidden: 8,
        layers: 2,
        heads: 2,
        intermediate: 12,
        vocabulary: 11,
        positions: 16,
        types: 2,
        activation: Activation::Gelu,
        epsilon: 1e-6,
        dropout: 0.1,
    }
}

/// Uniform numbers from -1 to 1.
pub(crate) fn random_values(seed: u64, len: usize) -> Vec<f32> {
    let mut rng = Rng::new(seed);
    (0..len).map(|_| 2.0 * rng.unit() as f32 - 1.0).collect()
}

/// All parameters large, gains and shifts included, so that a wrong gradient shows.
pub(crate) fn random_encoder(config: &Config, seed: u64) -> Encoder {
    let mut rng = Rng::new(seed);
    Encoder::with(config.clone(), |_, _, values| {
        values.fill_with(|| 1.6 * rng.unit() as f32 - 0.8);
        Ok(())
    })
    .unwrap()
}

/// A made-up vocabulary for an encoder.
pub(crate) fn made_up_vocabulary(config: &Config) -> WordPiece {
    let special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"].map(str::to_owned);
    let words = (4..config.vocabulary).map(|number| format!("word{number}"));
    let pieces: Vec<String> = special.into_iter().chain(words).collect();
    WordPiece::from_vocab_txt(&pieces.join("\n"), None).unwrap()
}

/// The sum of products in f64: a loss whose gradient with respect to `a` is `b`.
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()
}

/// Compares a derivative with that of a loss at a shift of 0, by differences over four points (error of
/// fourth order).
pub(crate) fn assert_derivative(derivative: f32, mut loss: impl FnMut(f32) -> f64) {
    let step = 1.0 / 64.0;
    let difference = |loss: &mut dyn FnMut(f32) -> f64, step: f32| loss(step) - loss(-step);
    let near = difference(&mut loss, step);
    let far = difference(&mut loss, 2.0 * step);
    let expected = (8.0 * near - far) / (12.0 * f64::from(step));
    let error = (f64::from(derivative) - expected).abs();
    assert!(error < 2e-3 * (1.0 + expected.abs()), "derivative {derivative}, by differences {expected}");
}

/// Compares a whole gradient with that of a loss at `x`.
pub(crate) fn assert_gradient(x: &[f32], gradient: &[f32], loss: impl Fn(&[f32]) -> f64) {
    assert_eq!(x.len(), gradient.len());
    for (index, &derivative) in gradient.iter().enumerate() {
        assert_derivative(derivative, |shift| {
            let mut moved = x.to_vec();
            moved[index] += shift;
            loss(&moved)
        });
    }
}
