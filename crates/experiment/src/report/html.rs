//! The report as one HTML file that needs nothing else.

use super::Report;
use super::document::{Block, blocks};
use crate::plot::escape;

const STYLE: &str = "\
body { font: 16px/1.5 sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
h1 { font-size: 1.5rem; line-height: 1.25; } h2 { font-size: 1.2rem; margin-top: 2.2rem; }
table { border-collapse: collapse; font-size: 0.9rem; display: block; overflow-x: auto; }
th, td { text-align: left; padding: 0.25rem 0.7rem; border-bottom: 1px solid #ddd; vertical-align: top; }
th { border-bottom: 2px solid #888; } th.number, td.number { text-align: right; font-variant-numeric: tabular-nums; }
pre { background: #f5f5f5; padding: 0.7rem; overflow-x: auto; font-size: 0.8rem; }
svg { max-width: 100%; height: auto; }
.holds { color: #00664b; } .fails { color: #a03f00; }
";

pub(super) fn write(report: &Report) -> String {
    let body: String = blocks(report).iter().map(block).collect();
    let title = escape(&format!("{}: {}", report.name, report.title));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n\
         </head>\n<body>\n{body}</body>\n</html>\n"
    )
}

fn block(block: &Block<'_>) -> String {
    match block {
        Block::Heading(level, text) => format!("<h{level}>{}</h{level}>\n", escape(text)),
        Block::Text(text) => format!("<p>{}</p>\n", escape(text)),
        Block::Code(text) => format!("<pre>{}</pre>\n", escape(text)),
        Block::Table { head, rows } => table(head, rows),
        Block::Picture { svg, .. } => format!("<figure>\n{svg}</figure>\n"),
    }
}

fn table(head: &[String], rows: &[Vec<String>]) -> String {
    let is_numeric =
        |column: usize| rows.iter().filter_map(|row| row.get(column)).any(|cell| is_number(cell));
    let head = head.iter().enumerate().map(|(column, cell)| {
        let class = if is_numeric(column) { " class=\"number\"" } else { "" };
        format!("<th{class}>{}</th>", escape(cell))
    });
    let head: String = head.collect();
    let row =
        |cells: &Vec<String>| format!("<tr>{}</tr>\n", cells.iter().map(|it| cell(it)).collect::<String>());
    format!("<table>\n<tr>{head}</tr>\n{}</table>\n", rows.iter().map(row).collect::<String>())
}

fn is_number(text: &str) -> bool {
    text.parse::<f64>().is_ok()
}

/// Numbers are set right, and verdicts in colour.
fn cell(text: &str) -> String {
    let class = match text {
        text if text.starts_with("holds") => " class=\"holds\"",
        text if text.starts_with("does not hold") => " class=\"fails\"",
        text if is_number(text) => " class=\"number\"",
        _ => "",
    };
    format!("<td{class}>{}</td>", escape(text))
}
