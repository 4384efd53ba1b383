//! `boughs translate`, with transducers trained on the sample.

mod common;

use boughs::tree::Tree;
use common::{Dir, workspace};

/// The sentences of the sample, or their translations.
fn sample(name: &str) -> String {
    workspace("testdata/bitext").join(name).to_str().expect("UTF-8").to_owned()
}

/// A directory with a transducer of a method, and what training said.
fn trained(method: &str) -> (Dir, String) {
    let directory = Dir::new();
    let [source, target] = ["sample.en", "sample.fr"].map(sample);
    let mut arguments = vec!["translate", "train", &source, &target, "--dev-pairs", "10", "--method", method];
    arguments.extend(["-o", "model"]);
    if method == "discriminative" {
        arguments.extend(["--final-order-penalty", "1"]);
    }
    let run = directory.run(&arguments);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    (directory, run.stderr)
}

#[test]
fn running_text_is_parsed_and_translated() {
    let (directory, log) = trained("discriminative");
    assert!(log.contains("60 of 60 pairs kept"), "{log}");
    assert!(log.contains("best: penalty "), "{log}");
    assert!(!directory.list(".").iter().any(|file| file.contains("checkpoint")));
    let text = "The white boy sleeps on the bridge.\nZorro sings.\n";
    let translated = directory.run_with(&["translate", "run", "-m", "model", "--lines"], text).ok();
    assert_eq!(translated, "Le garçon blanc dort sur le pont .\nZorro chante .\n");
    let tree = "(TOP (NP (DT The) (JJ black) (NN bird)))\n\n";
    let translated = directory.run_with(&["translate", "run", "-m", "model", "--trees"], tree).ok();
    assert!(translated.ends_with("oiseau noir\n"), "{translated}");
}

#[test]
fn the_best_come_with_their_costs() {
    let (directory, _) = trained("discriminative");
    let arguments = ["translate", "run", "-m", "model", "--lines", "--n-best", "3"];
    let best = directory.run_with(&arguments, "The green cat waits.\n").ok();
    let lines: Vec<&str> = best.lines().collect();
    assert_eq!(lines.len(), 4, "{best}");
    let costs: Vec<f64> =
        lines[..3].iter().filter_map(|line| line.split('\t').next()?.parse().ok()).collect();
    assert!(costs.len() == 3 && costs.is_sorted(), "{best}");
}

#[test]
fn choices_are_explained() {
    let (directory, _) = trained("discriminative");
    let told = directory
        .run_with(&["translate", "explain", "-m", "model", "--lines"], "A black zebra waits.\n")
        .ok();
    assert!(told.contains("zebra: never seen, stays as it is"), "{told}");
    assert!(told.contains("→ inverted  cost "), "{told}");
}

#[test]
fn other_methods_translate_too() {
    for method in ["generative", "most-frequent"] {
        let (directory, _) = trained(method);
        let text = "There is a white dog on the bridge.\n";
        let translated = directory.run_with(&["translate", "run", "-m", "model", "--lines"], text).ok();
        assert!(translated.contains("chien") && translated.contains("pont ."), "{method}: {translated}");
        let told = directory.run_with(&["translate", "explain", "-m", "model", "--lines"], text);
        assert_eq!(told.code, Some(0), "{}", told.stderr);
    }
}

#[test]
fn a_run_is_configured_drawn_and_resumed() {
    let [source, target] = ["sample.en", "sample.fr"].map(sample);
    let directory = Dir::with(&[("settings.toml", "iterations = 2\n[search]\nmax-items = 7\n")]);
    let train = |extra: &[&str]| {
        let arguments =
            ["translate", "train", &source, &target, "--dev-pairs", "10", "-q", "--force", "-o", "model"];
        directory.run(&[&arguments[..], extra].concat())
    };
    let generative = ["--method", "generative", "--config", "settings.toml", "--curves", "curves"];
    assert_eq!(train(&generative).code, Some(0));
    let table = directory.read("curves/model.steps.csv");
    assert!(table.starts_with("iteration,cost,F1,CPU s\n1,") && table.lines().count() == 3, "{table}");
    assert!(directory.read("curves/f1.svg").starts_with("<svg"));
    let told = directory.run(&["model", "info", "model"]).ok();
    assert!(told.contains("iterations = 2") && told.contains("max-items = 7"), "{told}");
    directory.write("model.checkpoint", "none");
    assert!(train(&[]).stderr.contains("go on with --resume"));
    assert!(train(&["--resume"]).code == Some(2));
    for (arguments, part) in [
        (&["--method", "generative", "--gain", "clip"][..], "for --method discriminative"),
        (&["--method", "most-frequent", "--preset", "twm06"], "has no settings"),
        (&["--method", "most-frequent", "--config", "settings.toml"], "most-frequent has no settings"),
    ] {
        let run = train(arguments);
        assert!(run.code == Some(2) && run.stderr.contains(part), "{}", run.stderr);
    }
}

/// The paper's settings, as the model tells them; a flag overrules one of them.
#[test]
fn the_preset_of_the_paper_is_in_the_model() {
    let [source, target] = ["sample.en", "sample.fr"].map(sample);
    for (method, settings) in [
        (
            "discriminative",
            &[
                "twm06 as printed but for orders.decay, words.decay",
                "min-feature-count = 1",
                "gain = \"subtract\"",
                "lowering = \"stuck-root\"",
                "decay = 0.7",
            ][..],
        ),
        ("generative", &["twm06 as printed\n", "iterations = 3"]),
    ] {
        let directory = Dir::new();
        let mut arguments = vec!["translate", "train", &source, &target, "--dev-pairs", "10", "-q"];
        arguments.extend(["--preset", "twm06", "--method", method, "-o", "model"]);
        if method == "discriminative" {
            arguments.extend(["--decay", "0.7"]);
        }
        let run = directory.run(&arguments);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let told = directory.run(&["model", "info", "model"]).ok();
        for setting in settings.iter().chain(&["min-count = 3", "min-share = 0.2"]) {
            assert!(told.contains(setting), "{setting}: {told}");
        }
    }
}

