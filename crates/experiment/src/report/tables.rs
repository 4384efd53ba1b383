//! Tables of rows, beside the figures of the paper.

use serde::Serialize;

use super::p_text;
use crate::results::Results;
use crate::spec::{Experiment, On, Table};

/// A table, ready to be written.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TableReport {
    /// What it shows.
    pub title: String,
    /// What readers should know.
    pub note: String,
    /// Which data.
    pub on: On,
    /// The heads of the columns.
    pub head: Vec<String>,
    /// The cells; those of what is not known are empty.
    pub rows: Vec<Vec<String>>,
}

pub(super) fn all(experiment: &Experiment, results: &Results) -> Vec<TableReport> {
    experiment.tables.iter().map(|table| TableMaker { experiment, results, table }.make()).collect()
}

struct TableMaker<'t> {
    experiment: &'t Experiment,
    results: &'t Results,
    table: &'t Table,
}

impl TableMaker<'_> {
    fn make(&self) -> TableReport {
        let Table { title, note, on, rows, paper, .. } = self.table;
        let is_other = |name: &&String| !rows.contains(name);
        let others = paper.iter().map(|paper| &paper.row).filter(is_other);
        let own = rows.iter().map(|name| self.row(name, true));
        TableReport {
            title: title.clone(),
            note: note.trim().to_owned(),
            on: *on,
            head: self.head(),
            rows: own.chain(others.map(|name| self.row(name, false))).collect(),
        }
    }

    /// Whether the paper has figures of a column.
    fn is_in_paper(&self, column: &str) -> bool {
        self.table.paper.iter().any(|paper| paper.figures.contains_key(column))
    }

    fn head(&self) -> Vec<String> {
        let mut head = vec![String::new()];
        for column in &self.table.columns {
            head.push(column.clone());
            head.extend(self.is_in_paper(column).then(|| format!("{column}, paper")));
        }
        if let Some(against) = &self.table.against {
            head.push(format!("Δ {}", against.figure));
            head.push("p".to_owned());
        }
        head
    }

    fn row(&self, name: &str, is_own: bool) -> Vec<String> {
        let mut cells = vec![if is_own { self.title(name) } else { name.to_owned() }];
        let paper = self.table.paper.iter().find(|paper| paper.row == name);
        for column in &self.table.columns {
            let own = self.results.figure(name, self.table.on, column).filter(|_| is_own);
            cells.push(own.map_or_else(String::new, |figure| figure.text()));
            if self.is_in_paper(column) {
                let figure = paper.and_then(|paper| paper.figures.get(column));
                cells.push(figure.map_or_else(String::new, f64::to_string));
            }
        }
        cells.extend(self.comparison(name, is_own));
        cells
    }

    /// The difference from what rows are compared with, and its p-value.
    fn comparison(&self, name: &str, is_own: bool) -> Vec<String> {
        let Some(against) = &self.table.against else { return Vec::new() };
        let is_itself = self.results.resolve(name) == self.results.resolve(&against.row);
        let difference = self.results.difference(name, &against.row, self.table.on, &against.figure);
        match difference.filter(|_| is_own && !is_itself) {
            Some(found) => vec![format!("{:+.2}", found.value), found.p.map_or_else(String::new, p_text)],
            None => vec![String::new(); 2],
        }
    }

    /// What a choice stands for is told.
    fn title(&self, name: &str) -> String {
        let title = self.experiment.title(name);
        match self.results.chosen(name) {
            Some(chosen) => format!("{title}: {}", self.experiment.title(chosen)),
            None => title.to_owned(),
        }
    }
}
