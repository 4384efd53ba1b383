//! Rows of sparse binary features, held once and shared by every classifier trained on them.
//!
//! The naive form is a list of active features per row. Learning also asks the opposite question, which rows have a
//! feature, so the transpose is stored beside it ([`matrix`](super::matrix)).
//!
//! Classifiers that share the rows need not see them all alike. A row has a *common part* that all of them see, and
//! any number of *variants*, of which each sees one: the one that its target chooses. In parsing a row is a span that
//! might become a constituent. What stands around it is the same for every label; what depends on the head child
//! differs between labels, but only as far as they choose other heads. One row for each label would repeat
//! everything.
//!
//! Boosting runs fastest when frequent features have small numbers. If they have not, they can be given others inside
//! the dataset ([`numbering`](super::numbering)); who asks sees the numbers that were given.

use std::ops::Range;

use xxhash_rust::xxh3::Xxh3;

use super::gaps::GapDecoder;
use super::matrix::{Matrix, MatrixBuilder};
use super::numbering::Numbering;
use super::postings::Postings;
use crate::error::{Error, ErrorKind, Result};

/// Every feature costs a few bytes whether or not it occurs, so the numbers must be reasonably dense.
const MAX_FEATURES: u32 = 1 << 28;

/// A target chooses a variant by a byte.
const MAX_VARIANTS_OF_ROW: usize = 1 << 8;

/// A matrix of binary features in both orders.
#[derive(Debug, Clone, Default)]
pub struct Dataset {
    common: Matrix,
    variants: Matrix,
    /// The first variant of each row, and after the last row the number of variants; empty if there are none.
    first_variants: Vec<u32>,
    /// The row of each variant.
    owners: Vec<u32>,
    /// Which place a feature has; the methods below take places and give places.
    pub(super) numbering: Numbering,
}

/// Builds a [`Dataset`] one row at a time.
///
/// ```
/// use boughs_learn::DatasetBuilder;
///
/// let mut builder = DatasetBuilder::new();
/// builder.push_row(&[7, 2, 7])?;
/// builder.push_variant(&[3])?;
/// builder.push_variant(&[3, 4])?;
/// builder.push_row(&[2])?;
/// let dataset = builder.finish();
/// assert_eq!((dataset.count(2), dataset.count(3)), (2, 2));
/// assert_eq!(dataset.variant(0, 0).collect::<Vec<_>>(), [3]);
/// assert_eq!(dataset.num_variants_of(1), 0);
/// # Ok::<(), boughs_learn::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct DatasetBuilder {
    common: MatrixBuilder,
    variants: MatrixBuilder,
    first_variants: Vec<u32>,
}

impl Dataset {
    /// The number of rows.
    pub fn num_rows(&self) -> usize {
        self.common.num_rows()
    }

    /// The number of variants of all rows.
    pub fn num_variants(&self) -> usize {
        self.variants.num_rows()
    }

