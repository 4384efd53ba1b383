//! `boughs treebank convert --binarize …` and back.

use std::io::Write;
use std::process::{Command, Output, Stdio};

const TREE: &str = "(TOP (S (NP (DT The) (JJ old) (NN bough)) (VP (VBZ bends)) (. .)))\n";

fn convert(args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_boughs"))
        .args(["treebank", "convert"])
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("boughs runs");
    child.stdin.take().expect("piped").write_all(input.as_bytes()).expect("written");
    child.wait_with_output().expect("boughs ends")
}

fn converted(args: &[&str], input: &str) -> String {
    let output = convert(args, input);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn fault(args: &[&str]) -> String {
    let output = convert(args, "");
    assert_eq!(output.status.code(), Some(2));
    String::from_utf8(output.stderr).expect("UTF-8")
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
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    writeln!(file, "NP first\nS last").expect("written");
    let path = file.path().to_str().expect("UTF-8");
    let binary = converted(&["--binarize", "head", "--horizontal", "0", "--head-rules", path], TREE);
    assert!(binary.starts_with("(TOP (S (NP (@NP (DT The) (JJ old)) (NN bough))"), "{binary}");
}

#[test]
fn faults_name_file_and_line() {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    writeln!(file, "NP first\nNP last").expect("written");
    let path = file.path().to_str().expect("UTF-8");
    let message = fault(&["--binarize", "head", "--head-rules", path]);
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
