//! Parsers from end to end, on the built-in treebank: `boughs train`, `parse`, `explain` and `model info`.

#[path = "../common/mod.rs"]
mod common;

mod constraints;
mod explain;
mod parse;
mod robust;
mod train;

use std::sync::LazyLock;

use common::Dir;

/// All of the built-in treebank but the news, on which parsers are measured.
const TRAIN: [&str; 7] = [
    "@sample/business",
    "@sample/dialogue",
    "@sample/fiction",
    "@sample/howto",
    "@sample/letters",
    "@sample/science",
    "@sample/travel",
];
const DEV: &str = "@sample/news";

/// A directory with a parser, `parser.model`, that brings its tagger; trained once for all tests.
static TRAINED: LazyLock<(Dir, String)> = LazyLock::new(|| train("r2l"));

/// The same, but shift-reduce.
static SHIFT_REDUCE: LazyLock<(Dir, String)> = LazyLock::new(|| train("shift-reduce"));

fn train(strategy: &str) -> (Dir, String) {
    let directory = Dir::new();
    let mut args = vec!["train", "boosted", "--out", "parser.model", "--dev", DEV, "--train"];
    args.extend(TRAIN);
    args.extend(["--max-words", "12", "--final-penalty", "1", "--features", "baseline", "--name", "sample"]);
    args.extend(["--strategy", strategy]);
    let run = directory.run(&args);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""), "{}", run.stderr);
    (directory, run.stderr)
}

/// The path of the parser.
fn model() -> String {
    path(&TRAINED)
}

/// The path of the shift-reduce parser.
fn shift_reduce_model() -> String {
    path(&SHIFT_REDUCE)
}

fn path((directory, _): &(Dir, String)) -> String {
    directory.path().join("parser.model").to_str().expect("UTF-8").to_owned()
}
