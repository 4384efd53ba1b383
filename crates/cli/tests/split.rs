//! `boughs treebank split` as a user runs it.

mod common;

use std::collections::BTreeSet;

use common::{Dir, Run};

/// Three files of seven sentences each; the words tell where a sentence is from.
fn treebank() -> Dir {
    let directory = Dir::new();
    for file in ["a", "b", "c"] {
        let trees: String = (1..=7).map(|number| format!("(TOP (S (X {file}{number})))\n")).collect();
        directory.write(&format!("in/{file}.mrg"), trees);
    }
    directory
}

fn split(directory: &Dir, args: &[&str]) -> Run {
    directory.run(&[&["treebank", "split", "in", "--out-dir", "out"], args].concat())
}

fn parts(directory: &Dir, names: &[&str]) -> Vec<String> {
    names.iter().map(|name| directory.read(&format!("out/{name}.mrg"))).collect()
}

const PARTS: [&str; 6] = ["--part", "train=rest", "--part", "dev=20%", "--part", "test=3"];

#[test]
fn every_sentence_is_in_one_part() {
    let directory = treebank();
    let output = split(&directory, &PARTS);
    assert_eq!((output.code, output.stdout.as_str()), (Some(0), ""));
    assert_eq!(directory.list("out"), ["dev.mrg", "test.mrg", "train.mrg"]);
    let parts = parts(&directory, &["train", "dev", "test"]);
    assert_eq!(parts.iter().map(|part| part.lines().count()).collect::<Vec<_>>(), [14, 4, 3]);
    let sentences: BTreeSet<&str> = parts.iter().flat_map(|part| part.lines()).collect();
    assert_eq!(sentences.len(), 21);
    assert!(parts.iter().all(|part| part.lines().is_sorted()), "in the order of the input");
    assert!(output.stderr.contains("dev.mrg: 4 trees"), "{}", output.stderr);
}

#[test]
fn the_seed_decides() {
    let dev = |seed: &str| {
        let directory = treebank();
        assert_eq!(split(&directory, &[&PARTS[..], &["--seed", seed]].concat()).code, Some(0));
        directory.read("out/dev.mrg")
    };
    assert_eq!(dev("1"), dev("1"));
    assert_ne!(dev("1"), dev("2"));
}

#[test]
fn in_order() {
    let directory = treebank();
    split(&directory, &["--in-order", "-p", "one=2", "-p", "two=1"]);
    let expected = ["(TOP (S (X a1)))\n(TOP (S (X a2)))\n", "(TOP (S (X a3)))\n"];
    assert_eq!(parts(&directory, &["one", "two"]), expected);
    let message = split(&directory, &["--in-order", "--seed", "3", "-p", "one=2"]).fault();
    assert!(message.contains("cannot be used with"), "{message}");
}

#[test]
fn files_are_kept_together() {
    let directory = treebank();
    split(&directory, &["--by", "file", "-p", "dev=1", "-p", "train=rest"]);
    for (part, num_files) in parts(&directory, &["dev", "train"]).iter().zip([1, 2]) {
        let files: BTreeSet<&str> = part.lines().map(|line| &line[11..12]).collect();
        assert_eq!((files.len(), part.lines().count()), (num_files, 7 * num_files));
    }
}

#[test]
fn existing_files_are_overwritten_only_by_force() {
    let directory = treebank();
    directory.write("out/dev.mrg", "mine");
    let message = split(&directory, &PARTS).fault();
    assert!(message.contains("dev.mrg exists (--force overwrites it)"), "{message}");
    assert_eq!((directory.read("out/dev.mrg").as_str(), directory.list("out").len()), ("mine", 1));
    assert_eq!(split(&directory, &[&PARTS[..], &["--force"]].concat()).code, Some(0));
    assert_eq!(directory.read("out/dev.mrg").lines().count(), 4);
}

#[test]
fn an_input_is_never_overwritten() {
    let directory = treebank();
    for (input, out) in [("in", "in"), ("in/a.mrg", "in"), ("in/../in/a.mrg", "./in")] {
        let args = ["treebank", "split", input, "--force", "--out-dir", out, "-p", "a=1", "-p", "d=rest"];
        let message = directory.run(&args).fault();
        assert!(message.contains("a.mrg is one of the files to be split"), "{message}");
    }
    assert_eq!(directory.list("in"), ["a.mrg", "b.mrg", "c.mrg"]);
    assert_eq!(directory.read("in/a.mrg").lines().count(), 7);
}

#[test]
fn what_cannot_be_done_is_explained() {
    let directory = treebank();
    for (args, expected) in [
        (&["-p", "a=60%", "-p", "b=60%"][..], "the shares add up to 120.0%"),
        (&["-p", "a=60%", "-p", "b=42%"], "the shares add up to 102.0%"),
        (&["-p", "a=60%", "-p", "b=40%", "-p", "c=1"], "the parts need 22, but there are only 21"),
        (&["-p", "a=22"], "the parts need 22, but there are only 21"),
        (&["-p", "a=1", "-p", "a=2"], "two parts are called `a`"),
        (&["-p", "a=rest", "-p", "b=rest"], "more than one part takes the rest"),
        (&["-p", "a=many"], "expected NAME=SIZE, found `a=many`"),
        (&[], "--part <NAME=SIZE>"),
    ] {
        let message = split(&directory, args).fault();
        assert!(message.contains(expected), "{message}");
    }
    let message = directory.run_with(&["treebank", "split", "-p", "a=1"], "(X x)").fault();
    assert!(message.contains("standard input would be read twice"), "{message}");
    assert_eq!(directory.list("."), ["in"]);
}

#[test]
fn a_split_that_fails_leaves_nothing_behind() {
    let directory = treebank();
    directory.write("out/b.mrg/in-the-way", "");
    let message = split(&directory, &["-p", "b=1", "--force"]).fault();
    assert!(message.contains("b.mrg"), "{message}");
    assert_eq!(directory.list("out"), ["b.mrg"]);
}

#[test]
fn bad_trees_are_left_out() {
    let directory = treebank();
    directory.write("in/b.mrg", "(X (A a))\n(X (A ))\n(X (A b))\n");
    assert!(split(&directory, &PARTS).fault().contains("b.mrg:2:"));
    assert_eq!(directory.list("."), ["in"]);
    let output = split(&directory, &["-k", "-p", "all=rest"]);
    assert_eq!((output.code, directory.read("out/all.mrg").lines().count()), (Some(1), 16));
    assert_eq!(output.stderr.matches("b.mrg:2:").count(), 1);
}
