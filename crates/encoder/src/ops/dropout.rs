//! Dropout: training leaves out numbers at random and scales up the others (Srivastava et al. 2014).
//!
//! The naive form draws a mask and keeps it for the backward pass. Here a number is left out or not by a hash
//! of a seed, of the place in the network and of its index. Nothing is kept, the backward pass is the forward
//! pass applied to the gradient, and what a sentence's shard does depends on no other shard, on no thread and
//! on no order.

use boughs_learn::rng::Rng;

use crate::simd::vectorised;

/// What is left out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dropout {
    /// How much of the numbers, in `[0, 1)`.
    pub rate: f32,
    /// Decides which; another one for every step and shard.
    pub seed: u64,
}

impl Dropout {
    /// Leaves numbers out at a place of the network, of an array whose first number here has the index
    /// `first`.
    pub fn apply(&self, place: u64, first: usize, values: &mut [f32]) {
        if self.rate <= 0.0 {
            return;
        }
        let key = Rng::stream(self.seed, place).bits();
        let keys = [key as u32, (key >> 32) as u32];
        let threshold = (f64::from(self.rate) * 4_294_967_296.0) as u32;
        let scale = 1.0 / (1.0 - self.rate);
        vectorised!({
            for (index, value) in values.iter_mut().enumerate() {
                let factor = if hash((first + index) as u32, keys) < threshold { 0.0 } else { scale };
                *value *= factor;
            }
        });
    }
}

/// Two multiplications with shifts between them: every bit of the input changes about half of the bits of the
/// output (Wellons 2018, "Prospecting for hash functions").
#[inline(always)]
fn hash(index: u32, keys: [u32; 2]) -> u32 {
    let mut x = index ^ keys[0];
    x = (x ^ x >> 16).wrapping_mul(0x7FEB_352D).wrapping_add(keys[1]);
    x = (x ^ x >> 15).wrapping_mul(0x846C_A68B);
    x ^ x >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mask(dropout: Dropout, place: u64, first: usize, len: usize) -> Vec<f32> {
        let mut values = vec![1.0; len];
        dropout.apply(place, first, &mut values);
        values
    }

    #[test]
    fn as_many_as_the_rate_says() {
        let values = mask(Dropout { rate: 0.1, seed: 7 }, 3, 0, 100_000);
        let zeros = values.iter().filter(|&&value| value == 0.0).count();
        assert!((9_600..10_400).contains(&zeros), "{zeros}");
        assert!(values.iter().all(|&value| value == 0.0 || (value - 1.0 / 0.9).abs() < 1e-6));
    }

    #[test]
    fn parts_see_what_the_whole_sees_and_places_differ() {
        let dropout = Dropout { rate: 0.5, seed: 7 };
        let whole = mask(dropout, 3, 0, 100);
        assert_eq!(mask(dropout, 3, 40, 60), whole[40..]);
        assert_ne!(mask(dropout, 4, 0, 100), whole);
        assert_ne!(mask(Dropout { seed: 8, ..dropout }, 3, 0, 100), whole);
    }
}
