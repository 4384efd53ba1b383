//! Bad and large input: one tree for each sentence, in order, whatever the sentence is.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};

use super::common::{Dir, Run, boughs};
use super::model;

/// Lines that are not what a parser was made for.
const ODD_LINES: [&str; 18] = [
    "",
    "Go",
    "   \t ",
    ". . .",
    "?!?!",
    "“ ” ( ) — …",
    "👍🏽 👩‍👩‍👧‍👦 🇫🇮 !",
    "שלום עולם .",
    "كيف حالك ؟",
    "他 说 。",
    "\0",
    "a\0b c\0",
    "\u{FEFF}Go on",
    "\u{200B} \u{200D} \u{202E}olleh",
    "( ( (",
    "-LRB- -RRB- \\/ \\*",
    "e\u{301}\u{301}\u{301}\u{301} ﬁ ǅ",
    "_ / _/_ //",
];

fn parse(more: &[&str], input: &str) -> Run {
    boughs(&[&["parse", "-q", "-m", &model(), "--search", "greedy"], more].concat(), input)
}

/// Starts a run that reads tokens from a pipe.
fn start() -> Child {
    Command::new(env!("CARGO_BIN_EXE_boughs"))
        .args(["parse", "-m", &model(), "--tokenized", "--search", "greedy"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("boughs starts")
}

/// Starts a run whose input is never complete: the same line, again and again, as long as it is wanted.
fn start_endless(line: &'static str) -> Child {
    let mut child = start();
    let mut input = child.stdin.take().expect("piped");
    std::thread::spawn(move || while input.write_all(line.as_bytes()).is_ok() {});
    child
}

#[test]
fn every_line_has_its_tree() {
    let text = ODD_LINES.map(|line| format!("{line}\n")).concat();
    for mode in ["--lines", "--tokenized", "--tagged"] {
        let trees = parse(&[mode, "-j", "1"], &text).ok();
        assert_eq!(trees.lines().count(), ODD_LINES.len(), "{mode}: {trees}");
        assert!(trees.lines().all(|tree| tree.starts_with('(') && tree.ends_with(')')), "{trees}");
        assert_eq!(trees, parse(&[mode, "-j", "2"], &text).ok());
    }
}

#[test]
fn tokens_come_out_as_they_went_in() {
    let text = ODD_LINES.map(|line| format!("{line}\n")).concat();
    let json = parse(&["--tokenized", "--to", "json"], &text).ok();
    for (line, tree) in ODD_LINES.iter().zip(json.lines()) {
        let tree: serde_json::Value = serde_json::from_str(tree).expect("JSON");
        let tokens = tree["tokens"].as_array().expect("tokens").iter();
        let words: Vec<&str> = tokens.map(|token| token["word"].as_str().expect("a word")).collect();
        assert_eq!(words, line.split_ascii_whitespace().collect::<Vec<_>>());
    }
}

#[test]
fn running_text_of_any_script_is_parsed() {
    let text = ODD_LINES.join("\n\n");
    let one = parse(&["-j", "1"], &text).ok();
    assert!(one.lines().count() >= ODD_LINES.len() - 4, "{one}");
    assert_eq!(one, parse(&["-j", "2"], &text).ok());
}

#[test]
fn a_thousand_words_in_one_sentence() {
    let mut line = String::new();
    for number in 0..500 {
        write!(line, "the w{number} ").expect("strings do not fail");
    }
    let tree = parse(&["--tokenized"], &line).ok();
    assert_eq!(tree.matches("(").count() - tree.matches(" (").count(), 1);
    assert!(tree.contains(" w0)") && tree.contains(" w499)"));
    let run = parse(&["--tokenized", "--max-length", "999"], &format!("{line}\nGo .\n"));
    assert_eq!((run.code, run.stdout.lines().count()), (Some(1), 2));
}

#[test]
fn a_byte_that_is_no_utf8_is_named_or_replaced() {
    let directory = Dir::new();
    directory.write("bad", b"Go on .\nMy caf\xE9 .\nGo .\n");
    let model = model();
    for (mode, place) in
        [(&[][..], "at byte 14"), (&["--lines"], "at byte 14"), (&["--tagged"], "2: expected UTF-8")]
    {
        let args = [&["parse", "-q", "-m", &model, "bad"], mode].concat();
        let run = directory.run(&args);
        assert_eq!(run.code, Some(2), "{mode:?}: {}", run.stderr);
        assert!(run.stderr.contains("0xE9") && run.stderr.contains(place), "{mode:?}: {}", run.stderr);
        assert!(run.stdout.lines().count() <= 1 && run.stdout.is_empty() != run.stdout.ends_with('\n'));
        let run = directory.run(&[&args[..], &["--lossy"]].concat());
        assert_eq!((run.code, run.stdout.lines().count()), (Some(0), 3), "{mode:?}: {}", run.stdout);
        assert!(run.stderr.contains("bad: not UTF-8"), "{}", run.stderr);
    }
}

#[test]
fn a_line_is_answered_before_the_next_is_written() {
    let mut child = start();
    let mut input = child.stdin.take().expect("piped");
    let mut output = BufReader::new(child.stdout.take().expect("piped"));
    for line in ["Go on .", "", "The dog sleeps .", "Go on ."] {
        writeln!(input, "{line}").expect("it reads");
        let mut tree = String::new();
        output.read_line(&mut tree).expect("a tree");
        assert!(tree.ends_with(")\n") && tree.matches(' ').count() >= line.matches(' ').count(), "{tree}");
    }
    drop(input);
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn what_was_read_before_an_error_is_parsed() {
    let directory = Dir::with(&[("good.txt", "Go on .\nGo .\n")]);
    let args = ["parse", "-q", "-m", &model(), "--tokenized", "good.txt", "none.txt"];
    let run = directory.run(&args);
    assert_eq!((run.code, run.stdout.lines().count()), (Some(2), 2), "{}", run.stderr);
    assert!(run.stderr.contains("none.txt"), "{}", run.stderr);
    let run = directory.run(&[&args[..], &["-k"]].concat());
    assert_eq!((run.code, run.stdout.lines().count()), (Some(1), 2), "{}", run.stderr);
}

#[test]
fn a_reader_that_leaves_after_a_line() {
    let mut child = start_endless("The dog sleeps .\n");
    let mut first = String::new();
    let mut output = BufReader::new(child.stdout.take().expect("piped"));
    output.read_line(&mut first).expect("a line");
    drop(output);
    let output = child.wait_with_output().expect("it ends");
    assert!(first.starts_with("(TOP ") && first.ends_with(")\n"), "{first}");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_whole_lines() {
    let mut child = start_endless("The dog sleeps in the park , he said .\n");
    let mut output = BufReader::new(child.stdout.take().expect("piped"));
    let mut text = String::new();
    output.read_line(&mut text).expect("a line");
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    output.read_to_string(&mut text).expect("text");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    let first = text.lines().next().expect("a line");
    assert!(text.ends_with('\n') && text.lines().all(|line| line == first), "{}", text.len());
}
