//! Translation probabilities t(f|e), for the pairs of words that meet in some sentence pair and no others.
//!
//! The naive form is a hash map of pairs. Here the target words of a source word lie in one sorted row: 16 bytes a
//! pair with its count, and a binary search to find it. The table is the memory of training: a million sentence pairs
//! of 25 words have some 60 million pairs of words, which is one gigabyte.
//!
//! Counts are whole numbers, multiples of 2⁻³⁰, because threads add to them in any order and sums of whole numbers do
//! not depend on it.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::bitext::IdRows;
use super::dirichlet::Prior;

/// The units of a count of 1: with sixteen billion tokens a sum still fits.
const UNITS: f64 = (1u64 << 30) as f64;

/// No probability is smaller: a count may be rounded to nothing, but a sentence that was seen has happened.
const FLOOR: f64 = 1e-12;

/// t(f|e) with its counts. The row behind the last source word is that of the empty word.
#[derive(Debug)]
pub(super) struct TranslationTable {
    starts: Vec<usize>,
    targets: Vec<u32>,
    pub(super) probabilities: Vec<f32>,
    counts: Vec<AtomicU64>,
}

impl TranslationTable {
    /// Every target word equally probable for a source word that meets it.
    pub(super) fn uniform(source: &IdRows, target: &IdRows) -> Self {
        let rows = rows(source, target);
        let mut starts = vec![0];
        let mut probabilities = Vec::with_capacity(rows.iter().map(Vec::len).sum());
        for row in &rows {
            probabilities.resize(probabilities.len() + row.len(), 1.0 / row.len().max(1) as f32);
            starts.push(probabilities.len());
        }
        let targets = rows.concat();
        let counts = targets.iter().map(|_| AtomicU64::new(0)).collect();
        Self { starts, targets, probabilities, counts }
    }

    /// The row of the empty word.
    pub(super) fn empty_word(&self) -> u32 {
        self.starts.len() as u32 - 2
    }

    /// Where the pair of a source and a target word is; they must have met.
    #[inline]
    pub(super) fn cell(&self, source: u32, target: u32) -> usize {
        let (start, end) = (self.starts[source as usize], self.starts[source as usize + 1]);
        start + self.targets[start..end].partition_point(|&other| other < target)
    }

    #[inline]
    pub(super) fn probability(&self, cell: usize) -> f64 {
        f64::from(self.probabilities[cell]).max(FLOOR)
    }

    #[inline]
    pub(super) fn add(&self, cell: usize, count: f64) {
        self.counts[cell].fetch_add((count * UNITS).round() as u64, Ordering::Relaxed);
    }

    /// Makes probabilities of the counts, and the counts zero. Returns the divergence of all rows from the prior.
    /// Without a prior, a row without counts stays as it is.
    pub(super) fn normalize(&mut self, prior: Prior) -> f64 {
        let rows = self.rows_mut();
        let divergences: Vec<f64> = rows
            .into_par_iter()
            .with_min_len(64)
            .map(|(probabilities, counts)| normalize_row(prior, probabilities, counts))
            .collect();
        divergences.iter().sum()
    }

    fn rows_mut(&mut self) -> Vec<(&mut [f32], &mut [AtomicU64])> {
        let (mut probabilities, mut counts) = (&mut self.probabilities[..], &mut self.counts[..]);
        let mut rows = Vec::with_capacity(self.starts.len());
        for row in self.starts.windows(2) {
            let (these, others) = probabilities.split_at_mut(row[1] - row[0]);
            let (these_counts, other_counts) = counts.split_at_mut(row[1] - row[0]);
            rows.push((these, these_counts));
            (probabilities, counts) = (others, other_counts);
        }
        rows
    }
}

fn normalize_row(prior: Prior, probabilities: &mut [f32], counts: &mut [AtomicU64]) -> f64 {
    let sum = counts.iter_mut().map(|count| *count.get_mut()).sum::<u64>();
    let total = prior.total(sum as f64 / UNITS, counts.len());
    let values = counts.iter().map(|count| count.load(Ordering::Relaxed) as f64 / UNITS);
    let divergence = prior.divergence(values, total, counts.len());
    for (probability, count) in probabilities.iter_mut().zip(counts) {
        let count = std::mem::take(count.get_mut()) as f64 / UNITS;
        if let Some(new) = prior.probability(count, total) {
            *probability = new as f32;
        }
    }
    divergence
}

/// For every source word, and then for the empty word, the target words that it meets, sorted.
fn rows(source: &IdRows, target: &IdRows) -> Vec<Vec<u32>> {
    let num_words =
        |sentences: &IdRows| sentences.iter().flatten().max().map_or(0, |&most| most as usize + 1);
    let (num_source, num_target) = (num_words(source), num_words(target));
    let mut places: Vec<Vec<u32>> = vec![Vec::new(); num_source];
    for (place, sentence) in (0u32..).zip(source.iter()) {
        sentence.iter().for_each(|&word| places[word as usize].push(place));
    }
    let row_of = |seen: &mut Vec<u32>, word: usize| {
        let mut row = Vec::new();
        for &place in &places[word] {
            for &other in target.get(place as usize) {
                if std::mem::replace(&mut seen[other as usize], word as u32) != word as u32 {
                    row.push(other);
                }
            }
        }
        row.sort_unstable();
        row
    };
    let seen = || vec![u32::MAX; num_target];
    let mut rows: Vec<Vec<u32>> = (0..num_source).into_par_iter().map_init(seen, row_of).collect();
    rows.push((0..num_target as u32).collect());
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentences(lists: &[&[u32]]) -> IdRows {
        let mut sentences = IdRows::default();
        lists.iter().for_each(|list| sentences.push(list.iter().copied()));
        sentences
    }

    #[test]
    fn only_words_that_meet_have_a_cell() {
        let table = TranslationTable::uniform(&sentences(&[&[0, 1], &[1]]), &sentences(&[&[2, 0, 2], &[1]]));
        assert_eq!(table.starts, [0, 2, 5, 8]);
        assert_eq!(table.targets, [0, 2, 0, 1, 2, 0, 1, 2]);
        assert_eq!(table.empty_word(), 2);
        assert_eq!((table.cell(0, 2), table.cell(1, 1), table.cell(2, 0)), (1, 3, 5));
        assert_eq!(table.probability(table.cell(0, 2)), 0.5);
    }

    #[test]
    fn counts_become_relative_frequencies() {
        let mut table = TranslationTable::uniform(&sentences(&[&[0]]), &sentences(&[&[0, 1]]));
        table.add(0, 0.25);
        table.add(1, 0.25);
        table.add(1, 0.5);
        table.normalize(Prior::new(0.0));
        assert_eq!([0, 1].map(|cell| table.probability(cell)), [0.25, 0.75]);
        table.normalize(Prior::new(0.0));
        assert_eq!([0, 1].map(|cell| table.probability(cell)), [0.25, 0.75]);
    }
}
