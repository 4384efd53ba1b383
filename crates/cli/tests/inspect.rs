//! `boughs treebank check` and `stats` as a user runs them.

mod common;

use common::{Dir, Run, boughs};
use serde_json::json;

const SOUND: &str = "( (S (NP-SBJ (PRP We)) (VP (VBP draw))))\n( (S (NP-SBJ (PRP They)) (VP (VBP sing))))\n";

fn check(args: &[&str], input: &str) -> Run {
    boughs(&[&["treebank", "check"], args].concat(), input)
}

fn stats(args: &[&str], input: &str) -> Run {
    boughs(&[&["treebank", "stats"], args].concat(), input)
}

#[test]
fn a_sound_treebank() {
    assert_eq!(check(&[], SOUND).ok(), "2 trees checked: the treebank is sound\n");
    let object = check(&["--json"], SOUND).json();
    assert_eq!((&object["sound"], &object["findings"]), (&true.into(), &json!([])));
}

#[test]
fn notes_are_no_problems() {
    let repeated = SOUND.repeat(2);
    let report = check(&["--most", "1"], &repeated).ok();
    let expected = "note: sentences that occurred before (2)\n  <stdin> tree 3  as <stdin> tree 1\n  \
                    … and 1 more (--most 0 shows all)\n4 trees checked: the treebank is sound; see the notes\n";
    assert_eq!(report, expected);
}

#[test]
fn problems_make_the_exit_code_1() {
    let output = check(&[], &format!("{SOUND}()\n"));
    assert_eq!((output.code, output.stderr.as_str()), (Some(1), ""));
    assert!(
        output.stdout.starts_with("problem: trees without tokens (1)\n  <stdin> tree 3"),
        "{}",
        output.stdout
    );
    let object = check(&["--json"], "(S (NP (NP (A a))))\n").json();
    assert_eq!((&object["sound"], &object["findings"][0]["kind"]), (&false.into(), &"unary-cycle".into()));
}

#[test]
fn what_cannot_be_read_is_a_problem() {
    let output = check(&[], &format!("(X (A ))\njunk\n{SOUND}{SOUND}"));
    assert_eq!(output.code, Some(1));
    assert!(output.stdout.contains("problem: trees that cannot be read (1)\n"), "{}", output.stdout);
    assert!(output.stdout.contains("problem: errors between trees (1)\n"), "{}", output.stdout);
    assert!(output.stdout.contains("tree 4  as <stdin> tree 2"), "{}", output.stdout);
    let object = check(&["--json"], "junk\n").json();
    assert_eq!((&object["between_trees"], &object["sound"]), (&1.into(), &false.into()));
}

#[test]
fn a_sentence_of_the_training_data() {
    let directory = Dir::with(&[("train", SOUND), ("bad", "(X (A ))\n")]);
    let args = ["treebank", "check", "--against", "train"];
    let output = directory.run_with(&args, SOUND.lines().next().expect("a line"));
    assert_eq!(output.code, Some(1));
    assert!(output.stdout.contains("<stdin> tree 1  as train tree 1"), "{}", output.stdout);
    directory.run_with(&args, "( (S (VP (VB Go))))").ok();
    let bad = ["treebank", "check", "--against", "bad"];
    assert!(directory.run_with(&bad, SOUND).fault().contains("bad:1:"));
    assert_eq!(directory.run_with(&[&bad[..], &["-k"]].concat(), SOUND).code, Some(1));
}

#[test]
fn counts() {
    let report = stats(&[], SOUND).ok();
    for line in ["sentences            2", "labels (3)", "function tags (1)", "parts of speech (2)"] {
        assert!(report.contains(line), "{line} in {report}");
    }
    let most = stats(&["--most", "1"], SOUND).ok();
    assert!(most.contains("labels (3)\n  NP              2\n  … and 2 more (--most 0 lists all)"), "{most}");
    assert!(stats(&["--most", "0"], SOUND).ok().contains("VP"));
}

#[test]
fn counts_for_programs() {
    let object = stats(&["--json"], SOUND).json();
    assert_eq!(object["sentences"], 2);
    assert_eq!(object["labels"], json!({ "NP": 2, "S": 2, "VP": 2 }));
    assert_eq!(object["functions"], json!({ "SBJ": 2 }));
    assert_eq!(object["length"], json!({ "min": 2, "median": 2, "mean": 2.0, "max": 2, "counts": [[2, 2]] }));
}

#[test]
fn bad_trees_end_it_or_are_left_out() {
    let bad = format!("(X (A ))\n{SOUND}");
    assert!(stats(&[], &bad).fault().contains("<stdin>:1:"));
    let output = stats(&["-k", "--json"], &bad);
    assert_eq!((output.code, &output.json()["sentences"]), (Some(1), &2.into()));
    assert!(output.stderr.ends_with("boughs: 1 tree was skipped\n"), "{}", output.stderr);
}

#[test]
fn a_label_of_any_length() {
    let tree = format!("(S ({} (A a)) (NP (A b)))\n", "X".repeat(70_000));
    let report = stats(&[], &tree).ok();
    assert!(report.lines().all(|line| line.chars().count() < 80), "{report}");
}
