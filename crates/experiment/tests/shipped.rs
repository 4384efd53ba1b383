//! All experiments that ship, at toy size: what is shown is complete, and holds no sentence of the data.

use std::fs;
use std::path::Path;

use boughs::treebank::{SAMPLE, sample};
use boughs_experiment::{Data, Experiment, Report, RunSettings, SHIPPED, Unwatched, run};

const REPORTS: [&str; 4] = ["report.md", "report.html", "results.json", "results.csv"];

fn run_quick(name: &str, text: &str, directory: &Path) -> Report {
    let experiment = Experiment::parse(text).expect("it is sound");
    let data = Data::quick(&experiment).expect("it is built in");
    let settings = RunSettings { is_quick: true, threads: 2, ..RunSettings::new(directory) };
    run(name, text, &data, &settings, &Unwatched).expect(name).expect("nobody broke it off")
}

/// Everything that was asked for is there, but for libraries that are not installed, and parsers that need an encoder.
fn check(experiment: &Experiment, report: &Report) {
    let skipped: Vec<&str> = report.skipped.iter().map(|(name, _)| name.as_str()).collect();
    for row in &experiment.rows {
        let is_there = report.rows.iter().any(|found| found.name.split('/').next() == Some(&row.name));
        assert!(is_there != skipped.contains(&row.name.as_str()), "{}", row.name);
    }
    let needs_more = |name: &&str| ["xgboost", "lightgbm", "english", "small"].contains(name);
    assert!(skipped.iter().all(needs_more), "{skipped:?}");
    let title = |name: &&str| experiment.row(name).map(|row| row.title.clone());
    let without: Vec<String> = skipped.iter().filter_map(title).collect();
    for table in &report.tables {
        for cells in table.rows.iter().filter(|cells| !without.contains(&cells[0])) {
            assert_eq!(cells.len(), table.head.len());
            assert!(cells[1..].iter().any(|cell| !cell.is_empty()), "{}: {cells:?}", table.title);
        }
    }
    let measured = report.claims.iter().all(|claim| !claim.found.is_empty());
    assert!(measured || !skipped.is_empty(), "{:?}", report.claims);
    let has_curves = report.plots.iter().all(|plot| plot.svg.contains("points=\""));
    assert!(has_curves, "a plot without a line");
}

#[test]
fn all_run_at_toy_size() {
    let directory = tempfile::tempdir().unwrap();
    let sentences: Vec<String> = SAMPLE
        .iter()
        .flat_map(|(kind, _)| sample(kind))
        .map(|tree| tree.words().collect::<Vec<_>>().join(" "))
        .filter(|sentence| sentence.split(' ').count() > 3)
        .collect();
    assert!(sentences.len() > 400);
    for (name, text) in SHIPPED {
        let out = directory.path().join(name);
        let report = run_quick(name, text, &out);
        check(&Experiment::parse(text).unwrap(), &report);
        for file in REPORTS {
            let written = fs::read_to_string(out.join(file)).unwrap();
            assert!(written.len() > 500, "{name}/{file}");
            let leak = sentences.iter().find(|sentence| written.contains(sentence.as_str()));
            assert_eq!(leak, None, "{name}/{file}");
        }
        assert!(out.join("times.json").exists());
    }
}

/// docs/papers.md: what the paper says, where, the command, and whether it is done so; if not, a reason in words.
#[test]
fn every_row_of_the_papers_is_faithful_or_has_a_reason() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/papers.md");
    let text = fs::read_to_string(page).expect("the page");
    let (_, tables) = text.split_once("\n## ").expect("a paper");
    let rows = tables.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| the paper |"));
    let mut num_rows = 0;
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" |").map(str::trim).collect();
        assert_eq!(cells.len(), 4, "{row}");
        let here = cells[3];
        let num_words = here.split_whitespace().count();
        assert!(here == "faithful" || num_words >= 4, "neither faithful nor a reason: {row}");
        num_rows += 1;
    }
    assert!(num_rows >= 125, "{num_rows} rows");
}
