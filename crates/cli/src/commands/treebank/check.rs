//! `boughs treebank check`.

use anyhow::{Result, bail};
use clap::Args;

use crate::Outcome;

/// Check
#[derive(Args)]
pub(crate) struct CheckArgs {}

pub(crate) fn run(_args: &CheckArgs) -> Result<Outcome> {
    bail!("in the making")
}
