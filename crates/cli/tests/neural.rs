//! Neural parsers from end to end, with a tiny encoder that nobody has trained: `boughs train neural`,
//! `parse`, `explain`, `model info`.

mod common;

use std::fs;
use std::sync::LazyLock;

use boughs_encoder::{Activation, Config, Encoder, WordPiece};
use common::{Dir, Run, boughs};

const QUICK: &str =
    "--encoder encoder --train @sample/howto --dev @sample/letters --encoder-rate 3e-3 --head-rate 1e-2";

/// Writes an encoder of two layers over single letters.
fn write_encoder(directory: &Dir) {
    let letters = ('a'..='z').map(String::from).chain(('a'..='z').map(|letter| format!("##{letter}")));
    let special = ["[UNK]", "[CLS]", "[SEP]", ".", ","].map(String::from);
    let pieces: Vec<String> = special.into_iter().chain(letters).collect();
    let config = Config {
        hidden: 16,
        layers: 2,
        heads: 2,
        intermediate: 24,
        vocabulary: pieces.len(),
        positions: 64,
        types: 2,
        activation: Activation::Gelu,
        epsilon: 1e-6,
        dropout: 0.1,
    };
    let path = directory.path().join("encoder");
    fs::create_dir(&path).expect("a new directory");
    let vocabulary = WordPiece::from_vocab_txt(&pieces.join("\n"), None).expect("sound");
    boughs_encoder::write(&path, &Encoder::random(config, 1).expect("small"), &vocabulary).expect("a disk");
}

/// A directory with `encoder` and `neural.model`, and what training said.
static TRAINED: LazyLock<(Dir, String)> = LazyLock::new(|| {
    let directory = Dir::with(&[("quick.toml", "hidden = 32\n")]);
    write_encoder(&directory);
    let told =
        directory.told_by(&format!("train neural {QUICK} --config quick.toml --epochs 2 -o neural.model"));
    (directory, told)
});

fn model() -> String {
    TRAINED.0.path().join("neural.model").to_str().expect("UTF-8").to_owned()
}

fn parse(more: &[&str], input: &str) -> Run {
    boughs(&[&["parse", "-q", "-m", &model()], more].concat(), input)
}

