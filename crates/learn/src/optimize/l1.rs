//! The L1 penalty, and the pieces of OWL-QN that follow from it (Andrew and Gao 2007, section 3).

use super::settings::not_negative;
use super::vector::{for_blocks, sum_blocks};
use crate::{Error, ErrorKind, Result};
use std::ops::Range;

/// The weight of |x| for each parameter x, constant over blocks of neighbouring parameters; 0 leaves a block, such as
/// the biases, free.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct L1 {
    /// The weights of the blocks, none of them empty, each with the index after its last parameter.
    blocks: Vec<(usize, f64)>,
    /// The weight of what follows the last block.
    rest: f64,
}

impl L1 {
    /// No penalty.
    pub fn none() -> Self {
        Self::default()
    }

    /// The same weight for every parameter.
    pub fn uniform(weight: f64) -> Result<Self> {
        not_negative("the weight of an L1 penalty", weight)?;
        Ok(Self { blocks: Vec::new(), rest: weight })
    }

    /// Blocks of parameters as (length, weight), one after the other; parameters beyond the last are free.
    pub fn blocks(blocks: impl IntoIterator<Item = (usize, f64)>) -> Result<Self> {
        let mut ends = Vec::new();
        let mut end = 0usize;
        for (length, weight) in blocks {
            not_negative("the weight of an L1 penalty", weight)?;
            end = end.checked_add(length).ok_or_else(|| {
                Error::new(ErrorKind::TooLarge, "the blocks of an L1 penalty are longer than memory")
            })?;
            if length > 0 {
                ends.push((end, weight));
            }
        }
        Ok(Self { blocks: ends, rest: 0.0 })
    }

    /// Whether no parameter bears a weight.
    pub fn is_none(&self) -> bool {
        self.rest == 0.0 && self.blocks.iter().all(|&(_, weight)| weight == 0.0)
    }

    /// The penalty of a point: the weighted sum of absolute values.
    pub fn value(&self, point: &[f64]) -> f64 {
        if self.is_none() {
            return 0.0;
        }
        let [sum] = sum_blocks(0..point.len(), &|range| {
            let pieces = self.pieces(range);
            [pieces.map(|(piece, weight)| weight * point[piece].iter().map(|x| x.abs()).sum::<f64>()).sum()]
        });
        sum
    }

    /// The parts of a range over which the weight is constant.
    pub(super) fn pieces(&self, range: Range<usize>) -> impl Iterator<Item = (Range<usize>, f64)> {
        let mut start = range.start;
        let first = self.blocks.partition_point(|&(end, _)| end <= start);
        let rest = std::iter::once((usize::MAX, self.rest));
        self.blocks[first..].iter().copied().chain(rest).map_while(move |(end, weight)| {
            let piece = start..end.min(range.end);
            start = piece.end;
            (!piece.is_empty()).then_some((piece, weight))
        })
    }

    /// `target` = the pseudo-gradient, negated: the direction of steepest descent.
    pub(super) fn steepest_descent(&self, target: &mut [f64], point: &[f64], gradient: &[f64]) {
        for_blocks(target, |range, block| {
            let start = range.start;
            for (piece, weight) in self.pieces(range) {
                for i in piece {
                    block[i - start] = -pseudo_gradient(point[i], gradient[i], weight);
                }
            }
        });
    }

    /// Drops from `direction` what does not go down along its own axis (equation 4, the projection of the direction).
    pub(super) fn align(&self, direction: &mut [f64], point: &[f64], gradient: &[f64]) {
        for_blocks(direction, |range, block| {
            let start = range.start;
            for (piece, weight) in self.pieces(range).filter(|(_, weight)| *weight > 0.0) {
                for i in piece {
                    let d = &mut block[i - start];
                    if *d * pseudo_gradient(point[i], gradient[i], weight) >= 0.0 {
                        *d = 0.0;
                    }
                }
            }
        });
    }

