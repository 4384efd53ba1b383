//! Treebanks as wholes: what is in them, what is wrong with them, and how to divide them.

mod check;
mod diff;
mod sample;
mod split;
mod stats;
mod trees;

pub use check::{Checker, Finding, FindingKind, Findings, Severity};
pub use diff::TreeDiff;
pub use sample::{SAMPLE, sample, sample_inputs};
pub use split::{PartSize, SplitPart, assign, part_sizes};
pub use stats::{Distribution, Stats, by_count};
pub use trees::Treebank;
pub(crate) use trees::folds_of;
