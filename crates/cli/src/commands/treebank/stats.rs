//! `boughs treebank stats`.

use anyhow::{Result, bail};
use clap::Args;

use crate::Outcome;

/// Stats
#[derive(Args)]
pub(crate) struct StatsArgs {}

pub(crate) fn run(_args: &StatsArgs) -> Result<Outcome> {
    bail!("in the making")
}
