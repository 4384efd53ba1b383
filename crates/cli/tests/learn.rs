//! `boughs learn`: train, predict and explain on rows that need conjunctions.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// Label 1 if exactly one of the features 1 and 2 is active, whatever 3 is. Every fifth row is left out: on perfectly
/// balanced rows no single feature helps, and a greedy learner does not start.
fn exclusive_or(num_rows: usize) -> String {
    let row = |number: usize| {
        let active: Vec<String> =
            (0..3).filter(|bit| number >> bit & 1 == 1).map(|bit| format!(" {}:1", bit + 1)).collect();
        let label = if (number ^ number >> 1) & 1 == 1 { "+1" } else { "-1" };
        format!("{label}{}\n", active.concat())
    };
    (0..num_rows).filter(|number| number % 5 != 0).map(row).collect()
}

fn boughs(directory: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_boughs"));
    command.current_dir(directory).args(arguments).output().expect("the binary runs")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Trains by a method and its options.
fn train(directory: &Path, method: &[&str]) -> Output {
    fs::write(directory.join("train.svm"), exclusive_or(64)).expect("a writable directory");
    let data = ["--train", "train.svm", "--force", "--out", "model"];
    let output = boughs(directory, &[&["learn", "train"], method, &data].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    output
}

#[test]
fn boosting_learns_a_conjunction_and_explains_it() {
    let directory = tempfile::tempdir().unwrap();
    let trained =
        train(directory.path(), &["--final-penalty", "0.05", "--dev", "train.svm", "--curves", "curves"]);
    let told = stderr(&trained);
    assert!(told.contains(" penalty    trees   active objective accuracy log-loss loss of all"), "{told}");
    assert!(told.contains("best: penalty ") && told.contains("accuracy 100.00, log-loss 0."), "{told}");
    let steps = fs::read_to_string(directory.path().join("curves/model.steps.csv")).unwrap();
    assert!(steps.starts_with("penalty,trees,active,objective,accuracy,log-loss,"), "{steps}");
    assert!(steps.lines().count() > 2, "{steps}");
    for (picture, title) in
        [("log-loss.svg", "Log-loss on"), ("objective.svg", "Objective on the training rows")]
    {
        let picture = fs::read_to_string(directory.path().join("curves").join(picture)).unwrap();
        assert!(picture.contains(title), "{picture}");
    }

    let predicted = boughs(directory.path(), &["learn", "predict", "-m", "model", "train.svm", "--header"]);
    let text = stdout(&predicted);
    assert!(stderr(&predicted).contains("accuracy 100.00%"), "{}", stderr(&predicted));
    assert_eq!(text.lines().count(), 52);
    assert_eq!(text.lines().next(), Some("label\t-1\t1"));
    assert!(text.lines().nth(1).unwrap().starts_with("1\t-"), "{text}");

    let explained =
        stdout(&boughs(directory.path(), &["learn", "explain", "-m", "model", "train.svm", "--row", "1"]));
    assert!(explained.starts_with("row 1 (label 1): 1 has score +"), "{explained}");
    assert!(explained.contains("1 & !2"), "{explained}");
}

#[test]
fn the_number_of_threads_does_not_change_the_model() {
    let directory = tempfile::tempdir().unwrap();
    let mut models = Vec::new();
    for threads in ["1", "2"] {
        train(directory.path(), &["boosted", "--final-penalty", "0.2", "--threads", threads]);
        models.push(fs::read(directory.path().join("model")).unwrap());
    }
    assert_eq!(models[0], models[1]);
}

#[test]
fn every_method_writes_a_model_that_predicts() {
    let directory = tempfile::tempdir().unwrap();
    let limits = ["--final-penalty", "0.5", "--max-trees", "20"];
    for method in [
        [&["boosted"], &limits[..]].concat(),
        [&["boosted", "--learner", "z"], &limits[..]].concat(),
        vec!["logistic", "--l1", "0.5"],
        vec!["logistic", "--l2", "0.5", "--max-iterations", "50"],
    ] {
        train(directory.path(), &method);
        let method = method.join(" ");
        let predicted = boughs(directory.path(), &["learn", "predict", "-m", "model", "train.svm", "-p"]);
        assert!(predicted.status.success(), "{method}: {}", stderr(&predicted));
        for line in stdout(&predicted).lines() {
            let sum: f64 = line.split('\t').skip(1).map(|number| number.parse::<f64>().unwrap()).sum();
            assert!((sum - 1.0).abs() < 1e-5, "{method}: {line}");
        }
    }
}

#[test]
fn many_labels_and_an_earlier_penalty() {
    let directory = tempfile::tempdir().unwrap();
    let rows = "NP 1:1\nVP 2:1\nPP 3:1\n".repeat(10);
    fs::write(directory.path().join("rows.svm"), rows).unwrap();
    let trained = boughs(
        directory.path(),
        &["learn", "train", "--train", "rows.svm", "-o", "model", "--final-penalty", "0.5"],
    );
    assert!(trained.status.success(), "{}", stderr(&trained));
    let predicted = stdout(&boughs(directory.path(), &["learn", "predict", "-m", "model", "rows.svm"]));
    assert!(predicted.starts_with("NP\t"), "{predicted}");
    let earlier =
        stdout(&boughs(directory.path(), &["learn", "predict", "-m", "model", "rows.svm", "--at", "1e9"]));
    assert_eq!(earlier.lines().next(), Some("NP\t0.000000\t0.000000\t0.000000"));
}

#[test]
fn what_cannot_be_done_is_said() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("bad.svm"), "1 1:1\n-1 2:0.5\n").unwrap();
    fs::write(directory.path().join("one.svm"), "1 1:1\n1 2:1\n").unwrap();
    let fails = |arguments: &[&str], expected: &str| {
        let output = boughs(directory.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
    };
    fails(&["learn", "train", "--train", "bad.svm", "-o", "model"], "bad.svm:2: expected a binary feature");
    fails(&["learn", "train", "--train", "one.svm", "-o", "model"], "expected two labels or more, found 1");
    fails(
        &["learn", "predict", "-m", "bad.svm", "bad.svm"],
        "bad.svm: expected a boughs model, found something else",
    );
    fails(&["learn", "predict", "-m", "none", "bad.svm"], "none: cannot read the model");
    fails(
        &["learn", "train", "--train", "one.svm", "-o", "model", "--lambda", "1"],
        "boosted --final-penalty`",
    );
    fails(
        &["learn", "train", "logistic", "--train", "one.svm", "-o", "model", "--trees", "1"],
        "--max-trees`",
    );
    fails(&["learn", "train", "--method", "zboost", "--train", "one.svm", "-o", "m"], "a subcommand");
    train(directory.path(), &["--final-penalty", "1"]);
    fails(&["learn", "explain", "-m", "model", "train.svm", "--row", "99"], "there is no row 99");
    fails(&["learn", "explain", "-m", "model", "train.svm", "--label", "NP"], "it has -1, 1");
}

/// Three labels that depend on eight of 40 features, with noise.
fn noisy_rows(num_rows: u32) -> String {
    let mut random = 1u32;
    let mut draw = |bound: u32| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 16) % bound
    };
    let mut text = String::new();
    for _ in 0..num_rows {
        let active: Vec<u32> = (1..=40).filter(|_| draw(4) == 0).collect();
        let hidden = active.iter().filter(|&&feature| feature <= 8).sum::<u32>();
        let label = if draw(6) == 0 { draw(3) } else { hidden % 3 };
        let pairs: Vec<String> = active.iter().map(|feature| format!(" {feature}:1")).collect();
        text.push_str(&format!("{}{}\n", ["NP", "VP", "PP"][label as usize], pairs.concat()));
    }
    text
}

