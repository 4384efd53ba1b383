//! `boughs treebank split`.

use anyhow::{Result, bail};
use clap::Args;

use crate::Outcome;

/// Split
#[derive(Args)]
pub(crate) struct SplitArgs {}

pub(crate) fn run(_args: &SplitArgs) -> Result<Outcome> {
    bail!("in the making")
}
