//! `boughs model calibrate`: a parser with confidences that mean something.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;

use crate::Outcome;
use crate::input::ReadArgs;
use crate::model::load_parser;
use crate::output::{ForceArg, report};
use crate::threads::ThreadArgs;

/// Make confidences say how often phrases are right
///
/// Parses development trees, which the parser should not have learned from, and learns how often phrases of
/// each confidence are right (isotonic regression; a neural parser gets its temperature as well). Trees do not
/// change. `boughs train neural` does this by itself; `boughs eval GOLD -m MODEL --calibration` shows the result.
#[derive(Debug, Args)]
pub(crate) struct CalibrateArgs {
    /// A parser: a file written by `boughs train`, or `@english`, which is built in
    #[arg(value_name = "MODEL")]
    model: PathBuf,

    /// Development trees
    #[arg(long, value_name = "FILE", num_args = 1.., required = true)]
    dev: Vec<PathBuf>,

    /// Write the model to this file
    #[arg(long, short, value_name = "MODEL")]
    out: PathBuf,

    #[command(flatten)]
    force: ForceArg,

    #[command(flatten)]
    threads: ThreadArgs,

    #[command(flatten)]
    read: ReadArgs,
}

pub(super) fn run(args: &CalibrateArgs) -> Result<Outcome> {
    args.force.check(&args.out)?;
    let parser = load_parser(&args.model)?;
    let mut reader = args.read.open(&args.dev)?;
    let dev = reader.rest()?;
    let parser = args.threads.pool()?.install(|| parser.calibrated(&dev))?;
    if parser.options().confidence_curve.is_none() {
        bail!("{}: its parses of the development trees have no confidences", args.model.display());
    }
    parser.save(&args.out)?;
    report(format_args!("{}: written", args.out.display()));
    Ok(reader.finish())
}
