//! Parsing by classification, from the outside.

#[path = "../common/treebanks.rs"]
mod treebanks;

mod constraints;
mod oracle;
mod training;
