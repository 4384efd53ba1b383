//! A sparse binary matrix in both orders: the columns of a row, and the rows of a column.
//!
//! Rows are lists of gaps ([`gaps`](super::gaps)), columns lists of gaps or bitmaps. An entry takes 2 bytes in its row
//! and at most about 2 in its column; one whose gap is 65535 or more takes 6, but few rows lie so far apart unless
//! nearly nothing is in that column.

use std::ops::Range;

use rayon::prelude::*;

use super::gaps::{GapDecoder, num_codes, push_gap, write_gap};
use super::numbering::Numbering;
use super::postings::Postings;

/// A column is a bitmap if at least one row in so many has it.
const BITMAP_SHARE: u64 = 16;

/// Lists that one thread renumbers at a time.
const LISTS_AT_ONCE: usize = 1 << 13;

const NO_BITMAP: u32 = u32::MAX;

/// A sparse binary matrix.
#[derive(Debug, Clone, Default)]
pub(super) struct Matrix {
    rows: GapLists,
    counts: Vec<u32>,
    columns: GapLists,
    /// The number of a column's bitmap, or [`NO_BITMAP`].
    bitmap_of: Vec<u32>,
    bitmaps: Vec<u64>,
}

/// Lists of gaps, back to back.
#[derive(Debug, Clone)]
struct GapLists {
    starts: Vec<u64>,
    codes: Vec<u16>,
}

impl Default for GapLists {
    fn default() -> Self {
        Self { starts: vec![0], codes: Vec::new() }
    }
}

impl GapLists {
    #[inline]
    fn codes(&self, list: usize) -> &[u16] {
        &self.codes[self.starts[list] as usize..self.starts[list + 1] as usize]
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Adds a list of increasing numbers.
    fn push(&mut self, numbers: &[u32]) {
        let mut last = 0;
        for &number in numbers {
            push_gap(&mut self.codes, number - last);
            last = number;
        }
        self.starts.push(self.codes.len() as u64);
    }

    fn append(&mut self, others: &Self) {
        let start = self.codes.len() as u64;
        self.codes.extend_from_slice(&others.codes);
        self.starts.extend(others.starts[1..].iter().map(|end| start + end));
    }

    /// The same lists in other numbers. Threads take a few lists at a time, because all of them at once would need the
    /// memory of a second copy.
    fn renumbered(&self, numbering: &Numbering) -> Self {
        let mut renumbered = Self::default();
        let step = LISTS_AT_ONCE * rayon::current_num_threads();
        for first in (0..self.len()).step_by(step) {
            let lists = first..self.len().min(first + step);
            let parts: Vec<Self> = lists
                .into_par_iter()
                .fold_chunks(LISTS_AT_ONCE, Self::default, |mut part, list| {
                    part.push_renumbered(self.codes(list), numbering);
                    part
                })
                .collect();
            parts.iter().for_each(|part| renumbered.append(part));
        }
        renumbered
    }

    fn push_renumbered(&mut self, codes: &[u16], numbering: &Numbering) {
        let mut numbers: Vec<u32> = GapDecoder::new(codes).map(|number| numbering.place(number)).collect();
        numbers.sort_unstable();
        self.push(&numbers);
    }

    fn num_bytes(&self) -> usize {
        8 * self.starts.capacity() + 2 * self.codes.capacity()
    }
}

impl Matrix {
    pub(super) fn num_rows(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn num_columns(&self) -> usize {
        self.counts.len()
    }

    pub(super) fn num_entries(&self) -> usize {
        self.counts.iter().map(|&count| count as usize).sum()
    }

    /// The columns of a row.
    #[inline]
    pub(super) fn row(&self, row: usize) -> GapDecoder<'_> {
        GapDecoder::new(self.rows.codes(row))
    }

    /// The number of rows that have a column; 0 for a column beyond the last.
    pub(super) fn count(&self, column: u32) -> usize {
        self.counts.get(column as usize).map_or(0, |&count| count as usize)
    }

    /// The rows that have a column; none for a column beyond the last.
    pub(super) fn column(&self, column: u32) -> Postings<'_> {
        match self.bitmap_of.get(column as usize) {
            None => Postings::List(&[]),
            Some(&NO_BITMAP) => Postings::List(self.columns.codes(column as usize)),
            Some(&bitmap) => Postings::Bitmap(&self.bitmaps[bitmap_range(bitmap, self.num_rows())]),
        }
    }

