//! `boughs treebank draw` and `convert`, as a user runs them.

use std::fs;
use std::io::Write;
use std::process::{Command, Output, Stdio};

fn boughs(args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_boughs"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("boughs starts");
    let mut stdin = child.stdin.take().expect("piped");
    let input = input.to_owned();
    // A run that fails early closes its input, which is not this test's concern.
    let writer = std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    let output = child.wait_with_output().expect("boughs ends");
    writer.join().expect("written");
    output
}

fn stdout(output: &Output) -> &str {
    str::from_utf8(&output.stdout).expect("UTF-8")
}

fn stderr(output: &Output) -> &str {
    str::from_utf8(&output.stderr).expect("UTF-8")
}

fn assert_fails(args: &[&str], input: &str, expected: &str) {
    let output = boughs(args, input);
    assert_eq!(output.status.code(), Some(2), "{args:?}");
    assert!(stderr(&output).contains(expected), "{}", stderr(&output));
}

const TREES: &str = "(NP (DT the) (NN cat))\n(VP (VB go))\n(INTJ (UH Yes))\n";

#[test]
fn all_trees_are_drawn_as_text() {
    let output = boughs(&["treebank", "draw"], TREES);
    let expected = "   NP
 ┌─┴──┐
 DT   NN
the  cat

VP
│
VB
go

INTJ
 │
 UH
Yes
";
    assert_eq!(stdout(&output), expected);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn numbers_choose_trees() {
    let output = boughs(&["treebank", "draw", "--number", "3,1", "--ascii"], TREES);
    assert_eq!(stdout(&output), "   NP\n +-+--+\n DT   NN\nthe  cat\n\nINTJ\n |\n UH\nYes\n");
    assert_fails(&["treebank", "draw", "-n", "2,7.."], TREES, "there is no tree 7: the input has 3 trees");
    assert_fails(&["treebank", "draw", "-n", "0"], TREES, "trees are counted from 1");
}

#[test]
fn numbers_count_skipped_trees() {
    let output = boughs(&["treebank", "draw", "-k", "-n", "3"], "(NP (NN a))\n(VP (VB go) go)\n(X (Y y))\n");
    assert_eq!(stdout(&output), "X\n│\nY\ny\n");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn svg_is_one_tree() {
    let one = boughs(&["treebank", "draw", "-f", "svg", "-n", "2"], TREES);
    assert!(stdout(&one).starts_with("<svg ") && stdout(&one).contains("<title>go</title>"));
    let svg = ["treebank", "draw", "-f", "svg"];
    assert_fails(&svg, TREES, "--out-dir DIR");
    assert_fails(&svg, "", "no tree to draw");
}

#[test]
fn a_directory_holds_many_pictures() {
    let directory = tempfile::tempdir().expect("a directory");
    let pictures = directory.path().join("new/pictures");
    let name = pictures.to_str().expect("UTF-8");
    let output = boughs(&["treebank", "draw", "-f", "svg", "-n", "2..3", "--out-dir", name], TREES);
    assert_eq!((output.status.code(), stdout(&output)), (Some(0), ""));
    let entries = fs::read_dir(&pictures).expect("made");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("a file").file_name()).collect();
    files.sort();
    assert_eq!(files, ["0002.svg", "0003.svg"]);
    let picture = fs::read_to_string(pictures.join("0002.svg")).expect("written");
    assert!(picture.contains("<title>go</title>"));
}

#[test]
fn latex_can_be_a_document() {
    let latex = ["treebank", "draw", "-f", "latex", "-n", "2"];
    assert!(stdout(&boughs(&latex, TREES)).starts_with("\\begin{forest}"));
    let document = boughs(&[&latex[..], &["--standalone"]].concat(), TREES);
    assert!(stdout(&document).starts_with("\\documentclass"));
    assert!(stdout(&document).ends_with("\\end{forest}\n\\end{document}\n"));
}

#[test]
fn flags_of_other_formats_are_refused() {
    assert_fails(&["treebank", "draw", "--standalone"], TREES, "--standalone is for --format latex only");
    assert_fails(&["treebank", "draw", "-f", "svg", "--ascii"], TREES, "--ascii is for --format text only");
}

#[test]
fn json_goes_there_and_back() {
    let json = boughs(&["treebank", "convert", "--to", "json", "@sample"], "");
    assert_eq!(json.status.code(), Some(0));
    let back = boughs(&["treebank", "convert"], stdout(&json));
    assert_eq!(stdout(&back), stdout(&boughs(&["treebank", "convert", "@sample"], "")));
    assert!(stdout(&back).lines().count() >= 300);
}

#[test]
fn bad_json_is_named() {
    let json = "{\"tokens\":[]}\n{\"tokens\":7}\n";
    assert_fails(&["treebank", "convert"], json, "<stdin>:2:11: tree 2: invalid type");
}

#[test]
fn every_format_can_be_written() {
    let convert = |to| stdout(&boughs(&["treebank", "convert", "--to", to], "(VP (VB go))")).to_owned();
    assert_eq!(convert("line"), "(VP (VB go))\n");
    assert_eq!(convert("pretty"), "(VP (VB go))\n\n");
    assert_eq!(convert("text"), "VP\n│\nVB\ngo\n\n");
    assert!(convert("json").starts_with(r#"{"tokens":[{"word":"go","tag":"VB"}],"nodes":[{"label":"VP","#));
    assert!(convert("latex").ends_with("\n  [VP [VB [go]]]\n\\end{forest}\n\n"));
    assert!(convert("svg").ends_with("</svg>\n"));
}

#[test]
fn parts_of_the_sample() {
    let news = boughs(&["treebank", "convert", "@sample/news"], "");
    assert!(stdout(&news).starts_with("( (S "));
    assert_eq!(news.stdout, boughs(&["treebank", "convert", "@sample/news.mrg"], "").stdout);
    assert_fails(&["treebank", "convert", "@sample/poems"], "", "there is no `poems`");
}