/// Starts a run and kills it as soon as it has written a checkpoint.
fn start_and_kill(directory: &Path, arguments: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_boughs"));
    let mut run = command
        .current_dir(directory)
        .args(arguments)
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary runs");
    while !directory.join("killed.checkpoint").exists() && run.try_wait().expect("a child").is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    run.kill().expect("a child that is not waited for");
    run.wait().expect("a child");
}

#[test]
fn a_run_that_was_killed_goes_on_to_the_same_bytes() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    fs::write(directory.join("rows.svm"), noisy_rows(700)).unwrap();
    let limits = ["--final-penalty", "0.05", "--sample", "200", "--max-trees", "150"];
    for method in [
        [&["boosted"], &limits[..]].concat(),
        [&["boosted", "--learner", "z"], &limits[..]].concat(),
        vec!["logistic", "--l2", "0.05"],
    ] {
        let train = |extra: &[&'static str]| {
            [
                &["learn", "train"],
                &method[..],
                &["--train", "rows.svm", "--dev", "rows.svm", "--force"],
                extra,
            ]
            .concat()
        };
        let whole = boughs(directory, &train(&["-o", "whole"]));
        assert!(whole.status.success(), "{}", stderr(&whole));
        start_and_kill(directory, &train(&["-o", "killed"]));
        // A run that was over before it could be killed has no checkpoint.
        for _ in 0..2 {
            if directory.join("killed.checkpoint").exists() {
                start_and_kill(directory, &train(&["-o", "killed", "--resume"]));
            }
        }
        if directory.join("killed.checkpoint").exists() {
            let resumed = boughs(directory, &train(&["-o", "killed", "--resume"]));
            assert!(resumed.status.success(), "{}", stderr(&resumed));
        }
        let models = ["whole", "killed"].map(|name| fs::read(directory.join(name)).unwrap());
        assert!(models[0] == models[1], "{method:?}");
        assert!(!directory.join("killed.checkpoint").exists());
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_is_saved_and_goes_on() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    fs::write(directory.join("rows.svm"), noisy_rows(700)).unwrap();
    let train = |extra: &[&'static str]| {
        [&["learn", "train", "--train", "rows.svm", "--final-penalty", "0.001"], extra].concat()
    };
    let saved = train(&["-o", "interrupted"]);
    let mut run = Command::new(env!("CARGO_BIN_EXE_boughs"))
        .current_dir(directory)
        .args(&saved)
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary runs");
    while !directory.join("interrupted.checkpoint").exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap().success());
    assert_eq!(run.wait().expect("a child").code(), Some(130));
    assert!(!directory.join("interrupted").exists());
    let resumed = train(&["-o", "interrupted", "--resume"]);
    for (name, arguments) in [("interrupted", resumed), ("whole", train(&["-o", "whole"]))] {
        let output = boughs(directory, &arguments);
        assert!(output.status.success(), "{name}: {}", stderr(&output));
    }
    let models = ["whole", "interrupted"].map(|name| fs::read(directory.join(name)).unwrap());
    assert!(models[0] == models[1]);
}

