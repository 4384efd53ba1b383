//! Tables for people: columns that line up.

use std::io::{self, Write};

/// Rows of cells; the first column is set left, the others right.
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(head: &[&str]) -> Self {
        Self { rows: vec![head.iter().map(|&cell| cell.to_owned()).collect()] }
    }

    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let widths = self.widths();
        for row in &self.rows {
            let mut line = String::new();
            for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                match column {
                    0 => line.push_str(&format!("{cell:width$}")),
                    _ => line.push_str(&format!("  {cell:>width$}")),
                }
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }

    fn widths(&self) -> Vec<usize> {
        let num_columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell: &String| cell.chars().count()).max().unwrap_or(0)
        };
        (0..num_columns).map(width).collect()
    }
}

/// A percentage or average with two digits; `-` if there is none.
pub(crate) fn figure(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2}"))
}
