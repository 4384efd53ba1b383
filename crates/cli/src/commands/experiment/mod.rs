//! `boughs experiment`: the tables of a paper by one command.

mod board;
mod data;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use boughs_experiment::report::Verdict;
use boughs_experiment::{Experiment, Report, RunSettings, SHIPPED, run, shipped};
use clap::{Args, Subcommand};

use crate::Outcome;
use crate::interrupt;
use crate::number;
use crate::output::{counted, print, report};
use crate::table::Table;
use crate::training::set;
use board::Board;
use data::ExperimentDataArgs;

/// Make the tables and figures of a paper on your own data
///
/// An experiment is a TOML file: rows that vary a recipe, what is measured, compared, drawn and claimed, and
/// the figures of the paper (docs/experiments.md). Some ship with the program.
#[derive(Debug, Subcommand)]
pub(crate) enum ExperimentCommand {
    /// List the experiments that ship
    List,
    /// Print an experiment, to read or to begin one's own with
    Show {
        /// An experiment that ships, or a file
        #[arg(value_name = "NAME|FILE")]
        name: PathBuf,
    },
    Run(Box<ExperimentRunArgs>),
}

/// Run an experiment, or go on with it, and write its report
///
/// Rows run side by side, as many as there are threads (-j) and memory (--memory) for. What is done is in the
/// directory: after an interruption, also by `kill -9`, the same command with --resume runs what is missing,
/// from the checkpoints of rows that were begun. The development data choose; the test data are scored once,
/// at the end.
///
/// DIR/report.html is the report, report.md the same as text, results.json and results.csv all figures. They
/// are the same bytes for any -j; how long rows took is in times.json and times.md.
#[derive(Debug, Args)]
pub(crate) struct ExperimentRunArgs {
    /// An experiment that ships (`boughs experiment list`), or a file
    #[arg(value_name = "NAME|FILE")]
    name: PathBuf,

    /// The directory of the run, which is made
    #[arg(long, short, value_name = "DIR")]
    out: PathBuf,

    /// Go on with the run that is in the directory
    #[arg(long)]
    resume: bool,

    /// Run at toy size on data that are built in, to see that everything works
    #[arg(long, conflicts_with_all = data::FLAGS)]
    quick: bool,

    /// Leave out sentences of more than N words, whatever the experiment says
    #[arg(long, value_name = "N", conflicts_with = "quick", value_parser = number::within::<usize>(1..))]
    max_words: Option<usize>,

    /// Threads, shared by rows that run at the same time. Default: one for each processor
    #[arg(long, short = 'j', value_name = "N", default_value_t = 0, hide_default_value = true)]
    threads: usize,

    /// Run only as many rows at a time as fit into about this much memory, such as 8G; a row that needs more
    /// runs alone
    #[arg(long, value_name = "BYTES", value_parser = number::parse_bytes)]
    memory: Option<usize>,

    /// Say nothing about progress
    #[arg(long, short)]
    quiet: bool,

    #[command(flatten)]
    data: ExperimentDataArgs,
}

impl ExperimentCommand {
    pub(crate) fn run(&self) -> Result<Outcome> {
        match self {
            Self::List => list(),
            Self::Show { name } => print(text_of(name)?),
            Self::Run(args) => args.run(),
        }
    }
}

fn list() -> Result<Outcome> {
    let mut table = Table::new(&["name", "rows", "needs"]);
    let mut titles = String::new();
    for (name, text) in SHIPPED {
        let experiment = Experiment::parse(text)?;
        let slots: Vec<&str> = experiment.slots().iter().map(|slot| slot.name()).collect();
        table.row(&[&name, &experiment.rows.len(), &slots.join(", ")]);
        titles.push_str(&format!("{name}: {}\n", experiment.title));
    }
    print(format_args!("{table}\n{titles}"))
}

/// The text of an experiment that ships, or of a file.
fn text_of(name: &Path) -> Result<String> {
    if let Some(text) = name.to_str().and_then(shipped) {
        return Ok(text.to_owned());
    }
    std::fs::read_to_string(name).with_context(|| {
        let names: Vec<&str> = SHIPPED.iter().map(|(name, _)| *name).collect();
        format!("cannot read {} (expected a file, or one of {})", name.display(), names.join(", "))
    })
}

impl ExperimentRunArgs {
    fn run(&self) -> Result<Outcome> {
        let text = text_of(&self.name)?;
        let mut experiment = Experiment::parse(&text).map_err(|error| error.in_file(&self.name))?;
        set(&mut experiment.data.max_words, self.max_words.map(Some));
        self.check_out()?;
        interrupt::note()?;
        let (data, files) = match self.quick {
            true => self.data.quick(&experiment)?,
            false => self.data.read(&experiment)?,
        };
        for facts in data.facts() {
            let (number, what) = (facts.num_items, facts.slot.name());
            report(format_args!("{}: {number} {what}", facts.part));
        }
        let settings = RunSettings {
            threads: self.threads,
            memory: self.memory.unwrap_or(usize::MAX),
            resume: self.resume,
            is_quick: self.quick,
            max_words: self.max_words,
            files,
            sentences: self.data.sentence_files(),
            ..RunSettings::new(&self.out)
        };
        let board = Board::new(&experiment, self.quiet)?;
        let name = self.name.to_string_lossy();
        let found = run(&name, &text, &data, &settings, &board);
        board.finish();
        match found? {
            Some(found) => self.tell(&found),
            None => {
                let out = self.out.display();
                report(format_args!("interrupted; what is done is in {out}: go on with --resume"));
                Ok(Outcome::Interrupted)
            }
        }
    }

    /// What is found wanting before hours of work are.
    fn check_out(&self) -> Result<()> {
        match self.out.exists() && !self.out.is_dir() {
            true => bail!("--out {}: expected a directory, found a file", self.out.display()),
            false => Ok(()),
        }
    }

    /// Tells where the report is; exit code 1 if a row was not run.
    fn tell(&self, found: &Report) -> Result<Outcome> {
        let num_claims = |verdict| found.claims.iter().filter(|claim| claim.verdict == verdict).count();
        if !found.claims.is_empty() {
            report(format_args!(
                "{} of the paper: {} hold, {} do not, {} not measured",
                counted(found.claims.len() as u64, "claim"),
                num_claims(Verdict::Holds),
                num_claims(Verdict::DoesNotHold),
                num_claims(Verdict::NotMeasured)
            ));
        }
        report(format_args!("{}: written", self.out.join("report.html").display()));
        Ok(if found.skipped.is_empty() { Outcome::Complete } else { Outcome::Partial })
    }
}
