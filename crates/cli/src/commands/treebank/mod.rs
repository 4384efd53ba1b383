//! `boughs treebank`: everything done with treebanks before and after parsing.

mod binarize;
mod check;
mod clean;
mod convert;
mod draw;
mod numbers;
mod split;
mod stats;

use anyhow::Result;
use clap::Subcommand;

use crate::Outcome;

/// Check, count, clean, convert, split and draw treebanks
#[derive(Subcommand)]
pub(crate) enum TreebankCommand {
    Check(check::CheckArgs),
    Stats(stats::StatsArgs),
    Clean(Box<clean::CleanArgs>),
    Convert(convert::ConvertArgs),
    Split(split::SplitArgs),
    Draw(draw::DrawArgs),
}

impl TreebankCommand {
    pub(crate) fn run(self) -> Result<Outcome> {
        match self {
            Self::Check(args) => check::run(&args),
            Self::Stats(args) => stats::run(&args),
            Self::Clean(args) => clean::run(&args),
            Self::Convert(args) => convert::run(&args),
            Self::Split(args) => split::run(&args),
            Self::Draw(args) => draw::run(&args),
        }
    }
}
