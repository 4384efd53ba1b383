//! Which rows have a feature: a list, or a bitmap where that is no larger.

use super::gaps::GapDecoder;

/// The rows in which a feature is active, or the variants, in increasing order.
#[derive(Debug, Clone, Copy)]
pub(super) enum Postings<'a> {
    /// The gaps between their numbers.
    List(&'a [u16]),
    /// One bit each, the first in the lowest bit of the first word.
    Bitmap(&'a [u64]),
}

impl Postings<'_> {
    pub(super) fn num_bytes(self) -> usize {
        match self {
            Self::List(codes) => 2 * codes.len(),
            Self::Bitmap(words) => 8 * words.len(),
        }
    }

    /// Visits the numbers in increasing order.
    #[inline]
    pub(super) fn for_each(self, mut visit: impl FnMut(u32)) {
        match self {
            Self::List(codes) => GapDecoder::new(codes).for_each(visit),
            Self::Bitmap(words) => for_each_bit(words.iter().copied(), &mut visit),
        }
    }
}

/// Whether the bit of a number is set; no number beyond the last bit has one.
#[inline]
pub(super) fn has_bit(words: &[u64], number: u32) -> bool {
    words.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
}

/// Visits the numbers of the bits that are set, in increasing order.
#[inline]
pub(super) fn for_each_bit(words: impl Iterator<Item = u64>, mut visit: impl FnMut(u32)) {
    for (index, mut word) in words.enumerate() {
        while word != 0 {
            visit(index as u32 * 64 + word.trailing_zeros());
            word &= word - 1;
        }
    }
}