    pub(super) fn num_bytes(&self) -> usize {
        self.rows.num_bytes()
            + self.columns.num_bytes()
            + 4 * (self.counts.capacity() + self.bitmap_of.capacity())
            + 8 * self.bitmaps.capacity()
    }
}

/// Builds a [`Matrix`] row by row.
#[derive(Debug, Clone, Default)]
pub(super) struct MatrixBuilder {
    rows: GapLists,
    columns: Vec<ColumnStats>,
    sorted: Vec<u32>,
}

/// What is known of a column so far.
#[derive(Debug, Clone, Copy, Default)]
struct ColumnStats {
    count: u32,
    last_row: u32,
    num_codes: u32,
}

impl MatrixBuilder {
    pub(super) fn num_rows(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn num_columns(&self) -> usize {
        self.columns.len()
    }

    /// The number of rows that have a column so far.
    pub(super) fn count(&self, column: u32) -> u32 {
        self.columns.get(column as usize).map_or(0, |column| column.count)
    }

    /// Makes room for so many columns, if there is less.
    pub(super) fn extend_columns(&mut self, num_columns: usize) {
        if self.columns.len() < num_columns {
            self.columns.resize(num_columns, ColumnStats::default());
        }
    }

    /// Adds a row of these columns, in any order, for which there is room.
    pub(super) fn push(&mut self, columns: &[u32]) {
        self.sorted.clear();
        self.sorted.extend_from_slice(columns);
        if !self.sorted.is_sorted_by(|a, b| a < b) {
            self.sorted.sort_unstable();
            self.sorted.dedup();
        }
        let row = self.num_rows() as u32;
        for &column in &self.sorted {
            self.columns[column as usize].note(row);
        }
        self.rows.push(&self.sorted);
    }

    /// Moves the columns to other places.
    pub(super) fn renumber(&mut self, numbering: &Numbering) {
        self.rows = self.rows.renumbered(numbering);
        let num_places =
            (0..self.columns.len() as u32).map(|column| numbering.place(column) as usize + 1).max();
        let old = std::mem::take(&mut self.columns);
        self.columns.resize(num_places.unwrap_or(0), ColumnStats::default());
        for (column, known) in (0u32..).zip(old) {
            self.columns[numbering.place(column) as usize] = known;
        }
    }

    pub(super) fn finish(mut self) -> Matrix {
        self.rows.starts.shrink_to_fit();
        self.rows.codes.shrink_to_fit();
        let mut matrix = with_blank_columns(self.rows, &self.columns);
        fill_columns(&mut matrix, self.columns);
        matrix
    }
}

impl ColumnStats {
    fn note(&mut self, row: u32) {
        self.num_codes += num_codes(row - self.last_row) as u32;
        self.count += 1;
        self.last_row = row;
    }

