//! `boughs treebank convert --binarize …` and back.

mod common;

use common::{Dir, boughs};

const TREE: &str = "(TOP (S (NP (DT The) (JJ old) (NN bough)) (VP (VBZ bends)) (. .)))\n";

fn converted(args: &[&str], input: &str) -> String {
    boughs(&[&["treebank", "convert"], args].concat(), input).ok()
}

fn fault(args: &[&str]) -> String {
    boughs(&[&["treebank", "convert"], args].concat(), "").fault()
}

#[test]
fn there_and_back() {
    for args in [
        &["--binarize", "left"][..],
        &["--binarize", "right", "--horizontal", "0"],
        &["--binarize", "head", "--horizontal", "1", "--vertical", "3", "--collapse-unaries"],
        &["--collapse-unaries=all"],
    ] {
        let binary = converted(args, TREE);
        assert_ne!(binary, TREE);
        assert_eq!(converted(&["--debinarize"], &binary), TREE);
    }
}

#[test]
fn head_outward_with_parents() {
    let binary = converted(&["--binarize", "head", "--horizontal", "1", "--vertical", "2"], TREE);
    let expected =
        "(TOP (S^TOP (NP^S (DT The) (@NP^S<JJ (JJ old) (NN bough))) (@S^TOP>. (VP^S (VBZ bends)) (. .))))\n";
    assert_eq!(binary, expected);
}

#[test]
fn head_rules_come_from_a_file() {
    let directory = Dir::new();
    let path = directory.write("rules", "NP first\nS last\n");
    let binary = converted(&["--binarize", "head", "--horizontal", "0", "--head-rules", &path], TREE);
    assert!(binary.starts_with("(TOP (S (NP (@NP (DT The) (JJ old)) (NN bough))"), "{binary}");
}

#[test]
fn head_rules_that_are_built_in() {
    let binary = |rules: &[&str]| converted(&[&["--binarize", "head"], rules].concat(), TREE);
    assert_eq!(binary(&[]), binary(&["--head-rules", "english"]));
    assert_eq!(converted(&["--debinarize"], &binary(&["--head-rules", "any"])), TREE);
    let message = fault(&["--binarize", "head", "--head-rules", "german"]);
    assert!(message.contains("cannot read german (expected a file, or one of english, any)"), "{message}");
}

#[test]
fn faults_name_file_and_line() {
    let directory = Dir::new();
    let path = directory.write("rules", "NP first\nNP last\n");
    let message = fault(&["--binarize", "head", "--head-rules", &path]);
    assert!(message.contains(&format!("{path}:2: a second rule for `NP`")), "{message}");
    assert!(
        fault(&["--binarize", "head", "--head-rules", "no/such/file"]).contains("cannot read no/such/file")
    );
}

#[test]
fn flags_that_do_not_go_together() {
    assert!(fault(&["--debinarize", "--binarize", "left"]).contains("cannot be used with"));
    assert!(fault(&["--binarize", "left", "--head-rules", "x"]).contains("--binarize head"));
    assert!(fault(&["--horizontal", "1"]).contains("--binarize"));
    assert!(fault(&["--binarize", "left", "--vertical", "0"]).contains("0 is not in"));
}
