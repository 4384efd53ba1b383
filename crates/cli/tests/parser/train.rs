//! Training: what it says, that it can be interrupted, and that threads do not matter.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use boughs::parser::{Parser, Sentence};

use super::common::{Dir, Run, boughs};
use super::{TRAINED, model};

/// A run that takes a second or two, in several stages.
const SMALL: &str = "train boosted --train @sample/howto @sample/dialogue --dev @sample/news --max-words 9 \
                     --features baseline --tags gold --step-factor 0.7";

/// Runs `boughs LINE` in a directory.
fn run(directory: &Dir, line: &str) -> Run {
    directory.run(&line.split_whitespace().collect::<Vec<_>>())
}

/// The same, which must succeed; what it said.
fn run_well(directory: &Dir, line: &str) -> String {
    let run = run(directory, line);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""), "{}", run.stderr);
    run.stderr
}

/// Starts `boughs LINE` and waits for the checkpoint of `m`.
fn start_until_checkpoint(directory: &Dir, line: &str) -> Child {
    let child = Command::new(env!("CARGO_BIN_EXE_boughs"))
        .args(line.split_whitespace())
        .current_dir(directory.path())
        .stderr(Stdio::piped())
        .spawn()
        .expect("boughs starts");
    let (start, checkpoint) = (Instant::now(), directory.path().join("m.checkpoint"));
    while !checkpoint.exists() && start.elapsed() < Duration::from_secs(300) {
        std::thread::sleep(Duration::from_millis(2));
    }
    child
}

