//! The curves of a run: F1 against active features (Turian & Melamed 2006, figures 1 and 2; 2005, figure 4) and the distribution
//! of margins (2005, figure 5).
//!
//! Runs that write into the same directory are drawn into one picture of F1, as in the papers.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use boughs::train::transition::{Point, Trained, TransitionConfig};
use boughs::train::{Margins, margins};

use super::data::Data;
use crate::output::report;
use crate::plot::{Corner, Line, Plot};

const F1_ENDING: &str = ".f1.csv";

pub(super) fn write(
    directory: &Path,
    model: &Path,
    data: &Data,
    trained: &Trained,
    config: &TransitionConfig,
) -> Result<()> {
    let name = name_of(model);
    put(directory, &format!("{name}{F1_ENDING}"), &f1_table(&trained.points))?;
    put(directory, "f1.svg", &f1_plot(directory)?)?;
    report(format_args!("counting the margins of all examples"));
    let distributions = distributions(data, trained, config)?;
    put(directory, &format!("{name}.margins.csv"), &margins_table(&distributions))?;
    if let Some(plot) = margins_plot(&distributions) {
        put(directory, &format!("{name}.margins.svg"), &plot)?;
    }
    report(format_args!("curves are in {}", directory.display()));
    Ok(())
}

/// The name of a run: that of its model.
pub(super) fn name_of(model: &Path) -> String {
    model.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

pub(super) fn put(directory: &Path, name: &str, text: &str) -> Result<()> {
    fs::create_dir_all(directory).with_context(|| format!("cannot make {}", directory.display()))?;
    let path = directory.join(name);
    fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn f1_table(points: &[Point]) -> String {
    let mut table = "penalty,trees,active,precision,recall,f1,exact\n".to_owned();
    for point in points {
        let Point { penalty, num_trees, num_active, scores } = point;
        // Writing to a string does not fail.
        let _ = write!(table, "{penalty},{num_trees},{num_active}");
        let _ = match scores {
            Some(it) => writeln!(table, ",{},{},{},{}", it.precision, it.recall, it.f1, it.exact),
            None => writeln!(table, ",,,,"),
        };
    }
    table
}

/// A line for each run of a directory that has a table with this ending, in the order of names.
pub(super) fn lines(
    directory: &Path,
    ending: &str,
    read: impl Fn(&str) -> Vec<(f64, f64)>,
) -> Result<Vec<Line>> {
    let cannot_read = || format!("cannot read {}", directory.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(directory).with_context(cannot_read)? {
        let name = entry.with_context(cannot_read)?.file_name().to_string_lossy().into_owned();
        names.extend(name.strip_suffix(ending).map(str::to_owned));
    }
    names.sort();
    let line = |name: String| {
        let text = fs::read_to_string(directory.join(format!("{name}{ending}"))).with_context(cannot_read)?;
        Ok(Line { name, points: read(&text) })
    };
    names.into_iter().map(line).collect()
}

/// All runs of a directory.
fn f1_plot(directory: &Path) -> Result<String> {
    let plot = Plot {
        title: "F1 on the development trees",
        x_label: "active features, all classifiers",
        y_label: "labelled F1",
        is_x_log: true,
        is_y_log: false,
        names_at: Corner::LowerRight,
        lines: lines(directory, F1_ENDING, |table| column_pairs(table, 2, 5))?,
    };
    Ok(plot.svg())
}

/// Two columns of a table; lines that lack one of them are passed over.
pub(super) fn column_pairs(table: &str, x: usize, y: usize) -> Vec<(f64, f64)> {
    let point = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        Some((cells.get(x)?.parse().ok()?, cells.get(y)?.parse().ok()?))
    };
    table.lines().skip(1).filter_map(point).collect()
}

/// The margins of all classifiers at one stage, over some trees.
struct Distribution {
    trees: &'static str,
    penalty: f64,
    margins: Vec<Margins>,
}

/// Early and late, over the training trees and the development trees.
fn distributions(data: &Data, trained: &Trained, config: &TransitionConfig) -> Result<Vec<Distribution>> {
    let (Some(first), Some(best)) = (trained.points.first(), trained.points.get(trained.best)) else {
        return Ok(Vec::new());
    };
    let mut penalties = vec![first.penalty, best.penalty];
    penalties.dedup();
    let mut distributions = Vec::new();
    for penalty in penalties {
        let model = trained.model.at(penalty)?;
        for (name, trees) in [("training", &data.train), ("development", &data.dev)] {
            let margins = margins(trees, &model, config.seed)?;
            distributions.push(Distribution { trees: name, penalty, margins });
        }
    }
    Ok(distributions)
}

fn margins_table(distributions: &[Distribution]) -> String {
    let mut table = "trees,penalty,label,percent,margin\n".to_owned();
    for Distribution { trees, penalty, margins } in distributions {
        for Margins { label, percentiles, .. } in margins {
            for (percent, margin) in percentiles.iter().enumerate() {
                let _ = writeln!(table, "{trees},{penalty},{label},{percent},{margin}");
            }
        }
    }
    table
}

/// The classifier with the most to say, as a rule that of NP.
fn margins_plot(distributions: &[Distribution]) -> Option<String> {
    let first = distributions.first()?;
    let heaviest = first.margins.iter().max_by(|a, b| a.positive_weight.total_cmp(&b.positive_weight))?;
    let line = |distribution: &Distribution| {
        let margins = distribution.margins.iter().find(|margins| margins.label == heaviest.label)?;
        let points = margins.percentiles.iter().enumerate();
        Some(Line {
            name: format!("{} trees, penalty {:.3}", distribution.trees, distribution.penalty),
            points: points.map(|(percent, &margin)| (margin, percent as f64)).collect(),
        })
    };
    let plot = Plot {
        title: &format!("Margins of the {} classifier", heaviest.label),
        x_label: "margin",
        y_label: "percent of the weight, at most this margin",
        is_x_log: false,
        is_y_log: false,
        names_at: Corner::UpperLeft,
        lines: distributions.iter().filter_map(line).collect(),
    };
    Some(plot.svg())
}

#[cfg(test)]
mod tests {
    use super::*;
    use boughs::train::transition::DevScores;

    #[test]
    fn tables_are_read_as_they_are_written() {
        let scores = Some(DevScores { precision: 1.5, recall: 2.0, f1: 3.25, exact: 4.0 });
        let point = Point { penalty: 0.8, num_trees: 7, num_active: 9, scores };
        let table = f1_table(&[point.clone(), Point { scores: None, ..point }]);
        assert_eq!(column_pairs(&table, 2, 5), [(9.0, 3.25)]);
    }
}
