//! The rows of a dataset as one classifier sees them: of each row, the common part and one variant.
//!
//! The naive form copies what is seen into a dataset of its own. A view keeps only which variant of each row was
//! chosen. Variants are numbered in the order of their rows, so that going through variants in order is going through
//! rows in order, and the postings of a variant's feature need no translation: those of variants not chosen are
//! passed over.

use super::dataset::Dataset;
use super::gaps::GapDecoder;
use super::numbering::Numbering;
use super::postings::{Postings, for_each_bit, has_bit};
use super::target::Target;
use crate::error::{Error, ErrorKind, Result};

/// The variant of a row that has none. No posting has this number.
const NO_VARIANT: u32 = u32::MAX;

/// Rows that are copied before they are read.
const ROWS_AT_ONCE: usize = 16;

/// A dataset with one variant of each row chosen.
#[derive(Debug, Clone)]
pub struct DatasetView<'a> {
    dataset: &'a Dataset,
    /// The number of each row's chosen variant, or [`NO_VARIANT`]; empty if there are no variants.
    variant_of: Vec<u32>,
    /// A bit for each variant: whether it is chosen.
    chosen: Vec<u64>,
}

/// The rows in which a view has a feature.
#[derive(Debug, Clone, Copy)]
pub(super) enum FeatureRows<'v> {
    Common(Postings<'v>),
    OfVariants(Postings<'v>, &'v DatasetView<'v>),
}

impl<'a> DatasetView<'a> {
    /// What the classifier of a target sees.
    ///
    /// # Errors
    /// If dataset and target differ in their number of rows, or the target chooses a variant that a row with variants
    /// does not have.
    pub fn new(dataset: &'a Dataset, target: &Target) -> Result<Self> {
        if dataset.num_rows() != target.num_rows() {
            let message = format!(
                "expected a target of {} rows, as many as the dataset has, found {}",
                dataset.num_rows(),
                target.num_rows()
            );
            return Err(Error::new(ErrorKind::Mismatch, message));
        }
        (0..dataset.num_rows()).try_for_each(|row| check_choice(dataset, target, row))?;
        Ok(Self::choosing(dataset, |row| target.choice(row)))
    }

    /// The first variant of every row.
    pub fn plain(dataset: &'a Dataset) -> Self {
        Self::choosing(dataset, |_| 0)
    }

    fn choosing(dataset: &'a Dataset, choice: impl Fn(usize) -> u8) -> Self {
        let mut view = Self { dataset, variant_of: Vec::new(), chosen: Vec::new() };
        if dataset.num_variants() > 0 {
            view.variant_of = vec![NO_VARIANT; dataset.num_rows()];
            view.chosen = vec![0; dataset.num_variants().div_ceil(64)];
            (0..dataset.num_rows()).for_each(|row| view.choose(row, choice(row)));
        }
        view
    }

    fn choose(&mut self, row: usize, choice: u8) {
        if let Some(variant) = self.dataset.variants_of(row).nth(choice.into()) {
            self.variant_of[row] = variant as u32;
            self.chosen[variant / 64] |= 1 << (variant % 64);
        }
    }

    /// The number of rows.
    pub fn num_rows(&self) -> usize {
        self.dataset.num_rows()
    }

    /// One more than the largest feature number.
    pub fn num_features(&self) -> usize {
        self.dataset.num_features()
    }

    /// Whether a feature is active in a row; a feature beyond the last one never is.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn is_active(&self, row: usize, feature: u32) -> bool {
        let place = self.numbering().place(feature);
        if self.dataset.is_of_variants(place) {
            self.variant_places(row as u32).has(place)
        } else {
            self.dataset.row_places(row).has(place)
        }
    }

    /// Which place a feature has.
    pub(super) fn numbering(&self) -> &'a Numbering {
        &self.dataset.numbering
    }

    /// Visits the places of the active features of some rows, with the weight of their row. A few rows are copied
    /// before the first of them is read: rows lie far apart in memory, and copies wait for it side by side.
    #[inline]
    pub(super) fn for_each_entry<W: Copy>(&self, rows: &[u32], weights: &[W], mut visit: impl FnMut(u32, W)) {
        let (mut codes, mut ends) = (Vec::new(), Vec::new());
        for (rows, weights) in rows.chunks(ROWS_AT_ONCE).zip(weights.chunks(ROWS_AT_ONCE)) {
            codes.clear();
            ends.clear();
            for (&row, &weight) in rows.iter().zip(weights) {
                codes.extend_from_slice(self.dataset.row_places(row as usize).codes);
                ends.push((codes.len(), weight));
                if !self.variant_of.is_empty() {
                    codes.extend_from_slice(self.variant_places(row).codes);
                    ends.push((codes.len(), weight));
                }
            }
            let mut start = 0;
            for &(end, weight) in &ends {
                GapDecoder::new(&codes[start..end]).for_each(|place| visit(place, weight));
                start = end;
            }
        }
    }

    #[inline]
    fn variant_places(&self, row: u32) -> GapDecoder<'_> {
        match self.variant_of(row) {
            NO_VARIANT => GapDecoder::default(),
            variant => self.dataset.variant_places(variant),
        }
    }

    /// The number of the variant chosen for a row, or one that no variant has. It grows with the row.
    #[inline]
    pub(super) fn variant_of(&self, row: u32) -> u32 {
        self.variant_of.get(row as usize).copied().unwrap_or(NO_VARIANT)
    }

    /// At least the number of rows in which the feature at a place is active.
    pub(super) fn max_count(&self, place: u32) -> usize {
        self.dataset.place_count(place).min(self.num_rows())
    }

    /// The active features of a row, on average; about, if there are variants.
    pub(super) fn entries_per_row(&self) -> f64 {
        let (common, of_variants) = self.dataset.mean_entries();
        let has_variant = |&&variant: &&u32| variant != NO_VARIANT;
        let num_with_variant = self.variant_of.iter().filter(has_variant).count();
        common + of_variants * num_with_variant as f64 / self.num_rows().max(1) as f64
    }

    /// The rows in which a feature is active; none for a feature beyond the last one.
    pub(super) fn rows_with(&self, feature: u32) -> FeatureRows<'_> {
        let place = self.numbering().place(feature);
        if self.dataset.is_of_variants(place) {
            FeatureRows::OfVariants(self.dataset.variant_postings(place), self)
        } else {
            FeatureRows::Common(self.dataset.row_postings(place))
        }
    }
}

