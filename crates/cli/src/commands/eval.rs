//! `boughs eval`.

use anyhow::{Result, bail};
use clap::Args;

use crate::Outcome;

/// Eval
#[derive(Args)]
pub(crate) struct EvalArgs {}

pub(crate) fn run(_args: &EvalArgs) -> Result<Outcome> {
    bail!("in the making")
}
