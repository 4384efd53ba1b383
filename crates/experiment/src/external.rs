//! Boosters of others, to compare with: a program in Python that is run if it can be.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde::Deserialize;

use crate::method::Method;
use crate::recipe::ExternalConfig;
use boughs_learn::error::{Error, ErrorKind, Result};
use boughs_learn::run::{Figure, Observer, Scores, Step, Watch};
use boughs_learn::svmlight::LabelledRows;

const PROGRAM: &str = include_str!("../data/boosters.py");

/// The exit code of the program if the library is not there.
const IS_MISSING: i32 = 3;

/// A booster of others.
pub(crate) struct Booster<'b> {
    pub(crate) method: Method,
    pub(crate) config: ExternalConfig,
    /// Where the rows are written for it.
    pub(crate) directory: &'b Path,
}

/// What came of it.
pub(crate) enum Trained {
    /// The library and its version, a step for each tree, and the CPU seconds up to it.
    Done {
        version: String,
        steps: Vec<Step>,
        seconds: Vec<f64>,
    },
    /// It is not installed.
    Missing(String),
    Interrupted,
}

/// What the program says after each tree.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct TreeLine {
    trees: usize,
    active: usize,
    log_loss: f64,
    accuracy: f64,
    seconds: f64,
}

impl Booster<'_> {
    fn library(&self) -> &'static str {
        if self.method == Method::Xgboost { "xgboost" } else { "lightgbm" }
    }

    /// Trains until the loss on the development rows no longer falls.
    pub(crate) fn train(
        &self,
        train: &LabelledRows,
        dev: &LabelledRows,
        observer: &dyn Observer,
    ) -> Result<Trained> {
        if train.labels.len() != 2 {
            let message = format!("expected two labels, found {}", train.labels.len());
            return Err(Error::new(ErrorKind::Argument, message));
        }
        let files = ["train.svm", "dev.svm"].map(|name| self.directory.join(name));
        for (path, rows) in files.iter().zip([train, dev]) {
            write_rows(path, rows).map_err(|error| Error::io("write the rows", error).in_file(path))?;
        }
        let trained = self.run(&files.each_ref().map(PathBuf::as_path), observer);
        for path in &files {
            fs::remove_file(path).map_err(|error| Error::io("remove the rows", error).in_file(path))?;
        }
        trained
    }

    fn run(&self, files: &[&Path; 2], observer: &dyn Observer) -> Result<Trained> {
        let ExternalConfig { trees, patience, rate } = self.config;
        let child = Command::new("python3")
            .args(["-c", PROGRAM, self.library()])
            .args(files)
            .args([trees.to_string(), patience.to_string(), rate.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        match child {
            Ok(mut child) => {
                let trained = self.follow(&mut child, &Watch::new(observer));
                // Whatever ended the conversation, no process is left behind.
                let _ = child.kill();
                let _ = child.wait();
                trained
            }
            Err(error) => Ok(Trained::Missing(format!("python3 cannot be run: {error}"))),
        }
    }

    fn follow(&self, child: &mut Child, watch: &Watch<'_>) -> Result<Trained> {
        let cannot_read = |error| Error::io("read from python3", error);
        let mut lines = BufReader::new(child.stdout.take().ok_or_else(no_pipe)?).lines();
        let version = lines.next().transpose().map_err(cannot_read)?.unwrap_or_default();
        let (mut steps, mut seconds) = (Vec::new(), Vec::new());
        for line in lines {
            let line = line.map_err(cannot_read)?;
            let line: TreeLine = serde_json::from_str(&line).map_err(|error| {
                Error::new(ErrorKind::Syntax, format!("from python3: {error} in `{line}`"))
            })?;
            let share = line.trees as f64 / self.config.trees as f64;
            if watch.progress(Some(share), format_args!("{} trees", line.trees)).is_break() {
                return Ok(Trained::Interrupted);
            }
            seconds.push(line.seconds);
            steps.push(line.step());
        }
        let mut told = String::new();
        child.stderr.take().ok_or_else(no_pipe)?.read_to_string(&mut told).map_err(cannot_read)?;
        let status = child.wait().map_err(cannot_read)?;
        match status.code() {
            Some(0) => Ok(Trained::Done { version, steps, seconds }),
            Some(IS_MISSING) => Ok(Trained::Missing(format!("not installed: {}", told.trim()))),
            _ => {
                let last = told.lines().last().unwrap_or_default().to_owned();
                Err(Error::new(
                    ErrorKind::Mismatch,
                    format!("{} ended with {status}: {last}", self.library()),
                ))
            }
        }
    }
}

impl TreeLine {
    fn step(&self) -> Step {
        let figures = vec![Figure::count("trees", self.trees), Figure::count("active", self.active)];
        let scores =
            vec![Figure::new("accuracy", self.accuracy, 2), Figure::new("log-loss", self.log_loss, 6)];
        let scores = Scores { criterion: -self.log_loss, figures: scores };
        Step { scores: Some(scores), ..Step::candidate(0, figures) }
    }
}

/// The step with the lowest loss, the first of equals.
pub(crate) fn best(steps: &[Step]) -> Option<usize> {
    let criterion = |step: &Step| step.scores.as_ref().map_or(f64::NEG_INFINITY, |scores| scores.criterion);
    (0..steps.len()).rev().max_by(|&one, &other| criterion(&steps[one]).total_cmp(&criterion(&steps[other])))
}

fn no_pipe() -> Error {
    Error::new(ErrorKind::Mismatch, "expected to read what python3 says, found no pipe")
}

fn write_rows(path: &Path, rows: &LabelledRows) -> std::io::Result<()> {
    let mut file = std::io::BufWriter::new(fs::File::create(path)?);
    for (row, &class) in rows.classes.iter().enumerate() {
        write!(file, "{}", rows.labels[class as usize])?;
        for feature in rows.dataset.row(row) {
            write!(file, " {feature}:1")?;
        }
        writeln!(file)?;
    }
    file.flush()
}
