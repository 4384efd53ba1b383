//! The report for people.

use std::cmp::Reverse;

use boughs::eval::{Brackets, Figures, LENGTHS, Tally, Totals};

use super::{Evaluation, calibration};
use crate::table::{Table, figure};

/// All tables.
pub(super) fn text(evaluation: &Evaluation) -> String {
    let Evaluation { settings, gold, test, totals, .. } = evaluation;
    let calibration = evaluation.calibration.as_ref().map(calibration::text).unwrap_or_default();
    let evaluator = concat!("boughs ", env!("CARGO_PKG_VERSION"));
    let without_errors = match totals.all.lost.sentences {
        0 => String::new(),
        1 => format!("\nWithout the sentence that errs, as EVALB would\n{}", without_errors(totals)),
        number => {
            let table = without_errors(totals);
            format!("\nWithout the {number} sentences that err, as EVALB would\n{table}")
        }
    };
    let (summary, lengths, labels) = (summary(totals), by_length(totals), by_label(evaluation));
    format!(
        "Evaluator  {evaluator}, settings {settings}\nGold       {gold}\nTest       {test}\n\n\
         {summary}{without_errors}\n{lengths}\n{labels}{calibration}"
    )
}

fn summary(totals: &Totals) -> Table {
    let mut table = head(totals);
    count_row(&mut table, "Sentences", totals, Tally::num_sentences);
    if totals.all.lost.sentences > 0 {
        count_row(&mut table, "  that err", totals, |tally| tally.lost.sentences);
    }
    if totals.all.no_words > 0 {
        count_row(&mut table, "  without words", totals, |tally| tally.no_words);
    }
    if totals.all.mistagged > 0 {
        count_row(&mut table, "  mistagged punctuation", totals, |tally| tally.mistagged);
    }
    figure_rows(&mut table, totals, &BRACKETS, Tally::strict);
    figure_rows(&mut table, totals, &CROSSING, |tally| tally.scored);
    figure_rows(&mut table, totals, &TAGS, Tally::strict);
    table
}

fn without_errors(totals: &Totals) -> Table {
    let mut table = head(totals);
    figure_rows(&mut table, totals, &BRACKETS, |tally| tally.scored);
    figure_rows(&mut table, totals, &TAGS, |tally| tally.scored);
    table
}

type Rows<const N: usize> = [(&'static str, fn(&Figures) -> Option<f64>); N];

const BRACKETS: Rows<8> = [
    ("Labelled precision", Figures::precision),
    ("Labelled recall", Figures::recall),
    ("Labelled F1", Figures::f1),
    ("Unlabelled precision", |figures| figures.unlabeled.precision()),
    ("Unlabelled recall", |figures| figures.unlabeled.recall()),
    ("Unlabelled F1", |figures| figures.unlabeled.f1()),
    ("F1, mean over sentences", Figures::mean_f1),
    ("Exact match", Figures::exact_match),
];

const CROSSING: Rows<3> = [
    ("Crossing brackets, mean", Figures::mean_crossing),
    ("No crossing", Figures::without_crossing),
    ("2 or less crossing", Figures::with_few_crossing),
];

const TAGS: Rows<1> = [("Tagging accuracy", Figures::tag_accuracy)];

/// A column for all sentences and one for each length.
fn head(totals: &Totals) -> Table {
    let lengths: Vec<String> = totals.up_to.iter().map(|(length, _)| format!("<= {length}")).collect();
    let names = ["Sentence length", "all"].into_iter().chain(lengths.iter().map(String::as_str));
    Table::new(&names.collect::<Vec<_>>())
}

fn tallies(totals: &Totals) -> impl Iterator<Item = &Tally> {
    std::iter::once(&totals.all).chain(totals.up_to.iter().map(|(_, tally)| tally))
}

fn count_row(table: &mut Table, name: &str, totals: &Totals, count: impl Fn(&Tally) -> u64) {
    let cells = tallies(totals).map(|tally| count(tally).to_string());
    table.push(std::iter::once(name.to_owned()).chain(cells));
}

fn figure_rows<const N: usize>(
    table: &mut Table,
    totals: &Totals,
    rows: &Rows<N>,
    figures: impl Fn(&Tally) -> Figures,
) {
    for (name, value) in rows {
        let cells = tallies(totals).map(|tally| figure(value(&figures(tally))));
        table.push(std::iter::once((*name).to_owned()).chain(cells));
    }
}

fn by_length(totals: &Totals) -> Table {
    let mut table =
        Table::new(&["Length", "Sentences", "Gold", "Test", "Matched", "Precision", "Recall", "F1", "Exact"]);
    for (row, tally) in totals.by_length.iter().enumerate() {
        let figures = tally.strict();
        let (first, last) = ([length_range(row), figures.sentences.to_string()], figures.exact_match());
        table.push(first.into_iter().chain(bracket_cells(&figures.labeled)).chain([figure(last)]));
    }
    table
}

/// The lengths of a row, as `11-20`.
pub(super) fn length_range(row: usize) -> String {
    let first = if row == 0 { 1 } else { LENGTHS[row - 1] + 1 };
    match LENGTHS[row] {
        u32::MAX => format!("{first}-"),
        last => format!("{first}-{last}"),
    }
}

fn by_label(evaluation: &Evaluation) -> Table {
    let mut table = Table::new(&["Label", "Gold", "Test", "Matched", "Precision", "Recall", "F1"]);
    for (label, brackets) in labels(evaluation) {
        table.push(std::iter::once(label).chain(bracket_cells(&brackets)));
    }
    table
}

/// The labels by their gold brackets, most first, then by name.
pub(super) fn labels(evaluation: &Evaluation) -> Vec<(String, Brackets)> {
    let name = |(id, brackets)| (evaluation.scorer.label_name(id), brackets);
    let mut rows: Vec<(String, Brackets)> = evaluation.totals.by_label().map(name).collect();
    rows.sort_by(|(one, a), (other, b)| (Reverse(a.gold), one).cmp(&(Reverse(b.gold), other)));
    rows
}

fn bracket_cells(brackets: &Brackets) -> impl Iterator<Item = String> {
    let counts = [brackets.gold, brackets.test, brackets.matched].map(|count| count.to_string());
    let figures = [brackets.precision(), brackets.recall(), brackets.f1()].map(figure);
    counts.into_iter().chain(figures)
}