fn check_choice(dataset: &Dataset, target: &Target, row: usize) -> Result<()> {
    let (choice, num_variants) = (target.choice(row), dataset.num_variants_of(row));
    if num_variants == 0 || usize::from(choice) < num_variants {
        return Ok(());
    }
    let message = format!(
        "expected the target to choose one of the {num_variants} variants of row {row}, counted from 0, found {choice}"
    );
    Err(Error::new(ErrorKind::Mismatch, message))
}

impl FeatureRows<'_> {
    /// Visits the rows in increasing order.
    #[inline]
    pub(super) fn for_each(self, mut visit: impl FnMut(u32)) {
        match self {
            Self::Common(postings) => postings.for_each(visit),
            Self::OfVariants(Postings::List(codes), view) => GapDecoder::new(codes)
                .filter(|&variant| has_bit(&view.chosen, variant))
                .for_each(|variant| visit(view.dataset.owner(variant))),
            Self::OfVariants(Postings::Bitmap(words), view) => {
                let chosen = words.iter().zip(&view.chosen).map(|(word, chosen)| word & chosen);
                for_each_bit(chosen, |variant| visit(view.dataset.owner(variant)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::DatasetBuilder;

    #[test]
    fn variants_that_are_not_there_cannot_be_chosen() {
        let mut builder = DatasetBuilder::new();
        builder.push_row(&[0]).unwrap();
        builder.push_row(&[0]).unwrap();
        builder.push_variant(&[1]).unwrap();
        let dataset = builder.finish();
        let mut target = Target::from_labels([true, false]);
        target.choose(0, 9);
        assert!(DatasetView::new(&dataset, &target).unwrap().is_active(1, 1));
        target.choose(1, 1);
        let error = DatasetView::new(&dataset, &target).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Mismatch);
        assert!(error.to_string().contains("the 1 variants of row 1"), "{error}");
        assert!(DatasetView::new(&dataset, &Target::unused(3)).is_err());
    }

    proptest! {
        #[test]
        fn a_view_is_the_dataset_of_what_is_seen(
            rows in prop::collection::vec(
                (
                    prop::collection::vec(0u32..20, 0..8),
                    prop::collection::vec(prop::collection::vec(20u32..60, 0..8), 0..4),
                    any::<u8>(),
                ),
                0..200,
            ),
        ) {
            let mut builder = DatasetBuilder::new();
            let mut target = Target::unused(rows.len());
            let mut seen: Vec<Vec<u32>> = Vec::new();
            for (row, (common, variants, choice)) in rows.iter().enumerate() {
                builder.push_row(common).unwrap();
                variants.iter().for_each(|variant| builder.push_variant(variant).unwrap());
                let choice = choice.checked_rem(variants.len() as u8).unwrap_or(*choice);
                target.choose(row, choice);
                let variant = variants.get(usize::from(choice)).cloned().unwrap_or_default();
                seen.push([common.clone(), variant].concat());
            }
            let dataset = if rows.len() % 2 == 0 { builder.finish() } else { builder.finish_by_frequency() };
            let view = DatasetView::new(&dataset, &target).unwrap();
            for feature in 0..65 {
                let expected: Vec<u32> =
                    (0..seen.len() as u32).filter(|&row| seen[row as usize].contains(&feature)).collect();
                let mut found = Vec::new();
                view.rows_with(feature).for_each(|row| found.push(row));
                prop_assert_eq!(&found, &expected);
                prop_assert!(view.max_count(view.numbering().place(feature)) >= expected.len());
                for (row, features) in seen.iter().enumerate() {
                    prop_assert_eq!(view.is_active(row, feature), features.contains(&feature));
                }
            }
            for (row, features) in seen.iter_mut().enumerate() {
                features.sort_unstable();
                features.dedup();
                let mut found = Vec::new();
                view.for_each_entry(&[row as u32], &[3], |place, three| found.push((view.numbering().number(place), three)));
                found.sort_unstable();
                let features: Vec<(u32, i32)> = features.iter().map(|&feature| (feature, 3)).collect();
                prop_assert_eq!(found, features);
            }
        }
    }
}
