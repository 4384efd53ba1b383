//! `boughs compare`.

use anyhow::{Result, bail};
use clap::Args;

use crate::Outcome;

/// Compare
#[derive(Args)]
pub(crate) struct CompareArgs {}

pub(crate) fn run(_args: &CompareArgs) -> Result<Outcome> {
    bail!("in the making")
}
