//! `boughs tag`, with a tagger trained on the sample.

mod common;

use std::ops::ControlFlow;
use std::sync::LazyLock;

use boughs::model::About;
use boughs::tagger::{OnlineConfig, TaggerConfig, TaggerLearner, train};
use boughs::tree::Tokens;
use boughs::tree::read::{Input, ReadOptions, TreebankReader};
use common::{Dir, workspace};

/// The bytes of a model, trained once.
static MODEL: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let sample = vec![Input::Path(workspace("crates/boughs/data/sample"))];
    let trees = TreebankReader::open(sample, ReadOptions::default()).expect("the sample");
    let sentences: Vec<Tokens> = trees.map(|tree| tree.expect("a tree").surface()).collect();
    let online = OnlineConfig { passes: 3, ..OnlineConfig::default() };
    let config = TaggerConfig { learner: TaggerLearner::Online(online), ..TaggerConfig::default() };
    let tagger = train(&sentences, &config, |_| ControlFlow::Continue(())).expect("a tagger");
    let file = tagger.to_file(About::new("tagger")).expect("a model");
    file.to_bytes().expect("a model")
});

fn directory() -> Dir {
    let directory = Dir::new();
    directory.write("model", &*MODEL);
    directory
}

#[test]
fn a_line_for_each_sentence() {
    let text = "The old bridge was closed .\n\n  She\tsmiled . \r\nlast";
    let tagged = directory().run_with(&["tag", "-m", "model", "--tokenized"], text).ok();
    let lines: Vec<&str> = tagged.split('\n').collect();
    assert_eq!(lines[0], "The_DT old_JJ bridge_NN was_VBD closed_VBN ._.");
    assert_eq!(lines[1], "");
    assert!(lines[2].starts_with("She_PRP smiled_VB"), "{tagged}");
    assert!(lines[3].starts_with("last_"));
    assert_eq!(lines.len(), 5);
    assert_eq!(directory().run_with(&["tag", "-m", "model", "--tokenized", "-"], text).ok(), tagged);
}

#[test]
fn running_text_is_split_first() {
    let tagged =
        directory().run_with(&["tag", "-m", "model"], "The old bridge was\nclosed. “She smiled”").ok();
    let lines: Vec<&str> = tagged.lines().collect();
    assert_eq!(lines[0], "The_DT old_JJ bridge_NN was_VBD closed_VBN ._.");
    assert!(lines[1].starts_with("“_`` She_PRP"), "{tagged}");
    assert_eq!(lines.len(), 2);
}

#[test]
fn tags_of_the_input_are_compared() {
    let run = directory().run_with(&["tag", "-m", "model", "--tagged"], "The_DT bridge_XX was\n");
    assert_eq!(run.stdout, "The_DT bridge_NN was_VBD\n");
    assert!(run.stderr.starts_with("boughs: accuracy 50.00% (1 of 2 words)"), "{}", run.stderr);
}

#[test]
fn trees_are_tagged_again_and_compared() {
    let directory = directory();
    directory
        .write("trees.mrg", "(S (NP (DT The) (XX bridge)) (VP (VBD was) (NP (-NONE- *))))\n(NP (_ the))\n");
    let run = directory.run(&["tag", "-m", "model", "--trees", "trees.mrg"]);
    assert_eq!(run.stdout, "The_DT bridge_NN was_VBD\nthe_DT\n");
    assert!(run.stderr.starts_with("boughs: accuracy 66.67% (2 of 3 words)"), "{}", run.stderr);
    assert_eq!(run.code, Some(0));
}

#[test]
fn bad_trees_leave_an_empty_line() {
    let directory = directory();
    directory.write("trees.mrg", "(NP (DT the))\n(NP (DT ))\n(NP (DT a))\n");
    let run = directory.run(&["tag", "-m", "model", "--trees", "-k", "trees.mrg"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), "the_DT\n\na_DT\n"));
    assert!(directory.run(&["tag", "-m", "model", "--trees", "trees.mrg"]).fault().contains("tree 2"));
}

#[test]
fn several_tags_with_their_probabilities() {
    let shown =
        directory().run_with(&["tag", "-m", "model", "--tokenized", "--n-best", "2"], "the bough\n\n").ok();
    let lines: Vec<Vec<&str>> = shown.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(lines.iter().map(Vec::len).collect::<Vec<_>>(), [3, 5, 1, 1], "{shown}");
    assert_eq!(lines[0], ["the", "DT", "1.0000"]);
    assert!(lines[1][2].parse::<f64>().unwrap() >= lines[1][4].parse().unwrap());
    let fault = directory().run_with(&["tag", "-m", "model", "--n-best", "0"], "").fault();
    assert!(fault.contains("invalid value '0'"), "{fault}");
}

#[test]
fn the_number_of_threads_does_not_change_the_output() {
    let directory = directory();
    let text = "We saw the old bridge .\nIt was closed\n".repeat(3000);
    let one = directory.run_with(&["tag", "-m", "model", "--lines", "-j", "1"], &text).ok();
    assert_eq!(one.lines().count(), 6000);
    assert_eq!(directory.run_with(&["tag", "-m", "model", "--lines", "-j", "3"], &text).ok(), one);
}

#[test]
fn what_cannot_be_done_is_said() {
    let directory = directory();
    directory.write("bytes", b"a b\nc \xFF d\n");
    let fault = directory.run(&["tag", "-m", "model", "--tokenized", "bytes"]).fault();
    assert!(fault.contains("bytes:2: expected UTF-8, found byte 0xFF at byte 3 of the line"), "{fault}");
    let lossy = directory.run(&["tag", "-m", "model", "--tokenized", "--lossy", "bytes"]);
    assert!(lossy.stdout.contains("\u{FFFD}_"), "{}", lossy.stdout);
    assert_eq!(lossy.stderr, "boughs: bytes: not UTF-8 in 1 line, replaced by U+FFFD\n");
    assert!(directory.run(&["tag", "-m", "bytes"]).fault().contains("bytes: expected a boughs model"));
    assert!(directory.run(&["tag", "-m", "model", "none"]).fault().contains("none: cannot open"));
    let both = directory.run(&["tag", "-m", "model", "--trees", "--tokenized"]).fault();
    assert!(both.contains("cannot be used with"), "{both}");
}
