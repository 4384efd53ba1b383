//! `boughs eval` on treebank files.

mod common;

use common::{Dir, Run};
use serde_json::Value;

const GOLD: &str = "\
( (S (NP-SBJ (DT The) (NN cat))
     (VP (VBD slept) (PP (IN on) (NP (DT the) (NN mat))))
     (. .)))
( (S (NP-SBJ-1 (PRP We)) (VP (VBD tried) (S (NP (-NONE- *-1)) (VP (TO to) (VP (VB sing)))))))
(TOP (INTJ (UH Yes) (. .)))
";
const TEST: &str = "\
(ROOT (S (NP (DT The) (NN cat)) (VP (VBD slept) (PP (IN on) (NP (DT the) (NN mat)))) (NN .)))
(S (NP (PRP We)) (VP (VBD tried) (S (VP (TO to) (NP (VB sing))))))
(INTJ (UH Yes) (. .))
";

/// Runs `boughs eval OPTIONS gold test` on two texts.
fn eval(gold: &str, test: &str, options: &[&str]) -> Run {
    let directory = Dir::with(&[("gold", gold), ("test", test)]);
    directory.run(&[&["eval"], options, &["gold", "test"]].concat())
}

#[test]
fn the_whole_report() {
    let output = eval(GOLD, TEST, &["--max-length", "4", "--max-length", "2"]);
    assert_eq!(output.code, Some(0));
    assert_eq!(output.stderr, "");
    let expected = format!(
        "\
Evaluator  boughs {}, settings COLLINS
Gold       gold
Test       test

Sentence length             all    <= 2    <= 4
Sentences                     3       1       2
  mistagged punctuation       1       0       0
Labelled precision        91.67  100.00   85.71
Labelled recall           91.67  100.00   85.71
Labelled F1               91.67  100.00   85.71
Unlabelled precision     100.00  100.00  100.00
Unlabelled recall        100.00  100.00  100.00
Unlabelled F1            100.00  100.00  100.00
F1, mean over sentences   94.44  100.00   91.67
Exact match               66.67  100.00   50.00
Crossing brackets, mean    0.00    0.00    0.00
No crossing              100.00  100.00  100.00
2 or less crossing       100.00  100.00  100.00
Tagging accuracy         100.00  100.00  100.00

Length  Sentences  Gold  Test  Matched  Precision  Recall     F1  Exact
1-10            3    12    12       11      91.67   91.67  91.67  66.67
11-20           0     0     0        0          -       -      -      -
21-30           0     0     0        0          -       -      -      -
31-40           0     0     0        0          -       -      -      -
41-             0     0     0        0          -       -      -      -

Label  Gold  Test  Matched  Precision  Recall      F1
VP        4     3        3     100.00   75.00   85.71
NP        3     4        3      75.00  100.00   85.71
S         3     3        3     100.00  100.00  100.00
INTJ      1     1        1     100.00  100.00  100.00
PP        1     1        1     100.00  100.00  100.00
",
        env!("CARGO_PKG_VERSION")
    );
    assert_eq!(output.stdout, expected);
    assert!(expected.lines().all(|line| line.len() < 80));
}

#[test]
fn a_sentence_that_errs_keeps_its_gold_brackets() {
    let test = TEST.replace("Yes", "No");
    let output = eval(GOLD, &test, &[]);
    assert_eq!(output.code, Some(1));
    assert_eq!(
        output.stderr,
        "boughs: sentence 3 (gold tree 3, test tree 3): word 1: expected `Yes` as in gold, found `No`\n"
    );
    let report = output.stdout;
    let figures: Vec<&str> = report.lines().filter(|line| line.starts_with("Labelled recall")).collect();
    let [strict, without] = &figures[..] else { panic!("two figures in {report}") };
    assert!(strict.contains("83.33") && without.contains("90.91"), "{report}");
    assert!(report.contains("Without the sentence that errs, as EVALB would"));
}

