//! One pass over the rows: the loss and its gradient.
//!
//! The naive form goes through the rows, and for each one adds its residuals (probability minus truth) to the
//! gradients of its features. Threads that share the rows would need a gradient each, hundreds of megabytes for a
//! tagger, and the sum would depend on how the rows were shared. So threads share rows only while they compute
//! residuals, block of rows by block of rows, and share *features* while they add them up: each one owns a band of
//! neighbouring features and takes from every row, in order, what falls into its band. Every gradient is then the
//! same sum in the same order as in the naive form, to the bit, for any number of threads.

use super::labels::Labels;
use super::layout::WeightLayout;
use crate::Dataset;
use crate::gaps::GapDecoder;
use crate::model::softmax;
use rayon::prelude::*;
use std::ops::Range;

/// How many residuals a block of rows has at most: half a megabyte of them stays in the cache.
const BLOCK_RESIDUALS: usize = 1 << 16;

/// How many rows a thread takes at once.
const ROWS_AT_ONCE: usize = 64;

/// What a pass reads, and its scratch.
pub(super) struct Pass<'a, L> {
    dataset: &'a Dataset,
    labels: &'a Labels,
    layout: &'a L,
    /// The biases are the last parameters, of the last classes.
    num_biases: usize,
    bands: Vec<Range<u32>>,
    residuals: Vec<f64>,
    losses: Vec<f64>,
}

impl<'a, L: WeightLayout> Pass<'a, L> {
    pub(super) fn new(dataset: &'a Dataset, labels: &'a Labels, layout: &'a L, num_biases: usize) -> Self {
        let num_classes = labels.num_classes();
        let rows = (BLOCK_RESIDUALS / num_classes).max(ROWS_AT_ONCE).min(dataset.num_rows());
        Self {
            dataset,
            labels,
            layout,
            num_biases,
            bands: cut_bands(dataset, layout, rayon::current_num_threads()),
            residuals: vec![0.0; rows * num_classes],
            losses: vec![0.0; rows],
        }
    }

    /// Fills in the gradient of the loss and returns the loss.
    pub(super) fn evaluate(&mut self, point: &[f64], gradient: &mut [f64]) -> f64 {
        gradient.fill(0.0);
        let (weights, biases) = point.split_at(point.len() - self.num_biases);
        let (weight_slopes, bias_slopes) = gradient.split_at_mut(weights.len());
        let mut loss = 0.0;
        let num_rows = self.dataset.num_rows();
        for start in (0..num_rows).step_by(self.losses.len().max(1)) {
            let rows = start..num_rows.min(start + self.losses.len());
            self.find_residuals(rows.clone(), weights, biases);
            self.add_residuals(rows.clone(), weight_slopes);
            self.add_bias_residuals(rows.len(), bias_slopes);
            loss += self.losses[..rows.len()].iter().sum::<f64>();
        }
        loss
    }

    fn find_residuals(&mut self, rows: Range<usize>, weights: &[f64], biases: &[f64]) {
        let num_classes = self.labels.num_classes();
        let (dataset, labels, layout) = (self.dataset, self.labels, self.layout);
        let losses = self.losses[..rows.len()].par_chunks_mut(ROWS_AT_ONCE);
        let residuals = self.residuals[..rows.len() * num_classes].par_chunks_mut(ROWS_AT_ONCE * num_classes);
        losses.zip(residuals).enumerate().for_each(|(index, (losses, residuals))| {
            let first = rows.start + index * ROWS_AT_ONCE;
            for (i, scores) in residuals.chunks_mut(num_classes).enumerate() {
                let row = first + i;
                score(layout, dataset.row_places(row), weights, biases, scores);
                losses[i] = to_residuals(scores, labels.class(row), labels.weight(row));
            }
        });
    }

    fn add_residuals(&self, rows: Range<usize>, slopes: &mut [f64]) {
        self.split_by_band(slopes).into_par_iter().for_each(|(band, slopes)| {
            let base = self.layout.range(band.start).start;
            let residuals = self.residuals.chunks(self.labels.num_classes());
            for (row, residuals) in rows.clone().zip(residuals) {
                for feature in within(self.dataset.row_places(row), band) {
                    let range = self.layout.range(feature);
                    let slopes = &mut slopes[range.start - base..range.end - base];
                    self.layout.add_to_slopes(range, residuals, slopes);
                }
            }
        });
    }

