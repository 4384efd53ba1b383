//! `boughs man`, `boughs completions` and `--help`.

mod common;

use common::{Dir, boughs};

const VERBS: [&str; 12] = [
    "train",
    "parse",
    "tag",
    "explain",
    "model",
    "eval",
    "compare",
    "treebank",
    "learn",
    "tokenize",
    "completions",
    "man",
];
const TREEBANK_VERBS: [&str; 7] = ["check", "stats", "search", "clean", "convert", "split", "draw"];

#[test]
fn every_shell_learns_the_verbs() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = boughs(&["completions", shell], "").ok();
        for verb in VERBS.iter().chain(&TREEBANK_VERBS) {
            assert!(script.contains(verb), "{verb} in {shell}");
        }
    }
    assert!(boughs(&["completions", "dos"], "").fault().contains("possible values"));
}

#[test]
fn a_page_for_each_verb() {
    let page = boughs(&["man"], "").ok();
    assert!(page.contains(".TH boughs 1"), "{page}");
    assert!(VERBS.iter().all(|verb| page.contains(verb)));
    assert!(boughs(&["man", "eval"], "").ok().contains("per\\-sentence"));
    assert!(boughs(&["man", "treebank", "clean"], "").ok().contains("remove\\-traces"));
    let message = boughs(&["man", "treebank", "burn"], "").fault();
    assert_eq!(message, "boughs: there is no verb `treebank burn` (see boughs --help)\n");
}

#[test]
fn all_pages_in_a_directory() {
    let directory = Dir::new();
    let output = directory.run(&["man", "--directory", "new/man"]);
    let pages = directory.list("new/man");
    let message = format!("boughs: {} pages written into new/man\n", pages.len());
    assert_eq!((output.code, output.stderr), (Some(0), message));
    assert!(!pages.iter().any(|page| page.contains("help")), "{pages:?}");
    for verb in VERBS {
        assert!(pages.contains(&format!("boughs-{verb}.1")), "{pages:?}");
    }
    for verb in TREEBANK_VERBS {
        assert!(pages.contains(&format!("boughs-treebank-{verb}.1")), "{pages:?}");
    }
    assert!(directory.run(&["man", "eval", "--directory", "x"]).fault().contains("cannot be used with"));
    directory.write("file", "");
    assert!(directory.run(&["man", "--directory", "file"]).fault().contains("cannot write into file"));
}

#[test]
fn help_for_each_verb() {
    for verb in VERBS {
        assert!(boughs(&[verb, "--help"], "").ok().contains("Usage: boughs"), "{verb}");
    }
    assert!(boughs(&["bake"], "").fault().contains("unrecognized subcommand 'bake'"));
}

#[test]
fn the_short_help_of_every_method_fits_on_a_page() {
    let methods =
        ["", "boosted", "latent", "conditional", "crf", "pcfg", "tagger"].map(|it| ["train", it, ""]);
    let of_rows = ["", "boosted", "logistic"].map(|method| ["learn", "train", method]);
    let of_pairs = ["train", "words"].map(|verb| ["translate", verb, ""]);
    for verbs in methods.iter().chain(&of_rows).chain(&of_pairs) {
        let args: Vec<&str> = verbs.iter().copied().chain(["-h"]).filter(|arg| !arg.is_empty()).collect();
        let help = boughs(&args, "").ok();
        assert!(help.lines().count() <= 60, "{verbs:?}: {} lines", help.lines().count());
    }
}
