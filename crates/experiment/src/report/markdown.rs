//! The report as Markdown, with pictures in files of their own.

use super::Report;
use super::document::{Block, blocks};

pub(super) fn write(report: &Report) -> String {
    let texts: Vec<String> = blocks(report).iter().map(block).collect();
    texts.join("\n")
}

fn block(block: &Block<'_>) -> String {
    match block {
        Block::Heading(level, text) => format!("{} {text}\n", "#".repeat(*level)),
        Block::Text(text) => format!("{text}\n"),
        Block::Code(text) => text.lines().map(|line| format!("    {line}\n")).collect(),
        Block::Table { head, rows } => table(head, rows),
        Block::Picture { title, file, .. } => format!("![{title}]({file})\n"),
    }
}

/// A table in the form of GitHub; bars in cells do not end them.
pub(super) fn table(head: &[String], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let rule = format!("|{}\n", "---|".repeat(head.len()));
    line(head) + &rule + &rows.iter().map(|row| line(row)).collect::<String>()
}
