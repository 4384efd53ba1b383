//! Grammars with features from end to end, on the built-in treebank: `boughs train crf`, `parse`, `model info`.

mod common;

use std::fs;
use std::sync::LazyLock;

use common::{Dir, Run, boughs, check_dev_f1};

const DATA: &str = "--train @sample/business @sample/dialogue @sample/fiction @sample/howto @sample/letters --dev @sample/news";
const QUICK: &str = "--rounds 1 --config quick.toml --folds 2 --min-word-count 3";

/// Settings of the base grammar have no flags.
const QUICK_BASE: &str = "[base.latent]\nsplit-iterations = 6\nmerge-iterations = 3\nsmooth-iterations = 3\n";

/// A directory with `surface.model` and `margin.model`, and what training said of the first.
static TRAINED: LazyLock<(Dir, String)> = LazyLock::new(|| {
    let directory = Dir::with(&[("quick.toml", QUICK_BASE)]);
    let told = directory.told_by(&format!("train crf {DATA} {QUICK} --epochs 4 -o surface.model"));
    directory.told_by(&format!(
            "train crf {DATA} --base pcfg --unaries compound --features lexical+aux --objective margin --error-cost 1e-6,0.1 --epochs 4 -o margin.model"
        ),
    );
    (directory, told)
});

fn model(name: &str) -> String {
    TRAINED.0.path().join(name).to_str().expect("UTF-8").to_owned()
}

fn parse(name: &str, more: &[&str], input: &str) -> Run {
    boughs(&[&["parse", "-q", "-m", &model(name)], more].concat(), input)
}

