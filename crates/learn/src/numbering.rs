//! Features by frequency inside a dataset, by their own numbers outside.
//!
//! A feature's *number* is what the caller knows it by, its *place* is its column in the tables of the dataset. If
//! frequent features stand together at the front, the additions to a histogram stay within the cache, and the search
//! for the best split passes over the rare ones by the thousand.

/// Numbers to places and back; empty tables leave everything in its place.
#[derive(Debug, Clone, Default)]
pub(super) struct Numbering {
    places: Vec<u32>,
    numbers: Vec<u32>,
}

impl Numbering {
    /// The most frequent first, the smaller number among equals.
    pub(super) fn by_count(counts: &[u32]) -> Self {
        let mut numbers: Vec<u32> = (0..counts.len() as u32).collect();
        numbers.sort_by_key(|&number| std::cmp::Reverse(counts[number as usize]));
        let mut places = vec![0; numbers.len()];
        for (place, &number) in numbers.iter().enumerate() {
            places[number as usize] = place as u32;
        }
        Self { places, numbers }
    }

    /// The place of a number; itself for one beyond the last.
    #[inline]
    pub(super) fn place(&self, number: u32) -> u32 {
        self.places.get(number as usize).copied().unwrap_or(number)
    }

    /// The number at a place.
    #[inline]
    pub(super) fn number(&self, place: u32) -> u32 {
        self.numbers.get(place as usize).copied().unwrap_or(place)
    }

    pub(super) fn num_bytes(&self) -> usize {
        4 * (self.places.capacity() + self.numbers.capacity())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequent_ones_come_first() {
        let numbering = Numbering::by_count(&[1, 0, 7, 1]);
        assert_eq!([0, 1, 2, 3, 4].map(|place| numbering.number(place)), [2, 0, 3, 1, 4]);
        assert_eq!([0, 1, 2, 3, 4].map(|number| numbering.place(number)), [1, 3, 0, 2, 4]);
        assert_eq!(Numbering::default().place(5), 5);
    }
}