    /// The number of variants of a row.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn num_variants_of(&self, row: usize) -> usize {
        self.variants_of(row).len()
    }

    /// One more than the largest feature number.
    pub fn num_features(&self) -> usize {
        self.common.num_columns().max(self.variants.num_columns())
    }

    /// The number of active features over all rows and variants.
    pub fn num_entries(&self) -> usize {
        self.common.num_entries() + self.variants.num_entries()
    }

    /// The active features of a row's common part, in no particular order.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> impl Iterator<Item = u32> + '_ {
        self.row_places(row).map(|place| self.numbering.number(place))
    }

    /// The active features of a variant of a row, in no particular order.
    ///
    /// # Panics
    /// If there is no such row or variant.
    pub fn variant(&self, row: usize, variant: usize) -> impl Iterator<Item = u32> + '_ {
        let variants = self.variants_of(row);
        assert!(variant < variants.len(), "row {row} has {} variants", variants.len());
        self.variants.row(variants.start + variant).map(|place| self.numbering.number(place))
    }

    /// The number of rows, or of variants, in which a feature is active.
    pub fn count(&self, feature: u32) -> usize {
        self.place_count(self.numbering.place(feature))
    }

    /// The memory that the list of a feature's rows or variants takes.
    pub fn num_posting_bytes(&self, feature: u32) -> usize {
        let place = self.numbering.place(feature);
        self.common.column(place).num_bytes() + self.variants.column(place).num_bytes()
    }

    /// The memory that rows, variants and postings take.
    pub fn num_bytes(&self) -> usize {
        self.common.num_bytes()
            + self.variants.num_bytes()
            + self.numbering.num_bytes()
            + 4 * (self.first_variants.capacity() + self.owners.capacity())
    }

    /// [`num_bytes`](Self::num_bytes), shared evenly by the rows.
    pub fn bytes_per_row(&self) -> f64 {
        self.num_bytes() as f64 / self.num_rows().max(1) as f64
    }

    /// Adds the features of all rows to a checksum.
    pub(super) fn hash_rows(&self, hash: &mut Xxh3) {
        let mut bytes = Vec::new();
        for row in 0..self.num_rows() {
            bytes.clear();
            bytes.extend(self.row(row).flat_map(u32::to_le_bytes));
            for variant in 0..self.num_variants_of(row) {
                bytes.extend(u32::MAX.to_le_bytes());
                bytes.extend(self.variant(row, variant).flat_map(u32::to_le_bytes));
            }
            hash.update(&(bytes.len() as u64).to_le_bytes());
            hash.update(&bytes);
        }
    }

    /// The numbers of a row's variants.
    pub(super) fn variants_of(&self, row: usize) -> Range<usize> {
        match self.first_variants.get(row..row + 2) {
            Some(&[start, end]) => start as usize..end as usize,
            _ => 0..0,
        }
    }

    /// The row of a variant.
    #[inline]
    pub(super) fn owner(&self, variant: u32) -> u32 {
        self.owners[variant as usize]
    }

    /// The places of the active features of a row's common part.
    #[inline]
    pub(super) fn row_places(&self, row: usize) -> GapDecoder<'_> {
        self.common.row(row)
    }

    /// The places of the active features of a variant, by its number among those of all rows.
    #[inline]
    pub(super) fn variant_places(&self, variant: u32) -> GapDecoder<'_> {
        self.variants.row(variant as usize)
    }

    /// Whether a feature is one of variants.
    pub(super) fn is_of_variants(&self, place: u32) -> bool {
        self.variants.count(place) > 0
    }

    /// The number of rows, or of variants, in which a feature is active.
    pub(super) fn place_count(&self, place: u32) -> usize {
        self.common.count(place) + self.variants.count(place)
    }

    /// The rows that have a feature in their common part.
    pub(super) fn row_postings(&self, place: u32) -> Postings<'_> {
        self.common.column(place)
    }

    /// The variants that have a feature.
    pub(super) fn variant_postings(&self, place: u32) -> Postings<'_> {
        self.variants.column(place)
    }

    /// The active features of the common parts, and of the variants, on average.
    pub(super) fn mean_entries(&self) -> (f64, f64) {
        let mean = |matrix: &Matrix| matrix.num_entries() as f64 / matrix.num_rows().max(1) as f64;
        (mean(&self.common), mean(&self.variants))
    }
}

impl DatasetBuilder {
    /// No rows.
    pub fn new() -> Self {
        Self::default()
    }

    /// No rows, and at least `num_features` features, whether or not they occur.
    ///
    /// # Errors
    /// If there are too many of them.
    pub fn with_num_features(num_features: u32) -> Result<Self> {
        check_num_features(num_features)?;
        let mut builder = Self::new();
        builder.common.extend_columns(num_features as usize);
        Ok(builder)
    }

    /// The number of rows so far.
    pub fn num_rows(&self) -> usize {
        self.common.num_rows()
    }

    /// Adds a row, given the features of its common part, which may come in any order and more than once.
    ///
    /// # Errors
    /// If a feature's number is too large or it is one of variants, or there are too many rows; the row is not added
    /// then.
    pub fn push_row(&mut self, features: &[u32]) -> Result<()> {
        push(&mut self.common, &self.variants, features, "variants")?;
        self.first_variants.push(self.variants.num_rows() as u32);
        Ok(())
    }

    /// Adds a variant to the last row; its features may come in any order and more than once. A feature is one of
    /// common parts or one of variants, never both.
    ///
    /// # Errors
    /// If there is no row yet, or it has too many variants; otherwise as [`push_row`](Self::push_row).
    pub fn push_variant(&mut self, features: &[u32]) -> Result<()> {
        let Some(&first) = self.first_variants.last() else {
            return Err(Error::new(ErrorKind::Argument, "expected a row before its variants, found none")
                .hint("add the row's common part first"));
        };
        if self.variants.num_rows() - first as usize >= MAX_VARIANTS_OF_ROW {
            let message = format!("expected at most {MAX_VARIANTS_OF_ROW} variants of a row");
            return Err(Error::new(ErrorKind::TooLarge, message).hint("make several rows of it"));
        }
        push(&mut self.variants, &self.common, features, "common parts")
    }

    /// The dataset of these rows; [by frequency](Self::finish_by_frequency) if there are variants, which only
    /// boosting can use, and otherwise with features in their places.
    pub fn finish(self) -> Dataset {
        if self.variants.num_rows() > 0 {
            self.finish_by_frequency()
        } else {
            self.finish_with(Numbering::default())
        }
    }

    /// The dataset of these rows, frequent features first inside: faster to boost, unless numbers are by frequency
    /// anyway. Boosting learns the same to the bit; logistic regression sums in another order.
    pub fn finish_by_frequency(mut self) -> Dataset {
        let num_features = self.common.num_columns().max(self.variants.num_columns()) as u32;
        let count = |feature| self.common.count(feature) + self.variants.count(feature);
        let numbering = Numbering::by_count(&(0..num_features).map(count).collect::<Vec<_>>());
        self.common.renumber(&numbering);
        self.variants.renumber(&numbering);
        self.finish_with(numbering)
    }

