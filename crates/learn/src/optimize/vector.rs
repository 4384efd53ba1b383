//! Vector arithmetic whose result does not depend on the number of threads.
//!
//! A vector is cut into blocks of fixed length. Sums of blocks are added pairwise in a tree that the length alone
//! decides, which also keeps rounding errors small; element-wise work may go in any order.

use rayon::prelude::*;
use std::ops::Range;

/// Large enough that handing a block to another thread costs nothing beside its work.
const BLOCK: usize = 1 << 14;

const LANES: usize = 8;

/// The sum of `leaf` over the blocks of a range.
pub(super) fn sum_blocks<const N: usize>(
    range: Range<usize>,
    leaf: &(impl Fn(Range<usize>) -> [f64; N] + Sync),
) -> [f64; N] {
    if range.len() <= BLOCK {
        return leaf(range);
    }
    let middle = range.start + range.len().div_ceil(BLOCK) / 2 * BLOCK;
    let (left, right) =
        rayon::join(|| sum_blocks(range.start..middle, leaf), || sum_blocks(middle..range.end, leaf));
    std::array::from_fn(|i| left[i] + right[i])
}

/// Calls `apply` on every block of `target`, with the range it covers.
pub(super) fn for_blocks(target: &mut [f64], apply: impl Fn(Range<usize>, &mut [f64]) + Sync) {
    if target.len() <= BLOCK {
        return apply(0..target.len(), target);
    }
    target.par_chunks_mut(BLOCK).enumerate().for_each(|(index, block)| {
        let start = index * BLOCK;
        apply(start..start + block.len(), block);
    });
}

/// The scalar product.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    debug_assert_eq!(a.len(), b.len());
    let [sum] = sum_blocks(0..a.len(), &|range| [dot_block(&a[range.clone()], &b[range])]);
    sum
}

/// The Euclidean length.
pub(super) fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// `target += factor · other`.
pub(crate) fn add_scaled(target: &mut [f64], factor: f64, other: &[f64]) {
    for_blocks(target, |range, block| {
        for (x, y) in block.iter_mut().zip(&other[range]) {
            *x += factor * y;
        }
    });
}

/// `target *= factor`.
pub(super) fn scale(target: &mut [f64], factor: f64) {
    for_blocks(target, |_, block| block.iter_mut().for_each(|x| *x *= factor));
}

/// `target = point + step · direction`.
pub(super) fn move_along(target: &mut [f64], point: &[f64], step: f64, direction: &[f64]) {
    for_blocks(target, |range, block| {
        for ((x, from), d) in block.iter_mut().zip(&point[range.clone()]).zip(&direction[range]) {
            *x = from + step * d;
        }
    });
}

/// `target = a − b`.
pub(super) fn subtract(target: &mut [f64], a: &[f64], b: &[f64]) {
    move_along(target, a, -1.0, b);
}

/// Several running sums let the compiler use vector instructions, which one sum in order forbids.
fn dot_block(a: &[f64], b: &[f64]) -> f64 {
    let (a_lanes, a_rest) = a.as_chunks::<LANES>();
    let (b_lanes, b_rest) = b.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (a, b) in a_lanes.iter().zip(b_lanes) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_pool<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
    }

    #[test]
    fn dot_is_the_plain_sum() {
        for len in [0, 1, 7, 8, 9, 100, BLOCK, 3 * BLOCK + 5] {
            let a: Vec<f64> = (0..len).map(|i| (i % 7) as f64).collect();
            let b: Vec<f64> = (0..len).map(|i| (i % 5) as f64 - 2.0).collect();
            let plain: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
            assert_eq!(dot(&a, &b), plain, "{len}");
        }
    }

    #[test]
    fn threads_do_not_matter() {
        let a: Vec<f64> = (0..10 * BLOCK + 3).map(|i| (i as f64).sin()).collect();
        let one = in_pool(1, || dot(&a, &a));
        let many = in_pool(3, || dot(&a, &a));
        assert_eq!(one.to_bits(), many.to_bits());
    }

    #[test]
    fn blocks_cover_everything_once() {
        let mut target = vec![0.0; 5 * BLOCK + 1];
        let ones = vec![1.0; target.len()];
        add_scaled(&mut target, 2.0, &ones);
        scale(&mut target, 0.5);
        assert_eq!(target, ones);
    }
}