    fn split_by_band<'s>(&self, mut slopes: &'s mut [f64]) -> Vec<(&Range<u32>, &'s mut [f64])> {
        let mut parts = Vec::with_capacity(self.bands.len());
        for band in &self.bands {
            let len = self.layout.range(band.end).start - self.layout.range(band.start).start;
            let (part, rest) = slopes.split_at_mut(len);
            parts.push((band, part));
            slopes = rest;
        }
        parts
    }

    fn add_bias_residuals(&self, num_rows: usize, slopes: &mut [f64]) {
        let num_classes = self.labels.num_classes();
        for residuals in self.residuals.chunks(num_classes).take(num_rows) {
            let residuals = &residuals[num_classes - slopes.len()..];
            slopes.iter_mut().zip(residuals).for_each(|(slope, residual)| *slope += residual);
        }
    }
}

/// The score of every class.
fn score(
    layout: &impl WeightLayout,
    features: GapDecoder<'_>,
    weights: &[f64],
    biases: &[f64],
    scores: &mut [f64],
) {
    let without_bias = scores.len() - biases.len();
    scores[..without_bias].fill(0.0);
    scores[without_bias..].copy_from_slice(biases);
    layout.add_to_scores(features, weights, scores);
}

/// Turns scores into the derivatives of the loss by them; returns the loss, −ln p of the true class.
fn to_residuals(scores: &mut [f64], class: usize, weight: f64) -> f64 {
    let true_score = scores[class];
    let loss = softmax(scores) - true_score;
    scores[class] -= 1.0;
    scores.iter_mut().for_each(|residual| *residual *= weight);
    weight * loss
}

/// The features of a row that are in a band.
fn within<'r>(row: GapDecoder<'r>, band: &Range<u32>) -> impl Iterator<Item = u32> + 'r {
    let Range { start, end } = *band;
    row.skip_while(move |&feature| feature < start).take_while(move |&feature| feature < end)
}

/// Bands of features with about the same work; two a thread, so that a slow thread holds up less.
fn cut_bands(dataset: &Dataset, layout: &impl WeightLayout, num_threads: usize) -> Vec<Range<u32>> {
    let num_features = dataset.num_features() as u32;
    let work = |feature: u32| (dataset.place_count(feature) * (1 + layout.range(feature).len())) as u64;
    let total: u64 = (0..num_features).map(work).sum();
    let num_bands = if num_threads > 1 { 2 * num_threads as u64 } else { 1 };
    let mut bands = Vec::new();
    let (mut start, mut taken) = (0, 0);
    for feature in 0..num_features {
        taken += work(feature);
        if taken > 0 && taken * num_bands >= total {
            bands.push(start..feature + 1);
            (start, taken) = (feature + 1, 0);
        }
    }
    bands.push(start..num_features);
    bands
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DatasetBuilder;
    use crate::logistic::layout::ClassPairs;

    #[test]
    fn bands_cover_all_features_evenly() {
        let mut builder = DatasetBuilder::new();
        for row in 0..100u32 {
            builder.push_row(&[0, 1 + row % 10, 11 + row]).unwrap();
        }
        let dataset = builder.finish();
        let layout = ClassPairs::all(111, 3);
        let bands = cut_bands(&dataset, &layout, 3);
        assert_eq!(bands, [0..1, 1..6, 6..11, 11..61, 61..111, 111..111]);
        assert_eq!(cut_bands(&dataset, &layout, 1), [0..111, 111..111]);
    }

    #[test]
    fn residuals_are_probability_minus_truth() {
        let mut scores = [0.0, 3f64.ln()];
        let loss = to_residuals(&mut scores, 1, 2.0);
        assert!((loss - 2.0 * (4.0f64 / 3.0).ln()).abs() < 1e-12);
        assert!((scores[0] - 0.5).abs() < 1e-12 && (scores[1] + 0.5).abs() < 1e-12);
    }
}
