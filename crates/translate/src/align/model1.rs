//! IBM model 1 (Brown et al. 1993): each word of the target comes from a word of the source, or from the empty word,
//! all equally probable: p(f|e) = Π_j Σ_i t(f_j|e_i) / (I + 1).

use super::table::TranslationTable;

/// Adds the expected counts of a sentence pair, and returns the logarithm of its probability.
pub(super) fn expect(
    table: &TranslationTable,
    source: &[u32],
    target: &[u32],
    cells: &mut Vec<usize>,
) -> f64 {
    let mut log_likelihood = 0.0;
    for &word in target {
        cells.clear();
        cells.extend(source.iter().map(|&other| table.cell(other, word)));
        cells.push(table.cell(table.empty_word(), word));
        let total: f64 = cells.iter().map(|&cell| table.probability(cell)).sum();
        cells.iter().for_each(|&cell| table.add(cell, table.probability(cell) / total));
        log_likelihood += (total / cells.len() as f64).ln();
    }
    log_likelihood
}
