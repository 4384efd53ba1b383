//! Curves: of the steps of rows, or through rows.

use super::points;
use crate::check::AT;
use crate::outcome::MarginCurve;
use crate::plot::{Corner, Line, Plot};
use crate::results::Results;
use crate::spec::{Experiment, MarginsOf, On, PlotSpec, RowLine};

/// A picture, ready to be written.
#[derive(Debug, Clone, PartialEq)]
pub struct PlotReport {
    /// What it shows.
    pub title: String,
    /// The picture.
    pub svg: String,
}

pub(super) fn all(experiment: &Experiment, results: &Results) -> Vec<PlotReport> {
    experiment.plots.iter().map(|plot| one(experiment, plot, results)).collect()
}

fn one(experiment: &Experiment, spec: &PlotSpec, results: &Results) -> PlotReport {
    let lines = match &spec.margins {
        Some(of) => of_margins(experiment, spec, of, results),
        None if spec.x == AT => {
            spec.lines.iter().flat_map(|line| through_rows(experiment, spec, line, results)).collect()
        }
        None => of_steps(experiment, spec, results),
    };
    let label = match (&spec.margins, spec.x_label.as_str()) {
        (Some(_), "") => "margin",
        (None, "") => &spec.x,
        (_, label) => label,
    };
    let y_label = match spec.margins {
        Some(_) => "percent of the examples, at most this margin".to_owned(),
        None => spec.y.join(", "),
    };
    let falls = spec.y.iter().all(|name| name == "log-loss");
    let plot = Plot {
        title: &spec.title,
        x_label: label,
        y_label: &y_label,
        is_x_log: spec.log_x,
        is_y_log: false,
        names_at: if falls { Corner::UpperRight } else { Corner::LowerRight },
        lines,
    };
    PlotReport { title: spec.title.clone(), svg: plot.svg() }
}

/// The name of a line: without the figure if there is but one.
fn line_name(spec: &PlotSpec, name: &str, y: &str) -> String {
    if spec.y.len() == 1 { name.to_owned() } else { format!("{name}: {y}") }
}

fn of_steps(experiment: &Experiment, spec: &PlotSpec, results: &Results) -> Vec<Line> {
    let mut lines = Vec::new();
    for name in &spec.rows {
        for y in &spec.y {
            let points = results.get(name).map(|row| points(row, &spec.x, y)).unwrap_or_default();
            lines.push(Line { name: line_name(spec, experiment.title(name), y), points });
        }
    }
    lines
}

fn of_margins(experiment: &Experiment, spec: &PlotSpec, of: &MarginsOf, results: &Results) -> Vec<Line> {
    let rows = spec.rows.iter().filter_map(|name| Some((name, results.get(name)?)));
    let curves = rows.flat_map(|(name, row)| row.margins.iter().map(move |curve| (name, curve)));
    let line = |(name, curve): (&String, &MarginCurve)| {
        let points = curve.percentiles.iter().enumerate();
        Line {
            name: format!("{}, penalty {:.2}", experiment.title(name), curve.penalty),
            points: points.map(|(percent, &margin)| (margin, percent as f64)).collect(),
        }
    };
    curves.filter(|(_, curve)| curve.of == *of).map(line).collect()
}

fn through_rows(experiment: &Experiment, spec: &PlotSpec, line: &RowLine, results: &Results) -> Vec<Line> {
    let point =
        |name: &String, y: &str| Some((experiment.row(name)?.at?, results.figure(name, On::Dev, y)?.value));
    let one = |y: &String| {
        let points = line.rows.iter().filter_map(|name| point(name, y)).collect();
        Line { name: line_name(spec, &line.name, y), points }
    };
    spec.y.iter().map(one).collect()
}
