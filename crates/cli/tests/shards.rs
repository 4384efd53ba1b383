//! `boughs parse --shard` and `boughs merge`: parts of an input, and all of them together.

mod common;

use common::Dir;

const NUM_SHARDS: usize = 3;

/// A directory with a small grammar, and more sentences than three blocks have.
fn directory() -> Dir {
    let directory = Dir::new();
    directory.told_by("train pcfg --train @sample/news -o a.model");
    directory.told_by("train pcfg --train @sample/letters -o b.model");
    let lines: Vec<String> = (0..300).map(|number| format!("the dog sees {number} cats .")).collect();
    directory.write("text", lines.join("\n"));
    directory
}

fn parse_shard(directory: &Dir, number: usize, options: &str) {
    let line = format!(
        "parse -q --tokenized -m a.model --shard {number}/{NUM_SHARDS} -o part.{number} {options} text"
    );
    directory.run_line(&line).ok();
}

#[test]
fn shards_make_up_the_whole_in_every_format() {
    let directory = directory();
    for to in ["line", "json", "phrases", "conllu", "export", "pretty", "line --n-best 2"] {
        let options = format!("--to {to} --force");
        for number in 1..=NUM_SHARDS {
            parse_shard(&directory, number, &options);
        }
        let whole = directory.run_line(&format!("parse -q --tokenized -m a.model --to {to} text")).ok();
        assert_eq!(directory.run_line("merge part.2 part.3 part.1").ok(), whole, "{to}");
        // A pattern of the shell takes the records along.
        let files = "part.1 part.1.shard part.2 part.2.shard part.3 part.3.shard";
        assert_eq!(directory.run_line(&format!("merge {files}")).ok(), whole, "{to}");
    }
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let directory = directory();
    for number in 1..=NUM_SHARDS {
        parse_shard(&directory, number, "");
    }
    let refusal = |files: &str| directory.run_line(&format!("merge {files}")).fault();
    assert!(refusal("part.1 part.3").contains("missing are 2"));
    assert!(refusal("part.1 part.1 part.2 part.3").contains("are both shard 1"));

    let other = |name: &str, rest: &str| {
        let line = format!("parse -q --tokenized --shard 2/3 -o {name} {rest}");
        directory.run_line(&line).ok();
        refusal(&format!("part.1 {name} part.3"))
    };
    assert!(other("other-model", "-m b.model text").contains("different parsers"));
    assert!(other("other-options", "-m a.model --n-best 3 text").contains("options of parsing"));
    assert!(other("other-format", "-m a.model --to json text").contains("different output formats"));
    directory.write("changed", directory.read("text").replace("299", "298"));
    assert!(other("other-input", "-m a.model changed").contains("different inputs"));

    directory.run_line("parse -q --tokenized -m a.model --shard 2/4 -o of-four text").ok();
    assert!(refusal("part.1 of-four part.3").contains("one of 4"));

    directory.write("part.2", directory.read("part.2").replacen("cats", "dogs", 1));
    assert!(refusal("part.1 part.2 part.3").contains("checksum does not fit"));
    directory.write("part.2.shard", "{}");
    assert!(refusal("part.1 part.2 part.3").contains("expected the record of a shard"));
    std::fs::remove_file(directory.path().join("part.2.shard")).expect("removed");
    assert!(refusal("part.1 part.2 part.3").contains("writes last"));
}

#[test]
fn a_shard_needs_a_file_and_a_format_with_parts() {
    let directory = directory();
    let refusal =
        |line: &str| directory.run_line(&format!("parse --tokenized -m a.model {line} text")).fault();
    assert!(refusal("--shard 1/2").contains("-o FILE"));
    assert!(refusal("--shard 1/2 -o x --to svg").contains("take another --to"));
    assert!(refusal("--shard 3/2 -o x").contains("such as 3/64"));
    assert!(!directory.list(".").iter().any(|name| name.starts_with('x')), "nothing is left");
}

#[test]
fn shards_without_sentences_are_empty() {
    let directory = directory();
    directory.write("text", "the dog sees cats .\n");
    for number in 1..=NUM_SHARDS {
        parse_shard(&directory, number, "");
    }
    assert_eq!(directory.read("part.2"), "");
    let whole = directory.run_line("parse -q --tokenized -m a.model text").ok();
    assert_eq!(directory.run_line("merge part.1 part.2 part.3").ok(), whole);
}