    /// `target = point + step · direction`, where a parameter that would leave its orthant stays at 0.
    pub(super) fn move_within_orthant(
        &self,
        target: &mut [f64],
        [point, gradient]: [&[f64]; 2],
        step: f64,
        direction: &[f64],
    ) {
        for_blocks(target, |range, block| {
            let start = range.start;
            for (piece, weight) in self.pieces(range) {
                for i in piece {
                    let moved = point[i] + step * direction[i];
                    let leaves = weight > 0.0 && moved * orthant(point[i], gradient[i], weight) <= 0.0;
                    block[i - start] = if leaves { 0.0 } else { moved };
                }
            }
        });
    }

    /// The pseudo-gradient times the way from `old` to `new`: by how much the value should fall at first order.
    pub(super) fn slope_between(&self, [old, gradient]: [&[f64]; 2], new: &[f64]) -> f64 {
        let [sum] = sum_blocks(0..old.len(), &|range| {
            let mut sum = 0.0;
            for (piece, weight) in self.pieces(range) {
                for i in piece {
                    sum += pseudo_gradient(old[i], gradient[i], weight) * (new[i] - old[i]);
                }
            }
            [sum]
        });
        sum
    }
}

/// The one-sided derivative of smallest size (equation 4); the derivative itself where there is one.
pub(super) fn pseudo_gradient(x: f64, gradient: f64, weight: f64) -> f64 {
    if x > 0.0 {
        gradient + weight
    } else if x < 0.0 {
        gradient - weight
    } else if gradient + weight < 0.0 {
        gradient + weight
    } else if gradient - weight > 0.0 {
        gradient - weight
    } else {
        gradient * 0.0
    }
}

/// The sign that a parameter may take in this step: its own, or at 0 the one it is drawn to (equation 5).
fn orthant(x: f64, gradient: f64, weight: f64) -> f64 {
    if x == 0.0 { -pseudo_gradient(x, gradient, weight) } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cut_at_blocks() {
        let l1 = L1::blocks([(2, 1.0), (0, 9.0), (3, 0.5)]).unwrap();
        let pieces = |range| l1.pieces(range).collect::<Vec<_>>();
        assert_eq!(pieces(0..7), [(0..2, 1.0), (2..5, 0.5), (5..7, 0.0)]);
        assert_eq!(pieces(1..4), [(1..2, 1.0), (2..4, 0.5)]);
        assert_eq!(pieces(6..7), [(6..7, 0.0)]);
        assert_eq!(pieces(3..3), []);
        assert_eq!(l1.value(&[-1.0, 2.0, -4.0, 0.0, 0.0, 100.0]), 5.0);
    }

    #[test]
    fn pseudo_gradient_is_zero_where_the_penalty_holds() {
        assert_eq!(pseudo_gradient(0.0, 0.5, 1.0), 0.0);
        assert_eq!(pseudo_gradient(0.0, 1.5, 1.0), 0.5);
        assert_eq!(pseudo_gradient(0.0, -1.5, 1.0), -0.5);
        assert_eq!(pseudo_gradient(2.0, -1.5, 1.0), -0.5);
        assert_eq!(pseudo_gradient(-2.0, -1.5, 1.0), -2.5);
        assert_eq!(pseudo_gradient(0.0, 1.5, 0.0), 1.5);
        assert!(pseudo_gradient(0.0, f64::NAN, 1.0).is_nan());
    }

    #[test]
    fn signs_do_not_change_within_a_step() {
        let l1 = L1::blocks([(3, 1.0)]).unwrap();
        let point = [1.0, 0.0, 0.0, 1.0];
        let gradient = [3.0, -2.0, 0.5, 3.0];
        let mut moved = [9.0; 4];
        l1.move_within_orthant(&mut moved, [&point, &gradient], 1.0, &[-2.0, 1.0, 1.0, -2.0]);
        assert_eq!(moved, [0.0, 1.0, 0.0, -1.0], "the last parameter is free");
    }

    #[test]
    fn weights_must_be_numbers() {
        assert!(L1::uniform(-1.0).is_err());
        assert!(L1::blocks([(3, f64::INFINITY)]).is_err());
        assert!(L1::blocks([(usize::MAX, 0.0), (1, 1.0)]).is_err());
        assert!(L1::blocks([(3, 0.0)]).unwrap().is_none());
    }
}
