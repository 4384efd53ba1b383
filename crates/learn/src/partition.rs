//! Which rows reach which node, as a tree grows or is replayed.
//!
//! The naive form walks every row down the tree. Here a split moves rows instead, and only the fewer of them: most
//! splits peel a little off, so the larger child of the root, its larger child and so on, the *trunk*, are one bitmap
//! from which rows are cleared. A split of the trunk costs the length of a posting list or one pass over a bitmap,
//! both far below the number of rows. All other nodes list their rows.

use super::gaps::GapDecoder;
use super::postings::{Postings, for_each_bit, has_bit};
use super::view::{DatasetView, FeatureRows};

/// Looking for a feature in a row takes about as long as so many steps through its postings.
const LIST_STEPS: usize = 256;

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

    /// All rows below `num_rows`.
    pub(super) fn all(num_rows: usize) -> Self {
        let mut words = vec![u64::MAX; num_rows.div_ceil(64)];
        if let (Some(last), rest @ 1..) = (words.last_mut(), num_rows % 64) {
            *last = (1 << rest) - 1;
        }
        Self { words, len: num_rows }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The rows in increasing order.
    pub(super) fn to_list(&self) -> Vec<u32> {
        let mut rows = Vec::with_capacity(self.len);
        for_each_bit(self.words.iter().copied(), |row| rows.push(row));
        rows
    }

    /// Splits off the smaller of the rows with and without a feature; says whether it is the rows with it.
    fn split_off_smaller(&mut self, rows: FeatureRows<'_>) -> (bool, Vec<u32>) {
        match rows {
            FeatureRows::Common(Postings::Bitmap(words)) => self.split_off_smaller_words(words),
            listed => {
                let mut present = Vec::new();
                listed.for_each(|row| {
                    if has_bit(&self.words, row) {
                        present.push(row);
                    }
                });
                self.split_off_smaller_list(present)
            }
        }
    }

    fn split_off_smaller_words(&mut self, words: &[u64]) -> (bool, Vec<u32>) {
        let shared = self.words.iter().zip(words).map(|(mine, theirs)| mine & theirs);
        let num_present = shared.clone().map(|word| word.count_ones() as usize).sum();
        if num_present > self.len - num_present {
            return (false, self.split_off_absent(words, num_present));
        }
        let mut present = Vec::with_capacity(num_present);
        for_each_bit(shared, |row| present.push(row));
        self.words.iter_mut().zip(words).for_each(|(mine, theirs)| *mine &= !theirs);
        self.len -= num_present;
        (true, present)
    }

    /// Given the rows present, all of them in the set.
    fn split_off_smaller_list(&mut self, present: Vec<u32>) -> (bool, Vec<u32>) {
        let num_present = present.len();
        if num_present > self.len - num_present {
            let present = Self::new(self.words.len() * 64, present);
            return (false, self.split_off_absent(&present.words, num_present));
        }
        for &row in &present {
            self.words[row as usize / 64] &= !(1 << (row % 64));
        }
        self.len -= num_present;
        (true, present)
    }

    fn split_off_absent(&mut self, words: &[u64], num_present: usize) -> Vec<u32> {
        let mut absent = Vec::with_capacity(self.len - num_present);
        let missed = self.words.iter().zip(words).map(|(mine, theirs)| mine & !theirs);
        for_each_bit(missed, |row| absent.push(row));
        self.words.iter_mut().zip(words).for_each(|(mine, theirs)| *mine &= theirs);
        self.len = num_present;
        absent
    }

    /// Goes through all scores in order, adding 0 to those of other rows: most rows are in the trunk, and picking them
    /// out one by one takes longer.
    fn add_to(&self, scores: &mut [f64], number: f64) {
        let added = [0.0, number];
        for (scores, &word) in scores.chunks_mut(64).zip(&self.words) {
            for (bit, score) in scores.iter_mut().enumerate() {
                *score += added[(word >> bit & 1) as usize];
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
            Self::Trunk(set) => for_each_bit(set.words.iter().copied(), visit),
            Self::List(rows) => rows.iter().for_each(|&row| visit(row)),
        }
    }

    /// Adds a number to the scores of the rows.
    pub(super) fn add_to(&self, scores: &mut [f64], number: f64) {
        match self {
            Self::Trunk(set) => set.add_to(scores, number),
            Self::List(rows) => rows.iter().for_each(|&row| scores[row as usize] += number),
        }
    }

    /// The rows with and the rows without a feature.
    pub(super) fn split(self, view: &DatasetView<'_>, feature: u32) -> Sides {
        match self {
            Self::Trunk(mut trunk) => {
                let (is_present, smaller) = trunk.split_off_smaller(view.rows_with(feature));
                let (smaller, larger) = (Self::List(smaller), Self::Trunk(trunk));
                if is_present {
                    Sides { present: smaller, absent: larger }
                } else {
                    Sides { present: larger, absent: smaller }
                }
            }
            Self::List(rows) => {
                let (present, absent) = split_list(&rows, view, feature);
                Sides { present: Self::List(present), absent: Self::List(absent) }
            }
        }
    }
}

fn split_list(rows: &[u32], view: &DatasetView<'_>, feature: u32) -> (Vec<u32>, Vec<u32>) {
    match view.rows_with(feature) {
        FeatureRows::Common(postings) => split_by(rows, postings, |row| row, view, feature),
        FeatureRows::OfVariants(postings, view) => {
            split_by(rows, postings, |row| view.variant_of(row), view, feature)
        }
    }
}

/// Splits rows by whether their keys are in the postings; keys grow with the rows.
fn split_by(
    rows: &[u32],
    postings: Postings<'_>,
    key: impl Fn(u32) -> u32,
    view: &DatasetView<'_>,
    feature: u32,
) -> (Vec<u32>, Vec<u32>) {
    match postings {
        Postings::Bitmap(words) => divide(rows, |row| has_bit(words, key(row))),
        Postings::List(codes) if codes.len() / LIST_STEPS > rows.len() => {
            divide(rows, |row| view.is_active(row as usize, feature))
        }
        Postings::List(codes) => {
            let mut postings = GapDecoder::new(codes).peekable();
            divide(rows, |row| {
                let key = key(row);
                while postings.next_if(|&posting| posting < key).is_some() {}
                postings.peek() == Some(&key)
            })
        }
    }
}

/// The rows for which something holds, and the others. Each is written to both lists and counted in one: with a branch
/// instead, every other guess of the processor would be wrong.
fn divide(rows: &[u32], mut holds: impl FnMut(u32) -> bool) -> (Vec<u32>, Vec<u32>) {
    let (mut yes, mut no) = (vec![0; rows.len()], vec![0; rows.len()]);
    let mut num_yes = 0;
    for (index, &row) in rows.iter().enumerate() {
        yes[num_yes] = row;
        no[index - num_yes] = row;
        num_yes += usize::from(holds(row));
    }
    yes.truncate(num_yes);
    no.truncate(rows.len() - num_yes);
    (yes, no)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::DatasetBuilder;

    #[test]
    fn sets_count_what_they_hold() {
        let set = RowSet::new(200, [3, 199, 3, 64]);
        assert_eq!((set.len(), set.to_list()), (3, vec![3, 64, 199]));
        for num_rows in [0, 1, 63, 64, 65, 200] {
            assert_eq!(RowSet::all(num_rows), RowSet::new(num_rows, 0..num_rows as u32));
        }
    }

    proptest! {
        #[test]
        fn splits_agree_with_looking_at_every_row(
            features in prop::collection::vec(prop::collection::vec(0u32..40, 0..10), 1..400),
            order in prop::collection::vec((0u32..40, any::<bool>()), 1..8),
        ) {
            let mut builder = DatasetBuilder::new();
            features.iter().for_each(|row| builder.push_row(row).unwrap());
            let dataset = builder.finish();
            let view = DatasetView::plain(&dataset);
            let mut expected: Vec<u32> = (0..features.len() as u32).collect();
            let mut node = NodeRows::Trunk(RowSet::new(features.len(), expected.iter().copied()));
            for (feature, take_present) in order {
                let (present, absent): (Vec<u32>, Vec<u32>) =
                    expected.iter().partition(|&&row| features[row as usize].contains(&feature));
                let sides = node.split(&view, feature);
                prop_assert_eq!((sides.present.len(), sides.absent.len()), (present.len(), absent.len()));
                prop_assert_eq!(sides.present.clone().into_list(), &present[..]);
                prop_assert_eq!(sides.absent.clone().into_list(), &absent[..]);
                (node, expected) = if take_present { (sides.present, present) } else { (sides.absent, absent) };
            }
        }
    }
}