    fn is_bitmap(self, num_rows: usize) -> bool {
        self.count > 0 && u64::from(self.count) * BITMAP_SHARE >= num_rows as u64
    }
}

fn with_blank_columns(rows: GapLists, columns: &[ColumnStats]) -> Matrix {
    let num_rows = rows.len();
    let mut starts = Vec::with_capacity(columns.len() + 1);
    let mut bitmap_of = Vec::with_capacity(columns.len());
    let (mut len, mut num_bitmaps) = (0u64, 0u32);
    for column in columns {
        starts.push(len);
        if column.is_bitmap(num_rows) {
            bitmap_of.push(num_bitmaps);
            num_bitmaps += 1;
        } else {
            bitmap_of.push(NO_BITMAP);
            len += u64::from(column.num_codes);
        }
    }
    starts.push(len);
    Matrix {
        rows,
        counts: columns.iter().map(|column| column.count).collect(),
        columns: GapLists { starts, codes: vec![0; len as usize] },
        bitmap_of,
        bitmaps: vec![0; num_bitmaps as usize * num_rows.div_ceil(64)],
    }
}

fn fill_columns(matrix: &mut Matrix, mut columns: Vec<ColumnStats>) {
    let num_rows = matrix.num_rows();
    columns.iter_mut().for_each(|column| *column = ColumnStats::default());
    for row in 0..num_rows as u32 {
        for column in GapDecoder::new(matrix.rows.codes(row as usize)) {
            let place = column as usize;
            match matrix.bitmap_of[place] {
                NO_BITMAP => {
                    let ColumnStats { last_row, num_codes, .. } = &mut columns[place];
                    let start = matrix.columns.starts[place] as usize + *num_codes as usize;
                    *num_codes += write_gap(&mut matrix.columns.codes[start..], row - *last_row) as u32;
                    *last_row = row;
                }
                bitmap => {
                    matrix.bitmaps[bitmap_range(bitmap, num_rows)][row as usize / 64] |= 1 << (row % 64);
                }
            }
        }
    }
}

fn bitmap_range(bitmap: u32, num_rows: usize) -> Range<usize> {
    let len = num_rows.div_ceil(64);
    bitmap as usize * len..(bitmap as usize + 1) * len
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn matrix(rows: &[Vec<u32>]) -> Matrix {
        let mut builder = MatrixBuilder::default();
        for row in rows {
            builder.extend_columns(row.iter().max().map_or(0, |&last| last as usize + 1));
            builder.push(row);
        }
        builder.finish()
    }

    fn rows_of(postings: Postings<'_>) -> Vec<u32> {
        let mut rows = Vec::new();
        postings.for_each(|row| rows.push(row));
        rows
    }

    #[test]
    fn rows_far_apart_are_found_again() {
        let mut rows = vec![Vec::new(); 200_000];
        for (row, column) in [(7, 70_000), (7, 0), (65_542, 0), (65_543, 0), (199_999, 0), (199_999, 140_000)]
        {
            rows[row].push(column);
        }
        let matrix = matrix(&rows);
        assert_eq!(rows_of(matrix.column(0)), [7, 65_542, 65_543, 199_999]);
        assert_eq!(rows_of(matrix.column(140_000)), [199_999]);
        assert_eq!(matrix.row(7).collect::<Vec<_>>(), [0, 70_000]);
        assert_eq!(matrix.row(199_999).collect::<Vec<_>>(), [0, 140_000]);
    }

    #[test]
    fn an_entry_takes_two_bytes_either_way() {
        let rows: Vec<Vec<u32>> =
            (0..6400).map(|row| vec![row % 2, 2 + row % 1000, 1002 + row % 3000]).collect();
        let matrix = matrix(&rows);
        let fixed_per_column = 16 * 4002 + 64;
        assert!(matrix.num_bytes() <= rows.len() * (3 * 4 + 8) + fixed_per_column, "{}", matrix.num_bytes());
    }

    proptest! {
        #[test]
        fn renumbered_columns_are_the_columns(rows in prop::collection::vec(prop::collection::vec(0u32..90, 0..12), 0..90)) {
            let mut builder = MatrixBuilder::default();
            builder.extend_columns(90);
            rows.iter().for_each(|row| builder.push(row));
            let plain = builder.clone().finish();
            let numbering = Numbering::by_count(&(0..90).map(|column| builder.count(column)).collect::<Vec<_>>());
            builder.renumber(&numbering);
            let renumbered = builder.finish();
            for column in 0..90 {
                let place = numbering.place(column);
                prop_assert_eq!(renumbered.count(place), plain.count(column));
                prop_assert_eq!(rows_of(renumbered.column(place)), rows_of(plain.column(column)));
                prop_assert!(place == 0 || renumbered.count(place - 1) >= renumbered.count(place));
            }
        }

        #[test]
        fn columns_are_the_transpose(rows in prop::collection::vec(prop::collection::vec(0u32..90, 0..12), 0..150)) {
            let matrix = matrix(&rows);
            prop_assert_eq!(matrix.num_rows(), rows.len());
            for column in 0..95 {
                let expected: Vec<u32> =
                    (0..rows.len() as u32).filter(|&row| rows[row as usize].contains(&column)).collect();
                prop_assert_eq!(matrix.count(column), expected.len());
                prop_assert_eq!(rows_of(matrix.column(column)), expected);
            }
            for (row, columns) in rows.iter().enumerate() {
                for column in 0..95 {
                    prop_assert_eq!(matrix.row(row).has(column), columns.contains(&column));
                }
            }
        }
    }
}