#[test]
fn a_stage_a_line() {
    let (directory, told) = &*TRAINED;
    for part in [
        "385 trees to learn from, 55 trees to measure on",
        "tags: predicted; training trees jack-knifed in 10 folds",
        " penalty    trees   splits   active        P        R       F1    exact     tags   failed    CPU s",
        "best: penalty ",
        "parser.model: written",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert_eq!(directory.list("."), ["parser.model"], "the checkpoint is gone");
}

#[test]
fn the_model_says_what_it_is() {
    let info = boughs(&["model", "info", "--json", &model()], "").json();
    assert_eq!((info["kind"].as_str(), info["name"].as_str()), (Some("transition"), Some("sample")));
    let setting = |name: &str| info["settings"][name].as_str().unwrap_or_default().to_owned();
    assert_eq!((setting("strategy"), setting("method")), ("r2l".to_owned(), "boosted".to_owned()));
    let config = info["config"].as_str().unwrap_or_default();
    assert!(config.contains("tags = \"jackknife\"") && config.contains("folds = 10"), "{config}");
    assert!(setting("dev-f1").parse::<f64>().unwrap() > 60.0, "{info}");
    assert!(info["arrays"].as_array().unwrap().contains(&"tagger".into()));
    let text = boughs(&["model", "info", &model()], "").ok();
    assert!(text.contains("labels               ") && text.contains("checksum  "), "{text}");
    assert!(text.contains("features             "), "{text}");
    let tags = info["tags"].as_array().unwrap();
    assert!(tags.contains(&"NN".into()) && tags.contains(&".".into()), "{info}");
    assert!(text.contains(&format!("parts of speech      {}: ", tags.len())), "{text}");
    let labels = info["labels"].as_array().unwrap();
    assert!(labels.contains(&"NP".into()) && !labels.contains(&"any".into()), "the gate is no label: {info}");
    assert!(text.contains(&format!("labels               {}: ", labels.len())), "{text}");
    let english = boughs(&["model", "info"], "").ok();
    assert!(english.contains("parts of speech      ") && english.contains(" VBZ "), "{english}");
}

#[test]
fn threads_do_not_change_the_model() {
    let directory = Dir::new();
    run_well(&directory, &format!("{SMALL} --final-penalty 2 -o one -j 1"));
    run_well(&directory, &format!("{SMALL} --final-penalty 2 -o two -j 2"));
    let read = |name: &str| fs::read(directory.path().join(name)).unwrap();
    assert!(read("one") == read("two"));
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that tests less than it could should say so")]
fn killed_and_resumed_gives_the_same_bytes() {
    let (whole, parts) = (Dir::new(), Dir::new());
    let line = format!("{SMALL} --final-penalty 1 -o m");
    let told = run_well(&whole, &line);
    let mut child = start_until_checkpoint(&parts, &line);
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    if !parts.path().join("m.checkpoint").exists() {
        eprintln!("the run was over before it could be killed");
        return;
    }
    assert!(run(&parts, &line).fault().contains("go on with --resume, or remove it to start anew"));
    let other = run(&parts, &format!("{line} --resume --seed 1")).fault();
    assert!(other.contains("found one of a run with other data or settings"), "{other}");
    let told_later = run_well(&parts, &format!("{line} --resume"));
    let stages = |text: &str| text.lines().filter(|line| line.starts_with(' ')).count();
    assert_eq!(stages(&told_later), stages(&told), "earlier stages are told again");
    let read = |directory: &Dir| fs::read(directory.path().join("m")).unwrap();
    assert!(read(&whole) == read(&parts));
    assert_eq!(parts.list("."), ["m"]);
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_says_how_to_go_on() {
    let directory = Dir::new();
    let child =
        start_until_checkpoint(&directory, &format!("{SMALL} --final-penalty 0.01 --patience 99 -o m"));
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    let output = child.wait_with_output().expect("it ends");
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{told}");
    assert!(told.contains("m.checkpoint is kept: go on with --resume"), "{told}");
    assert_eq!(directory.list("."), ["m.checkpoint"]);
}

#[test]
fn curves_of_several_runs_in_one_picture() {
    let directory = Dir::new();
    for (model, strategy) in [("right.model", "r2l"), ("shift.model", "shift-reduce")] {
        let more =
            format!("--first-penalty 6.4 --final-penalty 3 -o {model} --strategy {strategy} --curves curves");
        assert!(run_well(&directory, &format!("{SMALL} {more}")).contains("curves are in curves"));
    }
    let files = directory.list("curves");
    for file in [
        "f1.svg",
        "right.steps.csv",
        "right.margins.csv",
        "right.margins-correct.svg",
        "shift.margins-incorrect.svg",
    ] {
        assert!(files.iter().any(|found| found == file), "{files:?}");
    }
    let picture = directory.read("curves/f1.svg");
    assert!(picture.contains(">right<") && picture.contains(">shift<"), "{picture}");
    let table = directory.read("curves/right.steps.csv");
    assert!(table.starts_with("penalty,trees,splits,active,P,R,F1,exact,tags,failed,CPU s\n6.4,"), "{table}");
}

#[test]
fn own_features_and_the_other_learner() {
    let directory = Dir::with(&[("own.features", "# mine\nitem first 0, last 0, head 0 : label word\n")]);
    let told = run_well(
        &directory,
        "train boosted --preset tm05 --features own.features --train @sample/howto --dev @sample/dialogue \
         --max-words 7 --tags gold --max-depth 1 --search greedy --final-penalty 5 -o m",
    );
    assert!(told.contains("tags: those of the treebank, in training and in measuring"), "{told}");
    let info = run(&directory, "model info m").ok();
    let changed = "tm05 as printed but for features, learner.z.final-threshold, learner.z.max-depth, \
                   options.search, tags";
    for (name, value) in
        [("method", "boosted"), ("strategy", "bottom-up"), ("rare-word", "UNK"), ("preset", changed)]
    {
        assert!(info.contains(&format!("{name:<20} {value}\n")), "{name}: {info}");
    }
    assert!(
        info.contains("config               [learner.z]") && info.contains("first 0, last 0, head 0"),
        "{info}"
    );
}

#[test]
fn a_parser_is_searched_as_it_was_measured() {
    let directory = Dir::new();
    run_well(
        &directory,
        "train boosted --preset tm05 --train @sample/howto --max-words 7 --tags gold --final-penalty 9 -o m",
    );
    let info = run(&directory, "model info m").ok();
    for part in ["config               [options.search.beam]", "width = 1000", "aggregator = \"max-min\""] {
        assert!(info.contains(part), "{part}: {info}");
    }
    directory.write("short.mrg", run(&directory, "treebank clean --max-length 12 @sample/dialogue").ok());
    let parsed =
        |options: &str| run(&directory, &format!("parse -q -m m --trees short.mrg {options}")).stdout;
    let explained =
        |options: &str| run(&directory, &format!("explain -m m --trees short.mrg {options}")).stdout;
    assert_eq!(parsed(""), parsed("--search beam --aggregator max-min"));
    assert_ne!(parsed(""), parsed("--search agenda --aggregator additive"));
    assert_eq!(explained(""), explained("--search beam --aggregator max-min"));
    assert_ne!(explained(""), explained("--search agenda --aggregator additive"));
    assert_eq!(parsed(""), parsed_by_the_library(&directory.path().join("m"), &directory.read("short.mrg")));
}

/// The trees of the words of trees, as the library parses them with no more than the file of a model.
fn parsed_by_the_library(model: &Path, trees: &str) -> String {
    let parser = Parser::load(model).expect("a parser");
    let mut worker = parser.worker();
    let mut parse = |line: &str| {
        let sentence = Sentence::from_tree(&line.parse().expect("a tree"));
        format!("{}\n", worker.parse(&sentence).expect("tags").tree())
    };
    trees.lines().map(&mut parse).collect()
}

#[test]
fn a_sentence_that_is_too_long_is_one_everywhere() {
    let directory = Dir::new();
    run_well(&directory, "train pcfg --train @sample/news -o m");
    directory.write("long.mrg", format!("(S {})\n", "(NN dog) ".repeat(251)));
    let by_program = run(&directory, "parse -q -m m --trees long.mrg");
    assert_eq!(by_program.code, Some(1), "{}", by_program.stderr);
    assert_eq!(
        by_program.stdout,
        parsed_by_the_library(&directory.path().join("m"), &directory.read("long.mrg"))
    );
    let parser = Parser::load(&directory.path().join("m")).expect("a parser");
    assert_eq!(parser.options().max_length, Some(250), "the limit is in the model");
}

#[test]
fn a_tagger_is_trained_in_the_same_way() {
    let directory = Dir::new();
    let told = run_well(&directory, "train tagger --train @sample --dev @sample/news -o tagger");
    assert!(told.contains("accuracy") && told.contains("best: pass "), "{told}");
    assert!(run(&directory, "model info tagger").ok().contains("kind                 tagger"));
    let fault = directory.run(&["parse", "-m", "tagger"]).fault();
    assert!(fault.contains("a tagger, not a parser: `boughs tag -m tagger` tags"), "{fault}");
    let tagged = directory.run_with(&["parse", "-q", "-m", &model(), "--tagger", "tagger"], "Go on.");
    assert_eq!(tagged.code, Some(0), "{}", tagged.stderr);
}

#[test]
fn what_cannot_be_trained() {
    let directory = Dir::with(&[("empty.mrg", ""), ("bad.features", "item left\n")]);
    for (more, part) in [
        ("empty.mrg", "expected training trees, found none"),
        ("none.mrg", "none.mrg"),
        ("@sample --features more", "expected a file, or one of kitchen-sink"),
        ("@sample --features bad.features", "bad.features:1: expected `KIND GROUP"),
        ("@sample --strategy up", "expected a strategy (r2l, l2r, bottom-up, shift-reduce), found `up`"),
        ("@sample --step-factor 2", "expected a step factor between 0 and 1, found 2"),
        ("@sample --learner z --gain clip", "--min-gain, --gain and --lowering are for `--learner l1`"),
        ("@sample --resume", "there is no checkpoint to resume from"),
        ("@sample --memory much", "expected a number"),
        ("@sample --memory 0", "'0' for '--memory <BYTES>': expected a number of bytes"),
        ("@sample --final-penalty inf", "'inf' for '--final-penalty <X>': expected a number above 0"),
        ("@sample --first-penalty 0", "'0' for '--first-penalty <X>': expected a number above 0"),
        ("@sample --min-gain 0.5", "'0.5' for '--min-gain <X>': expected a number of at least 1"),
        ("@sample --sample 7", "'7' for '--sample <N>': expected 0, for everything, or at least 100"),
        ("@sample --max-depth 0", "'0' for '--max-depth <N>'"),
        ("@sample --decay 1", "expected a decay between 0 and 1, found 1"),
    ] {
        let fault = run(&directory, &format!("train boosted -o m --train {more}")).fault();
        assert!(fault.contains(part), "{part}: {fault}");
    }
    let fault = run(&directory, "train tagger --strategy r2l --train @sample -o m").fault();
    assert!(fault.contains("`--strategy` is a flag of `train boosted`"), "{fault}");
    assert_eq!(directory.list("."), ["bad.features", "empty.mrg"]);
}

#[test]
fn places_that_cannot_be_written_are_refused_before_anything_is_read() {
    let directory = Dir::with(&[("file", "")]);
    for method in ["boosted", "latent", "conditional", "crf", "pcfg", "tagger", ""] {
        for (out, part) in [
            (".", "--out .: expected a file to write, found a directory"),
            ("none/m", "--out none/m: there is no directory none: make it first"),
            ("file/m", "--out file/m: there is no directory file"),
        ] {
            let line = format!("train {method} --train none.mrg --dev none.mrg -o {out}");
            let fault = run(&directory, &line).fault();
            assert!(fault.contains(part), "{method}: {fault}");
        }
    }
    for (curves, part) in [("file", "file is a file: name a directory"), ("file/deep", "file is a file")] {
        let line = format!("train boosted --train none.mrg -o m --curves {curves}");
        assert!(run(&directory, &line).fault().contains(part));
    }
    assert_eq!(directory.list("."), ["file"]);
}

#[test]
fn models_are_described() {
    let directory = Dir::new();
    directory.told_by("train pcfg --train @sample/news --name old --model-version 1 -o a.model");
    let args = ["model", "describe", "a.model", "--name", "news", "--note", "CC BY", "-o", "b.model"];
    assert_eq!(directory.run(&args).code, Some(0));
    let info = |model: &str| directory.run(&["model", "info", "--json", model]).json();
    let (before, after) = (info("a.model"), info("b.model"));
    assert_eq!((after["name"].as_str(), after["version"].as_str()), (Some("news"), Some("1")));
    assert_eq!((after["data"].as_str(), &after["settings"]), (Some("CC BY"), &before["settings"]));
    let parse = |model: &str| directory.run_line(&format!("parse -q -m {model} --trees @sample/news")).ok();
    assert_eq!(parse("b.model"), parse("a.model"));
}
