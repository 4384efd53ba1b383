//! Which rows reach which node, as a tree grows or is replayed.
//!
//! The naive form walks every row down the tree. Here a split moves rows instead, and only the fewer of them: most
//! splits peel a little off, so the larger child of the root, its larger child and so on, the *trunk*, are one bitmap
//! from which rows are cleared. A split of the trunk costs the length of a posting list or one pass over a bitmap,
//! both far below the number of rows. All other nodes list their rows.

use super::dataset::{Postings, has_bit};

/// A set of rows, one bit each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RowSet {
    words: Vec<u64>,
    len: usize,
}

/// The rows of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NodeRows {
    /// All that are in the trunk; there is one such node at a time.
    Trunk(RowSet),
    /// These, in increasing order.
    List(Vec<u32>),
}

impl RowSet {
    /// A set of rows below `num_rows`.
    pub(super) fn new(num_rows: usize, rows: impl IntoIterator<Item = u32>) -> Self {
        let mut set = Self { words: vec![0; num_rows.div_ceil(64)], len: 0 };
        for row in rows {
            let bit = 1 << (row % 64);
            set.len += usize::from(set.words[row as usize / 64] & bit == 0);
            set.words[row as usize / 64] |= bit;
        }
        set
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The rows in increasing order.
    pub(super) fn to_list(&self) -> Vec<u32> {
        let mut rows = Vec::with_capacity(self.len);
        self.for_each_masked(|_, word| word, |row| rows.push(row));
        rows
    }

    /// Splits off the smaller of the rows with and without a feature; says whether it is the rows with it.
    fn split_off_smaller(&mut self, postings: Postings<'_>) -> (bool, Vec<u32>) {
        let num_present = self.num_shared(postings);
        if num_present <= self.len - num_present {
            (true, self.split_off_present(postings, num_present))
        } else {
            (false, self.split_off_absent(postings, num_present))
        }
    }

    fn num_shared(&self, postings: Postings<'_>) -> usize {
        match postings {
            Postings::List(rows) => rows.iter().filter(|&&row| has_bit(&self.words, row)).count(),
            Postings::Bitmap { words, .. } => {
                self.words.iter().zip(words).map(|(mine, theirs)| (mine & theirs).count_ones() as usize).sum()
            }
        }
    }

    fn split_off_present(&mut self, postings: Postings<'_>, num_present: usize) -> Vec<u32> {
        let mut present = Vec::with_capacity(num_present);
        match postings {
            Postings::List(rows) => present.extend(rows.iter().filter(|&&row| has_bit(&self.words, row))),
            Postings::Bitmap { words, .. } => {
                self.for_each_masked(|index, word| word & words[index], |row| present.push(row));
            }
        }
        for &row in &present {
            self.words[row as usize / 64] &= !(1 << (row % 64));
        }
        self.len -= present.len();
        present
    }

    fn split_off_absent(&mut self, postings: Postings<'_>, num_present: usize) -> Vec<u32> {
        let listed;
        let words = match postings {
            Postings::Bitmap { words, .. } => words,
            Postings::List(rows) => {
                listed = Self::new(self.words.len() * 64, rows.iter().copied());
                &listed.words
            }
        };
        let mut absent = Vec::with_capacity(self.len - num_present);
        self.for_each_masked(|index, word| word & !words[index], |row| absent.push(row));
        self.words.iter_mut().zip(words).for_each(|(mine, theirs)| *mine &= theirs);
        self.len = num_present;
        absent
    }

    fn for_each_masked(&self, mask: impl Fn(usize, u64) -> u64, mut visit: impl FnMut(u32)) {
        for (index, &word) in self.words.iter().enumerate() {
            let mut word = mask(index, word);
            while word != 0 {
                visit(index as u32 * 64 + word.trailing_zeros());
                word &= word - 1;
            }
        }
    }
}

/// The two sides of a split.
#[derive(Debug)]
pub(super) struct Sides {
    pub(super) present: NodeRows,
    pub(super) absent: NodeRows,
}

impl NodeRows {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Trunk(rows) => rows.len,
            Self::List(rows) => rows.len(),
        }
    }

    /// The rows, listed.
    pub(super) fn into_list(self) -> Vec<u32> {
        match self {
            Self::Trunk(rows) => rows.to_list(),
            Self::List(rows) => rows,
        }
    }

    /// Visits the rows in increasing order.
    pub(super) fn for_each(&self, mut visit: impl FnMut(u32)) {
        match self {
            Self::Trunk(set) => set.for_each_masked(|_, word| word, visit),
            Self::List(rows) => rows.iter().for_each(|&row| visit(row)),
        }
    }

    /// The rows with and the rows without a feature.
    pub(super) fn split(self, postings: Postings<'_>) -> Sides {
        match self {
            Self::Trunk(mut trunk) => {
                let (is_present, smaller) = trunk.split_off_smaller(postings);
                let (smaller, larger) = (Self::List(smaller), Self::Trunk(trunk));
                if is_present {
                    Sides { present: smaller, absent: larger }
                } else {
                    Sides { present: larger, absent: smaller }
                }
            }
            Self::List(rows) => {
                let (present, absent) = split_list(&rows, postings);
                Sides { present: Self::List(present), absent: Self::List(absent) }
            }
        }
    }
}

