//! `boughs eval`: score parses against gold trees.

mod evalb;

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;

use crate::Outcome;
use crate::input::ReadArgs;

/// Score parses against gold trees
#[derive(Args)]
pub(crate) struct EvalArgs {
    /// The gold trees
    gold: PathBuf,

    /// The trees to score
    test: PathBuf,

    /// Which labels to leave out or take as equal: COLLINS (the default but for --evalb), new, or a .prm file of EVALB
    #[arg(long, short = 'p', value_name = "NAME|FILE")]
    settings: Option<String>,

    #[command(flatten)]
    evalb: evalb::EvalbArgs,

    #[command(flatten)]
    read: ReadArgs,
}

pub(crate) fn run(args: &EvalArgs) -> Result<Outcome> {
    if args.evalb.evalb {
        return evalb::run(&args.evalb, args.settings.as_deref(), &args.gold, &args.test);
    }
    bail!("in the making")
}
