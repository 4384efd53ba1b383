//! The report: everything that was found, and its forms.
//!
//! It holds figures, settings and commands, and no sentence of the data. What takes time is not in it, so
//! that it is the same for every run.

mod claims;
mod csv;
mod document;
mod html;
mod markdown;
mod plots;
mod tables;
mod times;

use serde::{Serialize, Serializer};

pub use claims::{ClaimReport, Verdict};
pub use plots::PlotReport;
pub use tables::TableReport;
pub(crate) use times::Times;

use crate::data::DataFacts;
use crate::method::{Method, Slot};
use crate::outcome::{RowResult, figure_of_step};
use crate::results::Results;
use crate::row::SETTINGS;
use crate::run::RunSettings;
use crate::spec::{Choice, Experiment, Keep, On, Row};
use crate::store::{Store, row_file};
use boughs_learn::error::Result;
use boughs_learn::run::{Figure, Step};

/// Everything that was found.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Report {
    /// The name of the experiment.
    pub name: String,
    /// What it is about.
    pub title: String,
    /// What it repeats, and where it differs from that.
    pub about: String,
    /// The version of the program.
    pub version: &'static str,
    /// Whether it was run at toy size.
    pub is_quick: bool,
    /// The command that repeats it.
    pub command: String,
    /// What was learned from and measured on.
    pub data: Vec<DataFacts>,
    /// What the paper says, and whether it is so here.
    pub claims: Vec<ClaimReport>,
    /// Figures beside those of the paper.
    pub tables: Vec<TableReport>,
    /// Curves.
    #[serde(skip)]
    pub plots: Vec<PlotReport>,
    /// What was chosen on the development data.
    pub choices: Vec<ChoiceReport>,
    /// The rows that were scored on the test data, each once.
    pub tested: Vec<String>,
    /// All rows.
    pub rows: Vec<RowReport>,
    /// Rows that could not be run here, and why.
    pub skipped: Vec<(String, String)>,
}

/// What was chosen on the development data.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ChoiceReport {
    /// The name of the choice.
    pub name: String,
    /// The rows to choose among.
    pub among: Vec<String>,
    /// The figure that decided.
    pub figure: String,
    /// The row chosen; none if none was measured.
    pub chosen: Option<String>,
}

/// A row, or a part of one.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct RowReport {
    /// Its name.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// How it was made.
    pub method: Method,
    /// The command that trains the same model, with its settings in a file; none if there is no such command.
    pub command: Option<String>,
    /// The program of others that made it, and its version.
    pub made_by: Option<String>,
    /// Figures on the development data.
    pub dev: NamedNumbers,
    /// Figures on the test data, if it was scored there.
    pub test: Option<NamedNumbers>,
    /// Which step was kept, from 0.
    pub kept: Option<usize>,
    /// All steps.
    pub steps: Vec<NamedNumbers>,
}

/// Figures as a map, in their order.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedNumbers(pub Vec<Figure>);

impl Serialize for NamedNumbers {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|figure| (&figure.name, figure.value)))
    }
}

impl NamedNumbers {
    fn of_step(step: &Step) -> Self {
        let scores = step.scores.iter().flat_map(|scores| &scores.figures);
        Self(step.figures.iter().chain(scores).cloned().collect())
    }

    /// What was measured, and then what is known of the step that was kept.
    fn of_row(row: &RowResult, on: On) -> Option<Self> {
        let measured = if on == On::Dev { Some(&row.dev) } else { row.test.as_ref() };
        let step = row.kept.and_then(|kept| row.steps.get(kept)).filter(|_| on == On::Dev);
        let of_step = step.into_iter().flat_map(|step| &step.figures);
        Some(Self(measured?.figures.iter().chain(of_step).cloned().collect()))
    }
}

