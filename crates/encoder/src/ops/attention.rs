//! Multi-head self-attention (Vaswani et al. 2017): each piece looks at all pieces of its sentence.
//!
//! Rows hold queries, keys and values of all heads side by side; a head has `d` columns of each. For a head and a
//! sentence, `P = softmax(Q Kᵀ / √d)` has a row per piece that looks, and the result is `P V`. The textbook pads
//! sentences to one length and masks the padding. Here a sentence is a range of rows, the products take strides, and
//! nothing is copied, padded or masked; a batch costs what its sentences cost.

use std::ops::Range;

use crate::batch::Batch;
use crate::matrix::{Product, View, ViewMut, multiply};
use crate::ops::dropout::Dropout;
use crate::ops::softmax;

/// What attention leaves out in training, and at which place of the network that happens.
pub(crate) type DropoutAt<'a> = Option<(&'a Dropout, u64)>;

/// One head on one sentence: where its numbers are.
struct Head {
    /// Pieces of the sentence.
    len: usize,
    width: usize,
    hidden: usize,
    /// Where queries, keys and values start among rows of all three.
    starts: [usize; 3],
    /// Where the results start among rows of results.
    context: usize,
    /// Its square of probabilities.
    square: Range<usize>,
}

impl Head {
    /// All heads on all sentences, in the order of their squares.
    fn all(batch: &Batch, heads: usize, hidden: usize) -> impl Iterator<Item = Self> + '_ {
        let width = hidden / heads;
        let mut end = 0;
        batch.sentences().flat_map(move |rows| (0..heads).map(move |head| (rows.clone(), head))).map(
            move |(rows, head)| {
                let start = end;
                end += rows.len() * rows.len();
                let column = head * width;
                let starts = [0, 1, 2].map(|part| (3 * rows.start + part) * hidden + column);
                let context = rows.start * hidden + column;
                Self { len: rows.len(), width, hidden, starts, context, square: start..end }
            },
        )
    }

    /// Queries, keys and values.
    fn parts<'a>(&self, qkv: &'a [f32]) -> [View<'a>; 3] {
        self.starts.map(|start| View::new(&qkv[start..], self.len, self.width, 3 * self.hidden))
    }

    fn part_mut<'a>(&self, qkv: &'a mut [f32], part: usize) -> ViewMut<'a> {
        ViewMut::new(&mut qkv[self.starts[part]..], self.len, self.width, 3 * self.hidden)
    }

    fn rows<'a>(&self, context: &'a [f32]) -> View<'a> {
        View::new(&context[self.context..], self.len, self.width, self.hidden)
    }

    fn square<'a>(&self, values: &'a [f32]) -> View<'a> {
        View::new(values, self.len, self.len, self.len)
    }

    fn square_mut<'a>(&self, values: &'a mut [f32]) -> ViewMut<'a> {
        ViewMut::new(values, self.len, self.len, self.len)
    }

    /// `1 / √d`.
    fn scale(&self) -> f32 {
        1.0 / (self.width as f32).sqrt()
    }
}

/// Probabilities and results of all heads.
pub(crate) fn forward(
    product: Product,
    batch: &Batch,
    heads: usize,
    qkv: &[f32],
    dropout: DropoutAt<'_>,
    probabilities: &mut [f32],
    context: &mut [f32],
) {
    let mut thinned = Vec::new();
    for head in Head::all(batch, heads, qkv.len() / batch.num_rows().max(1) / 3) {
        let [queries, keys, values] = head.parts(qkv);
        let square = &mut probabilities[head.square.clone()];
        product(head.scale(), queries, keys.transposed(), 0.0, head.square_mut(square));
        softmax::forward(square, head.len);
        let weights = thin(dropout, &head, square, &mut thinned);
        let out = ViewMut::new(&mut context[head.context..], head.len, head.width, head.hidden);
        product(1.0, head.square(weights), values, 0.0, out);
    }
}