#[test]
fn a_checkpoint_leads_further_but_not_elsewhere() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    fs::write(directory.join("rows.svm"), noisy_rows(300)).unwrap();
    let run = |extra: &[&str]| {
        let settings =
            ["learn", "train", "--train", "rows.svm", "--force", "-o", "model", "--keep-checkpoint"];
        boughs(directory, &[&settings[..], extra].concat())
    };
    assert!(run(&["--final-penalty", "5"]).status.success());
    let again = run(&["--final-penalty", "5"]);
    assert_eq!(again.status.code(), Some(2));
    assert!(stderr(&again).contains("go on with --resume, or remove it"), "{}", stderr(&again));
    let elsewhere = run(&["--final-penalty", "5", "--decay", "0.7", "--resume"]);
    assert!(
        stderr(&elsewhere).contains("found one of a run with other data or settings"),
        "{}",
        stderr(&elsewhere)
    );
    let predicted = boughs(directory, &["learn", "predict", "-m", "model.checkpoint", "rows.svm", "-q"]);
    assert!(predicted.status.success(), "{}", stderr(&predicted));

    assert!(run(&["--final-penalty", "0.5", "--resume"]).status.success());
    let further = fs::read(directory.join("model")).unwrap();
    fs::remove_file(directory.join("model.checkpoint")).unwrap();
    assert!(run(&["--final-penalty", "0.5"]).status.success());
    assert!(further == fs::read(directory.join("model")).unwrap());
}

#[test]
fn memory_limits_how_many_learn_at_once_but_not_what() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    fs::write(directory.join("rows.svm"), noisy_rows(300)).unwrap();
    let run = |name: &str, memory: &str| {
        let settings = ["--train", "rows.svm", "--final-penalty", "2", "--memory", memory, "-o", name];
        boughs(directory, &[&["learn", "train"], &settings[..]].concat())
    };
    assert!(run("small", "100K").status.success());
    assert!(run("large", "8G").status.success());
    let classifiers = |name: &str| {
        let file = boughs_learn::model::ModelFile::load(&directory.join(name)).unwrap();
        file.classifiers().unwrap()
    };
    assert!(classifiers("small") == classifiers("large"));
    let refused = run("none", "1K");
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("expected a memory of at least"), "{}", stderr(&refused));
}

#[test]
fn features_are_explained_by_name() {
    let directory = tempfile::tempdir().unwrap();
    train(directory.path(), &["--final-penalty", "0.05"]);
    fs::write(directory.path().join("names"), "1\tleft\n2\tright\n").unwrap();
    let explain = ["learn", "explain", "-m", "model", "train.svm", "--row", "1", "--names", "names"];
    let explained = boughs(directory.path(), &explain);
    assert!(stdout(&explained).contains("left & !right"), "{}", stdout(&explained));
}

#[test]
fn logistic_regression_is_measured_on_development_rows_too() {
    let directory = tempfile::tempdir().unwrap();
    train(directory.path(), &["logistic", "--dev", "train.svm", "--curves", "curves"]);
    let steps = fs::read_to_string(directory.path().join("curves/model.steps.csv")).unwrap();
    let mut lines = steps.lines();
    let column = lines.next().unwrap().split(',').position(|name| name == "log-loss").unwrap();
    let last = lines.last().unwrap().split(',').nth(column).unwrap().to_owned();
    assert!(last.parse::<f64>().is_ok_and(|loss| loss > 0.0), "{steps}");
}

#[test]
fn settings_come_from_a_file_and_are_printed_back() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("boosted.toml"), "patience = 2\n[learner.z]\nfinal-threshold = 0.5\n")
        .unwrap();
    train(directory.path(), &["boosted", "--config", "boosted.toml", "--max-trees", "7", "--seed", "3"]);
    let info = stdout(&boughs(directory.path(), &["model", "info", "model"]));
    for part in ["patience = 2", "[learner.z]", "final-threshold = 0.5", "max-trees = 7", "seed = 3"] {
        assert!(info.contains(part), "{part}: {info}");
    }
}