#[test]
fn json_has_the_figures_on_top() {
    let test = TEST.replace("Yes", "No");
    let object = eval(GOLD, &test, &["--json", "--per-sentence"]).json();
    let percent = |value: &Value| (value.as_f64().expect("a number") * 100.0).round() / 100.0;
    let figures = ["precision", "recall", "f1", "exact"].map(|name| percent(&object[name]));
    assert_eq!(figures, [90.91, 83.33, 86.96, 33.33]);
    assert_eq!(object["all"]["errors"], 1);
    assert_eq!(percent(&object["all"]["without_errors"]["labeled"]["recall"]), 90.91);
    assert_eq!(object["by_label"][0]["label"], "VP");
    assert_eq!(object["by_length"][1]["strict"]["labeled"]["f1"], Value::Null);
    assert_eq!(object["per_sentence"][2]["status"], "error");
}

#[test]
fn counts_by_sentence() {
    let output = eval(GOLD, TEST, &["--per-sentence"]);
    let expected = "\
sentence\tlength\tstatus\tmatched\tgold\ttest\tunlabeled\tcrossing\twords\ttags\tf1
1\t7\tscored\t5\t5\t5\t5\t0\t6\t6\t100.00
2\t4\tscored\t5\t6\t6\t6\t0\t4\t4\t83.33
3\t2\tscored\t1\t1\t1\t1\t0\t1\t1\t100.00
";
    assert_eq!(output.stdout, expected);
}

#[test]
fn against_itself_all_is_right() {
    let object = eval(GOLD, GOLD, &["--json"]).json();
    for name in ["precision", "recall", "f1", "exact"] {
        assert_eq!(object[name], 100.0);
    }
}

#[test]
fn an_unreadable_parse_is_an_error_in_its_place() {
    let second = "(S (NP (PRP We)) (VP (VBD tried) (S (VP (TO to) (VP (VB sing))))))";
    let broken = &format!("(X (Y\n{second}\n(INTJ (UH Yes) (. .))\n");
    let output = eval(GOLD, broken, &["--json"]);
    assert_eq!(output.code, Some(1));
    assert!(output.stderr.starts_with("boughs: sentence 1: test:1:1: tree 1: "));
    let object = output.json();
    assert_eq!(object["all"]["errors"], 1);
    assert_eq!(object["precision"], 100.0);
    assert_eq!(object["all"]["strict"]["labeled"]["matched"], 7);
}

#[test]
fn an_unreadable_gold_tree_ends_it_or_is_left_out() {
    let broken = GOLD.replace("(UH Yes)", "Yes");
    let output = eval(&broken, TEST, &[]);
    assert_eq!(output.code, Some(2));
    assert!(output.stdout.is_empty());
    let output = eval(&broken, TEST, &["--keep-going", "--json"]);
    assert_eq!(output.code, Some(1));
    assert_eq!(output.json()["all"]["sentences"], 2);
}

#[test]
fn blank_lines_can_be_sentences() {
    let lines: Vec<&str> = TEST.lines().collect();
    let test = format!("{}\n\n{}\n", lines[0], lines[2]);
    let output = eval(GOLD, &test, &[]);
    assert_eq!(output.code, Some(2));
    assert_eq!(
        output.stderr,
        "boughs: expected a tree in TEST for each in GOLD, found 3 in gold and 2 in test \
         (if blank lines in TEST stand for sentences without a tree, give --empty-lines)\n"
    );
    let output = eval(GOLD, &test, &["--empty-lines", "--json"]);
    assert_eq!(output.code, Some(1));
    assert_eq!(output.stderr, "boughs: sentence 2 (gold tree 2, test tree 2): no tree to score\n");
    assert_eq!(output.json()["recall"], 50.0);
}

#[test]
fn nothing_to_score_is_no_number() {
    let output = eval("(TOP (. .))\n", "(TOP (. .))\n", &[]);
    assert_eq!(output.code, Some(0));
    let report = output.stdout;
    let f1 = report.lines().find(|line| line.starts_with("Labelled F1")).expect("a row");
    assert_eq!(f1.split_whitespace().collect::<Vec<_>>(), ["Labelled", "F1", "-", "-"]);
    assert_eq!(eval("(TOP (. .))", "(TOP (. .))", &["--json"]).json()["f1"], Value::Null);
}

