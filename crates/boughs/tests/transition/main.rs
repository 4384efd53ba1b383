//! The transition parser, from the outside.

mod constraints;
mod training;
