//! `boughs tokenize`.

mod common;

use common::{Dir, boughs};

const TEXT: &str = "Mr. Gray can't\nswim. \"He'll try a well-known trick.\"\n\nNo title\n\nBye";

#[test]
fn a_sentence_a_line() {
    let expected = "Mr. Gray ca n't swim .\n\" He 'll try a well - known trick . \"\nNo title\nBye\n";
    assert_eq!(boughs(&["tokenize"], TEXT).ok(), expected);
    assert_eq!(boughs(&["tokenize", "-"], TEXT).ok(), expected);
    let old = boughs(&["tokenize", "--style", "old"], TEXT).ok();
    assert_eq!(old, expected.replace("well - known", "well-known"));
}

#[test]
fn each_line_is_a_sentence() {
    let lines = boughs(&["tokenize", "--lines"], TEXT).ok();
    assert_eq!(lines, "Mr. Gray ca n't\nswim . \" He 'll try a well - known trick . \"\n\nNo title\n\nBye\n");
    assert_eq!(boughs(&["tokenize", "--lines"], "").ok(), "");
    assert_eq!(boughs(&["tokenize", "--lines"], "\n").ok(), "\n");
}

#[test]
fn offsets_are_those_of_the_file() {
    let text = format!("\u{FEFF}{TEXT} été.");
    let directory = Dir::with(&[("a.txt", &text), ("b.txt", "Hi.")]);
    let table = directory.run(&["tokenize", "--offsets", "a.txt", "b.txt"]).ok();
    let mut rows = table.lines();
    assert_eq!(rows.next(), Some("document\tsentence\tbyte_start\tbyte_end\tchar_start\tchar_end\ttoken"));
    for row in rows.clone().filter(|row| row.starts_with("a.txt")) {
        let cells: Vec<&str> = row.split('\t').collect();
        let (start, end): (usize, usize) = (cells[2].parse().unwrap(), cells[3].parse().unwrap());
        assert_eq!(&text[start..end], cells[6]);
        let (start, end): (usize, usize) = (cells[4].parse().unwrap(), cells[5].parse().unwrap());
        assert_eq!(text.chars().skip(start).take(end - start).collect::<String>(), cells[6]);
    }
    assert_eq!(rows.next_back(), Some("b.txt\t1\t2\t3\t2\t3\t."));
}

#[test]
fn an_object_a_sentence() {
    let line = boughs(&["tokenize", "--json"], "  Go on!").ok();
    assert_eq!(
        line,
        concat!(
            r#"{"document":"<stdin>","sentence":1,"byte_start":2,"byte_end":8,"char_start":2,"char_end":8,"text":"Go on!","tokens":["#,
            r#"{"word":"Go","byte_start":2,"byte_end":4,"char_start":2,"char_end":4},"#,
            r#"{"word":"on","byte_start":5,"byte_end":7,"char_start":5,"char_end":7},"#,
            r#"{"word":"!","byte_start":7,"byte_end":8,"char_start":7,"char_end":8}]}"#,
            "\n"
        )
    );
    assert!(boughs(&["tokenize", "--json", "--offsets"], "").fault().contains("cannot be used with"));
}

#[test]
fn bytes_that_are_not_utf8() {
    let directory = Dir::with(&[("good.txt", "Fine.")]);
    directory.write("bad.txt", b"One. My caf\xE9.");
    let run = directory.run(&["tokenize", "bad.txt", "good.txt"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), "One .\n"));
    assert!(run.stderr.contains("bad.txt: expected UTF-8, found byte 0xE9 at byte 11"), "{}", run.stderr);
    let run = directory.run(&["tokenize", "--keep-going", "bad.txt", "good.txt", "none.txt"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), "One .\nFine .\n"));
    assert!(run.stderr.ends_with("2 files were not read to their end\n"), "{}", run.stderr);
    let run = directory.run(&["tokenize", "--lossy", "bad.txt"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), "One .\nMy caf \u{FFFD} .\n"));
    assert_eq!(run.stderr, "boughs: bad.txt: not UTF-8 at 1 place, replaced by U+FFFD\n");
    assert_eq!(directory.run(&["tokenize", "--encoding", "latin1", "bad.txt"]).ok(), "One .\nMy café .\n");
}

#[test]
fn what_cannot_be_read() {
    let directory = Dir::new();
    assert!(
        directory.run(&["tokenize", "."]).fault().contains(". is a directory: name the text files in it")
    );
    assert!(directory.run(&["tokenize", "none.txt"]).fault().contains("none.txt: cannot open"));
    assert!(directory.run(&["tokenize", "-", "-"]).fault().contains("standard input can be read only once"));
}

#[test]
fn odd_input_is_tokenised_too() {
    for text in ["", "\n\n\n", "\0", "...", "?!?!", "👍🏽", "שלום עולם.", "\u{FEFF}"] {
        let output = boughs(&["tokenize"], text).ok();
        assert!(output.lines().count() <= 1, "{text:?}: {output:?}");
    }
    let long = "word ".repeat(20_000);
    assert_eq!(boughs(&["tokenize"], &long).ok().split_whitespace().count(), 20_000);
}