#[test]
fn other_settings() {
    let gold = "(TOP (S (NP (NN a)) (VP (VB b)) (? ?)))";
    let test = "(TOP (S (NP (NN a)) (VP (VB b) (? ?))))";
    assert_eq!(eval(gold, test, &["--json"]).json()["exact"], 0.0);
    assert_eq!(eval(gold, test, &["--json", "--settings", "new"]).json()["exact"], 100.0);
}

#[test]
fn a_file_that_is_no_treebank_is_named() {
    let message = eval(GOLD, &"What is this?\n".repeat(1000), &[]).fault();
    assert!(message.starts_with("boughs: test:1:1: expected a tree, found `What`"), "{message}");
    assert!(message.contains("found 3 in gold and 0 in test (TEST has other text between"), "{message}");
    assert_eq!(message.lines().count(), 6);
}

#[test]
fn text_between_trees_takes_no_sentence() {
    for stray in ["junk\n", ")\n", "junk junk\n)\n"] {
        let spoilt = |text: &str| format!("{stray}{}", text.replacen("\n(", &format!("\n{stray}("), 1));
        let output = eval(GOLD, &spoilt(TEST), &["--json"]);
        assert_eq!(output.code, Some(1), "{}", output.stderr);
        assert!(output.stderr.starts_with("boughs: test:1:1: "), "{}", output.stderr);
        assert!(output.stderr.ends_with(" errors between trees were passed over\n"), "{}", output.stderr);
        let object = output.json();
        assert_eq!((&object["all"]["sentences"], &object["all"]["errors"]), (&3.into(), &0.into()));

        assert!(eval(&spoilt(GOLD), TEST, &[]).fault().starts_with("boughs: gold:1:1: "));
        let output = eval(&spoilt(GOLD), TEST, &["-k", "--json"]);
        assert_eq!(output.code, Some(1), "{}", output.stderr);
        assert_eq!(output.json()["all"]["errors"], 0);
    }
}

#[test]
fn nothing_to_compare_is_a_failure() {
    for options in [&[][..], &["--json"], &["--per-sentence"]] {
        let output = eval("", "", options);
        assert_eq!(output.stdout, "");
        assert_eq!(output.fault(), "boughs: there is no sentence to compare in gold\n");
    }
}

#[test]
fn a_label_of_any_length_fits_into_the_table() {
    let tree = format!("(TOP ({} (NN a)))\n", "L".repeat(70_000));
    let report = eval(&tree, &tree, &[]).ok();
    assert!(report.lines().all(|line| line.chars().count() < 100));
    assert!(report.contains("LLL…  "));
}

#[test]
fn a_sentence_of_punctuation_is_left_out_of_all_figures() {
    let output = eval("(TOP (. .))\n(NP (NN a))\n", "(TOP (. .))\n(NP (NN a))\n", &["--per-sentence"]);
    let rows = output.stdout;
    assert!(rows.contains("1\t1\tno-words\t0\t0\t0\t0\t0\t0\t0\t-\n"), "{rows}");
}

#[test]
fn a_parser_and_its_confidences() {
    let directory = Dir::with(&[("gold", GOLD)]);
    let args = ["eval", "gold", "-m", "@english", "--calibration", "--diagram", "diagram.svg"];
    let output = directory.run(&args);
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    assert!(output.stdout.contains("\nTest       @english\n"), "{}", output.stdout);
    assert!(output.stdout.contains("\n0.9 to 1.0 "), "{}", output.stdout);
    assert!(output.stdout.contains("\nExpected calibration error  0."), "{}", output.stdout);
    assert!(directory.read("diagram.svg").starts_with("<svg"));
    let object: Value =
        serde_json::from_str(&directory.run(&[&args[..5], &["--json"]].concat()).stdout).unwrap();
    let bins = object["calibration"]["bins"].as_array().unwrap();
    let phrases: u64 = bins.iter().map(|bin| bin["phrases"].as_u64().unwrap()).sum();
    assert!((8..14).contains(&phrases), "{phrases}");
    let both = directory.run(&["eval", "gold", "gold", "-m", "@english"]);
    assert_eq!(both.code, Some(2), "{}", both.stdout);
    let neither = directory.run(&["eval", "gold"]);
    assert_eq!(neither.code, Some(2), "{}", neither.stdout);
    assert!(neither.stderr.contains("TEST"), "{}", neither.stderr);
}
