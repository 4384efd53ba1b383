//! `boughs eval --evalb`: the C program.

use std::fs::File;
use std::io::{self, BufRead, BufReader, LineWriter};
use std::path::Path;

use anyhow::{Context, Result, bail};
use boughs::eval::Parameters;
use boughs::eval::evalb::{self, EvalbEnd};
use clap::Args;

use crate::Outcome;
use crate::input::{is_stdin, take_stdin};
use crate::output::stdout;

const GZIP_MAGIC: [u8; 2] = [0x1F, 0x8B];

#[derive(Args)]
#[command(next_help_heading = "EVALB")]
pub(crate) struct EvalbArgs {
    /// Do exactly what EVALB does: one tree a line, nothing cleaned, the same output and exit status; GOLD and TEST
    /// are plain files or standard input, neither directories nor .gz
    #[arg(long, conflicts_with_all = ["encoding", "from", "attach_discontinuous", "keep_going"])]
    pub(crate) evalb: bool,

    /// Give up at the second error beyond this number [default: 10]
    #[arg(short = 'e', value_name = "N", requires = "evalb")]
    max_errors: Option<i64>,

    /// Summarise sentences up to this length [default: 40]
    #[arg(short = 'c', value_name = "N", requires = "evalb")]
    cutoff_length: Option<i64>,
}

/// Runs as EVALB; `-e` and `-c` overrule the settings wherever they stand.
pub(crate) fn run(args: &EvalbArgs, settings: Option<&str>, gold: &Path, test: &Path) -> Result<Outcome> {
    let mut parameters = settings.map_or_else(|| Ok(Parameters::default()), Parameters::load)?;
    parameters.max_errors = args.max_errors.unwrap_or(parameters.max_errors);
    parameters.cutoff_length = args.cutoff_length.unwrap_or(parameters.cutoff_length);
    let (gold, test) = (open(gold)?, open(test)?);
    let complaints = LineWriter::new(io::stderr().lock());
    let ending = evalb::run(gold, test, &parameters, stdout(), complaints)?;
    Ok(match ending {
        EvalbEnd::Finished => Outcome::Complete,
        EvalbEnd::TooManyErrors => Outcome::Partial,
    })
}

/// Opens a file as it is: EVALB neither unpacks nor decodes.
fn open(path: &Path) -> Result<Box<dyn BufRead>> {
    if is_stdin(path) {
        take_stdin()?;
        return Ok(Box::new(io::stdin().lock()));
    }
    let cannot_open = || format!("cannot open {}", path.display());
    let file = File::open(path).with_context(cannot_open)?;
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let start = reader.fill_buf().with_context(cannot_open)?;
    if start.starts_with(&GZIP_MAGIC) {
        bail!("{} is compressed, which EVALB does not read: unpack it, or leave out --evalb", path.display());
    }
    Ok(Box::new(reader))
}
