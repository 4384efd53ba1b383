//! The curves of a run: a table of its steps, and pictures that all runs of a directory share.
//!
//! F1 is drawn against what the steps of a method have that grows: active features of boosted parsers (Turian &
//! Melamed 2006, figures 1 and 2; 2005, figure 4), CPU seconds of the others. An objective is drawn against CPU
//! seconds.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use boughs::train::Margins;
use boughs_experiment::plot::{Corner, Line, Plot};
use boughs_learn::run::Step;

use super::progress::Progress;
use crate::output::report;

const STEPS: &str = ".steps.csv";
const SECONDS: &str = "CPU s";
const LOG_LOSS: &str = "log-loss";

/// Writes the steps of a run, and the pictures of all runs that are there.
pub(crate) fn write(directory: &Path, model: &Path, steps: &[Step], progress: &Progress) -> Result<()> {
    put(directory, &format!("{}{STEPS}", name_of(model)), &table(steps, |step| progress.cpu_at(step)))?;
    let has = |name: &str| steps.iter().any(|step| step.get(name).is_some());
    let x = if has("active") { "active" } else { SECONDS };
    let is_of_rows = steps.iter().flat_map(|step| &step.scores).any(|scores| scores.get(LOG_LOSS).is_some());
    let (column, file, title, y_label, names_at) = match is_of_rows {
        true => (LOG_LOSS, "log-loss.svg", "Log-loss on the development rows", LOG_LOSS, Corner::UpperRight),
        false => ("F1", "f1.svg", "F1 on the development trees", "labelled F1", Corner::LowerRight),
    };
    let score = Plot {
        title,
        x_label: if x == "active" { "active features, all classifiers" } else { "CPU seconds of training" },
        y_label,
        is_x_log: true,
        is_y_log: false,
        names_at,
        lines: lines(directory, x, column)?,
    };
    put(directory, file, &score.svg())?;
    if has("objective") {
        let objective = Plot {
            title: if is_of_rows {
                "Objective on the training rows"
            } else {
                "Objective on the training trees"
            },
            x_label: "CPU seconds of training",
            y_label: "objective",
            is_x_log: true,
            is_y_log: true,
            names_at: Corner::UpperRight,
            lines: lines(directory, SECONDS, "objective")?,
        };
        put(directory, "objective.svg", &objective.svg())?;
    }
    report(format_args!("curves are in {}", directory.display()));
    Ok(())
}

/// The steps that were measured, or gave a model; those of an earlier run have no seconds.
fn table(steps: &[Step], seconds: impl Fn(usize) -> Option<f64>) -> String {
    let mut names: Vec<String> = Vec::new();
    let figures = |step: &Step| -> Vec<(String, f64)> {
        let scores = step.scores.iter().flat_map(|scores| &scores.figures);
        step.figures.iter().chain(scores).map(|figure| (figure.name.to_string(), figure.value)).collect()
    };
    for (name, _) in steps.iter().flat_map(figures) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut table = format!("{},{SECONDS}\n", names.join(","));
    for (place, step) in steps.iter().enumerate() {
        let figures = figures(step);
        let of = |name: &String| figures.iter().find(|(other, _)| other == name).map(|(_, value)| *value);
        let cells = names.iter().map(of).chain([seconds(place)]);
        let cells = cells.map(|cell| cell.map_or_else(String::new, |number| number.to_string()));
        // Writing to a string does not fail.
        let _ = writeln!(table, "{}", cells.collect::<Vec<_>>().join(","));
    }
    table
}

