//! The columns of the tables that training prints.

use boughs::train::GrammarScores;

/// Columns of these widths.
pub(super) fn line<const N: usize>(columns: &[String; N], widths: [usize; N]) -> String {
    let columns = columns.iter().zip(widths).map(|(column, width)| format!("{column:>width$}"));
    columns.collect::<Vec<_>>().join(" ")
}

/// Precision, recall, F1, exact matches and tags; dashes if nothing was measured.
pub(super) fn scores(scores: Option<GrammarScores>) -> [String; 5] {
    match scores {
        Some(it) => [it.precision, it.recall, it.f1, it.exact, it.tags].map(|figure| format!("{figure:.2}")),
        None => ["-"; 5].map(str::to_owned),
    }
}

/// CPU-seconds; a dash for those of an earlier run.
pub(super) fn cpu(seconds: Option<f64>) -> String {
    seconds.map_or_else(|| "-".to_owned(), |seconds| format!("{seconds:.1}"))
}
