//! `boughs eval --evalb` against what EVALB printed.

mod common;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use boughs::eval::Parameters;
use common::{Dir, Run, run_in, workspace};

fn boughs(directory: &Path, arguments: &[&str]) -> Run {
    run_in(directory, &[&["eval", "--evalb"], arguments].concat(), "")
}

/// Runs each case of a directory's `cases.tsv`; returns how many there are.
fn run_cases(directory: &Path) -> usize {
    let cases = fs::read_to_string(directory.join("cases.tsv")).expect("cases.tsv");
    for case in cases.lines() {
        let fields: Vec<&str> = case.split('\t').collect();
        let &[name, arguments, status] = &fields[..] else { panic!("three fields in {case}") };
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let output = boughs(directory, &arguments);
        assert_same(directory, &format!("{name}.out"), &output.stdout);
        assert_same(directory, &format!("{name}.err"), &output.stderr);
        assert_eq!(output.code, status.parse().ok(), "exit status of {name}");
    }
    cases.lines().count()
}

fn assert_same(directory: &Path, file: &str, found: &str) {
    let expected = fs::read(directory.join(file)).expect(file);
    let expected = String::from_utf8_lossy(&expected);
    for (number, (one, other)) in expected.lines().zip(found.lines()).enumerate() {
        assert_eq!(one, other, "{file}, line {}", number + 1);
    }
    assert_eq!(expected, found, "{file}");
}

/// The cases of the C program, which are not part of the project; none where they are not at hand.
fn c_cases() -> Option<PathBuf> {
    let directory = workspace("../shared/evalb-cases");
    let found = directory.exists();
    if !found {
        let message = "no cases of the C program beside the workspace: not tested";
        writeln!(std::io::stderr(), "{message}").expect("standard error");
    }
    found.then_some(directory)
}

#[test]
fn own_cases() {
    assert_eq!(run_cases(&workspace("testdata/evalb")), 13);
}

#[test]
fn cases_of_the_c_program() {
    let Some(directory) = c_cases() else { return };
    assert!(run_cases(&directory) > 0);
}

#[test]
fn built_in_settings_are_those_of_the_files() {
    let Some(directory) = c_cases() else { return };
    for name in Parameters::NAMES {
        let file = directory.join(format!("{name}.prm"));
        let read = Parameters::load(&file.display().to_string()).expect("settings");
        assert_eq!(Some(read), Parameters::named(name));
    }
}

/// A word of 200 letters, 300 words, 700 brackets, a line of over 5,000 bytes.
#[test]
fn no_limits() {
    let word = "w".repeat(200);
    let words: String = (0..300).map(|_| format!(" (NP (NP (NN {word})))")).collect();
    let deep = format!("(TOP {}(S{words}){})\n", "(VP ".repeat(99), ")".repeat(99));
    let directory = Dir::with(&[("g", &deep)]);
    let table = boughs(directory.path(), &["-p", "COLLINS", "g", "g"]).ok();
    let row = "   1  300    0  100.00 100.00   700    700  700      0    300   300   100.00";
    assert_eq!(table.lines().nth(3), Some(row));
}

/// The plain loops would make ten thousand million comparisons for each of these sentences.
#[test]
fn a_hundred_thousand_brackets_in_a_sentence() {
    let deep = format!("{}{}{}\n", "(A (B b) ".repeat(100_000), "(C c)", ")".repeat(100_000));
    let unary = format!("{}{}{}\n", "(A ".repeat(100_000), "(C c)", ")".repeat(100_000));
    let directory = Dir::with(&[("g", &(deep + &unary))]);
    let output = boughs(directory.path(), &["g", "g"]);
    assert!(output.stdout.contains("Complete match            = 100.00"));
}

#[test]
fn errors_of_settings_name_file_and_line() {
    let directory = Dir::with(&[("my.prm", "MAX_ERROR 3\nDELETE_LABLE TOP\n"), ("g", "")]);
    let message = boughs(directory.path(), &["-p", "my.prm", "g", "g"]).fault();
    assert!(message.starts_with("boughs: my.prm:2: unknown setting `DELETE_LABLE`"), "{message}");
}

#[test]
fn limits_may_be_negative() {
    let directory = Dir::with(&[("g", "(S (A a))\n")]);
    let table = boughs(directory.path(), &["-e", "-1", "-c", "-1", "g", "g"]).stdout;
    assert!(table.contains("-- len<=-1 --"), "{table}");
}

#[test]
fn only_plain_files_are_read() {
    let directory = Dir::with(&[("g", "(S (A a))\n")]);
    directory.write("packed", [0x1F, 0x8B, 8, 0]);
    for (test, expected) in [
        ("packed", "packed is compressed, which EVALB does not read"),
        (".", "cannot open .: "),
        ("none", "cannot open none: "),
    ] {
        let output = boughs(directory.path(), &["g", test]);
        assert_eq!(output.stdout, "");
        let message = output.fault();
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn its_options_need_it() {
    let message = common::boughs(&["eval", "-e", "3", "g", "t"], "").fault();
    assert!(message.contains("--evalb"), "{message}");
}

#[test]
fn it_reads_as_evalb_does_and_not_otherwise() {
    let directory = Dir::with(&[("g", "(S (A a))\n")]);
    for options in [
        &["--from", "bracket"][..],
        &["--encoding", "latin1"],
        &["--attach-discontinuous"],
        &["-k"],
        &["--empty-lines"],
        &["--json"],
    ] {
        let message = boughs(directory.path(), &[options, &["g", "g"]].concat()).fault();
        assert!(
            message.contains("'--evalb' cannot be used with")
                || message.contains("cannot be used with '--evalb'"),
            "{message}"
        );
    }
}
