//! What a training run says while it runs: to people on standard error, to programs in a log file.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};

use crate::output::report;

/// How often a run says where it stands if nobody watches a terminal.
const QUIET_TIME: Duration = Duration::from_secs(10);

const COLUMNS: &str = "seconds\tlabel\tstep\tactive\tpenalty\tobjective\tdev_log_loss";

/// A tree or an iteration that was added.
pub(super) struct Step<'a> {
    /// The number of the classifier.
    pub(super) task: usize,
    pub(super) label: &'a str,
    pub(super) number: usize,
    pub(super) num_active: usize,
    pub(super) penalty: f64,
    pub(super) objective: f64,
    pub(super) dev_loss: Option<f64>,
    pub(super) num_rows: usize,
    /// How much of the classifier's work is over; 0 if nobody knows.
    pub(super) share_done: f64,
}

/// Watches a run; threads share it.
pub(super) struct Monitor {
    start: Instant,
    /// Draws only on a terminal.
    bar: ProgressBar,
    shared: Mutex<Shared>,
}

struct Shared {
    log: Option<BufWriter<File>>,
    last_line: Instant,
    totals: Totals,
}

/// What all classifiers did together.
struct Totals {
    /// How much of each one's work is over.
    shares: Vec<f64>,
    /// The rows of all steps.
    num_rows: usize,
}

impl Totals {
    fn new(num_tasks: usize) -> Self {
        Self { shares: vec![0.0; num_tasks], num_rows: 0 }
    }

    fn add(&mut self, step: &Step<'_>) {
        self.num_rows += step.num_rows;
        self.shares[step.task] = step.share_done;
    }

    /// The seconds that are left if all goes on as before.
    fn seconds_left(&self, seconds: f64) -> Option<f64> {
        let all = self.shares.len() as f64;
        let done = self.shares.iter().sum::<f64>();
        (done > 0.0 && done < all).then(|| seconds * (all - done) / done)
    }
}

impl Monitor {
    pub(super) fn new(log: Option<&Path>, num_tasks: usize) -> Result<Self> {
        let bar = ProgressBar::new_spinner();
        bar.set_style(ProgressStyle::with_template("{spinner} {wide_msg}").context("a sound template")?);
        let log = log.map(open_log).transpose()?;
        let start = Instant::now();
        let shared = Shared { log, last_line: start, totals: Totals::new(num_tasks) };
        Ok(Self { start, bar, shared: Mutex::new(shared) })
    }

    /// Seconds since training began; rows were read before.
    pub(super) fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    pub(super) fn step(&self, step: &Step<'_>) -> Result<()> {
        let seconds = self.seconds();
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        shared.totals.add(step);
        if let Some(log) = &mut shared.log {
            write_line(log, step, seconds).context("cannot write the log")?;
        }
        if !self.bar.is_hidden() {
            self.bar.set_message(describe(step, &shared.totals, seconds));
            self.bar.tick();
        } else if shared.last_line.elapsed() >= QUIET_TIME {
            shared.last_line = Instant::now();
            report(format_args!("{}", describe(step, &shared.totals, seconds)));
        }
        Ok(())
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

fn open_log(path: &Path) -> Result<BufWriter<File>> {
    let cannot_write = || format!("cannot write {}", path.display());
    let mut log = BufWriter::new(File::create(path).with_context(cannot_write)?);
    writeln!(log, "{COLUMNS}").and_then(|()| log.flush()).with_context(cannot_write)?;
    Ok(log)
}

fn write_line(log: &mut impl Write, step: &Step<'_>, seconds: f64) -> std::io::Result<()> {
    let Step { label, number, num_active, penalty, objective, .. } = step;
    write!(log, "{seconds:.3}\t{label}\t{number}\t{num_active}\t{penalty}\t{objective}\t")?;
    match step.dev_loss {
        Some(loss) => writeln!(log, "{loss}")?,
        None => writeln!(log)?,
    }
    log.flush()
}

fn describe(step: &Step<'_>, totals: &Totals, seconds: f64) -> String {
    let rate = totals.num_rows as f64 / seconds.max(1e-9);
    let mut text = format!(
        "{}: step {}, {} active features, λ {:.4}, objective {:.4}",
        step.label, step.number, step.num_active, step.penalty, step.objective
    );
    if let Some(loss) = step.dev_loss {
        text.push_str(&format!(", dev {loss:.5}"));
    }
    text.push_str(&format!(", {rate:.0} rows/s"));
    if let Some(left) = totals.seconds_left(seconds) {
        text.push_str(&format!(", about {left:.0} s left"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: Step<'_> = Step {
        task: 1,
        label: "NP",
        number: 20,
        num_active: 31,
        penalty: 0.5,
        objective: 123.0,
        dev_loss: Some(0.25),
        num_rows: 1000,
        share_done: 0.4,
    };

    #[test]
    fn a_step_says_where_it_stands_and_how_long_it_takes() {
        let mut totals = Totals::new(2);
        (0..20).for_each(|_| totals.add(&STEP));
        let text = describe(&STEP, &totals, 10.0);
        let expected = "NP: step 20, 31 active features, λ 0.5000, objective 123.0000, dev 0.25000, 2000 rows/s, about 40 s left";
        assert_eq!(text, expected);
    }

    #[test]
    fn the_log_has_a_column_for_each_number() {
        let mut line = Vec::new();
        write_line(&mut line, &STEP, 11.0).unwrap();
        assert_eq!(String::from_utf8(line).unwrap(), "11.000\tNP\t20\t31\t0.5\t123\t0.25\n");
        assert_eq!(COLUMNS.split('\t').count(), 7);
    }
}
