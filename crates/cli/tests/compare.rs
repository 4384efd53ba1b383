//! `boughs compare` as a user runs it.

mod common;

use common::{Dir, Run, workspace};

/// The sentences of the sample and two parses of them.
fn compare(options: &[&str]) -> Run {
    let files = ["../crates/boughs/data/sample/news.mrg", "parses/a.mrg", "parses/b.mrg"];
    common::run_in(&workspace("testdata"), &[&["compare"], &files[..], options].concat(), "")
}

const FEW: [&str; 4] = ["--trials", "20000", "--samples", "500"];

fn small(gold: &str, a: &str, b: &str) -> Dir {
    Dir::with(&[("gold", gold), ("a", a), ("b", b)])
}

#[test]
fn the_figures_are_those_of_eval() {
    let object = compare(&[&FEW[..], &["--json"]].concat()).json();
    for parser in ["a", "b"] {
        let files = ["../crates/boughs/data/sample/news.mrg", &format!("parses/{parser}.mrg")];
        let args = [&["eval", "--json"], &files[..]].concat();
        let scores = common::run_in(&workspace("testdata"), &args, "").json();
        for measure in ["precision", "recall", "f1"] {
            assert_eq!(object[measure][parser], scores[measure], "{measure} of {parser}");
        }
    }
    let f1 = &object["f1"];
    let number = |name: &str| f1[name].as_f64().expect("a number");
    assert!((number("difference") - (number("a") - number("b"))).abs() < 1e-9);
    assert!(number("low") <= number("difference") && number("difference") <= number("high"));
    assert!(number("p") < 0.001);
    assert_eq!((&object["sentences"], &object["units"]), (&55.into(), &55.into()));
    assert_eq!(object["labels"].as_array().map(Vec::len), Some(0));
}

#[test]
fn threads_change_nothing_and_seeds_do() {
    let run = |options: &[&str]| compare(&[&FEW[..], &["--json", "--per-label"], options].concat()).ok();
    let one = run(&["--threads", "1"]);
    assert_eq!(one, run(&["--threads", "2"]));
    assert_ne!(one, run(&["--seed", "2"]));
}

#[test]
fn labels_only_if_asked_for() {
    assert!(!compare(&FEW).ok().contains("by label"));
    let report = compare(&[&FEW[..], &["--per-label"]].concat()).ok();
    assert!(report.contains("F1 by label") && report.contains("ADVP/PRT"), "{report}");
}

#[test]
fn a_parser_is_not_better_than_itself() {
    let trees = "(S (NP (A a)) (VP (B b)))\n(S (X (A a)))\n";
    let directory = small(trees, &trees.replace("NP", "VP"), "");
    let report = directory.run(&["compare", "gold", "a", "a"]).ok();
    assert!(report.contains("By F1 the difference is not significant (p = 1.0000)."), "{report}");
    assert!(report.contains("+0.00 to +0.00") && !report.contains("-0.00"), "{report}");
    assert_eq!(directory.run(&["compare", "gold", "a", "a", "--json"]).json()["f1"]["p"], 1.0);
}

#[test]
fn files_can_be_the_unit() {
    let directory = Dir::new();
    for name in ["1", "2", "3"] {
        directory.write(&format!("gold/{name}.mrg"), "(S (NP (A a)))\n(S (NP (A b)))\n");
    }
    directory.write("a", "(S (NP (A a)))\n(S (NP (A b)))\n".repeat(3));
    directory.write("b", "(S (VP (A a)))\n(S (NP (A b)))\n".repeat(3));
    let by_file = directory.run(&["compare", "gold", "a", "b", "--by", "file"]).ok();
    assert!(by_file.contains("6 sentences in 3 files"), "{by_file}");
    let object = directory.run(&["compare", "gold", "a", "b", "--by", "file", "--json"]).json();
    assert_eq!((&object["units"], &object["exact"], &object["trials"]), (&3.into(), &true.into(), &8.into()));
    assert_eq!(object["f1"]["p"], 0.25);
}

#[test]
fn sentences_that_err_count_as_lost() {
    let directory = small("(S (A a))\n(S (B b))\n", "(S (A a))\n()\n", "(S (A a))\njunk\n(S (B b))\n");
    let output = directory.run(&["compare", "gold", "a", "b"]);
    assert_eq!(output.code, Some(1));
    assert!(output.stdout.contains("A has 1 sentence that cannot be compared"), "{}", output.stdout);
    assert!(output.stderr.starts_with("boughs: b:2:1: expected a tree, found `junk`"), "{}", output.stderr);
    let output = directory.run(&["compare", "gold", "b", "b"]);
    assert_eq!(output.code, Some(1), "text between trees is reported for both");
}

#[test]
fn numbers_out_of_range_are_told_their_range() {
    for (option, value, range) in [
        ("--trials", "-5", "1..=10000000000"),
        ("--samples", "1000000000", "1..=10000000"),
        ("--confidence", "100", "1..100"),
    ] {
        let message = compare(&[option, value]).fault();
        assert!(message.contains(&format!("{value} is not in {range}")), "{message}");
    }
}

#[test]
fn too_many_threads_are_not_started() {
    let output = compare(&[&FEW[..], &["--threads", "1000000"]].concat());
    assert_eq!(output.code, Some(0));
    assert!(output.stderr.contains("--threads 1000000 is more than four for each core"), "{}", output.stderr);
}

#[test]
fn one_file_is_no_sample() {
    let message = compare(&["--by", "file"]).fault();
    assert!(message.contains("--by file needs at least two gold files"), "{message}");
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let tree = "(S (A a))\n";
    let directory = small(tree, tree, tree);
    directory.write("empty", "");
    for (args, expected) in [
        (["-", "a", "b"], "GOLD is read for A and for B: standard input would be read twice"),
        (["gold", "-", "-"], "standard input can be read only once"),
        (["gold", "a", "none"], "none: cannot open"),
        (["gold", "a", "empty"], "found 1 in gold and 0 in empty"),
        (["empty", "empty", "empty"], "there is no sentence to compare in empty"),
    ] {
        let output = directory.run(&[&["compare"], &args[..]].concat());
        assert_eq!(output.stdout, "");
        let message = output.fault();
        assert!(message.contains(expected), "{message}");
    }
    for args in [["gold", "-", "b"], ["gold", "a", "-"]] {
        directory.run_with(&[&["compare"], &args[..]].concat(), tree).ok();
    }
}
