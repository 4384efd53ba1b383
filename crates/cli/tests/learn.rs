//! `boughs learn`: train, predict and explain on rows that need conjunctions.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Label 1 if exactly one of the features 1 and 2 is active, whatever 3 is. Every fifth row is left out: on perfectly
/// balanced rows no single feature helps, and a greedy learner does not start.
fn exclusive_or(num_rows: usize) -> String {
    let row = |number: usize| {
        let active: Vec<String> =
            (0..3).filter(|bit| number >> bit & 1 == 1).map(|bit| format!(" {}:1", bit + 1)).collect();
        let label = if (number ^ number >> 1) & 1 == 1 { "+1" } else { "-1" };
        format!("{label}{}\n", active.concat())
    };
    (0..num_rows).filter(|number| number % 5 != 0).map(row).collect()
}

fn boughs(directory: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_boughs"));
    command.current_dir(directory).args(arguments).output().expect("the binary runs")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn train(directory: &Path, extra: &[&str]) -> Output {
    fs::write(directory.join("train.svm"), exclusive_or(64)).expect("a writable directory");
    let output = boughs(directory, &[&["learn", "train", "train.svm", "--out", "model"], extra].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    output
}

#[test]
fn boosting_learns_a_conjunction_and_explains_it() {
    let directory = tempfile::tempdir().unwrap();
    train(directory.path(), &["--lambda", "0.05", "--dev", "train.svm", "--log", "log.tsv"]);
    let log = fs::read_to_string(directory.path().join("log.tsv")).unwrap();
    assert!(log.lines().count() > 1 && log.starts_with("seconds\tlabel\tstep"), "{log}");

    let predicted = boughs(directory.path(), &["learn", "predict", "model", "train.svm", "--header"]);
    let text = stdout(&predicted);
    assert!(stderr(&predicted).contains("accuracy 100.00%"), "{}", stderr(&predicted));
    assert_eq!(text.lines().count(), 52);
    assert_eq!(text.lines().next(), Some("label\t-1\t1"));
    assert!(text.lines().nth(1).unwrap().starts_with("1\t-"), "{text}");

    let explained =
        stdout(&boughs(directory.path(), &["learn", "explain", "model", "train.svm", "--row", "1"]));
    assert!(explained.starts_with("row 1 (label 1): 1 has score +"), "{explained}");
    assert!(explained.contains("1 & !2"), "{explained}");
}

#[test]
fn the_number_of_threads_does_not_change_the_model() {
    let directory = tempfile::tempdir().unwrap();
    let mut models = Vec::new();
    for threads in ["1", "2"] {
        train(directory.path(), &["--lambda", "0.2", "--threads", threads]);
        models.push(fs::read(directory.path().join("model")).unwrap());
    }
    assert_eq!(models[0], models[1]);
}

#[test]
fn every_method_writes_a_model_that_predicts() {
    let directory = tempfile::tempdir().unwrap();
    for method in ["boost", "zboost", "logistic-l1", "logistic-l2"] {
        train(directory.path(), &["--method", method, "--lambda", "0.5", "--trees", "20"]);
        let predicted = boughs(directory.path(), &["learn", "predict", "model", "train.svm", "-p"]);
        assert!(predicted.status.success(), "{method}: {}", stderr(&predicted));
        for line in stdout(&predicted).lines() {
            let sum: f64 = line.split('\t').skip(1).map(|number| number.parse::<f64>().unwrap()).sum();
            assert!((sum - 1.0).abs() < 1e-5, "{method}: {line}");
        }
    }
}

#[test]
fn many_labels_and_an_earlier_penalty() {
    let directory = tempfile::tempdir().unwrap();
    let rows = "NP 1:1\nVP 2:1\nPP 3:1\n".repeat(10);
    fs::write(directory.path().join("rows.svm"), rows).unwrap();
    let trained = boughs(directory.path(), &["learn", "train", "rows.svm", "-o", "model", "--lambda", "0.5"]);
    assert!(trained.status.success(), "{}", stderr(&trained));
    let predicted = stdout(&boughs(directory.path(), &["learn", "predict", "model", "rows.svm"]));
    assert!(predicted.starts_with("NP\t"), "{predicted}");
    let earlier =
        stdout(&boughs(directory.path(), &["learn", "predict", "model", "rows.svm", "--at", "1e9"]));
    assert_eq!(earlier.lines().next(), Some("NP\t0.000000\t0.000000\t0.000000"));
}

#[test]
fn what_cannot_be_done_is_said() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("bad.svm"), "1 1:1\n-1 2:0.5\n").unwrap();
    fs::write(directory.path().join("one.svm"), "1 1:1\n1 2:1\n").unwrap();
    let fails = |arguments: &[&str], expected: &str| {
        let output = boughs(directory.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
    };
    fails(&["learn", "train", "bad.svm", "-o", "model"], "bad.svm:2: expected a binary feature");
    fails(&["learn", "train", "one.svm", "-o", "model"], "expected two labels or more, found 1");
    fails(
        &["learn", "predict", "bad.svm", "bad.svm"],
        "bad.svm: expected a boughs model, found something else",
    );
    fails(&["learn", "predict", "none", "bad.svm"], "none: cannot read the model");
    train(directory.path(), &["--lambda", "1"]);
    fails(&["learn", "explain", "model", "train.svm", "--row", "99"], "there is no row 99");
    fails(&["learn", "explain", "model", "train.svm", "--label", "NP"], "it has -1, 1");
}
