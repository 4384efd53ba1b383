//! Parsing by classification, from the outside.

#[path = "../common/treebanks.rs"]
mod treebanks;

mod demands;
mod oracle;
mod training;
