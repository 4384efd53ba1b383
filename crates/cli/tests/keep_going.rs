//! What cannot be read, with `--keep-going` and without.

mod common;

use std::io::Write;

use common::Dir;

/// A file of trees, packed and then cut in the middle, and a whole one after it.
fn cut_treebank() -> (Dir, usize) {
    let directory = Dir::new();
    // Words of random letters cannot be packed well, so that half of the bytes hold about half of the trees.
    let mut state = 1u64;
    let mut word = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        format!("{:016x}", state ^ (state >> 32))
    };
    let trees: String = (0..4000).map(|_| format!("(NP (NN {}))\n", word())).collect();
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(trees.as_bytes()).expect("packed");
    let packed = packer.finish().expect("packed");
    directory.write("in/a.mrg.gz", &packed[..packed.len() / 2]);
    directory.write("in/b.mrg", "(NP (NN last))\n");
    (directory, 4000)
}

#[test]
fn a_file_that_breaks_off_is_no_single_tree() {
    let (directory, num_trees) = cut_treebank();
    let message = directory.run(&["treebank", "convert", "in"]).fault();
    assert!(message.contains("a.mrg.gz") && message.contains("cannot read"), "{message}");

    let output = directory.run(&["treebank", "convert", "-k", "in"]);
    assert_eq!(output.code, Some(1));
    let lines: Vec<&str> = output.stdout.lines().collect();
    assert!((10..num_trees - 10).contains(&lines.len()), "{}", lines.len());
    assert_eq!(lines.last(), Some(&"(NP (NN last))"));
    let reports: Vec<&str> = output.stderr.lines().collect();
    assert_eq!(reports.len(), 2, "{reports:?}");
    assert!(reports[0].ends_with("a.mrg.gz could not be read"), "{reports:?}");
    assert_eq!(reports[1], "boughs: 1 file was not read to its end");
}

#[test]
fn trees_are_not_paired_after_a_file_that_breaks_off() {
    let (directory, num_trees) = cut_treebank();
    directory.write("whole.mrg", "(NP (NN x))\n".repeat(num_trees + 1));
    for files in [["in", "whole.mrg"], ["whole.mrg", "in"]] {
        for options in [&[][..], &["-k"]] {
            let output = directory.run(&[&["eval", "--json"], &files[..], options].concat());
            assert_eq!(output.stdout, "");
            assert!(output.fault().contains("cannot read"));
        }
    }
}

#[test]
fn a_file_that_cannot_be_opened_is_passed_over() {
    let directory = Dir::with(&[("a.mrg", "(NP (NN a))\n")]);
    assert!(directory.run(&["treebank", "convert", "none", "a.mrg"]).fault().contains("none: cannot open"));
    let output = directory.run(&["treebank", "convert", "-k", "none", "a.mrg"]);
    assert_eq!((output.code, output.stdout.as_str()), (Some(1), "(NP (NN a))\n"));
    assert!(output.stderr.starts_with("boughs: none: cannot open"), "{}", output.stderr);
    assert!(output.stderr.ends_with("boughs: 1 file was not read to its end\n"), "{}", output.stderr);
    let split = directory.run(&["treebank", "split", "-k", "none", "a.mrg", "-p", "all=rest"]);
    assert_eq!((split.code, directory.read("all.mrg").as_str()), (Some(1), "(NP (NN a))\n"));
    assert_eq!(split.stderr.matches("none: cannot open").count(), 1, "{}", split.stderr);
    assert!(directory.run(&["eval", "-k", "a.mrg", "none"]).fault().contains("none: cannot open"));
}

#[cfg(unix)]
#[test]
fn a_link_to_nothing_is_reported() {
    let directory = Dir::with(&[("in/a.mrg", "(NP (NN a))\n")]);
    std::os::unix::fs::symlink("nowhere", directory.path().join("in/b.mrg")).expect("linked");
    assert!(directory.run(&["treebank", "convert", "in"]).fault().contains("in/b.mrg: cannot open"));
    let output = directory.run(&["treebank", "convert", "-k", "in"]);
    assert_eq!((output.code, output.stdout.as_str()), (Some(1), "(NP (NN a))\n"));
    assert!(output.stderr.starts_with("boughs: in/b.mrg: cannot open"), "{}", output.stderr);
}

#[test]
fn a_file_of_another_format_leads_to_the_flag() {
    let brackets = "(S (A a) (B b))\n";
    let export = "#FORMAT 3\n#BOS 1\na X -- -- 0\n#EOS 1\n";
    let files = [("a.export", brackets), ("a.xml", brackets), ("a.jsonl", brackets)];
    for (name, text) in files.into_iter().chain([("b.mrg", export)]) {
        let directory = Dir::with(&[(name, text)]);
        let message = directory.run(&["treebank", "convert", name]).fault();
        assert!(message.contains("(is it another format? see --from)"), "{message}");
    }
    let directory = Dir::with(&[("a.mrg", "(A a)\n(B b")]);
    let message = directory.run(&["treebank", "convert", "a.mrg"]).fault();
    assert!(!message.contains("--from"), "only the first tree tells: {message}");
}

#[test]
fn text_between_trees_is_no_tree() {
    let trees = "junk\n(NP (NN a))\n)\n(NP (NN b))\n";
    let directory = Dir::with(&[("a.mrg", trees)]);
    assert!(directory.run(&["treebank", "convert", "a.mrg"]).fault().starts_with("boughs: a.mrg:1:1: "));
    let output = directory.run(&["treebank", "convert", "-k", "a.mrg"]);
    assert_eq!((output.code, output.stdout.as_str()), (Some(1), "(NP (NN a))\n(NP (NN b))\n"));
    assert!(
        output.stderr.ends_with("boughs: 2 errors between trees were passed over\n"),
        "{}",
        output.stderr
    );
    let second = directory.run(&["treebank", "draw", "-k", "-n", "2", "a.mrg"]);
    assert_eq!(second.stdout, "NP\n│\nNN\nb\n");
}