#[test]
fn translations_are_measured_and_compared() {
    let directory = Dir::with(&[
        ("reference", "L'homme dort.\nUn chien blanc court dans le parc.\n"),
        ("a", "L' homme dort .\nUn chien blanc court dans le parc .\n"),
        ("b", "L' homme dort\nUn blanc chien court dans parc\n"),
    ]);
    let measured = directory.run(&["translate", "eval", "reference", "a"]).ok();
    assert!(measured.contains("1            100.00  100.00  100.00"), "{measured}");
    let json = directory.run(&["translate", "eval", "reference", "b", "--json", "--exponent", "1"]).ok();
    assert!(json.contains("\"precision\":100.0,\"recall\":75.0"), "{json}");
    let compared = directory.run(&["translate", "compare", "reference", "a", "b"]).ok();
    assert!(compared.starts_with("measure"), "{compared}");
    assert!(compared.contains("+25.00"), "{compared}");
}

#[test]
fn learners_are_compared_on_words() {
    let [source, target] = ["sample.en", "sample.fr"].map(sample);
    let arguments = ["translate", "words", &source, &target, "--dev-pairs", "10", "--test-pairs", "10", "-q"];
    let compared = Dir::new().run(&arguments).stdout;
    assert!(compared.contains("l2 logistic, cut") && compared.contains(" words\n"), "{compared}");
}

#[test]
fn other_models_are_refused() {
    let directory = Dir::with(&[("model", "none")]);
    let run = directory.run(&["translate", "run", "-m", "model"]);
    assert_eq!(run.code, Some(2));
}

#[test]
fn development_pairs_may_stand_in_files_of_their_own() {
    let [source, target] = ["sample.en", "sample.fr"].map(sample);
    let pair = "The white boy sleeps on the bridge.\tLe garçon blanc dort sur le pont.\n";
    let directory = Dir::with(&[("dev.tsv", pair)]);
    let arguments = ["translate", "train", &source, &target, "--dev", "dev.tsv", "-q", "-o", "model"];
    let run = directory.run(&arguments);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(
        run.stderr.contains("60 of 60 pairs kept") && run.stderr.contains("1 of 1 pairs kept"),
        "{}",
        run.stderr
    );
    let both = directory.run(&[&arguments[..], &["--dev-pairs", "1"]].concat());
    assert!(both.stderr.contains("cannot be used with"), "{}", both.stderr);
}

#[test]
fn a_model_is_searched_as_it_was_trained_unless_the_user_says_otherwise() {
    let [source, target] = ["sample.en", "sample.fr"].map(sample);
    let directory = Dir::new();
    let train = |extra: &[&str]| {
        let arguments =
            ["translate", "train", &source, &target, "--dev-pairs", "10", "-q", "--force", "-o", "model"];
        let run = directory.run(&[&arguments[..], extra].concat());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    };
    let count = |extra: &[&str]| {
        let arguments = ["translate", "run", "-m", "model", "--trees", "--n-best", "50"];
        let tree = "(TOP (NP (DT The) (JJ black) (NN bird)))\n";
        directory.run_with(&[&arguments[..], extra].concat(), tree).ok().lines().count()
    };
    train(&[]);
    let all = count(&[]);
    assert!(all > 2, "{all}");
    assert_eq!(count(&["--max-items", "1"]), 2);
    train(&["--max-items", "1"]);
    assert_eq!(count(&[]), 2);
    assert_eq!(count(&["--max-items", "40"]), all);
}

/// As `boughs parse` and `boughs explain` do: what a model was trained with is how it is searched.
#[test]
fn sentences_are_parsed_as_the_parser_was_measured() {
    let directory = Dir::new();
    directory.told_by(
        "train boosted --preset tm05 --train @sample/howto --max-words 7 --tags gold --final-penalty 9 -o parser",
    );
    directory.write("s.mrg", directory.run_line("treebank clean --max-length 12 @sample/dialogue").ok());
    let words =
        |line: &str| line.parse::<Tree>().expect("a tree").words().collect::<Vec<_>>().join(" ") + "\n";
    directory.write("t", directory.read("s.mrg").lines().map(words).collect::<String>());
    directory.write("table", directory.run_line("treebank convert --to table s.mrg").ok());
    directory.run_line(
        "translate train --trees s.mrg t --method most-frequent --dev-pairs 0 --min-words 1 -q -o model",
    );
    let parsed = |options: &str| {
        let name = format!("parsed{options}").replace(' ', "");
        directory
            .write(&name, directory.run_line(&format!("parse -q -m parser --table table {options}")).stdout);
        name
    };
    let explained = |input: &str| directory.run_line(&format!("translate explain -m model {input}")).ok();
    let translated = |input: &str| directory.run_line(&format!("translate run -m model {input}")).ok();
    let (own, other) = (parsed(""), parsed("--search agenda --aggregator additive"));
    assert_ne!(directory.read(&own), directory.read(&other));
    let by_parser = explained("--parser parser --table table");
    assert_eq!(by_parser, explained(&format!("--trees {own}")));
    assert_ne!(by_parser, explained(&format!("--trees {other}")));
    assert_eq!(translated("--parser parser --table table"), translated(&format!("--trees {own}")));
}
