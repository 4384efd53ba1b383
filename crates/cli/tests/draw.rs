//! `boughs treebank draw` and `convert`, as a user runs them.

mod common;

use common::{Dir, boughs};

fn assert_fails(args: &[&str], input: &str, expected: &str) {
    let message = boughs(args, input).fault();
    assert!(message.contains(expected), "{message}");
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
    assert_eq!(output.stdout, expected);
    assert_eq!(output.code, Some(0));
}

#[test]
fn numbers_choose_trees() {
    let output = boughs(&["treebank", "draw", "--number", "3,1", "--ascii"], TREES);
    assert_eq!(output.stdout, "   NP\n +-+--+\n DT   NN\nthe  cat\n\nINTJ\n |\n UH\nYes\n");
    assert_fails(&["treebank", "draw", "-n", "7.."], TREES, "there is no tree 7: the input has 3 trees");
    let some = boughs(&["treebank", "draw", "-n", "2..9"], TREES);
    assert_eq!((some.code, some.stdout.as_str()), (Some(1), "VP\n│\nVB\ngo\n\nINTJ\n │\n UH\nYes\n"));
    assert_eq!(some.stderr, "boughs: there is no tree 4: the input has 3 trees\n");
    assert_fails(&["treebank", "draw", "-n", "0"], TREES, "trees are counted from 1");
}

#[test]
fn numbers_count_skipped_trees() {
    let output = boughs(&["treebank", "draw", "-k", "-n", "3"], "(NP (NN a))\n(VP (VB go) go)\n(X (Y y))\n");
    assert_eq!(output.stdout, "X\n│\nY\ny\n");
    assert_eq!(output.code, Some(1));
}

#[test]
fn svg_is_one_document() {
    let one = boughs(&["treebank", "draw", "-t", "svg", "-n", "2"], TREES);
    assert!(one.stdout.starts_with("<svg ") && one.stdout.contains("<title>go</title>"));
    let svg = ["treebank", "draw", "-t", "svg"];
    for all in [boughs(&svg, TREES), boughs(&["treebank", "convert", "-t", "svg"], TREES)] {
        assert!(
            all.stdout.starts_with("<svg ") && all.stdout.ends_with("</svg>\n</svg>\n"),
            "{}",
            all.stdout
        );
        assert_eq!((all.stdout.matches("<style>").count(), all.stdout.matches("<title>").count()), (1, 3));
    }
    assert_fails(&["treebank", "draw", "--format", "svg"], TREES, "`--format` is now `--to`");
    assert_fails(&svg, "", "no tree to draw");
}

#[test]
fn a_directory_holds_many_pictures() {
    let directory = Dir::new();
    let draw = ["treebank", "draw", "-t", "svg", "-n", "2..3", "--out-dir", "new/pictures"];
    let output = directory.run_with(&draw, TREES);
    assert_eq!((output.code, output.stdout.as_str()), (Some(0), ""));
    assert_eq!(output.stderr, "boughs: 2 files written into new/pictures\n");
    assert_eq!(directory.list("new/pictures"), ["0002.svg", "0003.svg"]);
    assert!(directory.read("new/pictures/0002.svg").contains("<title>go</title>"));

    let other = TREES.replace("go", "stay");
    let message = directory.run_with(&draw, &other).fault();
    assert!(message.contains("0002.svg exists (--force overwrites it)"), "{message}");
    assert_eq!(directory.run_with(&[&draw[..], &["--force"]].concat(), &other).code, Some(0));
    assert!(directory.read("new/pictures/0002.svg").contains("<title>stay</title>"));
}

#[test]
fn latex_can_be_a_document() {
    let latex = ["treebank", "draw", "-t", "latex", "-n", "2"];
    assert!(boughs(&latex, TREES).stdout.starts_with("\\begin{forest}"));
    let document = boughs(&[&latex[..], &["--standalone"]].concat(), TREES);
    assert!(document.stdout.starts_with("\\documentclass"));
    assert!(document.stdout.ends_with("\\end{forest}\n\\end{document}\n"));
}

#[test]
fn flags_of_other_formats_are_refused() {
    assert_fails(&["treebank", "draw", "--standalone"], TREES, "--standalone is for --to latex only");
    assert_fails(&["treebank", "draw", "-t", "svg", "--ascii"], TREES, "--ascii is for --to text only");
}

#[test]
fn json_goes_there_and_back() {
    let json = boughs(&["treebank", "convert", "--to", "json", "@sample"], "");
    assert_eq!(json.code, Some(0));
    let back = boughs(&["treebank", "convert"], &json.stdout);
    assert_eq!(back.stdout, boughs(&["treebank", "convert", "@sample"], "").stdout);
    assert!(back.stdout.lines().count() >= 300);
}

#[test]
fn bad_json_is_named() {
    let json = "{\"tokens\":[]}\n{\"tokens\":7}\n";
    assert_fails(&["treebank", "convert"], json, "<stdin>:2:11: tree 2: invalid type");
}

#[test]
fn every_format_can_be_written() {
    let convert = |to| boughs(&["treebank", "convert", "--to", to], "(VP (VB go))").stdout;
    assert_eq!(convert("line"), "(VP (VB go))\n");
    assert_eq!(convert("pretty"), "(VP (VB go))\n\n");
    assert_eq!(convert("text"), "VP\n│\nVB\ngo\n\n");
    assert!(convert("json").starts_with(r#"{"tokens":[{"word":"go","tag":"VB"}],"nodes":[{"label":"VP","#));
    assert!(convert("latex").ends_with("\n  [VP [VB [go]]]\n\\end{forest}\n\n"));
    assert!(convert("svg").ends_with("</svg>\n"));
    assert!(convert("html").contains("<figcaption><a href=\"#s1\">1</a> go</figcaption>"));
    let rows = "1\tVP\tgo\t\t\tgo\t\t<stdin>\n";
    assert_eq!(convert("phrases").split_once('\n').unwrap().1, rows);
    assert!(convert("conllu").ends_with("\n1\tgo\t_\t_\tVB\t_\t0\troot\t_\t_\n\n"));
}

#[test]
fn parts_of_the_sample() {
    let news = boughs(&["treebank", "convert", "@sample/news"], "");
    assert!(news.stdout.starts_with("( (S "));
    assert_eq!(news.stdout, boughs(&["treebank", "convert", "@sample/news.mrg"], "").stdout);
    assert_fails(&["treebank", "convert", "@sample/poems"], "", "there is no `poems`");
}
