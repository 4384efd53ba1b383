//! What does not change a report: the number of threads, memory, interruptions. And what a run does not do
//! twice.

use std::fs;
use std::path::Path;
use std::sync::Mutex;

use boughs::parser::Parser;
use boughs_experiment::{Data, Experiment, ExperimentObserver, RowEvent, RunSettings, Unwatched, run};
use boughs_learn::run::Event;

const TEXT: &str = r#"
title = "Rounds, decoders and the parent"
[data]
max-words = 9
[base]
method = "latent"
settings = { split-iterations = 3, merge-iterations = 1, smooth-iterations = 1 }
[[rows]]
name = "one"
settings.max-rounds = 1
[[rows]]
name = "two"
settings = { max-rounds = 2, patience = 2 }
[[rows]]
name = "viterbi"
of = "two"
options.decoder = "viterbi"
[[rows]]
name = "conditional"
method = "conditional"
from = "last"
settings = { max-iterations = 2, max-splits = 1, patience = 2 }
[[rows]]
name = "last"
keep = "last"
settings.max-rounds = 1
[[rows]]
name = "student"
method = "pcfg"
silver = "one"
calibrate = true
[[rows]]
name = "pcfg"
method = "pcfg"
[[choices]]
name = "best"
among = ["one", "two", "conditional"]
figure = "F1"
[[tables]]
title = "Development"
rows = ["one", "two", "viterbi", "conditional"]
columns = ["F1", "substates"]
against = { row = "two", figure = "F1" }
paper = [{ row = "one", figures = { F1 = 12.5 } }, { row = "another parser", figures = { F1 = 99.9 } }]
[[tables]]
title = "Test"
on = "test"
rows = ["best", "one"]
columns = ["F1"]
[[plots]]
title = "Rounds"
x = "substates"
y = ["F1"]
rows = ["two", "conditional"]
[[claims]]
text = "Two rounds are better than one."
figure = "F1"
relation.above = { row = "two", other = "one" }
"#;

const REPORTS: [&str; 6] =
    ["report.md", "report.html", "results.json", "results.csv", "plot-1.svg", "experiment.toml"];

fn data() -> Data {
    Data::quick(&Experiment::parse(TEXT).expect("it is sound")).expect("it is built in")
}

fn settings(directory: &Path) -> RunSettings<'_> {
    RunSettings { is_quick: true, threads: 1, ..RunSettings::new(directory) }
}

fn reports(directory: &Path) -> Vec<Vec<u8>> {
    REPORTS.iter().map(|file| fs::read(directory.join(file)).expect("it is written")).collect()
}

#[test]
fn threads_and_memory_do_not_change_a_byte() {
    let directory = tempfile::tempdir().unwrap();
    let paths = ["one", "three", "little"].map(|name| directory.path().join(name));
    let data = data();
    for (path, (threads, memory)) in paths.iter().zip([(1, usize::MAX), (3, usize::MAX), (3, 1)]) {
        let settings = RunSettings { threads, memory, ..settings(path) };
        run("x", TEXT, &data, &settings, &Unwatched).unwrap().expect("nobody broke it off");
    }
    assert!(reports(&paths[0]) == reports(&paths[1]));
    assert!(reports(&paths[0]) == reports(&paths[2]));
}

#[test]
fn what_is_shown() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run");
    let report = run("dir/x.toml", TEXT, &data(), &settings(&path), &Unwatched).unwrap().unwrap();
    let table = &report.tables[0];
    assert_eq!(table.head, ["", "F1", "F1, paper", "substates", "Δ F1", "p"]);
    assert_eq!(table.rows[0][2], "12.5");
    assert_eq!(table.rows[1][4..], ["", ""], "two is not compared with itself");
    assert_eq!(table.rows[4], ["another parser", "", "99.9", "", "", ""]);
    let chosen = report.choices[0].chosen.clone().unwrap();
    let mut tested = vec!["one".to_owned(), chosen.clone()];
    tested.sort();
    tested.dedup();
    let mut found = report.tested.clone();
    found.sort();
    assert_eq!(found, tested, "what was chosen, what was named, and nothing else");
    let written = fs::read_to_string(path.join("report.md")).unwrap();
    assert!(written.contains(&format!("best is {chosen}, by F1 on the development data")), "{written}");
    assert!(written.contains("boughs experiment run dir/x.toml --quick --out DIR"), "{written}");
}