    fn finish_with(mut self, numbering: Numbering) -> Dataset {
        let num_variants = self.variants.num_rows() as u32;
        let owners = owners(&self.first_variants, num_variants);
        if num_variants > 0 {
            self.first_variants.push(num_variants);
        } else {
            self.first_variants.clear();
        }
        self.first_variants.shrink_to_fit();
        Dataset {
            common: self.common.finish(),
            variants: self.variants.finish(),
            first_variants: self.first_variants,
            owners,
            numbering,
        }
    }
}

/// Adds a row to one of two matrices that share no feature.
fn push(matrix: &mut MatrixBuilder, other: &MatrixBuilder, features: &[u32], others: &str) -> Result<()> {
    // The largest number is no row's: it stands for "none".
    if matrix.num_rows() >= u32::MAX as usize {
        return Err(Error::new(ErrorKind::TooLarge, "expected at most 4294967295 rows or variants")
            .hint("learn from a sample of them"));
    }
    let num_features = features.iter().max().map_or(0, |last| last.saturating_add(1));
    check_num_features(num_features)?;
    if let Some(feature) = features.iter().find(|&&feature| other.count(feature) > 0) {
        let message = format!(
            "expected features of common parts and of variants to differ, found feature {feature} in both"
        );
        return Err(Error::new(ErrorKind::Argument, message)
            .hint(format!("it was first seen in {others}; give it a second number here")));
    }
    matrix.extend_columns(num_features as usize);
    matrix.push(features);
    Ok(())
}

fn check_num_features(num_features: u32) -> Result<()> {
    if num_features <= MAX_FEATURES {
        return Ok(());
    }
    let message = format!("expected feature numbers below {MAX_FEATURES}, found {}", num_features - 1);
    Err(Error::new(ErrorKind::TooLarge, message).hint("number the features from 0 without gaps"))
}

/// The row of each variant.
fn owners(first_variants: &[u32], num_variants: u32) -> Vec<u32> {
    let ends = first_variants.iter().skip(1).copied().chain([num_variants]);
    let mut owners = Vec::with_capacity(num_variants as usize);
    for (row, end) in (0u32..).zip(ends) {
        owners.resize(end as usize, row);
    }
    owners
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_at_all() {
        let empty = DatasetBuilder::new().finish();
        assert_eq!((empty.num_rows(), empty.num_features(), empty.num_variants()), (0, 0, 0));
        assert_eq!((empty.count(3), empty.num_posting_bytes(3)), (0, 0));
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
        assert!(DatasetBuilder::with_num_features(u32::MAX).is_err());
    }

    #[test]
    fn variants_belong_to_their_rows() {
        let mut builder = DatasetBuilder::new();
        builder.push_row(&[0]).unwrap();
        builder.push_row(&[0, 1]).unwrap();
        builder.push_variant(&[9, 5, 9]).unwrap();
        builder.push_variant(&[]).unwrap();
        builder.push_row(&[]).unwrap();
        builder.push_variant(&[5]).unwrap();
        let dataset = builder.finish();
        assert_eq!([0, 1, 2].map(|row| dataset.variants_of(row)), [0..0, 0..2, 2..3]);
        assert_eq!([0, 1, 2].map(|variant| dataset.owner(variant)), [1, 1, 2]);
        assert_eq!(dataset.variant(1, 0).collect::<Vec<_>>(), [5, 9]);
        assert_eq!((dataset.num_features(), dataset.num_entries(), dataset.count(5)), (10, 6, 2));
        let is_of_variants = |feature| dataset.is_of_variants(dataset.numbering.place(feature));
        assert!(is_of_variants(5) && !is_of_variants(0));
    }

    #[test]
    fn a_feature_is_common_or_of_variants() {
        let mut builder = DatasetBuilder::new();
        assert_eq!(builder.push_variant(&[1]).unwrap_err().kind(), ErrorKind::Argument);
        builder.push_row(&[1, 2]).unwrap();
        let error = builder.push_variant(&[7, 2]).unwrap_err();
        assert!(error.to_string().starts_with("expected features of common parts and of variants to differ"));
        assert!(error.to_string().contains("feature 2"));
        builder.push_variant(&[7]).unwrap();
        assert!(builder.push_row(&[7]).unwrap_err().to_string().contains("feature 7"));
        let dataset = builder.finish();
        assert_eq!((dataset.num_rows(), dataset.num_variants()), (1, 1));
    }

    #[test]
    fn a_row_has_only_so_many_variants() {
        let mut builder = DatasetBuilder::new();
        builder.push_row(&[]).unwrap();
        (0..256).for_each(|feature| builder.push_variant(&[feature]).unwrap());
        assert_eq!(builder.push_variant(&[0]).unwrap_err().kind(), ErrorKind::TooLarge);
        builder.push_row(&[]).unwrap();
        builder.push_variant(&[0]).unwrap();
    }
}
