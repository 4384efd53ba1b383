//! Increasing numbers as the gaps between them.
//!
//! The naive form is a list of 32-bit numbers. Active features of a row and rows of a feature are mostly near one
//! another, so a gap takes 16 bits, which halves the memory and costs one addition to read. A gap too large for that is
//! an escape and two halves.

/// Announces a gap of 32 bits, its lower half first.
const ESCAPE: u16 = u16::MAX;

/// The codes of a gap: how many, and which.
fn encode(gap: u32) -> (usize, [u16; 3]) {
    match u16::try_from(gap) {
        Ok(short) if short != ESCAPE => (1, [short, 0, 0]),
        _ => (3, [ESCAPE, gap as u16, (gap >> 16) as u16]),
    }
}

/// How many codes a gap takes.
pub(super) fn num_codes(gap: u32) -> usize {
    encode(gap).0
}

/// Appends a gap.
pub(super) fn push_gap(codes: &mut Vec<u16>, gap: u32) {
    let (len, code) = encode(gap);
    codes.extend_from_slice(&code[..len]);
}

/// Writes a gap over the first codes; says over how many.
pub(super) fn write_gap(codes: &mut [u16], gap: u32) -> usize {
    let (len, code) = encode(gap);
    codes[..len].copy_from_slice(&code[..len]);
    len
}

/// Numbers in increasing order: the active features of a row, or the rows of a feature.
#[derive(Debug, Clone, Default)]
pub struct Numbers<'a> {
    codes: std::slice::Iter<'a, u16>,
    last: u32,
}

impl<'a> Numbers<'a> {
    /// The numbers with these gaps; the first is the distance from 0.
    #[inline]
    pub(super) fn new(codes: &'a [u16]) -> Self {
        Self { codes: codes.iter(), last: 0 }
    }

    /// Whether a number is among those still to come.
    pub fn has(mut self, wanted: u32) -> bool {
        self.find(|&number| number >= wanted) == Some(wanted)
    }

    #[cold]
    fn long_gap(&mut self) -> u32 {
        let mut half = || self.codes.next().map_or(0, |&code| u32::from(code));
        half() | half() << 16
    }
}

impl Iterator for Numbers<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let gap = match *self.codes.next()? {
            ESCAPE => self.long_gap(),
            gap => u32::from(gap),
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
            prop_assert_eq!(Numbers::new(&codes).collect::<Vec<_>>(), &numbers[..]);
            for wanted in [0, 65_535, 65_536, u32::MAX] {
                prop_assert_eq!(Numbers::new(&codes).has(wanted), numbers.contains(&wanted));
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
