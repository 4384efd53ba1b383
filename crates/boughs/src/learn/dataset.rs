//! Rows of sparse binary features, held once and shared by every classifier trained on them.
//!
//! The naive form is a list of active features per row. Learning also asks the opposite question, which rows have a
//! feature, so the transpose is stored beside it: a sorted list of rows per feature, or a bitmap where that is no
//! larger. With `n` rows and `a` active features per row this takes `4a + 8` bytes a row forward and at most `4a`
//! backward; [`Dataset::num_bytes`] says exactly how much.
//!
//! Histograms run fastest when frequent features have small numbers. Numbering features in the order in which they are
//! first seen is enough.

use std::ops::Range;

use crate::error::{Error, ErrorKind, Result};

/// Every feature costs a few bytes whether or not it occurs, so the numbers must be reasonably dense.
const MAX_FEATURES: u32 = 1 << 28;

/// A matrix of binary features in both orders.
#[derive(Debug, Clone, Default)]
pub struct Dataset {
    row_starts: Vec<u64>,
    features: Vec<u32>,
    counts: Vec<u32>,
    columns: Columns,
}

/// The transpose: lists back to back, and bitmaps for the features too frequent for a list.
#[derive(Debug, Clone, Default)]
struct Columns {
    starts: Vec<u64>,
    lists: Vec<u32>,
    /// The number of a feature's bitmap, or [`NO_BITMAP`].
    bitmap_of: Vec<u32>,
    bitmaps: Vec<u64>,
}

const NO_BITMAP: u32 = u32::MAX;

/// Builds a [`Dataset`] one row at a time.
///
/// ```
/// use boughs::learn::DatasetBuilder;
///
/// let mut builder = DatasetBuilder::new();
/// builder.push_row(&[7, 2, 7])?;
/// builder.push_row(&[2])?;
/// let dataset = builder.finish();
/// assert_eq!(dataset.row(0), [2, 7]);
/// assert_eq!(dataset.postings(2).iter().collect::<Vec<_>>(), [0, 1]);
/// # Ok::<(), boughs::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct DatasetBuilder {
    row_starts: Vec<u64>,
    features: Vec<u32>,
    counts: Vec<u32>,
}

/// The rows in which a feature is active, in increasing order.
#[derive(Debug, Clone, Copy)]
pub enum Postings<'a> {
    /// Their numbers.
    List(&'a [u32]),
    /// One bit a row, the first row in the lowest bit of the first word.
    Bitmap {
        /// The bits.
        words: &'a [u64],
        /// How many are set.
        len: usize,
    },
}

/// The rows of [`Postings`], one after the other.
#[derive(Debug, Clone)]
pub enum PostingsIter<'a> {
    /// Over a list.
    List(std::iter::Copied<std::slice::Iter<'a, u32>>),
    /// Over a bitmap: the words, the number of the current word, and its bits still to come.
    Bitmap {
        /// All words.
        words: &'a [u64],
        /// The number of the current word.
        index: usize,
        /// The bits of the current word that are still to come.
        rest: u64,
    },
}

impl Dataset {
    /// The number of rows.
    pub fn num_rows(&self) -> usize {
        self.row_starts.len().saturating_sub(1)
    }

    /// One more than the largest feature number.
    pub fn num_features(&self) -> usize {
        self.counts.len()
    }

    /// The number of active features over all rows.
    pub fn num_entries(&self) -> usize {
        self.features.len()
    }

    /// The active features of a row, in increasing order.
    ///
    /// # Panics
    /// If there is no such row.
    #[inline]
    pub fn row(&self, row: usize) -> &[u32] {
        &self.features[self.row_starts[row] as usize..self.row_starts[row + 1] as usize]
    }

    /// Whether a feature is active in a row; a feature beyond the last one never is.
    pub fn is_active(&self, row: usize, feature: u32) -> bool {
        self.row(row).binary_search(&feature).is_ok()
    }

    /// The number of rows in which a feature is active.
    pub fn count(&self, feature: u32) -> usize {
        self.counts.get(feature as usize).map_or(0, |&count| count as usize)
    }

