//! `boughs translate split` as a user runs it.

mod common;

use std::collections::BTreeSet;

use common::{Dir, Run};

const PARTS: [&str; 8] =
    ["--part", "train=rest", "--part", "tune=3", "--part", "dev=10%", "--part", "test=2"];

/// Twenty pairs of six words; each third source is that of the pair before.
fn corpus() -> Dir {
    let line = |word: &str, number: usize| format!("{word} is number {number} of twenty\n");
    let source: String =
        (0..20).map(|number| line("This", if number % 3 == 2 { number - 1 } else { number })).collect();
    let target: String = (0..20).map(|number| line("Ceci", number)).collect();
    Dir::with(&[("all.en", &source), ("all.fr", &target)])
}

fn split(directory: &Dir, arguments: &[&str]) -> Run {
    directory.run(&[&["translate", "split"], arguments].concat())
}

fn done(directory: &Dir, arguments: &[&str]) {
    let run = split(directory, arguments);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}

fn parts(directory: &Dir, ending: &str) -> Vec<String> {
    ["train", "tune", "dev", "test"].map(|name| directory.read(&format!("out/{name}.{ending}"))).to_vec()
}

#[test]
fn no_sentence_is_in_two_parts_and_none_is_lost() {
    let directory = corpus();
    let run = split(&directory, &[&["all.en", "all.fr", "-o", "out"], &PARTS[..]].concat());
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""), "{}", run.stderr);
    let (sources, targets) = (parts(&directory, "en"), parts(&directory, "fr"));
    let count = |parts: &[String]| parts.iter().map(|part| part.lines().count()).collect::<Vec<_>>();
    assert_eq!((count(&sources), count(&targets)), (vec![13, 3, 2, 2], vec![13, 3, 2, 2]));
    let distinct: usize = sources.iter().map(|part| part.lines().collect::<BTreeSet<_>>().len()).sum();
    assert_eq!(distinct, 14, "fourteen sources, each in one part");
    let all: BTreeSet<&str> = targets.iter().flat_map(|part| part.lines()).collect();
    assert_eq!(all.len(), 20);
    assert!(run.stderr.contains("20 of 20 pairs kept"), "{}", run.stderr);
    assert!(run.stderr.contains("tune.fr: 3 pairs"), "{}", run.stderr);
}

#[test]
fn the_seed_decides() {
    let test = |seed: &str| {
        let directory = corpus();
        split(&directory, &[&["all.en", "all.fr", "-o", "out", "--seed", seed], &PARTS[..]].concat());
        directory.read("out/test.fr")
    };
    assert_eq!(test("1"), test("1"));
    assert_ne!(test("1"), test("2"));
}

#[test]
fn lines_and_pairs_stay_as_they_are_and_reasons_are_counted() {
    let directory = Dir::new();
    let kept = "Un,  deux , trois quatre\tOne, two, three four\n";
    let long = "a ".repeat(41);
    directory
        .write("all.tsv", format!("{kept}short\tcourt\n{long}\t{long}\na b c d e\ta b c d e f g h i j k\n"));
    let run = split(&directory, &["all.tsv", "--part", "train=rest", "-o", "out"]);
    assert_eq!(directory.read("out/train.tsv"), kept);
    let told = "1 of 4 pairs kept; left out: 1 with fewer than 5 words on a side, 1 with more than 40, 1 with a side more than 2 times as long";
    assert!(run.stderr.contains(told), "{}", run.stderr);
    let arguments =
        ["all.tsv", "-p", "x=4", "-o", "out", "--min-words", "0", "--max-words", "99", "--max-ratio", "9"];
    assert_eq!(split(&directory, &arguments).code, Some(0));
    assert_eq!(directory.read("out/x.tsv"), directory.read("all.tsv"));
}

#[test]
fn trees_are_written_one_a_line() {
    let tree = "(TOP (X a)\n  (X b) (X c) (X d) (X e))\n";
    let directory = Dir::with(&[("s.mrg", tree), ("t.txt", "v w x y z\n")]);
    done(&directory, &["--trees", "s.mrg", "t.txt", "--part", "train=1", "-o", "out"]);
    assert_eq!(directory.read("out/train.mrg"), "(TOP (X a) (X b) (X c) (X d) (X e))\n");
    assert_eq!(directory.read("out/train.txt"), "v w x y z\n");
}

#[test]
fn files_of_one_ending_are_told_apart() {
    let line = "one two three four five\n";
    let directory = Dir::with(&[("a.txt", line), ("b.txt", line)]);
    done(&directory, &["a.txt", "b.txt", "--part", "train=1", "-o", "out"]);
    assert_eq!(directory.list("out"), ["train.source", "train.target"]);
}

#[test]
fn nothing_is_overwritten_or_left_half() {
    let directory = corpus();
    let refused = |arguments: &[&str], message: &str| {
        let run = split(&directory, arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}");
        assert!(run.stderr.contains(message), "{}", run.stderr);
    };
    refused(&["all.en", "all.fr", "-p", "all=rest", "--force"], "is one of the files to be split");
    refused(&["all.en", "all.fr", "-p", "a=30", "-o", "out"], "the parts need 30, but there are only 20");
    refused(&["-", "all.fr", "-p", "a=3"], "would be read twice");
    done(&directory, &["all.en", "all.fr", "-p", "a=3", "-o", "out"]);
    refused(&["all.en", "all.fr", "-p", "a=3", "-o", "out"], "exists (--force overwrites it)");
    done(&directory, &["all.en", "all.fr", "-p", "a=4", "-o", "out", "--force"]);
    assert_eq!(directory.list("out"), ["a.en", "a.fr"]);
    directory.write("short.fr", "Ceci est court\n");
    refused(&["all.en", "short.fr", "-p", "a=1", "-o", "new"], "found 1 in short.fr and more in all.en");
}

#[test]
fn large_groups_may_leave_parts_smaller_and_it_is_told() {
    let source = "the very same five words\n".repeat(4);
    let target = "un deux trois quatre cinq\n".repeat(4);
    let directory = Dir::with(&[("s.en", &source), ("s.fr", &target)]);
    let run = split(&directory, &["s.en", "s.fr", "-p", "train=rest", "-p", "test=2", "-o", "out"]);
    assert_eq!((directory.read("out/train.en"), directory.read("out/test.en")), (source, String::new()));
    assert!(run.stderr.contains("test.fr: 0 pairs, of 2 asked for"), "{}", run.stderr);
}