/// Breaks off after some steps, and notes which rows were begun and tested.
#[derive(Default)]
struct Impatient {
    num_left: Mutex<Option<usize>>,
    begun: Mutex<Vec<String>>,
}

impl ExperimentObserver for Impatient {
    fn see(&self, row: &str, event: &RowEvent<'_>) {
        match event {
            RowEvent::Training(Event::Step { .. }) | RowEvent::Finished(_) => {
                let mut left = self.num_left.lock().expect("no panic");
                *left = left.map(|left| left.saturating_sub(1));
            }
            RowEvent::Started | RowEvent::Testing => {
                self.begun.lock().expect("no panic").push(row.to_owned());
            }
            _ => {}
        }
    }

    fn is_interrupted(&self) -> bool {
        *self.num_left.lock().expect("no panic") == Some(0)
    }
}

#[test]
fn interruptions_do_not_change_a_byte() {
    let directory = tempfile::tempdir().unwrap();
    let (whole, broken) = (directory.path().join("whole"), directory.path().join("broken"));
    let data = data();
    run("x", TEXT, &data, &settings(&whole), &Unwatched).unwrap().expect("nobody broke it off");
    let (mut resume, mut num_runs) = (false, 0);
    loop {
        let observer = Impatient { num_left: Mutex::new(Some(1)), ..Impatient::default() };
        let settings = RunSettings { resume, ..settings(&broken) };
        num_runs += 1;
        if run("x", TEXT, &data, &settings, &observer).unwrap().is_some() {
            break;
        }
        resume = true;
    }
    assert!(num_runs > 5, "{num_runs}: each step was broken off once");
    assert!(reports(&whole) == reports(&broken));
}

#[test]
fn what_is_done_is_not_done_again() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run");
    let data = data();
    run("x", TEXT, &data, &settings(&path), &Unwatched).unwrap().expect("nobody broke it off");
    let before = reports(&path);
    fs::remove_file(path.join("rows/one/result.json")).unwrap();
    let observer = Impatient::default();
    let again = RunSettings { resume: true, ..settings(&path) };
    run("x", TEXT, &data, &again, &observer).unwrap().expect("nobody broke it off");
    assert_eq!(*observer.begun.lock().unwrap(), ["one"], "and nothing is tested a second time");
    assert!(reports(&path) == before);
    let error = run("x", TEXT, &data, &settings(&path), &Unwatched).unwrap_err().to_string();
    assert!(error.contains("--resume"), "{error}");
}

#[test]
fn a_row_learns_from_the_parses_of_another() {
    let directory = tempfile::tempdir().unwrap();
    run("x", TEXT, &data(), &settings(directory.path()), &Unwatched).unwrap().expect("a report");
    let parser = |row: &str| Parser::load(&directory.path().join("rows").join(row).join("model")).unwrap();
    let (student, alone) = (parser("student"), parser("pcfg"));
    assert!(student.options().confidence_curve.is_some() && alone.options().confidence_curve.is_none());
    let student = student.with_options(alone.options().clone()).unwrap();
    let bytes = |parser: &Parser| parser.to_file().and_then(|file| file.to_bytes()).unwrap();
    assert!(bytes(&student) != bytes(&alone), "its grammar has the counts of more trees");
}

#[test]
fn a_model_that_was_trained_elsewhere_teaches_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let [trained, named] = ["trained", "named"].map(|name| directory.path().join(name));
    run("x", TEXT, &data(), &settings(&trained), &Unwatched).unwrap().expect("a report");
    let teacher = trained.join("rows/one/model");
    let text = format!(
        "title = \"t\"\n[data]\nmax-words = 9\n[base]\nmethod = \"pcfg\"\n\
         [[rows]]\nname = \"teacher\"\nmethod = \"model\"\nmodel = {:?}\n\
         [[rows]]\nname = \"student\"\nsilver = \"teacher\"\ncalibrate = true\n\
         [[tables]]\ntitle = \"t\"\nrows = [\"teacher\", \"student\"]\ncolumns = [\"F1\"]\n",
        teacher.to_str().expect("a path of the test")
    );
    run("y", &text, &data(), &settings(&named), &Unwatched).unwrap().expect("a report");
    let student = |run: &Path| fs::read(run.join("rows/student/model")).unwrap();
    assert!(student(&trained) == student(&named));
}
