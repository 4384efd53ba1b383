//! `boughs translate`, with transducers trained on the sample.

mod common;

use common::{Dir, workspace};

/// The sentences of the sample, or their translations.
fn sample(name: &str) -> String {
    workspace("testdata/bitext").join(name).to_str().expect("UTF-8").to_owned()
}

/// A directory with a transducer of a method, and what training said.
fn trained(method: &str) -> (Dir, String) {
    let directory = Dir::new();
    let [source, target] = ["sample.en", "sample.fr"].map(sample);
    let run = directory.run(&[
        "translate",
        "train",
        &source,
        &target,
        "--dev-pairs",
        "10",
        "--final-order-penalty",
        "1",
        "--method",
        method,
        "-o",
        "model",
        "-q",
    ]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    (directory, run.stderr)
}

#[test]
fn running_text_is_parsed_and_translated() {
    let (directory, log) = trained("discriminative");
    assert!(log.contains("60 of 60 pairs kept"), "{log}");
    assert!(log.contains("phrases: penalty "), "{log}");
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
        let arguments = ["translate", "train", &source, &target, "--dev-pairs", "10", "-q", "-o", "model"];
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
