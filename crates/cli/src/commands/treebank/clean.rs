//! `boughs treebank clean`.

use anyhow::{Result, bail};
use clap::Args;

use crate::Outcome;

/// Clean
#[derive(Args)]
pub(crate) struct CleanArgs {}

pub(crate) fn run(_args: &CleanArgs) -> Result<Outcome> {
    bail!("in the making")
}
