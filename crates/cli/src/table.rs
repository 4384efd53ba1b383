//! Tables for people: columns that line up.

use std::borrow::Cow;
use std::fmt::{self, Display};

/// The most characters of a cell: one long label must not push the figures of all others out of sight.
const WIDEST: usize = 40;

/// The blanks between columns, at least.
const GAP: usize = 2;

/// Rows of cells; the first column is set left, the others right.
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(head: &[&str]) -> Self {
        Self { rows: vec![head.iter().map(|&cell| cell.to_owned()).collect()] }
    }

    pub(crate) fn row(&mut self, cells: &[&dyn Display]) {
        self.push(cells.iter().map(ToString::to_string));
    }

    pub(crate) fn push(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().map(|cell| shorten(&cell).into_owned()).collect());
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

impl Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widths = self.widths();
        for row in &self.rows {
            let mut line = String::new();
            for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                match column {
                    0 => push_left(&mut line, cell, width),
                    _ => push_right(&mut line, cell, width + GAP),
                }
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// The text as far as it fits into a cell.
pub(crate) fn shorten(text: &str) -> Cow<'_, str> {
    if text.chars().nth(WIDEST).is_none() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().take(WIDEST - 1).chain(['…']).collect())
}

/// Adds a cell and, to its right, the blanks that make it `width` wide. (`{:width$}` panics above a width of 65,535.)
pub(crate) fn push_left(line: &mut String, cell: &str, width: usize) {
    line.push_str(cell);
    push_blanks(line, cell, width);
}

/// Adds a cell and, to its left, the blanks that make it `width` wide.
pub(crate) fn push_right(line: &mut String, cell: &str, width: usize) {
    push_blanks(line, cell, width);
    line.push_str(cell);
}

fn push_blanks(line: &mut String, cell: &str, width: usize) {
    let num_blanks = width.saturating_sub(cell.chars().count());
    line.extend(std::iter::repeat_n(' ', num_blanks));
}

/// A p-value; a small one in powers of ten.
pub(crate) fn p_value(p: f64) -> String {
    if p < 0.0001 { format!("{p:.1e}") } else { format!("{p:.4}") }
}

/// A percentage or average with two digits; `-` if there is none.
pub(crate) fn figure(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_is_cut() {
        assert_eq!(shorten("ADVP|PRT"), "ADVP|PRT");
        assert_eq!(shorten(&"é".repeat(WIDEST)), "é".repeat(WIDEST));
        let cut = shorten(&"é".repeat(WIDEST + 1)).into_owned();
        assert!(cut.ends_with("é…") && cut.chars().count() == WIDEST, "{cut}");
    }

    #[test]
    fn columns_line_up() {
        let mut table = Table::new(&["", "n"]);
        table.row(&[&"NP", &7]);
        table.row(&[&"É", &10]);
        assert_eq!(table.to_string(), "     n\nNP   7\nÉ   10\n");
    }

    #[test]
    fn padding_has_no_limit() {
        let mut line = String::new();
        push_right(&mut line, "x", 70_000);
        assert_eq!(line.len(), 70_000);
    }
}