#[test]
fn a_round_a_line() {
    let (directory, told) = &*TRAINED;
    for part in [" forests (", "   epoch     loss ", "best: epoch ", "surface.model: written"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert_eq!(
        directory.list("."),
        ["margin.model", "quick.toml", "surface.model"],
        "the checkpoint is gone"
    );
    let info = boughs(&["model", "info", "--json", &model("surface.model")], "").json();
    let settings = &info["settings"];
    assert_eq!((info["kind"].as_str(), settings["method"].as_str()), (Some("chart"), Some("crf")));
    let config = info["config"].as_str().unwrap();
    for part in ["features = \"surface+grammar\"", "folds = 2", "[base.latent]", "split-iterations = 6"] {
        assert!(config.contains(part), "{part}: {config}");
    }
    assert!(settings["dev-f1"].as_str().unwrap().parse::<f64>().unwrap() > 50.0, "{info}");
}

#[test]
fn the_margin_has_its_own_defaults_and_its_c_is_chosen() {
    let info = boughs(&["model", "info", "--json", &model("margin.model")], "").json();
    assert_eq!(info["settings"]["error-cost"].as_str(), Some("0.1"));
    let config = info["config"].as_str().unwrap();
    assert!(config.contains("optimizer = \"smo\"") && config.contains("folds = 2"), "{config}");
    let labels = info["labels"].as_array().unwrap();
    assert!(labels.contains(&"VP".into()) && !labels.iter().any(|it| it.as_str().unwrap().contains('+')));
    let told = boughs(&["train", "crf", "--train", "@sample/news", "--error-cost", "1,2", "-o", "x"], "");
    assert!(told.fault().contains("the objective `margin` for several costs of errors"));
}

#[test]
fn chains_of_one_symbol_come_apart() {
    let trees = parse("margin.model", &["--lines"], "Open it.\nGo!\nTry to keep it clean .\n").ok();
    assert!(trees.contains("(S (VP ") && !trees.contains('+'), "{trees}");
}

#[test]
fn held_out_trees_are_parsed_as_the_model_says() {
    for name in ["surface.model", "margin.model"] {
        check_dev_f1(&model(name));
    }
}

#[test]
fn every_way_in_and_out() {
    let text = "“The dog can’t sleep,” she said. He sleeps.";
    for line in parse("surface.model", &["--to", "json"], text).ok().lines() {
        let tree: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!((tree["status"].as_str(), tree["rank"].as_u64()), (Some("pruned"), Some(1)));
        let is_sure = |node: &serde_json::Value| (0.0..=1.0).contains(&node["confidence"].as_f64().unwrap());
        assert!(tree["nodes"].as_array().unwrap().iter().all(is_sure), "{line}");
    }
    let trees = parse("surface.model", &["--tagged"], "He_PRP sleeps_NNS ./.\nGo").ok();
    assert!(trees.contains("(NNS sleeps)") && trees.lines().count() == 2, "{trees}");
    assert_eq!(parse("margin.model", &["--lines"], "Go!\n\nStop.\n").ok().lines().nth(1), Some("()"));
    for decoder in ["max-rule", "viterbi", "max-recall"] {
        let more = ["--decoder", decoder, "--pruning", "accurate", "--n-best", "3"];
        let trees = parse("surface.model", &more, "He saw the old dog in the park with the trees.").ok();
        let parses: Vec<&str> = trees.trim_end().lines().collect();
        assert!(parses.len() == 3 && parses[0] != parses[1], "{decoder} {trees}");
    }
    for text in ["", "\n\n", "\0", "...", "?!?!", "👍🏽", "שלום עולם.", "(", ") (", "_"] {
        let run = parse("surface.model", &[], text);
        assert_ne!(run.code, Some(2), "{text:?}: {}", run.stderr);
    }
}

#[test]
fn features_are_told_in_words() {
    let text = boughs(&["explain", "-m", &model("surface.model")], "The dog sleeps.").ok();
    for part in [
        "sentence 1: The dog sleeps .",
        "  NP → DT NN  “The dog”",
        "before all features",
        "label last.class=",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn constraints_are_kept() {
    let partial = "( (PRP He) (VBD saw) (NP (DT the) (NN dog) (IN in) (DT the) (NN park)) (. .))\n";
    let tree = parse("surface.model", &["--trees", "--keep-phrases", "--root", "S"], partial).ok();
    assert!(tree.starts_with("(TOP (S ") && tree.contains("(NP (NP (DT the) (NN dog)) (PP "), "{tree}");
    assert!(parse("surface.model", &["--root", "ZZ"], "Go.").fault().contains("it knows ADJP"));
}

#[test]
fn threads_do_not_change_a_byte() {
    let directory = Dir::new();
    let line = "train crf --train @sample/howto --dev @sample/dialogue --base pcfg --folds 2 --epochs 2";
    directory.told_by(&format!("{line} -o one -j 1"));
    directory.told_by(&format!("{line} -o two -j 2"));
    let read = |name: &str| fs::read(directory.path().join(name)).unwrap();
    assert!(read("one") == read("two"));
    let text = boughs(&["treebank", "convert", "--to", "table", "@sample/travel"], "").ok();
    let parse = |threads: &str| parse("surface.model", &["--table", "--retag", "-j", threads], &text).ok();
    assert!(parse("1") == parse("2"));
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that tests less than it could should say so")]
fn killed_between_grammars_and_resumed_gives_the_same_bytes() {
    let (whole, parts) = (Dir::with(&[("quick.toml", QUICK_BASE)]), Dir::with(&[("quick.toml", QUICK_BASE)]));
    let line = format!("train crf {DATA} {QUICK} --epochs 2 -o m");
    whole.told_by(&line);
    if !parts.kill_at("m.checkpoint", &line) {
        eprintln!("the run was over before it could be killed");
        return;
    }
    assert!(parts.run_line(&line).fault().contains("go on with --resume, or remove it to start anew"));
    let other = parts.run_line(&format!("{line} --resume --seed 1")).fault();
    assert!(other.contains("found one of a run with other data or settings"), "{other}");
    parts.told_by(&format!("{line} --resume"));
    let read = |directory: &Dir| fs::read(directory.path().join("m")).unwrap();
    assert!(read(&whole) == read(&parts));
    assert_eq!(parts.list("."), ["m", "quick.toml"]);
}

#[test]
fn curves_of_several_optimizers_in_one_picture() {
    let directory = Dir::new();
    let line = "train crf --base pcfg --features lexical --train @sample/howto --objective margin --epochs 2 --curves curves";
    for optimizer in ["smo", "subgradient"] {
        let told = directory.told_by(&format!("{line} --optimizer {optimizer} -o {optimizer}.model"));
        assert!(told.contains("curves are in curves"), "{told}");
    }
    let files = ["f1.svg", "objective.svg", "smo.steps.csv", "subgradient.steps.csv"];
    assert_eq!(directory.list("curves"), files);
    let picture = directory.read("curves/objective.svg");
    assert!(picture.contains(">smo<") && picture.contains(">subgradient<"), "{picture}");
    let table = directory.read("curves/subgradient.steps.csv");
    assert!(
        table.starts_with("grammar,epoch,loss,objective,CPU s\n1,") && table.lines().count() == 4,
        "{table}"
    );
}

#[test]
fn own_features_and_faults() {
    let directory = Dir::with(&[
        ("own.templates", "base-score grammar\nlabel first.cluster\n"),
        ("bad", "label first\n"),
    ]);
    directory.write("clusters", "the\t0\nThe\t0\n");
    directory.told_by("train crf --base pcfg --folds 1 --features own.templates --clusters clusters --train @sample/howto --epochs 1 -o m",
    );
    for (line, part) in [
        ("--features bad", "bad:1: expected PLACE.FORM or a property of spans"),
        ("--features none", "expected a file, or one of surface, "),
        ("--optimizer smo", "expected the objective `margin` for this optimizer, found `likelihood`"),
        ("--penalty 2", "expected a penalty from 0 to 1, found 2"),
        ("--strategy r2l", "`--strategy` is a flag of `train boosted`"),
        ("--c 1", "`--c` is now `boughs train crf --error-cost`"),
        ("--resume", "there is no checkpoint to resume from"),
    ] {
        let fault = directory.run_line(&format!("train crf --train @sample -o m --force {line}")).fault();
        assert!(fault.contains(part), "{part}: {fault}");
    }
    let fault = directory.run_line("train latent --folds 2 --train @sample -o m").fault();
    assert!(fault.contains("`--folds` is a flag of `train boosted`, `train crf`"), "{fault}");
}
