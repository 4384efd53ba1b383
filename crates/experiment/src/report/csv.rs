//! All figures, a line each.

use std::fmt::Write;

use super::{NamedNumbers, Report};

/// `row,on,step,figure,value`: steps are counted from 0, and empty for what was kept.
pub(super) fn write(report: &Report) -> String {
    let mut text = "row,on,step,figure,value\n".to_owned();
    for row in &report.rows {
        for (step, figures) in row.steps.iter().enumerate() {
            add(&mut text, &row.name, "dev", &step.to_string(), figures);
        }
        add(&mut text, &row.name, "dev", "", &row.dev);
        row.test.iter().for_each(|figures| add(&mut text, &row.name, "test", "", figures));
    }
    text
}

fn add(text: &mut String, row: &str, on: &str, step: &str, NamedNumbers(figures): &NamedNumbers) {
    for figure in figures {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{},{on},{step},{},{}", quoted(row), quoted(&figure.name), figure.value);
    }
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', '"']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use boughs_learn::run::Figure;

    #[test]
    fn names_with_commas_are_quoted() {
        let mut text = String::new();
        add(&mut text, "words/l2 logistic, cut", "dev", "", &NamedNumbers(vec![Figure::count("active", 3)]));
        assert_eq!(text, "\"words/l2 logistic, cut\",dev,,active,3\n");
    }
}
