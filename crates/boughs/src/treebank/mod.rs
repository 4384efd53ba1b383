//! Treebanks as wholes: what is in them, what is wrong with them, and how to divide them.

mod check;
mod folds;
mod sample;
mod split;
mod stats;

pub use check::{Checker, Finding, FindingKind, Findings, Severity};
pub(crate) use folds::folds_of;
pub use sample::{SAMPLE, sample};
pub use split::{Part, PartSize, assign, part_sizes};
pub use stats::{Distribution, Stats};