    /// The rows in which a feature is active; none for a feature beyond the last one.
    pub fn postings(&self, feature: u32) -> Postings<'_> {
        let feature = feature as usize;
        if feature >= self.num_features() {
            return Postings::List(&[]);
        }
        let columns = &self.columns;
        match columns.bitmap_of[feature] {
            NO_BITMAP => Postings::List(
                &columns.lists[columns.starts[feature] as usize..columns.starts[feature + 1] as usize],
            ),
            bitmap => Postings::Bitmap {
                words: &columns.bitmaps[bitmap_range(bitmap, self.num_rows())],
                len: self.counts[feature] as usize,
            },
        }
    }

    /// The features cut into ranges with about equally many entries, one for each of `num_parts` threads.
    pub(super) fn feature_parts(&self, num_parts: usize) -> Vec<Range<usize>> {
        let per_part = self.num_entries().div_ceil(num_parts.max(1)).max(1);
        let mut parts = Vec::with_capacity(num_parts);
        let (mut start, mut entries) = (0, 0);
        for (feature, &count) in self.counts.iter().enumerate() {
            entries += count as usize;
            if entries >= per_part {
                parts.push(start..feature + 1);
                (start, entries) = (feature + 1, 0);
            }
        }
        if start < self.num_features() {
            parts.push(start..self.num_features());
        }
        parts
    }

    /// The memory that rows and postings take.
    pub fn num_bytes(&self) -> usize {
        let columns = &self.columns;
        8 * (self.row_starts.capacity() + columns.starts.capacity() + columns.bitmaps.capacity())
            + 4 * (self.features.capacity() + self.counts.capacity())
            + 4 * (columns.lists.capacity() + columns.bitmap_of.capacity())
    }

    /// [`num_bytes`](Self::num_bytes), shared evenly by the rows.
    pub fn bytes_per_row(&self) -> f64 {
        self.num_bytes() as f64 / self.num_rows().max(1) as f64
    }
}

impl Default for DatasetBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl DatasetBuilder {
    /// No rows.
    pub fn new() -> Self {
        Self { row_starts: vec![0], features: Vec::new(), counts: Vec::new() }
    }

    /// No rows, and at least `num_features` features, whether or not they occur.
    ///
    /// # Errors
    /// If there are too many of them.
    pub fn with_num_features(num_features: u32) -> Result<Self> {
        let mut builder = Self::new();
        builder.extend_features(num_features)?;
        Ok(builder)
    }

    /// The number of rows so far.
    pub fn num_rows(&self) -> usize {
        self.row_starts.len() - 1
    }

    /// Adds a row; its features may come in any order and more than once.
    ///
    /// # Errors
    /// If a feature's number is too large, or there are too many rows; the row is not added then.
    pub fn push_row(&mut self, features: &[u32]) -> Result<()> {
        if self.num_rows() >= u32::MAX as usize {
            return Err(Error::new(ErrorKind::TooLarge, "expected at most 4294967295 rows")
                .hint("learn from a sample of them"));
        }
        if let Some(&last) = features.iter().max() {
            self.extend_features(last.saturating_add(1))?;
        }
        let start = self.features.len();
        self.features.extend_from_slice(features);
        self.sort_from(start);
        for &feature in &self.features[start..] {
            self.counts[feature as usize] += 1;
        }
        self.row_starts.push(self.features.len() as u64);
        Ok(())
    }

    fn extend_features(&mut self, num_features: u32) -> Result<()> {
        if num_features > MAX_FEATURES {
            let message =
                format!("expected feature numbers below {MAX_FEATURES}, found {}", num_features - 1);
            return Err(
                Error::new(ErrorKind::TooLarge, message).hint("number the features from 0 without gaps")
            );
        }
        if self.counts.len() < num_features as usize {
            self.counts.resize(num_features as usize, 0);
        }
        Ok(())
    }

    fn sort_from(&mut self, start: usize) {
        let row = &mut self.features[start..];
        if row.is_sorted_by(|a, b| a < b) {
            return;
        }
        row.sort_unstable();
        let mut kept = start;
        for index in start..self.features.len() {
            if kept == start || self.features[kept - 1] != self.features[index] {
                self.features[kept] = self.features[index];
                kept += 1;
            }
        }
        self.features.truncate(kept);
    }

    /// The dataset of these rows.
    pub fn finish(mut self) -> Dataset {
        self.row_starts.shrink_to_fit();
        self.features.shrink_to_fit();
        self.counts.shrink_to_fit();
        let columns = transpose(&self.row_starts, &self.features, &self.counts);
        Dataset { row_starts: self.row_starts, features: self.features, counts: self.counts, columns }
    }
}

fn transpose(row_starts: &[u64], features: &[u32], counts: &[u32]) -> Columns {
    let num_rows = row_starts.len() - 1;
    let mut columns = empty_columns(counts, num_rows);
    let mut next = columns.starts.clone();
    for row in 0..num_rows {
        for &feature in &features[row_starts[row] as usize..row_starts[row + 1] as usize] {
            match columns.bitmap_of[feature as usize] {
                NO_BITMAP => {
                    columns.lists[next[feature as usize] as usize] = row as u32;
                    next[feature as usize] += 1;
                }
                bitmap => columns.bitmaps[bitmap_range(bitmap, num_rows)][row / 64] |= 1 << (row % 64),
            }
        }
    }
    columns
}

fn empty_columns(counts: &[u32], num_rows: usize) -> Columns {
    let mut starts = Vec::with_capacity(counts.len() + 1);
    let mut bitmap_of = Vec::with_capacity(counts.len());
    let (mut len, mut num_bitmaps) = (0u64, 0u32);
    for &count in counts {
        starts.push(len);
        if count > 0 && u64::from(count) * 32 >= num_rows as u64 {
            bitmap_of.push(num_bitmaps);
            num_bitmaps += 1;
        } else {
            bitmap_of.push(NO_BITMAP);
            len += u64::from(count);
        }
    }
    starts.push(len);
    let bitmaps = vec![0; num_bitmaps as usize * num_rows.div_ceil(64)];
    Columns { starts, lists: vec![0; len as usize], bitmap_of, bitmaps }
}