/// Gradients of queries, keys and values, from that of the results.
pub(crate) fn backward(
    batch: &Batch,
    heads: usize,
    qkv: &[f32],
    dropout: DropoutAt<'_>,
    probabilities: &[f32],
    d_context: &[f32],
    d_qkv: &mut [f32],
) {
    let (mut thinned, mut d_square) = (Vec::new(), Vec::new());
    for head in Head::all(batch, heads, qkv.len() / batch.num_rows().max(1) / 3) {
        let [queries, keys, values] = head.parts(qkv);
        let d_out = head.rows(d_context);
        let square = &probabilities[head.square.clone()];
        let weights = thin(dropout, &head, square, &mut thinned);
        multiply(1.0, head.square(weights).transposed(), d_out, 0.0, head.part_mut(d_qkv, 2));
        d_square.clear();
        d_square.resize(square.len(), 0.0);
        multiply(1.0, d_out, values.transposed(), 0.0, head.square_mut(&mut d_square));
        if let Some((dropout, place)) = dropout {
            dropout.apply(place, head.square.start, &mut d_square);
        }
        softmax::backward(square, &mut d_square, head.len);
        let d_square = head.square(&d_square);
        multiply(head.scale(), d_square, keys, 0.0, head.part_mut(d_qkv, 0));
        multiply(head.scale(), d_square.transposed(), queries, 0.0, head.part_mut(d_qkv, 1));
    }
}

/// The probabilities after dropout, in `thinned` if there is any.
fn thin<'a>(dropout: DropoutAt<'_>, head: &Head, square: &'a [f32], thinned: &'a mut Vec<f32>) -> &'a [f32] {
    let Some((dropout, place)) = dropout else { return square };
    thinned.clear();
    thinned.extend_from_slice(square);
    dropout.apply(place, head.square.start, thinned);
    thinned
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::multiply_alike;
    use crate::testing::{assert_gradient, dot, random_values};

    const HIDDEN: usize = 6;
    const HEADS: usize = 2;

    fn batch() -> Batch {
        Batch::new([&[0u32, 1, 2][..], &[3], &[4, 5]], &crate::testing::tiny_config()).unwrap()
    }

    fn run(product: Product, qkv: &[f32], dropout: DropoutAt<'_>) -> (Vec<f32>, Vec<f32>) {
        let mut probabilities = vec![0.0; batch().num_pairs() * HEADS];
        let mut context = vec![0.0; batch().num_rows() * HIDDEN];
        forward(product, &batch(), HEADS, qkv, dropout, &mut probabilities, &mut context);
        (probabilities, context)
    }

    /// By the formulas, element by element.
    #[test]
    fn as_the_formula_says() {
        let qkv = random_values(1, batch().num_rows() * 3 * HIDDEN);
        let width = HIDDEN / HEADS;
        let at = |row: usize, part: usize, column: usize| qkv[row * 3 * HIDDEN + part * HIDDEN + column];
        for product in [multiply as Product, multiply_alike as Product] {
            let (_, context) = run(product, &qkv, None);
            for rows in batch().sentences() {
                for (row, column) in rows.clone().flat_map(|row| (0..HIDDEN).map(move |column| (row, column)))
                {
                    let first = column / width * width;
                    let score = |other: usize| {
                        let products =
                            (first..first + width).map(|column| at(row, 0, column) * at(other, 1, column));
                        (products.sum::<f32>() / (width as f32).sqrt()).exp()
                    };
                    let total: f32 = rows.clone().map(score).sum();
                    let expected: f32 =
                        rows.clone().map(|other| score(other) / total * at(other, 2, column)).sum();
                    assert!((context[row * HIDDEN + column] - expected).abs() < 1e-5);
                }
            }
        }
    }

    #[test]
    fn gradients() {
        let qkv = random_values(1, batch().num_rows() * 3 * HIDDEN);
        let seen = random_values(2, batch().num_rows() * HIDDEN);
        let dropout = Dropout { rate: 0.3, seed: 5 };
        for dropout in [None, Some((&dropout, 1))] {
            let (probabilities, _) = run(multiply, &qkv, dropout);
            let mut d_qkv = vec![f32::NAN; qkv.len()];
            backward(&batch(), HEADS, &qkv, dropout, &probabilities, &seen, &mut d_qkv);
            assert_gradient(&qkv, &d_qkv, |qkv| dot(&run(multiply, qkv, dropout).1, &seen));
        }
    }
}
