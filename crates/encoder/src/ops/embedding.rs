//! Embeddings: the vector of a piece, that of its position and that of its type, added up.

use std::collections::BTreeMap;

use crate::batch::Batch;
use crate::math::add;

/// Fills a row per piece; `word` fills in the vector of a piece.
pub(crate) fn forward(
    batch: &Batch,
    word: impl Fn(u32, &mut [f32]),
    positions: &[f32],
    types: &[f32],
    out: &mut [f32],
) {
    let hidden = out.len() / batch.num_rows().max(1);
    for ((id, position, kind), out) in batch.pieces().zip(out.chunks_exact_mut(hidden.max(1))) {
        word(id, out);
        let position = &positions[position * hidden..][..hidden];
        let kind = &types[kind * hidden..][..hidden];
        for (column, out) in out.iter_mut().enumerate() {
            *out += position[column] + kind[column];
        }
    }
}

/// Adds to the gradients of positions and types, which are arrays, and of words, of which a batch has few,
/// unless they are frozen.
pub(crate) fn backward(
    batch: &Batch,
    d_out: &[f32],
    mut d_words: Option<&mut BTreeMap<u32, Vec<f32>>>,
    d_positions: &mut [f32],
    d_types: &mut [f32],
) {
    let hidden = d_out.len() / batch.num_rows().max(1);
    for ((id, position, kind), d) in batch.pieces().zip(d_out.chunks_exact(hidden.max(1))) {
        if let Some(d_words) = &mut d_words {
            add(d_words.entry(id).or_insert_with(|| vec![0.0; hidden]), d);
        }
        add(&mut d_positions[position * hidden..][..hidden], d);
        add(&mut d_types[kind * hidden..][..hidden], d);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_gradient, dot, random_values, tiny_config};

    #[test]
    fn gradients() {
        let hidden = 3;
        let batch = Batch::new([&[2u32, 1, 2][..], &[0, 2]], &tiny_config()).unwrap();
        let batch = batch.with_types(vec![0, 1, 1, 0, 1], &tiny_config()).unwrap();
        let [words, positions, types] = [1, 2, 3].map(|seed| random_values(seed, 4 * hidden));
        let seen = random_values(4, batch.num_rows() * hidden);
        let loss = |words: &[f32], positions: &[f32], types: &[f32]| {
            let mut out = vec![0.0; batch.num_rows() * hidden];
            let word =
                |id: u32, out: &mut [f32]| out.copy_from_slice(&words[id as usize * hidden..][..hidden]);
            forward(&batch, word, positions, types, &mut out);
            dot(&out, &seen)
        };
        let (mut sparse, mut d_positions, mut d_types) = (BTreeMap::new(), vec![0.0; 12], vec![0.0; 12]);
        backward(&batch, &seen, Some(&mut sparse), &mut d_positions, &mut d_types);
        let mut d_words = vec![0.0; words.len()];
        for (id, row) in sparse {
            d_words[id as usize * hidden..][..hidden].copy_from_slice(&row);
        }
        assert_gradient(&words, &d_words, |words| loss(words, &positions, &types));
        assert_gradient(&positions, &d_positions, |positions| loss(&words, positions, &types));
        assert_gradient(&types, &d_types, |types| loss(&words, &positions, types));
    }
}