fn bitmap_range(bitmap: u32, num_rows: usize) -> Range<usize> {
    let len = num_rows.div_ceil(64);
    bitmap as usize * len..(bitmap as usize + 1) * len
}

impl<'a> Postings<'a> {
    /// The number of rows.
    pub fn len(self) -> usize {
        match self {
            Self::List(rows) => rows.len(),
            Self::Bitmap { len, .. } => len,
        }
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Whether a row is among them.
    #[inline]
    pub fn contains(self, row: u32) -> bool {
        match self {
            Self::List(rows) => rows.binary_search(&row).is_ok(),
            Self::Bitmap { words, .. } => has_bit(words, row),
        }
    }

    /// The rows in increasing order.
    pub fn iter(self) -> PostingsIter<'a> {
        match self {
            Self::List(rows) => PostingsIter::List(rows.iter().copied()),
            Self::Bitmap { words, .. } => {
                PostingsIter::Bitmap { words, index: 0, rest: words.first().copied().unwrap_or(0) }
            }
        }
    }
}

/// Whether the bit of a row is set.
#[inline]
pub(super) fn has_bit(words: &[u64], row: u32) -> bool {
    words[row as usize / 64] >> (row % 64) & 1 == 1
}

impl<'a> IntoIterator for Postings<'a> {
    type Item = u32;
    type IntoIter = PostingsIter<'a>;

    fn into_iter(self) -> PostingsIter<'a> {
        self.iter()
    }
}

impl Iterator for PostingsIter<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        match self {
            Self::List(rows) => rows.next(),
            Self::Bitmap { words, index, rest } => {
                while *rest == 0 {
                    *index += 1;
                    *rest = *words.get(*index)?;
                }
                let row = *index as u32 * 64 + rest.trailing_zeros();
                *rest &= *rest - 1;
                Some(row)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn dataset(rows: &[Vec<u32>]) -> Dataset {
        let mut builder = DatasetBuilder::new();
        for row in rows {
            builder.push_row(row).unwrap();
        }
        builder.finish()
    }

    #[test]
    fn nothing_at_all() {
        let empty = DatasetBuilder::new().finish();
        assert_eq!((empty.num_rows(), empty.num_features()), (0, 0));
        assert!(empty.postings(3).is_empty());
        assert_eq!(Dataset::default().num_rows(), 0);
    }

    #[test]
    fn declared_features_need_not_occur() {
        let mut builder = DatasetBuilder::with_num_features(10).unwrap();
        builder.push_row(&[]).unwrap();
        let dataset = builder.finish();
        assert_eq!((dataset.num_rows(), dataset.num_features(), dataset.num_entries()), (1, 10, 0));
    }

    #[test]
    fn wild_feature_numbers_are_refused() {
        let mut builder = DatasetBuilder::new();
        let error = builder.push_row(&[1, u32::MAX]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TooLarge);
        assert_eq!(builder.finish().num_rows(), 0);
    }

    #[test]
    fn feature_parts_cover_every_feature_once() {
        let rows: Vec<Vec<u32>> = (0..64).map(|row| vec![0, 1 + row % 4, 5 + row]).collect();
        let dataset = dataset(&rows);
        for num_parts in [1, 2, 3, 100] {
            let parts = dataset.feature_parts(num_parts);
            assert!(parts.len() <= num_parts + 1);
            assert_eq!(
                parts.into_iter().flatten().collect::<Vec<_>>(),
                (0..dataset.num_features()).collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn memory_per_row_is_what_the_module_says() {
        let rows: Vec<Vec<u32>> =
            (0..6400).map(|row| vec![row % 2, 2 + row % 1000, 1002 + row % 3000]).collect();
        let dataset = dataset(&rows);
        let fixed_per_feature = 16 * 4002 + 64;
        assert!(
            dataset.num_bytes() <= rows.len() * (8 * 3 + 8) + fixed_per_feature,
            "{}",
            dataset.num_bytes()
        );
    }

    proptest! {
        #[test]
        fn postings_are_the_transpose(rows in prop::collection::vec(prop::collection::vec(0u32..90, 0..12), 0..150)) {
            let dataset = dataset(&rows);
            for feature in 0..95 {
                let expected: Vec<u32> =
                    (0..rows.len() as u32).filter(|&row| rows[row as usize].contains(&feature)).collect();
                let postings = dataset.postings(feature);
                prop_assert_eq!(postings.len(), expected.len());
                prop_assert_eq!(dataset.count(feature), expected.len());
                for row in 0..rows.len() as u32 {
                    prop_assert_eq!(postings.contains(row), expected.contains(&row));
                    prop_assert_eq!(dataset.is_active(row as usize, feature), expected.contains(&row));
                }
                prop_assert_eq!(postings.iter().collect::<Vec<_>>(), expected);
            }
        }
    }
}
