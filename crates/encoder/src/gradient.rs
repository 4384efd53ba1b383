//! Gradients of an encoder's parameters.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::encoder::Encoder;
use crate::math::{add, dot};
use crate::simd::vectorised;

/// A gradient: an array like the body, and rows for those words that a batch has.
///
/// Half of MiniLM's parameters are word vectors, and a batch has some hundred words of thirty thousand. The
/// rest of their gradient is zero, and neither kept nor added up. Rows are in order of words, so sums come
/// out the same always.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Gradient {
    words: Option<BTreeMap<u32, Vec<f32>>>,
    body: Vec<f32>,
}

impl Gradient {
    /// Zero, for all parameters of an encoder.
    pub fn new(encoder: &Encoder) -> Self {
        Self { words: Some(BTreeMap::new()), body: vec![0.0; encoder.body().len()] }
    }

    /// Zero, for an encoder whose word vectors are frozen: there is no gradient of theirs.
    pub fn without_words(encoder: &Encoder) -> Self {
        Self { words: None, ..Self::new(encoder) }
    }

    /// Zero again.
    pub fn clear(&mut self) {
        if let Some(words) = &mut self.words {
            words.clear();
        }
        self.body.fill(0.0);
    }

    /// The gradient of all parameters but word vectors.
    pub fn body(&self) -> &[f32] {
        &self.body
    }

    /// Whether there is a gradient of word vectors.
    pub fn has_words(&self) -> bool {
        self.words.is_some()
    }

    /// The rows of words, in order.
    pub fn words(&self) -> impl Iterator<Item = (u32, &[f32])> {
        self.words.iter().flatten().map(|(&id, row)| (id, row.as_slice()))
    }

    /// Words, unless they are frozen, and body.
    pub(crate) fn parts_mut(&mut self) -> (Option<&mut BTreeMap<u32, Vec<f32>>>, &mut [f32]) {
        (self.words.as_mut(), &mut self.body)
    }

    /// Adds another one. In what order shards are added decides about the last bits: let it be a fixed one.
    pub fn add(&mut self, other: &Self) {
        add(&mut self.body, &other.body);
        let Some(words) = &mut self.words else { return };
        for (id, row) in other.words.iter().flatten() {
            let sum = words.entry(*id).or_insert_with(|| vec![0.0; row.len()]);
            add(sum, row);
        }
    }

    /// The Euclidean length, in f64 over rows and chunks.
    pub fn norm(&self) -> f64 {
        let rows = self.words.iter().flatten().map(|(_, row)| row.as_slice());
        rows.chain(self.body.chunks(4096)).map(sum_of_squares).sum::<f64>().sqrt()
    }

    /// The words' part as an array.
    #[cfg(test)]
    pub(crate) fn dense_words(&self, encoder: &Encoder) -> Vec<f32> {
        let hidden = encoder.config().hidden;
        let mut dense = vec![0.0; encoder.words().len()];
        for (id, row) in self.words() {
            dense[id as usize * hidden..][..hidden].copy_from_slice(row);
        }
        dense
    }
}

fn sum_of_squares(values: &[f32]) -> f64 {
    f64::from(vectorised!(dot(values, values)))
}