fn split_list(rows: &[u32], postings: Postings<'_>) -> (Vec<u32>, Vec<u32>) {
    match postings {
        Postings::Bitmap { words, .. } => rows.iter().partition(|&&row| has_bit(words, row)),
        Postings::List(mut postings) => rows.iter().partition(|&&row| {
            postings = &postings[distance(postings, row)..];
            postings.first() == Some(&row)
        }),
    }
}

/// How many of the sorted rows come before `row`, by doubling steps: near ones are found in few.
fn distance(rows: &[u32], row: u32) -> usize {
    let mut end = 1;
    while end < rows.len() && rows[end - 1] < row {
        end *= 2;
    }
    let start = end / 2;
    let end = end.min(rows.len());
    start + rows[start..end].partition_point(|&other| other < row)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::learn::DatasetBuilder;

    #[test]
    fn sets_count_what_they_hold() {
        let set = RowSet::new(200, [3, 199, 3, 64]);
        assert_eq!((set.len(), set.to_list()), (3, vec![3, 64, 199]));
    }

    proptest! {
        #[test]
        fn distances_are_right(mut rows in prop::collection::vec(0u32..300, 0..60), row in 0u32..310) {
            rows.sort_unstable();
            rows.dedup();
            prop_assert_eq!(distance(&rows, row), rows.iter().filter(|&&other| other < row).count());
        }

        #[test]
        fn splits_agree_with_looking_at_every_row(
            features in prop::collection::vec(prop::collection::vec(0u32..40, 0..10), 1..400),
            order in prop::collection::vec((0u32..40, any::<bool>()), 1..8),
        ) {
            let mut builder = DatasetBuilder::new();
            features.iter().for_each(|row| builder.push_row(row).unwrap());
            let dataset = builder.finish();
            let mut expected: Vec<u32> = (0..features.len() as u32).collect();
            let mut node = NodeRows::Trunk(RowSet::new(features.len(), expected.iter().copied()));
            for (feature, take_present) in order {
                let (present, absent): (Vec<u32>, Vec<u32>) =
                    expected.iter().partition(|&&row| features[row as usize].contains(&feature));
                let sides = node.split(dataset.postings(feature));
                prop_assert_eq!((sides.present.len(), sides.absent.len()), (present.len(), absent.len()));
                prop_assert_eq!(sides.present.clone().into_list(), &present[..]);
                prop_assert_eq!(sides.absent.clone().into_list(), &absent[..]);
                (node, expected) = if take_present { (sides.present, present) } else { (sides.absent, absent) };
            }
        }
    }
}
