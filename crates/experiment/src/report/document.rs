//! The report as a sequence of blocks, which Markdown and HTML write each in its way.

use super::{ClaimReport, NamedNumbers, Report, RowReport, plot_file};
use crate::data::DataFacts;
use crate::method::Slot;
use crate::spec::On;

/// A part of the document.
pub(super) enum Block<'r> {
    /// The title of a section, or with level 1 of everything.
    Heading(usize, String),
    Text(String),
    Code(String),
    Table {
        head: Vec<String>,
        rows: Vec<Vec<String>>,
    },
    Picture {
        title: &'r str,
        svg: &'r str,
        file: String,
    },
}

/// What the figures of a table were measured on.
fn measured_on(on: On) -> &'static str {
    match on {
        On::Dev => "Measured on the development data, which also chose the step that was kept of each row.",
        On::Test => "Measured on the test data.",
    }
}

pub(super) fn blocks(report: &Report) -> Vec<Block<'_>> {
    let mut blocks = vec![Block::Heading(1, format!("{}: {}", report.name, report.title))];
    if report.is_quick {
        let text = "A run at toy size, on small data that are built in: it shows that everything works, and its \
                    figures mean nothing.";
        blocks.push(Block::Text(text.to_owned()));
    }
    let about = report.about.split("\n\n").filter(|text| !text.is_empty());
    blocks.extend(about.map(|text| Block::Text(text.split_whitespace().collect::<Vec<_>>().join(" "))));
    blocks.push(Block::Text(report.test_note()));
    claims(report, &mut blocks);
    for table in &report.tables {
        blocks.push(Block::Heading(2, table.title.clone()));
        let note = [measured_on(table.on), &table.note].join(" ");
        blocks.push(Block::Text(note.trim().to_owned()));
        blocks.push(Block::Table { head: table.head.clone(), rows: table.rows.clone() });
    }
    for (number, plot) in report.plots.iter().enumerate() {
        blocks.push(Block::Heading(2, plot.title.clone()));
        blocks.push(Block::Picture { title: &plot.title, svg: &plot.svg, file: plot_file(number) });
    }
    data(report, &mut blocks);
    rows(report, &mut blocks);
    blocks
}

fn strings<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_owned).into()
}

fn claims(report: &Report, blocks: &mut Vec<Block<'_>>) {
    if report.claims.is_empty() {
        return;
    }
    blocks.push(Block::Heading(2, "What the paper says".to_owned()));
    let row = |claim: &ClaimReport| {
        let on = if claim.on == On::Dev { "development" } else { "test" };
        let verdict = claim.verdict_text();
        strings([&claim.text, on, &claim.figure, &claim.found, &verdict])
    };
    let head = strings(["claim", "data", "figure", "here", "verdict"]);
    blocks.push(Block::Table { head, rows: report.claims.iter().map(row).collect() });
    let note = "p is the probability of a difference as large if there were none, either way: by stratified shuffling \
                of sentences for parses (a million trials), by signed ranks of sentences for translations. A claim that \
                the paper calls significant holds only with p below 0.05.";
    blocks.push(Block::Text(note.to_owned()));
}

fn data(report: &Report, blocks: &mut Vec<Block<'_>>) {
    blocks.push(Block::Heading(2, "Data and versions".to_owned()));
    let row = |facts: &DataFacts| {
        let (items, tokens) = (facts.num_items.to_string(), facts.num_tokens.to_string());
        strings([facts.slot.name(), facts.part, &items, &tokens, &facts.checksum])
    };
    let is_of_rows = |facts: &DataFacts| facts.slot == Slot::Rows;
    let tokens = if report.data.iter().all(is_of_rows) { "active features" } else { "words" };
    let head = strings(["data", "part", "number", tokens, "checksum"]);
    blocks.push(Block::Table { head, rows: report.data.iter().map(row).collect() });
    let others = report.rows.iter().filter_map(|row| row.made_by.as_deref());
    let versions = [format!("boughs {}", report.version)].into_iter().chain(others.map(str::to_owned));
    let versions = versions.collect::<Vec<String>>().join(", ");
    blocks.push(Block::Text(format!("{versions}. This report again:")));
    blocks.push(Block::Code(report.command.clone()));
}

fn rows(report: &Report, blocks: &mut Vec<Block<'_>>) {
    blocks.push(Block::Heading(2, "All rows".to_owned()));
    let text = |NamedNumbers(figures): &NamedNumbers| {
        figures
            .iter()
            .map(|figure| format!("{} {}", figure.name, figure.text()))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let row = |row: &RowReport| {
        let test = row.test.as_ref().map_or_else(String::new, text);
        strings([&row.name, &row.title, &text(&row.dev), &test])
    };
    let head = strings(["row", "what it is", "development", "test"]);
    blocks.push(Block::Table { head, rows: report.rows.iter().map(row).collect() });
    for (name, why) in &report.skipped {
        blocks.push(Block::Text(format!("{name} was not run: {why}.")));
    }
    let commands: Vec<&str> = report.rows.iter().filter_map(|row| row.command.as_deref()).collect();
    if !commands.is_empty() {
        let text = "Each trained row by itself, from the directory of this report; its settings are in the file named:";
        blocks.push(Block::Text(text.to_owned()));
        blocks.push(Block::Code(commands.join("\n")));
    }
    blocks.push(Block::Text("Measured times stand apart, in times.json and times.md.".to_owned()));
}