/// The name of a run: that of its model.
fn name_of(model: &Path) -> String {
    model.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn put(directory: &Path, name: &str, text: &str) -> Result<()> {
    fs::create_dir_all(directory).with_context(|| format!("cannot make {}", directory.display()))?;
    let path = directory.join(name);
    fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// A line for each run of a directory that has both columns, in the order of names.
fn lines(directory: &Path, x: &str, y: &str) -> Result<Vec<Line>> {
    let cannot_read = || format!("cannot read {}", directory.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(directory).with_context(cannot_read)? {
        let name = entry.with_context(cannot_read)?.file_name().to_string_lossy().into_owned();
        names.extend(name.strip_suffix(STEPS).map(str::to_owned));
    }
    names.sort();
    let mut lines = Vec::new();
    for name in names {
        let text = fs::read_to_string(directory.join(format!("{name}{STEPS}"))).with_context(cannot_read)?;
        let points = column_pairs(&text, x, y);
        if !points.is_empty() {
            lines.push(Line { name, points });
        }
    }
    Ok(lines)
}

/// Two columns of a table; lines that lack one of them are passed over.
fn column_pairs(table: &str, x: &str, y: &str) -> Vec<(f64, f64)> {
    let mut lines = table.lines();
    let head: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let place = |name: &str| head.iter().position(|it| *it == name);
    let (Some(x), Some(y)) = (place(x), place(y)) else { return Vec::new() };
    let point = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        Some((cells.get(x)?.parse().ok()?, cells.get(y)?.parse().ok()?))
    };
    lines.filter_map(point).collect()
}

/// The margins of all classifiers at a penalty, over some trees.
pub(crate) struct Distribution {
    pub(crate) trees: &'static str,
    pub(crate) penalty: f64,
    pub(crate) margins: Vec<Margins>,
}

/// Writes how sure classifiers are of what they were taught (Turian & Melamed 2005, figure 5).
pub(crate) fn write_margins(directory: &Path, model: &Path, distributions: &[Distribution]) -> Result<()> {
    let name = name_of(model);
    put(directory, &format!("{name}.margins.csv"), &margins_table(distributions))?;
    for kind in KINDS {
        if let Some(plot) = margins_plot(distributions, kind) {
            put(directory, &format!("{name}.margins-{}.svg", kind.0), &plot)?;
        }
    }
    Ok(())
}

/// The margins of correct and of incorrect inferences, which are apart.
type MarginKind = (&'static str, fn(&Margins) -> &[f64]);

const KINDS: [MarginKind; 2] = [("correct", |it| &it.correct), ("incorrect", |it| &it.incorrect)];

fn margins_table(distributions: &[Distribution]) -> String {
    let mut table = "trees,penalty,label,inferences,percent,margin\n".to_owned();
    for Distribution { trees, penalty, margins } in distributions {
        for (margins, (kind, percentiles)) in margins.iter().flat_map(|it| KINDS.map(|kind| (it, kind))) {
            for (percent, margin) in percentiles(margins).iter().enumerate() {
                let _ = writeln!(table, "{trees},{penalty},{},{kind},{percent},{margin}", margins.label);
            }
        }
    }
    table
}

/// The classifier with the most to say, as a rule that of NP.
fn margins_plot(distributions: &[Distribution], (kind, percentiles): MarginKind) -> Option<String> {
    let first = distributions.first()?;
    let largest = first.margins.iter().max_by_key(|margins| margins.num_correct)?;
    let line = |distribution: &Distribution| {
        let margins = distribution.margins.iter().find(|margins| margins.label == largest.label)?;
        let points = percentiles(margins).iter().enumerate();
        Some(Line {
            name: format!("{} trees, penalty {:.3}", distribution.trees, distribution.penalty),
            points: points.map(|(percent, &margin)| (margin, percent as f64)).collect(),
        })
    };
    let plot = Plot {
        title: &format!("Margins of the {} classifier, {kind} inferences", largest.label),
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
    use boughs::train::{Figure, Scores};

    #[test]
    fn tables_are_read_as_they_are_written() {
        let scores = Scores { criterion: 3.25, figures: vec![Figure::new("F1", 3.25, 2)] };
        let step = Step { scores: Some(scores), ..Step::candidate(0, vec![Figure::count("active", 9)]) };
        let steps = [Step { scores: None, ..step.clone() }, step];
        let table = table(&steps, |step| (step > 0).then_some(0.5));
        assert_eq!(table, "active,F1,CPU s\n9,,\n9,3.25,0.5\n");
        assert_eq!(column_pairs(&table, "active", "F1"), [(9.0, 3.25)]);
        assert!(column_pairs(&table, "active", "objective").is_empty());
    }
}
