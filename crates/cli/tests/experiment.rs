//! `boughs experiment`, as a user runs it.

mod common;

use common::{Dir, workspace};

/// Steps that are long enough to be killed between them.
const ROUNDS: &str = r#"
title = "Rounds"
[base]
method = "latent"
settings = { split-iterations = 6, merge-iterations = 2, smooth-iterations = 2, patience = 3 }
[[rows]]
name = "three"
settings.max-rounds = 3
[[rows]]
name = "plain"
method = "pcfg"
[[tables]]
title = "Rounds"
rows = ["three", "plain"]
columns = ["F1"]
against = { row = "plain", figure = "F1" }
[quick]
max-words = 12
"#;

const REPORTS: [&str; 4] = ["report.md", "report.html", "results.json", "results.csv"];

fn reports(directory: &Dir, run: &str) -> Vec<String> {
    REPORTS.iter().map(|file| directory.read(&format!("{run}/{file}"))).collect()
}

#[test]
fn what_was_killed_goes_on_to_the_same_report() {
    let directory = Dir::with(&[("rounds.toml", ROUNDS)]);
    directory.told_by("experiment run rounds.toml --quick --out whole -j 2");
    let line = "experiment run rounds.toml --quick --out killed -j 1";
    assert!(directory.kill_at("killed/rows/three/checkpoint", line), "it was over before its first step");
    assert!(!directory.list("killed").contains(&"report.md".to_owned()), "it was over");
    let told = directory.told_by(&format!("{line} --resume"));
    assert!(told.contains("plain") && told.contains("report.html: written"), "{told}");
    assert_eq!(reports(&directory, "whole"), reports(&directory, "killed"));
    let again = directory.told_by(&format!("{line} --resume"));
    assert!(again.contains("three  done before: F1"), "{again}");
}

#[test]
fn files_of_the_user() {
    let experiment = std::fs::read_to_string(workspace("testdata/experiment/parent.toml")).expect("a file");
    let directory = Dir::with(&[("mine.toml", &experiment)]);
    let line = "experiment run mine.toml --train @sample/howto @sample/news --dev @sample/travel \
                --test @sample/letters --max-words 20 --out run -j 1";
    let told = directory.told_by(line);
    assert!(told.contains("train: 110 trees"), "{told}");
    let report = directory.read("run/report.md");
    let command = "boughs experiment run mine.toml --max-words 20 --train @sample/howto @sample/news \
                   --dev @sample/travel --test @sample/letters --out DIR";
    assert!(report.contains(command), "{report}");
    let row = "boughs train pcfg --train @sample/howto @sample/news --dev @sample/travel --config \
               rows/parent/settings.toml -o MODEL";
    assert!(report.contains(row), "{report}");
    // The command of the row trains the very model.
    let trained =
        directory.run_line(&format!("{} -j 1", row.replace("rows/", "run/rows/").replace("boughs ", "")));
    assert_eq!(trained.code, Some(0), "{}", trained.stderr);
    let best = trained.stderr.split("best:").nth(1).and_then(|rest| rest.split("F1 ").nth(1));
    let score = best.and_then(|rest| rest.split(';').next()).expect("a score");
    assert!(report.contains(&format!("F1 {score}")), "{score}: {report}");
}

#[test]
fn mistakes_are_told_before_anything_is_run() {
    let directory =
        Dir::with(&[("bad.toml", "title = \"x\"\nbase = { method = \"pcfg\" }\nrows = []\nrow = 1\n")]);
    for (line, told) in [
        ("experiment run tm07 --out run --quick", "expected a file, or one of tm05, tm06"),
        ("experiment run bad.toml --out run --quick", "row"),
        (
            "experiment run tm06 --out run",
            "the experiment needs trees: name them with --train, or try --quick",
        ),
        ("experiment run tm06 --out run --train @sample --dev @sample/news", "name them with --test"),
        ("experiment run tm06 --out run --train-pairs x --quick", "cannot be used with"),
        (
            "experiment run tm06 --out run --train @sample --dev @sample --test @sample --dev-pairs x",
            "leave out --train-pairs",
        ),
        ("experiment run tm06 --out run --quick --resume", "there is no run to resume"),
        ("experiment run tm06 --out bad.toml --quick", "expected a directory, found a file"),
        ("experiment show nothing", "cannot read nothing"),
    ] {
        let run = directory.run_line(line);
        assert_eq!(run.code, Some(2), "{line}: {}", run.stderr);
        assert!(run.stderr.contains(told), "{line}: {}", run.stderr);
    }
    assert_eq!(directory.list("."), ["bad.toml"]);
}

/// What `show` prints can be run.
#[test]
fn an_experiment_that_ships_is_a_file_to_begin_with() {
    let shown = Dir::new().run_line("experiment show learner");
    assert_eq!(shown.code, Some(0));
    let directory = Dir::with(&[("mine.toml", &shown.stdout)]);
    let run = directory.run_line("experiment run mine.toml --quick --out run -j 2 -q");
    assert!([Some(0), Some(1)].contains(&run.code), "1 if a library is not installed: {}", run.stderr);
    assert!(directory.read("run/times.md").contains("CPU s to log-loss"));
}
