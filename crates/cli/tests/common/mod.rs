//! Runs the program as a user does.
#![expect(dead_code, reason = "every test file uses a part of it")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use tempfile::TempDir;

/// A directory of the test's own, in which the program runs.
pub struct Dir(TempDir);

impl Dir {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary directory"))
    }

    /// A directory with these files.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let directory = Self::new();
        for (name, text) in files {
            directory.write(name, text);
        }
        directory
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file, and the directories it is in; returns its path.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().expect("a directory")).expect("made");
        fs::write(&path, content).expect("written");
        path.to_str().expect("UTF-8").to_owned()
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).expect(name)
    }

    /// The names of the files in a directory of it, sorted.
    pub fn list(&self, name: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path().join(name)).expect(name);
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("a file").file_name().into_string().expect("UTF-8")).collect();
        names.sort();
        names
    }

    /// Runs `boughs ARGS` in it, without input.
    pub fn run(&self, args: &[&str]) -> Run {
        self.run_with(args, "")
    }

    /// Runs a line of arguments without quotes.
    pub fn run_line(&self, line: &str) -> Run {
        self.run(&line.split_whitespace().collect::<Vec<_>>())
    }

    /// What a line that succeeds and prints nothing said on standard error.
    pub fn told_by(&self, line: &str) -> String {
        let run = self.run_line(line);
        assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""), "{}", run.stderr);
        run.stderr
    }

    /// Starts a line and kills it as soon as there is a file; whether it was not over before.
    pub fn kill_at(&self, name: &str, line: &str) -> bool {
        let file = self.path().join(name);
        let mut child = Command::new(env!("CARGO_BIN_EXE_boughs"))
            .current_dir(self.path())
            .args(line.split_whitespace())
            .stderr(Stdio::null())
            .spawn()
            .expect("boughs starts");
        while !file.exists() && child.try_wait().expect("a child").is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
        file.exists()
    }

    /// Runs `boughs ARGS` in it, with text on standard input.
    pub fn run_with(&self, args: &[&str], input: &str) -> Run {
        run_in(self.path(), args, input)
    }
}

/// What a run of the program left.
pub struct Run {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// Runs `boughs ARGS` with text on standard input, wherever the test runs.
pub fn boughs(args: &[&str], input: &str) -> Run {
    run_in(Path::new("."), args, input)
}

/// Runs `boughs ARGS` in a directory with text on standard input.
pub fn run_in(directory: &Path, args: &[&str], input: &str) -> Run {
    let mut child = Command::new(env!("CARGO_BIN_EXE_boughs"))
        .args(args)
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("boughs starts");
    let mut stdin = child.stdin.take().expect("piped");
    let input = input.to_owned();
    // A run that fails early closes its input, which is not the test's concern.
    let writer = std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    let output = child.wait_with_output().expect("boughs ends");
    writer.join().expect("written");
    output.into()
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        // EVALB repeats the bytes of its input, whatever they are.
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
    }
}

impl Run {
    /// What it wrote, if it succeeded without a word on standard error.
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""));
        self.stdout
    }

    /// What it said when it failed.
    #[track_caller]
    pub fn fault(self) -> String {
        assert_eq!(self.code, Some(2), "{}{}", self.stdout, self.stderr);
        self.stderr
    }

    /// What it wrote, as JSON.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).expect("JSON")
    }
}

/// A path from the root of the workspace.
pub fn workspace(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// Parses held-out trees of the sample treebank and checks that F1 is what the model says it is.
pub fn check_dev_f1(model: &str) {
    let directory = Dir::new();
    directory.write("gold.mrg", boughs(&["treebank", "convert", "@sample/news"], "").ok());
    let parsed = boughs(&["parse", "-q", "-m", model, "--trees", "--retag", "@sample/news"], "").ok();
    directory.write("parsed.mrg", parsed);
    let scores = directory.run(&["eval", "--json", "gold.mrg", "parsed.mrg"]).json();
    let info = boughs(&["model", "info", "--json", model], "").json();
    let wanted: f64 = info["settings"]["dev-f1"].as_str().expect("a figure").parse().expect("a number");
    assert!((scores["f1"].as_f64().expect("a number") - wanted).abs() < 0.01, "{model} {wanted} {scores}");
}
