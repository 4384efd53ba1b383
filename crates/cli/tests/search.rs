//! `boughs treebank search`, as a user runs it.

mod common;

use common::{Dir, boughs};

const TREES: &str = "\
(S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT a) (NN cat))))
(S (NP (PRP He)) (VP (VBZ sleeps)))
(NP (NP (NN tea)) (PP (IN for) (NP (CD two))))
";

fn search(args: &[&str]) -> String {
    boughs(&[&["treebank", "search"], args].concat(), TREES).ok()
}

#[test]
fn hits_are_trees() {
    assert_eq!(search(&["NP < DT"]), "(NP (DT the) (NN dog))\n(NP (DT a) (NN cat))\n");
    assert_eq!(search(&["NP >> VP"]), "(NP (DT a) (NN cat))\n");
    assert_eq!(search(&["/^s/ > VBZ"]), "(VBZ sees)\n(VBZ sleeps)\n");
    assert_eq!(search(&["VBZ", "--whole"]).lines().count(), 2);
    assert_eq!(search(&["QP"]), "");
    let colored = search(&["PRP", "--whole", "--color", "always"]);
    assert_eq!(colored, "(S (NP \u{1b}[1;31m(PRP He)\u{1b}[0m) (VP (VBZ sleeps)))\n");
}

#[test]
fn hits_are_counted_placed_and_converted() {
    assert_eq!(search(&["NP", "--count"]), "6\n");
    assert_eq!(search(&["NP", "--count", "--whole"]), "3\n");
    let directory = Dir::with(&[("a.mrg", TREES)]);
    let placed = directory.run(&["treebank", "search", "PP", "--place", "a.mrg"]).ok();
    assert_eq!(placed, "a.mrg\t3\t(PP (IN for) (NP (CD two)))\n");
    assert!(search(&["PP", "--to", "svg"]).contains("<title>for two</title>"));
    assert!(
        search(&["NP", "--to", "phrases", "--label", "PP"]).ends_with("3\tPP\tfor two\t\t\ttwo\t\t<stdin>\n")
    );
}

#[test]
fn bad_patterns_are_refused() {
    let fault = boughs(&["treebank", "search", "NP <"], TREES).fault();
    assert!(fault.contains("column 5: expected a node") && !fault.contains("is a flag of"), "{fault}");
    assert!(boughs(&["search", "NP"], TREES).fault().contains("there is `boughs treebank search`"));
}
