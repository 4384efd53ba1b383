//! Rows of symbols that training trees have often, as numbers: rules, paths from phrases down to their heads, and what
//! stands side by side. The features of Charniak & Johnson (2005) ask for them as a whole.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHasher};

use crate::error::Result;
use crate::model::damaged_if;

/// The number of all rows that are not known.
pub(crate) const RARE: u32 = 0;

/// A row is known if training trees have it so often. A rule that only its own tree has would be taken for right
/// whenever it is known; five is what Charniak & Johnson ask for.
const MIN_COUNT: u32 = 5;

/// What items and places are made of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Shapes {
    /// Labels of phrases, each with the symbols of its children.
    pub(crate) rules: Rows,
    /// Labels from a phrase down to the tag of its head.
    pub(crate) paths: Rows,
    /// What sets of items have, by the order in which templates ask for it.
    pub(crate) sets: Vec<Rows>,
}

impl Shapes {
    /// Nothing known, of so many sets.
    pub(crate) fn unknown(num_sets: usize) -> Self {
        Self { sets: vec![Rows::default(); num_sets], ..Self::default() }
    }

    fn all(&self) -> impl Iterator<Item = &Rows> {
        [&self.rules, &self.paths].into_iter().chain(&self.sets)
    }

    /// Everything as numbers, of which [`read`](Self::read) makes it again.
    pub(crate) fn write(&self) -> Vec<u32> {
        let mut numbers = Vec::new();
        for rows in self.all() {
            numbers.push(rows.rows.len() as u32);
            for row in &rows.rows {
                numbers.push(row.len() as u32);
                numbers.extend(row);
            }
        }
        numbers
    }

    /// Reads the shapes of so many sets, each with a number that all of its values are below.
    ///
    /// # Errors
    /// If they are not all there, or there is more.
    pub(crate) fn read(numbers: &[u32], num_symbols: usize, of_sets: &[usize]) -> Result<Self> {
        let mut rest = numbers;
        let mut next = |num_values| Rows::read(&mut rest, num_values);
        let (rules, paths) = (next(num_symbols)?, next(num_symbols)?);
        let sets = of_sets.iter().map(|&num_values| next(num_values)).collect::<Result<Vec<Rows>>>()?;
        damaged_if(!rest.is_empty(), "there is more than its shapes")?;
        Ok(Self { rules, paths, sets })
    }
}

/// Rows of values, numbered from 1.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rows {
    rows: Vec<Box<[u32]>>,
    index: HashTable<u32>,
}

impl PartialEq for Rows {
    fn eq(&self, other: &Self) -> bool {
        self.rows == other.rows
    }
}

impl Eq for Rows {}

impl Rows {
    fn new(rows: Vec<Box<[u32]>>) -> Self {
        let mut index = HashTable::with_capacity(rows.len());
        for (number, row) in (1..).zip(&rows) {
            index.insert_unique(hash(row.iter().copied()), number, |&number: &u32| {
                hash(rows[number as usize - 1].iter().copied())
            });
        }
        Self { rows, index }
    }

    /// How many numbers there are, with that of what is not known.
    pub(crate) fn num_values(&self) -> usize {
        self.rows.len() + 1
    }

    /// The values of a number; none if it is [`RARE`].
    pub(crate) fn row(&self, number: u32) -> Option<&[u32]> {
        (number != RARE).then(|| &*self.rows[number as usize - 1])
    }

    /// The number of a row.
    #[inline]
    pub(crate) fn number(&self, values: impl Iterator<Item = u32> + Clone) -> u32 {
        if self.rows.is_empty() {
            return RARE;
        }
        let is_same = |&number: &u32| self.rows[number as usize - 1].iter().copied().eq(values.clone());
        self.index.find(hash(values.clone()), is_same).copied().unwrap_or(RARE)
    }

    fn read(numbers: &mut &[u32], num_values: usize) -> Result<Self> {
        let mut take = |len: u32| -> Result<&[u32]> {
            let is_short = numbers.len() < len as usize;
            damaged_if(is_short, "its shapes are not all there")?;
            let (taken, rest) = numbers.split_at(len as usize);
            *numbers = rest;
            Ok(taken)
        };
        let mut rows = Vec::new();
        for _ in 0..take(1)?[0] {
            let len = take(1)?[0];
            let row = take(len)?;
            let is_unknown = row.iter().any(|&value| value as usize >= num_values);
            damaged_if(is_unknown, "a shape has symbols that it does not have")?;
            rows.push(row.into());
        }
        Ok(Self::new(rows))
    }
}

fn hash(values: impl Iterator<Item = u32>) -> u64 {
    let mut hasher = FxHasher::default();
    values.for_each(|value| hasher.write_u32(value));
    hasher.finish()
}

/// Counts rows.
#[derive(Debug, Clone, Default)]
pub(crate) struct RowCounts(FxHashMap<Box<[u32]>, u32>);

impl RowCounts {
    /// Counts a row.
    pub(crate) fn add(&mut self, row: Vec<u32>) {
        *self.0.entry(row.into()).or_insert(0) += 1;
    }

    /// Those that are frequent.
    pub(crate) fn frequent(self) -> Rows {
        let frequent = self.0.into_iter().filter(|&(_, count)| count >= MIN_COUNT);
        let mut rows: Vec<Box<[u32]>> = frequent.map(|(row, _)| row).collect();
        rows.sort_unstable();
        Rows::new(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Rows {
        let mut counts = RowCounts::default();
        for (row, count) in [(vec![7, 8], 5), (vec![7], 9), (vec![8, 7], 4), (vec![], 6)] {
            (0..count).for_each(|_| counts.add(row.clone()));
        }
        counts.frequent()
    }

    #[test]
    fn rows_that_are_frequent_have_numbers() {
        let rows = rows();
        let number = |values: &[u32]| rows.number(values.iter().copied());
        assert_eq!([number(&[]), number(&[7]), number(&[7, 8])], [1, 2, 3]);
        assert_eq!([number(&[8, 7]), number(&[8])], [RARE; 2], "four are too few");
        assert_eq!((rows.row(3), rows.row(RARE), rows.num_values()), (Some(&[7, 8][..]), None, 4));
    }

    #[test]
    fn shapes_come_back_and_damaged_ones_do_not() {
        let shapes = Shapes { rules: rows(), paths: Rows::default(), sets: vec![rows()] };
        let numbers = shapes.write();
        assert_eq!(Shapes::read(&numbers, 9, &[9]).unwrap(), shapes);
        assert!(Shapes::read(&numbers, 8, &[9]).is_err(), "a symbol too many");
        assert!(Shapes::read(&numbers, 9, &[9, 9]).is_err(), "a set too many");
        assert!(Shapes::read(&numbers, 9, &[]).is_err(), "a set too few");
        assert!(Shapes::read(&numbers[..5], 9, &[9]).is_err(), "cut off");
    }
}