#[test]
fn an_epoch_a_line() {
    let told = &TRAINED.1;
    for part in ["   epoch     loss tag loss ", "best: epoch ", "neural.model: written"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let info = boughs(&["model", "info", "--json", &model()], "").json();
    assert_eq!(
        (info["kind"].as_str(), info["settings"]["method"].as_str()),
        (Some("neural"), Some("neural"))
    );
    let config = info["config"].as_str().unwrap();
    assert!(config.contains("hidden = 32") && config.contains("epochs = 2"), "{config}");
    assert!(info["labels"].as_array().unwrap().contains(&"NP".into()), "{info}");
    assert!(info["tags"].as_array().unwrap().contains(&"NN".into()), "{info}");
}

#[test]
fn every_way_in_and_out() {
    let trees = parse(&["--lines"], "Stir the soup.\n\nWait!\n").ok();
    assert_eq!(trees.lines().count(), 3, "{trees}");
    assert!(trees.starts_with("(TOP ") && trees.contains("\n()\n"), "{trees}");
    let tagged = parse(&["--tagged"], "Stir_XY the_DT soup\n").ok();
    assert!(tagged.contains("(XY Stir)") && tagged.contains("(DT the)"), "{tagged}");
    let json = parse(&["--to", "json"], "Stir the soup.").json();
    assert_eq!(json["status"].as_str(), Some("optimal"));
    assert!(json["cost"].as_f64().unwrap() >= 0.0 && json["nodes"][0]["confidence"].as_f64() == Some(1.0));
    let best = parse(&["--n-best", "3"], "Stir the soup.").ok();
    assert_eq!(best.lines().count(), 4, "{best}");
    parse(&["--min-risk"], "Stir the soup.").ok();
}

#[test]
fn threads_do_not_change_the_trees() {
    let text = "Stir the soup. Wait! Then add the salt, the rice and two eggs. ".repeat(20);
    assert_eq!(parse(&["-j", "1"], &text).ok(), parse(&["-j", "3"], &text).ok());
}

#[test]
fn constraints() {
    let tree = "(TOP (S (VP (VB Stir) (NP (DT the) (NN soup))) (. .)))\n";
    let kept = parse(&["--trees", "--keep-phrases", "--root", "S", "--to", "json"], tree).json();
    let has = |label: &str, start: u64, end: u64| {
        let nodes = kept["nodes"].as_array().unwrap();
        nodes.iter().any(|it| it["label"] == label && it["start"] == start && it["end"] == end)
    };
    assert!(has("S", 0, 4) && has("VP", 0, 3) && has("NP", 1, 3), "{kept}");
    assert!(parse(&["--root", "NOPE"], "Go.").fault().contains("found `NOPE`"));
}

#[test]
fn smaller_weights() {
    let (directory, _) = &*TRAINED;
    let text = directory.told_by("model convert neural.model --weights int8 -o small.model");
    assert!(text.contains("small.model: written"), "{text}");
    let size = |name: &str| fs::metadata(directory.path().join(name)).expect("a file").len();
    assert!(size("small.model") < size("neural.model"));
    let parsed = directory.run_with(&["parse", "-q", "-m", "small.model"], "Stir the soup.").ok();
    assert!(parsed.starts_with("(TOP "), "{parsed}");
    directory.told_by("model convert @english --weights f16 -o half.model");
    assert!(size("half.model") > 40_000_000, "two bytes for each of 22 million numbers");
}

#[test]
fn explanations() {
    let told = boughs(&["explain", "-m", &model(), "--reasons", "1", "--lines"], "Stir the soup.\n").ok();
    assert!(told.contains(" behind\n") && told.contains(", word "), "{told}");
}

/// `tag` gives the tags that `parse` gives.
#[test]
fn tags() {
    let text = "Mary slept. The shop sells umbrellas.\n";
    let tagged = boughs(&["tag", "-m", &model()], text);
    assert_eq!(tagged.code, Some(0), "{}", tagged.stderr);
    let leaves = |line: &str| -> Vec<String> {
        let leaves = line.split('(').filter_map(|part| part.trim().trim_end_matches(')').split_once(' '));
        leaves.filter(|(_, word)| !word.is_empty()).map(|(tag, word)| format!("{word}_{tag}")).collect()
    };
    let parsed: Vec<String> = parse(&[], text).stdout.lines().map(|line| leaves(line).join(" ")).collect();
    assert_eq!(tagged.stdout.lines().collect::<Vec<_>>(), parsed);
    let lists = boughs(&["tag", "-m", &model(), "--n-best", "2"], text);
    assert_eq!(
        lists.stdout.lines().filter(|line| line.split('\t').count() == 5).count(),
        8,
        "{}",
        lists.stdout
    );
}

#[test]
fn options_of_other_parsers_are_refused() {
    for options in
        [&["--search", "greedy"][..], &["--decoder", "viterbi"], &["--taggings", "2"], &["--search-errors"]]
    {
        assert!(parse(options, "Go.").fault().contains("leave"), "{options:?}");
    }
    let directory = Dir::with(&[]);
    directory.told_by("train pcfg --train @sample/news -o plain.model");
    let fault = directory.run_with(&["parse", "-m", "plain.model", "--min-risk"], "Go.").fault();
    assert!(fault.contains("leave out --min-risk"), "{fault}");
    let fault = boughs(&["train", "neural", "--train", "@sample/news", "-o", "x"], "").fault();
    assert!(fault.contains("name one with --encoder"), "{fault}");
}

/// A short training of a real encoder, which `.ci/run` fetches: 440 sentences suffice for it to parse others
/// better than by chance, which the tiny ones above do not.
#[test]
#[expect(clippy::print_stderr, reason = "a test that tests less than it could should say so")]
fn a_real_encoder_learns_from_few_trees() {
    let Some(encoder) = std::env::var_os("BOUGHS_ENCODER") else {
        eprintln!("skipped: BOUGHS_ENCODER names no directory of all-MiniLM-L6-v2");
        return;
    };
    let directory = Dir::new();
    let encoder = encoder.to_str().expect("UTF-8");
    let line = format!(
        "train neural --encoder {encoder} --layers 2 --freeze-embeddings --train @sample/howto @sample/news \
         --dev @sample/letters --batch 8 --epochs 3 --weights int8 -o m"
    );
    directory.told_by(&line);
    let info = directory.run(&["model", "info", "--json", "m"]).json();
    let f1: f64 = info["settings"]["dev-f1"].as_str().and_then(|f1| f1.parse().ok()).expect("a figure");
    assert!(f1 > 50.0, "{f1}");
}
