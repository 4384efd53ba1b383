//! `boughs treebank draw`.

use anyhow::{Result, bail};
use clap::Args;

use crate::Outcome;

/// Draw
#[derive(Args)]
pub(crate) struct DrawArgs {}

pub(crate) fn run(_args: &DrawArgs) -> Result<Outcome> {
    bail!("in the making")
}
