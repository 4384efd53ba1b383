//! Increasing numbers as the gaps between them.
//!
//! The naive form is a list of 32-bit numbers. Active features of a row and rows of a feature are mostly near one
//! another, so a gap takes 16 bits, which halves the memory and costs one addition to read. A gap too large for that
//! is an escape and two halves.

/// Announces a gap of 32 bits, its lower half first.
const ESCAPE: u16 = u16::MAX;

fn halves(gap: u32) -> [u16; 2] {
    [gap as u16, (gap >> 16) as u16]
}

fn is_short(gap: u32) -> bool {
    gap < u32::from(ESCAPE)
}

/// How many codes a gap takes.
pub(super) fn num_codes(gap: u32) -> usize {
    if is_short(gap) { 1 } else { 3 }
}

/// Appends a gap.
#[inline]
pub(super) fn push_gap(codes: &mut Vec<u16>, gap: u32) {
    if is_short(gap) {
        codes.push(gap as u16);
    } else {
        codes.push(ESCAPE);
        codes.extend(halves(gap));
    }
}

/// Writes a gap over the first codes; says over how many.
#[inline]
pub(super) fn write_gap(codes: &mut [u16], gap: u32) -> usize {
    if is_short(gap) {
        codes[0] = gap as u16;
    } else {
        codes[0] = ESCAPE;
        codes[1..3].copy_from_slice(&halves(gap));
    }
    num_codes(gap)
}

/// Numbers in increasing order: the active features of a row, or the rows of a feature.
#[derive(Debug, Clone, Default)]
pub(crate) struct GapDecoder<'a> {
    /// The gaps.
    pub(super) codes: &'a [u16],
    last: u32,
}

impl<'a> GapDecoder<'a> {
    /// The numbers with these gaps; the first is the distance from 0.
    #[inline]
    pub(super) fn new(codes: &'a [u16]) -> Self {
        Self { codes, last: 0 }
    }

    /// Whether a number is among those still to come.
    pub(super) fn has(mut self, wanted: u32) -> bool {
        self.find(|&number| number >= wanted) == Some(wanted)
    }
}

impl Iterator for GapDecoder<'_> {
    type Item = u32;

    // Everything inline: a call for the rare long gap would keep the state in memory, and each step waiting for it.
    #[inline]
    fn next(&mut self) -> Option<u32> {
        let gap = match *self.codes {
            [ESCAPE, low, high, ref rest @ ..] => {
                self.codes = rest;
                u32::from(low) | u32::from(high) << 16
            }
            [gap, ref rest @ ..] => {
                self.codes = rest;
                u32::from(gap)
            }
            [] => return None,
        };
        self.last = self.last.wrapping_add(gap);
        Some(self.last)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn coded(numbers: &[u32]) -> Vec<u16> {
        let (mut codes, mut last) = (Vec::new(), 0);
        for &number in numbers {
            push_gap(&mut codes, number - last);
            last = number;
        }
        codes
    }

    proptest! {
        #[test]
        fn numbers_come_back(mut numbers in prop::collection::vec(any::<u32>().prop_map(|x| x >> (x % 29)), 0..40)) {
            numbers.extend([65_534, 65_535, 131_070]);
            numbers.sort_unstable();
            numbers.dedup();
            let codes = coded(&numbers);
            prop_assert_eq!(GapDecoder::new(&codes).collect::<Vec<_>>(), &numbers[..]);
            for wanted in [0, 65_535, 65_536, u32::MAX] {
                prop_assert_eq!(GapDecoder::new(&codes).has(wanted), numbers.contains(&wanted));
            }
            let (mut written, mut end, mut last) = (vec![0; codes.len()], 0, 0);
            for number in numbers {
                end += write_gap(&mut written[end..], number - last);
                last = number;
            }
            prop_assert_eq!(end, codes.len());
            prop_assert_eq!(written, codes);
        }
    }
}