impl Report {
    pub(crate) fn new(
        name: &str,
        experiment: &Experiment,
        results: &Results,
        settings: &RunSettings<'_>,
        data: Vec<DataFacts>,
        skipped: Vec<(String, String)>,
    ) -> Self {
        let rows = experiment.rows.iter().flat_map(|row| row_reports(experiment, row, results, settings));
        let rows: Vec<RowReport> = rows.collect();
        let choice = |choice: &Choice| ChoiceReport {
            name: choice.name.clone(),
            among: choice.among.clone(),
            figure: choice.figure.clone(),
            chosen: results.chosen(&choice.name).map(str::to_owned),
        };
        let stem = std::path::Path::new(name).file_stem().unwrap_or_default();
        Self {
            name: stem.to_string_lossy().into_owned(),
            title: experiment.title.clone(),
            about: experiment.about.trim().to_owned(),
            version: env!("CARGO_PKG_VERSION"),
            is_quick: settings.is_quick,
            command: settings.command(name),
            data,
            claims: claims::all(experiment, results),
            tables: tables::all(experiment, results),
            plots: plots::all(experiment, results),
            choices: experiment.choices.iter().map(choice).collect(),
            tested: rows.iter().filter(|row| row.test.is_some()).map(|row| row.name.clone()).collect(),
            rows,
            skipped,
        }
    }

    /// Writes all forms of it.
    pub(crate) fn write(&self, store: &Store) -> Result<()> {
        for (number, plot) in self.plots.iter().enumerate() {
            store.write(&plot_file(number), plot.svg.as_bytes())?;
        }
        store.write("report.md", markdown::write(self).as_bytes())?;
        store.write("report.html", html::write(self).as_bytes())?;
        store.write("results.csv", csv::write(self).as_bytes())?;
        store.write_json("results.json", self)
    }

    /// What the report says of the test data.
    fn test_note(&self) -> String {
        let chosen = self.choices.iter().filter_map(|choice| Some((choice, choice.chosen.as_ref()?)));
        let chosen: Vec<String> = chosen
            .map(|(choice, row)| {
                format!("{} is {row}, by {} on the development data", choice.name, choice.figure)
            })
            .collect();
        match (&self.tested[..], &chosen[..]) {
            ([], _) => "Nothing was scored on test data.".to_owned(),
            (tested, []) => {
                format!("Test data were scored once, after all rows were done: {}.", tested.join(", "))
            }
            (tested, chosen) => format!(
                "Test data were scored once, after all rows were done, by what the development data chose: {}. Rows \
                 scored: {}.",
                chosen.join("; "),
                tested.join(", ")
            ),
        }
    }
}

/// The file of a plot.
fn plot_file(number: usize) -> String {
    format!("plot-{}.svg", number + 1)
}

fn row_reports(
    experiment: &Experiment,
    row: &Row,
    results: &Results,
    settings: &RunSettings<'_>,
) -> Vec<RowReport> {
    let report = |name: String| {
        let result = results.get(&name)?;
        Some(RowReport {
            title: experiment.title(&name).to_owned(),
            method: experiment.method(row),
            command: row_command(experiment, row, settings),
            made_by: result.made_by.clone(),
            dev: NamedNumbers::of_row(result, On::Dev)?,
            test: NamedNumbers::of_row(result, On::Test),
            kept: result.kept,
            steps: result.steps.iter().map(NamedNumbers::of_step).collect(),
            name,
        })
    };
    experiment.parts(row).into_iter().filter_map(report).collect()
}

/// The command that trains the model of a row, from the directory of the run.
fn row_command(experiment: &Experiment, row: &Row, settings: &RunSettings<'_>) -> Option<String> {
    let method = experiment.method(row);
    let files = settings.files.get(&method.slot())?;
    let command = method.command().filter(|_| row.of.is_none())?;
    let (train, dev) = (&files.train, &files.dev);
    let train = if method.slot() == Slot::Pairs { train.clone() } else { format!("--train {train}") };
    let dev = if row.keep == Keep::Best { format!(" --dev {dev}") } else { String::new() };
    let start =
        row.from.as_ref().map_or_else(String::new, |from| format!(" --start {}", row_file(from, "model")));
    let config = match method {
        Method::MostFrequent => String::new(),
        _ => format!(" --config {}", row_file(&row.name, SETTINGS)),
    };
    Some(format!("{command} {train}{dev}{config}{start} -o MODEL"))
}

/// A figure of the steps of a row.
fn points(row: &RowResult, x: &str, y: &str) -> Vec<(f64, f64)> {
    row.steps.iter().filter_map(|step| Some((figure_of_step(step, x)?, figure_of_step(step, y)?))).collect()
}

/// A p-value; small ones in powers of ten.
pub fn p_text(p: f64) -> String {
    if p < 1e-4 { format!("{p:.1e}") } else { format!("{p:.4}") }
}
