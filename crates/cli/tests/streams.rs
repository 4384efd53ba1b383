//! What can be read only once: standard input and pipes.

mod common;

use common::Dir;

const TREES: &str = "(S (A a) (B b))\n(S (A c) (B b))\n";

#[test]
fn standard_input_is_read_once() {
    let directory = Dir::with(&[("a.mrg", TREES)]);
    for args in [
        &["treebank", "convert", "-", "-"][..],
        &["treebank", "check", "-", "--against", "-"],
        &["treebank", "check", "--against", "-"],
        &["treebank", "clean", "--replace-rare", "2", "--training", "-", "-"],
        &["compare", "a.mrg", "-", "-"],
    ] {
        let message = directory.run_with(args, TREES).fault();
        assert!(message.contains("standard input can be read only once"), "{args:?}: {message}");
    }
    for args in [&["eval", "-", "-"][..], &["eval", "--evalb", "-", "-"]] {
        let message = directory.run_with(args, TREES).fault();
        assert!(message.contains("GOLD and TEST cannot both be standard input"), "{args:?}: {message}");
    }
}

#[test]
fn what_is_read_twice_is_no_standard_input() {
    let directory = Dir::with(&[("a.mrg", TREES)]);
    for args in [
        &["treebank", "clean", "--replace-rare", "2"][..],
        &["treebank", "split", "--part", "x=1", "-"],
        &["compare", "-", "a.mrg", "a.mrg"],
    ] {
        let message = directory.run_with(args, TREES).fault();
        assert!(message.contains("standard input would be read twice"), "{args:?}: {message}");
    }
    assert_eq!(directory.list("."), ["a.mrg"]);
}

#[cfg(unix)]
#[test]
fn what_is_read_twice_is_no_pipe() {
    let directory = Dir::with(&[("a.mrg", TREES)]);
    for args in [
        &["treebank", "clean", "--replace-rare", "2", "/dev/stdin"][..],
        &["treebank", "split", "--part", "x=1", "a.mrg", "/dev/stdin"],
        &["compare", "/dev/stdin", "a.mrg", "a.mrg"],
    ] {
        let message = directory.run_with(args, TREES).fault();
        assert!(message.contains("/dev/stdin would be read twice"), "{args:?}: {message}");
    }
    let args = ["treebank", "clean", "--replace-rare", "2", "--training", "a.mrg", "/dev/stdin"];
    assert_eq!(directory.run_with(&args, "(X (A a) (B b))\n").ok(), "(X (A UNK) (B b))\n");
}
