//! How good is a parse: scores and whether differences between them mean anything.

pub mod significance;
